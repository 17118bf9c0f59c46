// Helpers of the SPARQL tests: scratch tenants with Turtle in them, and answers as text.
import { env } from "cloudflare:workers";
import type { Quad } from "n3";
import Parser from "n3/src/N3Parser.js";
import { createGraphSource, type GraphSource } from "../../../src/graph/graph-source";
import { runQuery, type SparqlRequest } from "../../../src/graph/query";
import { encodeKey, encodeTerm } from "../../../src/graph/stored-terms";
import { openDatabase } from "../../../src/kernel/databases/d1";
import { freshId } from "../support";

export const PREFIXES = `PREFIX : <http://example.org/>
PREFIX jido: <https://jido.ai/ontology#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
`;

export function getDatabase() {
  return openDatabase((env as unknown as { DB: D1Database }).DB);
}

/** Makes a tenant with the triples of a TriG document, without the ontology. */
export async function makeGraph(trig: string, options: { ontology?: boolean } = {}): Promise<GraphSource> {
  const quads = new Parser({ format: "TriG" }).parse(`${PREFIXES}${trig}`);
  return makeGraphWith(quads, options);
}

export async function makeGraphWith(
  quads: readonly Quad[],
  { ontology = false, tenant = freshId("tenant") }: { ontology?: boolean; tenant?: string } = {},
): Promise<GraphSource> {
  const db = getDatabase();
  const rows = quads.map(({ subject, predicate, object, graph }) => {
    const stored = encodeTerm(object);
    const key = encodeKey(stored);
    return {
      subject: encodeTerm(subject).value,
      predicate: encodeTerm(predicate).value,
      object: stored.value,
      datatype: stored.kind,
      digest: key === stored.value ? null : key,
      graph: graph.termType === "DefaultGraph" ? "" : encodeTerm(graph).value,
    };
  });
  await db.d1
    .prepare(
      `INSERT INTO triples (tenant, subject, predicate, object, datatype, digest, graph, position)
      SELECT ?1, value ->> '$.subject', value ->> '$.predicate', value ->> '$.object', value ->> '$.datatype',
        value ->> '$.digest', value ->> '$.graph', key FROM json_each(?2)`,
    )
    .bind(tenant, JSON.stringify(rows))
    .run();
  return createGraphSource({ db, tenant, ontology });
}

type AskOptions = Partial<SparqlRequest> & { pushDown?: boolean };

/** Runs a query, without inference unless it is asked for. */
export function ask(source: GraphSource, query: string, { pushDown = true, ...request }: AskOptions = {}) {
  return runQuery(source, { query: `${PREFIXES}${query}`, infer: false, ...request }, undefined, {
    pushDown,
  });
}

/** Returns the solutions of a SELECT, each as its terms in the order of the variables: short names and lexical forms. */
export async function select(
  source: GraphSource,
  query: string,
  options: AskOptions = {},
): Promise<string[]> {
  const answer = await ask(source, query, options);
  if (answer.kind !== "solutions") throw new Error(`The answer is a ${answer.kind}`);
  return answer.solutions.map((solution) =>
    answer.variables.map((name) => shorten(solution.get(name)?.value ?? "-")).join(" "),
  );
}

function shorten(value: string): string {
  return value.replace("http://example.org/", ":").replace("https://jido.ai/ontology#", "jido:");
}
