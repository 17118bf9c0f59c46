// kioku sparql: answers a SPARQL query as a table, as JSON, or as text in a format of the endpoint.
import { isKiokuError, KiokuError } from "../../client/index";
import { CLOCK_OPTIONS, type Context, defineCommand, getArgument, type Options, toClocks } from "../command";
import { type Column, renderTable } from "../table";

/** Declared for every query, on its first line. */
const PREFIXES = {
  jido: "https://jido.ai/ontology#",
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  rdfs: "http://www.w3.org/2000/01/rdf-schema#",
  owl: "http://www.w3.org/2002/07/owl#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
  prov: "http://www.w3.org/ns/prov#",
};

const PROLOGUE = Object.entries(PREFIXES)
  .map(([prefix, iri]) => `PREFIX ${prefix}: <${iri}> `)
  .join("");

type Row = Record<string, { value: string }>;

/** Formats of the endpoint by name. */
const FORMATS = {
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  xml: "application/sparql-results+xml",
  turtle: "text/turtle",
  ntriples: "application/n-triples",
  trig: "application/trig",
  jsonld: "application/ld+json",
} as const;

const OPTIONS = {
  format: {
    type: "string",
    value: "<format>",
    choices: Object.keys(FORMATS) as (keyof typeof FORMATS)[],
    about: "csv, tsv, xml, turtle, ntriples, trig or jsonld (default: a table)",
  },
  exact: { type: "boolean", about: "the stored triples alone, without inference" },
  ...CLOCK_OPTIONS,
} as const satisfies Options;

export const sparql = defineCommand({
  name: "sparql",
  summary: "Query the graph with SPARQL",
  takes: ["query"],
  options: OPTIONS,
  about:
    "The prefixes jido, rdf, rdfs, owl, xsd and prov are declared. CONSTRUCT and DESCRIBE take --format turtle, ntriples, trig or jsonld.",
  example: 'kioku sparql "SELECT ?text WHERE { ?d a jido:Decision ; jido:summary ?text } LIMIT 10"',
  async run(context) {
    try {
      await answerQuery(context);
    } catch (error) {
      throw shiftColumn(error);
    }
    return 0;
  },
});

async function answerQuery(context: Context<typeof OPTIONS>): Promise<void> {
  const { values, terminal, json, api } = context;
  const body = {
    query: PROLOGUE + getArgument(context, 0),
    ...toClocks(values),
    ...(values.exact && { infer: false }),
  };
  const { format } = values;
  if (format !== undefined) {
    const text = await api().request("POST", "/v1/sparql", { body, accept: FORMATS[format] });
    await terminal.line(text.trimEnd());
    return;
  }
  const answer = await api().sparql(body);
  const { head, results, boolean } = answer;
  if (json) await terminal.json(answer);
  else if (results === undefined) await terminal.line(String(boolean));
  else if (results.bindings.length === 0) terminal.note("No rows.");
  else await terminal.line(renderTable(terminal, toColumns(head.vars ?? []), results.bindings));
}

/** Counts the columns of the first line without the prologue. */
function shiftColumn(error: unknown): unknown {
  if (!isKiokuError(error)) return error;
  const detail = error.detail.replace(
    /line 1, column (\d+)/,
    (_, column: string) => `line 1, column ${Math.max(1, Number(column) - PROLOGUE.length)}`,
  );
  return new KiokuError(error.code, detail, error);
}

function toColumns(variables: readonly string[]): Column<Row>[] {
  return variables.map((name) => ({ title: name, of: (row) => shorten(row[name]?.value ?? ""), free: true }));
}

function shorten(value: string): string {
  const found = Object.entries(PREFIXES).find(([, iri]) => value.startsWith(iri));
  return found === undefined ? value : `${found[0]}:${value.slice(found[1].length)}`;
}
