// Writes RDF statements to D1 as the service stores them, without HTTP and memories: for tests and benchmarks of queries.
import { encodeIri, encodeKey } from "../../src/graph/stored-terms";

/** A term as JSON: an IRI, a blank node (`_:b0`), or a literal with its datatype or language. */
export type LoadedTerm = string | { value: string; datatype: string } | { value: string; language: string };

/** Subject, predicate, object, and the graph's IRI; "" is the default graph. */
export type LoadedStatement = readonly [
  subject: string,
  predicate: string,
  object: LoadedTerm,
  graph: string,
];

type Load = { tenant: string; statements: LoadedStatement[] };

/** Each chunk is one parameter of D1. */
const PER_STATEMENT = 2_000;

export default {
  async fetch(request, { DB }) {
    const { tenant, statements } = await request.json<Load>();
    const { results } = await DB.prepare(
      "SELECT coalesce(max(position), -1) AS last FROM statements WHERE tenant = ?",
    )
      .bind(tenant)
      .all<{ last: number }>();
    const first = (results[0]?.last ?? -1) + 1;
    for (let at = 0; at < statements.length; at += PER_STATEMENT) {
      const rows = JSON.stringify(statements.slice(at, at + PER_STATEMENT).map(toColumns));
      await DB.batch([
        DB.prepare(
          `INSERT INTO predicates (iri) SELECT DISTINCT j.value ->> '$[1]' FROM json_each(?1) j
           WHERE NOT EXISTS (SELECT 1 FROM predicates p WHERE p.iri = j.value ->> '$[1]')`,
        ).bind(rows),
        DB.prepare(
          `INSERT OR IGNORE INTO statements (tenant, subject, predicate, key, datatype, graph, literal, position)
           SELECT ?1, j.value ->> '$[0]', p.number, j.value ->> '$[2]', j.value ->> '$[3]', j.value ->> '$[4]',
             j.value ->> '$[5]', ?2 + j.key
           FROM json_each(?3) j CROSS JOIN predicates p ON p.iri = j.value ->> '$[1]'`,
        ).bind(tenant, first + at, rows),
      ]);
    }
    return Response.json({ loaded: statements.length });
  },
} satisfies ExportedHandler<{ DB: D1Database }>;

/** Returns subject, predicate, key, datatype, graph and the text of a literal whose key is a digest. */
function toColumns([subject, predicate, object, graph]: LoadedStatement): (string | null)[] {
  const stored = encodeObject(object);
  const key = encodeKey(stored);
  const literal = key === stored.value ? null : stored.value;
  return [encodeIri(subject), encodeIri(predicate), key, stored.kind, encodeIri(graph), literal];
}

function encodeObject(object: LoadedTerm) {
  if (typeof object === "string") return { value: encodeIri(object), kind: "" };
  const { value } = object;
  const kind = "language" in object ? `@${object.language.toLowerCase()}` : encodeIri(object.datatype);
  return { value, kind };
}
