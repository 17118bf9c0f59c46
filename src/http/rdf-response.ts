// Answers with triples, in the syntax that the Accept header selects.

import { z } from "../kernel/common";
import type { Json } from "../kernel/json";
import { SYNTAXES, serialiseTriples } from "../ontology/quad-syntax";
import type { Triple } from "../ontology/triples";
import type { AppContext } from "./app-context";
import type { ResponseSpec } from "./document-route";
import { selectType } from "./read-request";

/** Triples as JSON, with full IRIs. */
const FullTriples = z.object({
  data: z.array(
    z.object({
      subject: z.string(),
      predicate: z.string(),
      object: z.string(),
      datatype: z.string().optional(),
    }),
  ),
});

/** The syntaxes besides JSON. */
const OTHER_SYNTAXES = SYNTAXES.filter((syntax) => syntax !== "application/json");

/** Documents an answer of triples in every syntax. */
export function describeTriples(example: z.infer<typeof FullTriples>): ResponseSpec {
  const lines = example.data.map(({ subject, predicate, object, datatype }) => {
    const value = datatype === undefined ? `<${object}>` : `${JSON.stringify(object)}^^<${datatype}>`;
    return `<${subject}> <${predicate}> ${value} .\n`;
  });
  const linked = example.data.map(({ subject, predicate, object, datatype }) => ({
    "@id": subject,
    [predicate]: datatype === undefined ? { "@id": object } : { "@value": object, "@type": datatype },
  }));
  return {
    description: "The triples, with full IRIs",
    schema: FullTriples,
    types: OTHER_SYNTAXES,
    example: example as Json,
    // N-Triples are Turtle without abbreviations.
    exampleText: {
      "application/n-triples": lines.join(""),
      "text/turtle": lines.join(""),
      "application/ld+json": linked,
    },
  };
}

export const SYNTAX_NOTE = `The Accept header selects the syntax: ${SYNTAXES.join(", ")}.`;

export async function respondWithTriples(c: AppContext, triples: readonly Triple[]): Promise<Response> {
  const syntax = selectType(c, SYNTAXES);
  return c.body(await serialiseTriples(triples, syntax), 200, {
    "Content-Type": `${syntax}; charset=utf-8`,
  });
}
