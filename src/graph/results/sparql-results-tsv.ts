// SPARQL 1.1 Query Results TSV Format: https://www.w3.org/TR/sparql11-results-csv-tsv/#tsv
// Terms in the syntax of SPARQL and Turtle, so that nothing of them is lost.

import { XSD } from "../rdf-terms";
import type { RdfTerm } from "../sparql-answer";
import type { SolutionsAnswer } from "./answer-kinds";
import { createBlankNodeLabels, type LabelBlankNode } from "./blank-node-labels";

export function toSparqlTsv({ variables, solutions }: SolutionsAnswer): string {
  const label = createBlankNodeLabels();
  const rows = solutions.map((solution) =>
    variables.map((variable) => {
      const term = solution.get(variable);
      return term === undefined ? "" : toTsvTerm(term, label);
    }),
  );
  const head = variables.map((variable) => `?${variable}`);
  return [head, ...rows].map((fields) => `${fields.join("\t")}\n`).join("");
}

/** The lexical forms that may stand without quotes and datatype: INTEGER, DECIMAL and DOUBLE of the SPARQL grammar. */
const BARE_NUMBERS: Readonly<Record<string, RegExp>> = {
  [XSD.integer]: /^[+-]?\d+$/,
  [XSD.decimal]: /^[+-]?\d*\.\d+$/,
  [XSD.double]: /^[+-]?(?:\d+\.\d*|\.?\d+)[eE][+-]?\d+$/,
};

function toTsvTerm(term: RdfTerm, label: LabelBlankNode): string {
  if (term.termType === "NamedNode") return `<${escapeIri(term.value)}>`;
  if (term.termType !== "Literal") return `_:${label(term)}`;
  const { value, language, datatype } = term;
  const quoted = `"${escapeString(value)}"`;
  if (language !== "") return `${quoted}@${language}`;
  if (datatype.value === XSD.string) return quoted;
  return BARE_NUMBERS[datatype.value]?.test(value) === true
    ? value
    : `${quoted}^^<${escapeIri(datatype.value)}>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  '"': '\\"',
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
};

function escapeString(text: string): string {
  return text.replaceAll(/[\\"\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}

/** Escapes the characters that IRIREF does not allow. */
function escapeIri(iri: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: IRIREF excludes them.
  return iri.replaceAll(/[\u0000-\u0020<>"{}|^`\\]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase();
    return `\\u${code.padStart(4, "0")}`;
  });
}
