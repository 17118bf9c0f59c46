// SPARQL Query Results XML Format (Second Edition): https://www.w3.org/TR/rdf-sparql-XMLres/

import { XSD } from "../rdf-terms";
import type { RdfTerm } from "../sparql-answer";
import type { BooleanAnswer, SolutionsAnswer } from "./answer-kinds";
import { createBlankNodeLabels, type LabelBlankNode } from "./blank-node-labels";

const OPENING =
  '<?xml version="1.0" encoding="UTF-8"?>\n<sparql xmlns="http://www.w3.org/2005/sparql-results#">\n';
const CLOSING = "</sparql>\n";

export function toSparqlXml(answer: SolutionsAnswer | BooleanAnswer): string {
  if (answer.kind === "boolean") return `${OPENING}<head/>\n<boolean>${answer.value}</boolean>\n${CLOSING}`;
  const { variables, solutions } = answer;
  const label = createBlankNodeLabels();
  const head = variables.map((variable) => `<variable name="${escapeXml(variable)}"/>`).join("");
  const results = solutions.map((solution) => {
    const bindings = variables.map((variable) => {
      const term = solution.get(variable);
      return term === undefined
        ? ""
        : `<binding name="${escapeXml(variable)}">${toXmlTerm(term, label)}</binding>`;
    });
    return `<result>${bindings.join("")}</result>\n`;
  });
  return `${OPENING}<head>${head}</head>\n<results>\n${results.join("")}</results>\n${CLOSING}`;
}

function toXmlTerm(term: RdfTerm, label: LabelBlankNode): string {
  if (term.termType === "NamedNode") return `<uri>${escapeXml(term.value)}</uri>`;
  if (term.termType !== "Literal") return `<bnode>${label(term)}</bnode>`;
  return `<literal${describeLiteral(term.language, term.datatype.value)}>${escapeXml(term.value)}</literal>`;
}

function describeLiteral(language: string, datatype: string): string {
  if (language !== "") return ` xml:lang="${escapeXml(language)}"`;
  return datatype === XSD.string ? "" : ` datatype="${escapeXml(datatype)}"`;
}

/** A parser would turn a bare carriage return into a line feed (XML 1.0, section 2.11). */
const REFERENCES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
};

/** XML 1.0 has no way to write these characters: they become U+FFFD, as in a text of unknown encoding. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace.
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(UNWRITABLE, "\ufffd")
    .replaceAll(/[&<>"\r]/g, (character) => REFERENCES[character] ?? character);
}
