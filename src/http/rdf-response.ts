// Answers with triples, in the syntax that the Accept header selects.
import { accepts } from "hono/accepts";
import { z } from "../schemas/common";
import { SYNTAXES, type Syntax, serialiseTriples } from "../store/triples/rdf-syntax";
import type { Triple } from "../store/triples/triples";
import type { AppContext } from "./app-context";

/** Triples as JSON, with full IRIs. */
export const FullTriples = z.object({
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
export const OTHER_SYNTAXES = SYNTAXES.filter((syntax) => syntax !== "application/json");

export const SYNTAX_NOTE = `The Accept header selects the syntax: ${SYNTAXES.join(", ")}.`;

export async function respondWithTriples(c: AppContext, triples: readonly Triple[]): Promise<Response> {
  const syntax = accepts(c, {
    header: "Accept",
    supports: [...SYNTAXES],
    default: "application/json",
  }) as Syntax;
  return c.body(await serialiseTriples(triples, syntax), 200, {
    "Content-Type": `${syntax}; charset=utf-8`,
    Vary: "Accept",
  });
}
