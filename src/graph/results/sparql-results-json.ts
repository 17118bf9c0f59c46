// SPARQL 1.1 Query Results JSON Format: https://www.w3.org/TR/sparql11-results-json/

import { XSD } from "../rdf-terms";
import type { RdfTerm } from "../sparql-answer";
import type { BooleanAnswer, SolutionsAnswer } from "./answer-kinds";
import { createBlankNodeLabels, type LabelBlankNode } from "./blank-node-labels";

/** An RDF term in a solution (section 3.2.2). */
export type JsonTerm = {
  type: "uri" | "literal" | "bnode";
  value: string;
  "xml:lang"?: string;
  datatype?: string;
};

export type SparqlJson =
  | { head: { vars: string[] }; results: { bindings: Record<string, JsonTerm>[] } }
  | { head: Record<string, never>; boolean: boolean };

export function toSparqlJson(answer: SolutionsAnswer | BooleanAnswer): SparqlJson {
  if (answer.kind === "boolean") return { head: {}, boolean: answer.value };
  const { variables, solutions } = answer;
  const label = createBlankNodeLabels();
  const bindings = solutions.map((solution) =>
    Object.fromEntries(
      variables.flatMap((variable) => {
        const term = solution.get(variable);
        return term === undefined ? [] : [[variable, toJsonTerm(term, label)]];
      }),
    ),
  );
  return { head: { vars: [...variables] }, results: { bindings } };
}

function toJsonTerm(term: RdfTerm, label: LabelBlankNode): JsonTerm {
  const { value } = term;
  if (term.termType === "NamedNode") return { type: "uri", value };
  if (term.termType !== "Literal") return { type: "bnode", value: label(term) };
  if (term.language !== "") return { type: "literal", value, "xml:lang": term.language };
  const datatype = term.datatype.value;
  return datatype === XSD.string ? { type: "literal", value } : { type: "literal", value, datatype };
}
