// SPARQL 1.1 Query Results JSON Format: https://www.w3.org/TR/sparql11-results-json/

import type { Term } from "n3";
import { XSD } from "../rdf-terms";
import type { BooleanAnswer, RdfTerm, SolutionsAnswer } from "../sparql-answer";

// Labels of blank nodes in one answer. Stored labels may contain characters that a syntax does not allow.

/** Returns the label of a blank node: the same one wherever it occurs in the answer. */
export type LabelBlankNode = (term: Term) => string;

/** Labels the blank nodes of an answer `b0`, `b1` and so on, in the order of their first use. */
export function createBlankNodeLabels(): LabelBlankNode {
  const labels = new Map<string, string>();
  return ({ value }) => {
    const label = labels.get(value) ?? `b${labels.size}`;
    labels.set(value, label);
    return label;
  };
}

/** An RDF term in a solution (section 3.2.2). */
export type JsonTerm = {
  type: "uri" | "literal" | "bnode";
  value: string;
  "xml:lang"?: string;
  datatype?: string;
};

type SparqlJson =
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

// SPARQL Query Results XML Format (Second Edition): https://www.w3.org/TR/rdf-sparql-XMLres/

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

// SPARQL 1.1 Query Results CSV Format: https://www.w3.org/TR/sparql11-results-csv-tsv/#csv
// Values without their types: a reader cannot tell an IRI from a literal.

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

// SPARQL 1.1 Query Results TSV Format: https://www.w3.org/TR/sparql11-results-csv-tsv/#tsv
// Terms in the syntax of SPARQL and Turtle, so that nothing of them is lost.

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
