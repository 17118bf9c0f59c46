// Reads results of queries in the formats of the suites, expected and answered alike, by parsers that are not those of the
// service: XML and JSON, CSV and TSV, the result-set vocabulary in RDF, and graphs.
import { Readable } from "node:stream";
import { DataFactory, Parser, type Quad, Store, type Term } from "n3";
import { SparqlXmlParser } from "sparqlxml-parse";
import { parseRdf } from "./parse-rdf.ts";

const { namedNode, blankNode, literal } = DataFactory;
const RS = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#";
const RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

export type Row = ReadonlyMap<string, Term>;

export type Results =
  | { kind: "boolean"; value: boolean }
  | { kind: "solutions"; variables: string[]; rows: Row[] }
  | { kind: "graph"; quads: Quad[] };

/** Parses a result by its media type. `base` resolves relative IRIs. */
export async function parseResults(text: string, type: string, base: string): Promise<Results> {
  switch (type) {
    case "application/sparql-results+xml":
      return parseXml(text);
    case "application/sparql-results+json":
      return parseJsonResults(JSON.parse(text));
    case "text/csv":
      return parseCsv(text);
    case "text/tab-separated-values":
      return parseTsv(text);
    default:
      return readResultGraph(parseRdf(text, base, type));
  }
}

async function parseXml(text: string): Promise<Results> {
  const parser = new SparqlXmlParser();
  if (/<boolean>/.test(text))
    return { kind: "boolean", value: await parser.parseXmlBooleanStream(Readable.from([text])) };
  const variables: string[] = [];
  const rows: Row[] = [];
  const stream = parser.parseXmlResultsStream(Readable.from([text]));
  stream.on("variables", (found: { value: string }[]) => variables.push(...found.map(({ value }) => value)));
  for await (const bindings of stream as AsyncIterable<Record<string, Term>>)
    rows.push(new Map(Object.entries(bindings).map(([name, term]) => [name.replace(/^\?/, ""), term])));
  return { kind: "solutions", variables, rows };
}

type JsonTerm = { type: string; value: string; datatype?: string; "xml:lang"?: string };
type JsonResults = {
  head: { vars?: string[] };
  boolean?: boolean;
  results?: { bindings: Record<string, JsonTerm>[] };
};

function parseJsonResults({ head, boolean, results }: JsonResults): Results {
  if (boolean !== undefined) return { kind: "boolean", value: boolean };
  const rows = (results?.bindings ?? []).map(
    (bindings) => new Map(Object.entries(bindings).map(([name, term]) => [name, readJsonTerm(term)])),
  );
  return { kind: "solutions", variables: head.vars ?? [], rows };
}

function readJsonTerm({ type, value, datatype, "xml:lang": language }: JsonTerm): Term {
  if (type === "uri") return namedNode(value);
  if (type === "bnode") return blankNode(value);
  return literal(value, language ?? (datatype === undefined ? undefined : namedNode(datatype)));
}

/** CSV has no types: all but blank nodes are read as texts. */
function parseCsv(text: string): Results {
  const [variables = [], ...records] = splitCsv(text);
  const rows = records.map(
    (cells) =>
      new Map(
        cells.flatMap((cell, i): [string, Term][] => {
          if (cell === "") return [];
          return [[variables[i] ?? "", cell.startsWith("_:") ? blankNode(cell.slice(2)) : literal(cell)]];
        }),
      ),
  );
  return { kind: "solutions", variables, rows };
}

/** Splits CSV into records: RFC 4180, with either line end. */
function splitCsv(text: string): string[][] {
  const records: string[][] = [];
  let cells: string[] = [];
  for (const [, quoted, bare = "", end = ""] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g,
  )) {
    if (end === "" && cells.length === 0 && quoted === undefined && bare === "") break;
    cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    records.push(cells);
    cells = [];
  }
  return records;
}

function parseTsv(text: string): Results {
  const [head = "", ...lines] = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const variables = head === "" ? [] : head.split("\t").map((name) => name.replace(/^\?/, ""));
  const rows = lines.map(
    (line) =>
      new Map(
        line
          .split("\t")
          .flatMap((cell, i): [string, Term][] =>
            cell === "" ? [] : [[variables[i] ?? "", readTurtleTerm(cell)]],
          ),
      ),
  );
  return { kind: "solutions", variables, rows };
}

function readTurtleTerm(text: string): Term {
  if (text.startsWith("_:")) return blankNode(text.slice(2));
  const [quad] = new Parser().parse(`<x:s> <x:p> ${text} .`);
  if (quad === undefined) throw new Error(`Not a term: ${text}`);
  return quad.object;
}

/** A graph with a rs:ResultSet describes solutions or a boolean; any other is a graph itself. */
export function readResultGraph(quads: Quad[]): Results {
  const store = new Store(quads);
  const [set] = store.getSubjects(RDF_TYPE, `${RS}ResultSet`, null);
  if (set === undefined) return { kind: "graph", quads };
  const list = (subject: Term, name: string) => store.getObjects(subject, RS + name, null);
  const [boolean] = list(set, "boolean");
  if (boolean !== undefined) return { kind: "boolean", value: boolean.value === "true" };
  const position = (solution: Term) => Number(list(solution, "index")[0]?.value ?? 0);
  const rows = list(set, "solution")
    .toSorted((a, b) => position(a) - position(b))
    .map(
      (solution) =>
        new Map(
          list(solution, "binding").flatMap((binding): [string, Term][] => {
            const [[variable], [value]] = [list(binding, "variable"), list(binding, "value")];
            return variable === undefined || value === undefined ? [] : [[variable.value, value]];
          }),
        ),
    );
  return { kind: "solutions", variables: list(set, "resultVariable").map(({ value }) => value), rows };
}
