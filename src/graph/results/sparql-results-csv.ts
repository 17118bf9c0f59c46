// SPARQL 1.1 Query Results CSV Format: https://www.w3.org/TR/sparql11-results-csv-tsv/#csv
// Values without their types: a reader cannot tell an IRI from a literal.

import type { SolutionsAnswer } from "./answer-kinds";
import { createBlankNodeLabels } from "./blank-node-labels";

export function toSparqlCsv({ variables, solutions }: SolutionsAnswer): string {
  const label = createBlankNodeLabels();
  const rows = solutions.map((solution) =>
    variables.map((variable) => {
      const term = solution.get(variable);
      if (term === undefined) return "";
      return term.termType === "BlankNode" ? `_:${label(term)}` : quoteCsvField(term.value);
    }),
  );
  // RFC 4180: lines end in CRLF.
  return [variables.map(quoteCsvField), ...rows].map((fields) => `${fields.join(",")}\r\n`).join("");
}

function quoteCsvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
