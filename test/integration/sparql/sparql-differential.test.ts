// Random queries: SQL and JavaScript find the same solutions, and every access to a table has its tenant.
import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { createGraphSource, type GraphSource } from "../../../src/graph/graph-source";
import { runQuery } from "../../../src/graph/query";
import { ask, getDatabase, makeGraph, PREFIXES } from "./sparql-support";

const RESOURCES = [":a", ":b", ":c", ":d", ":e"];
const PROPERTIES = [":p", ":q", ":r"];
const LITERALS = [
  "1",
  "2",
  "2.0",
  "10",
  '"x"',
  '"y"@en',
  '"10"',
  "true",
  '"2026-01-02T00:00:00.000Z"^^xsd:dateTime',
];

/** A graph in which each resource has most properties, some of them to resources and some to literals. */
const DATA = RESOURCES.flatMap((subject, i) =>
  PROPERTIES.flatMap((property, j) => [
    `${subject} ${property} ${RESOURCES[(i * 3 + j) % RESOURCES.length]} .`,
    ...((i + j) % 2 === 0 ? [`${subject} ${property} ${LITERALS[(i * 2 + j * 5) % LITERALS.length]} .`] : []),
  ]),
).join("\n");

const variable = fc.constantFrom("?x", "?y", "?z", "?w");
const subject = fc.oneof(
  { arbitrary: variable, weight: 3 },
  { arbitrary: fc.constantFrom(...RESOURCES), weight: 1 },
);
const property = fc.oneof(
  { arbitrary: fc.constantFrom(...PROPERTIES), weight: 6 },
  { arbitrary: fc.constantFrom("?p", "^:p", ":p/:q", "(:p|:q)", ":q?", ":p+", ":p*", "!:p"), weight: 3 },
);
const object = fc.oneof(
  { arbitrary: variable, weight: 4 },
  { arbitrary: fc.constantFrom(...RESOURCES, ...LITERALS), weight: 1 },
);
const triple = fc.tuple(subject, property, object).map((terms) => `${terms.join(" ")} .`);
const triples = fc.array(triple, { minLength: 1, maxLength: 2 }).map((list) => list.join(" "));
const operand = fc.oneof(variable, fc.constantFrom(...LITERALS, ":a"));
const comparison = fc
  .tuple(operand, fc.constantFrom("=", "!=", "<", ">="), operand)
  .map(([a, operator, b]) => `${a} ${operator} ${b}`);
const condition = fc.oneof(
  comparison,
  comparison.map((text) => `!(${text})`),
  fc
    .tuple(comparison, fc.constantFrom("||", "&&"), comparison)
    .map(([a, operator, b]) => `${a} ${operator} ${b}`),
  variable.map((name) => `BOUND(${name})`),
  variable.map((name) => `ISLITERAL(${name}) && CONTAINS(STR(${name}), "1")`),
  triples.map((text) => `EXISTS { ${text} }`),
  triples.map((text) => `NOT EXISTS { ${text} }`),
);
const part = fc.oneof(
  triples.map((text) => `OPTIONAL { ${text} }`),
  triple.map((text) => `OPTIONAL { ${text} BIND(1 AS ?one) }`),
  fc.tuple(triples, triples).map(([a, b]) => `{ ${a} } UNION { ${b} }`),
  triples.map((text) => `MINUS { ${text} }`),
  condition.map((text) => `FILTER(${text})`),
  fc.constantFrom("VALUES ?x { :a :b 1 }", "VALUES (?x ?y) { (:a UNDEF) (UNDEF :b) }", "BIND(STR(?x) AS ?s)"),
);
const group = fc
  .tuple(triples, fc.array(part, { maxLength: 2 }))
  .map(([first, parts]) => `${first} ${parts.join(" ")}`);
const query = fc.oneof(
  { arbitrary: group.map((text) => `SELECT * { ${text} }`), weight: 4 },
  { arbitrary: group.map((text) => `SELECT DISTINCT ?x ?y { ${text} }`), weight: 1 },
  {
    arbitrary: group.map(
      (text) => `SELECT ?x (COUNT(?y) AS ?n) (COUNT(DISTINCT ?z) AS ?m) { ${text} } GROUP BY ?x`,
    ),
    weight: 1,
  },
  // The keys are selected, so that any order of solutions with equal keys is the same.
  { arbitrary: group.map((text) => `SELECT ?x ?y { ${text} } ORDER BY ?x DESC(?y) LIMIT 4`), weight: 1 },
);

const DECIMAL_TWO = '"2.0"^^http://www.w3.org/2001/XMLSchema#decimal';
const INTEGER_TWO = '"2"^^http://www.w3.org/2001/XMLSchema#integer';

async function answer(source: GraphSource, text: string, pushDown: boolean): Promise<string[] | string> {
  try {
    const found = await ask(source, text, { pushDown });
    if (found.kind !== "solutions") return found.kind;
    const lines = found.solutions.map((solution) =>
      [...solution]
        .map(([name, { id }]) => `${name}=${id}`)
        .toSorted()
        .join(" "),
    );
    // Equal numbers may come in any order.
    return text.includes("ORDER BY")
      ? lines.map((line) => line.replaceAll(DECIMAL_TWO, INTEGER_TWO))
      : lines.toSorted();
  } catch (error) {
    return error instanceof Error ? error.name : "unknown";
  }
}

describe("Random queries", () => {
  it("have the same solutions in SQL and in JavaScript", async () => {
    const source = await makeGraph(DATA);
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const [compiled, evaluated] = [await answer(source, text, true), await answer(source, text, false)];
        expect(compiled).toEqual(evaluated);
        if (Array.isArray(compiled) && compiled.length > 0) answered += 1;
      }),
      { numRuns: 150, seed: inject("propertySeed") },
    );
    expect(answered).toBeGreaterThan(40);
  });

  it("read tables with the tenant alone", async () => {
    const { tenant } = await makeGraph(DATA);
    const db = getDatabase();
    const statements: { sql: string; values: unknown[] }[] = [];
    const d1 = new Proxy(db.d1, {
      get: (target, name) =>
        name === "prepare"
          ? (sql: string) => {
              const prepared = target.prepare(sql);
              return new Proxy(prepared, {
                get: (inner, method) =>
                  method === "bind"
                    ? (...values: unknown[]) => {
                        statements.push({ sql, values });
                        return inner.bind(...values);
                      }
                    : Reflect.get(inner, method, inner),
              });
            }
          : Reflect.get(target, name).bind(target),
    });
    const binding = { user_id: "u", project_id: "p" };
    const sources = [
      createGraphSource({ db: { ...db, d1 }, tenant }),
      createGraphSource({ db: { ...db, d1 }, tenant, binding }),
    ];
    const fixed = [
      "SELECT * { ?m a jido:Decision ; jido:accessCount ?n ; jido:hasConfidence ?c ; jido:importanceScore ?i }",
      "SELECT * { ?m a ?c ; jido:supersedes ?o . OPTIONAL { ?m ?p ?v } }",
      "SELECT * { :a jido:relatedTo* ?o }",
      `SELECT * { ?s :p ?o FILTER(?s IN (${Array.from({ length: 120 }, (_, i) => `:n${i}`).join(", ")})) }`,
    ];
    for (const text of [...fc.sample(query, { numRuns: 60, seed: inject("propertySeed") }), ...fixed])
      for (const source of sources)
        await runQuery(source, { query: PREFIXES + text }).catch((error: Error) => {
          if (!/Query(Refused|TooExpensive)/.test(error.name)) throw error;
        });
    let accesses = 0;
    let elements = 0;
    for (const { sql, values } of statements) {
      const tables = /\b(?:FROM|JOIN|,)\s+(statements|memories|episodes|usage_counts|triples)\s+(\w+)/g;
      const aliases = Map.groupBy([...sql.matchAll(tables)], ([, , alias = ""]) => alias);
      for (const [alias, reads] of aliases) {
        accesses += reads.length;
        const restricted = [
          ...sql.matchAll(
            new RegExp(`\\b${alias}\\.tenant = (\\?(\\d+)|\\(\\?1 ->> (\\d+)\\)|\\w+\\.tenant)`, "g"),
          ),
        ];
        expect(restricted.length, `${alias} in ${sql}`).toBeGreaterThanOrEqual(reads.length);
        for (const [, , number, index] of restricted) {
          if (number !== undefined) expect(values[Number(number) - 1]).toBe(tenant);
          // More values than D1 binds are elements of one array.
          if (index !== undefined) expect(JSON.parse(String(values[0]))[Number(index)]).toBe(tenant);
          if (index !== undefined) elements += 1;
        }
      }
    }
    expect(accesses).toBeGreaterThan(300);
    expect(elements).toBeGreaterThan(0);
  });
});
