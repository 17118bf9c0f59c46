// Solutions as plain values for people and models: compact IRIs, texts, numbers and booleans, without their datatypes.

import { XSD } from "../rdf-terms";
import type { RdfTerm } from "../sparql-answer";
import { encodeIri } from "../stored-terms";
import type { SolutionsAnswer } from "./answer-kinds";
import { createBlankNodeLabels, type LabelBlankNode } from "./blank-node-labels";

export type PlainRow = Record<string, string | number | boolean>;

export function toPlainRows({ variables, solutions }: SolutionsAnswer): PlainRow[] {
  const label = createBlankNodeLabels();
  return solutions.map((solution) =>
    Object.fromEntries(
      variables.flatMap((variable) => {
        const term = solution.get(variable);
        return term === undefined ? [] : [[variable, toPlainValue(term, label)]];
      }),
    ),
  );
}

const NUMBERS: ReadonlySet<string> = new Set([XSD.integer, XSD.decimal, XSD.double, XSD.float]);

function toPlainValue(term: RdfTerm, label: LabelBlankNode): string | number | boolean {
  if (term.termType === "BlankNode") return `_:${label(term)}`;
  if (term.termType === "NamedNode") return encodeIri(term.value);
  const datatype = term.datatype.value;
  if (datatype === XSD.boolean) return term.value === "true" || term.value === "1";
  const number = NUMBERS.has(datatype) ? Number(term.value) : Number.NaN;
  // JSON has no infinity, and an integer beyond 2^53 would become another one.
  const isExact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
  return isExact ? number : term.value;
}
