// The rows that joins read: in proportion to the triples, whatever order SQLite would choose.
import { describe, expect, it } from "vitest";
import type { GraphSource } from "../../../src/graph/graph-source";
import { makeGraph, select } from "./sparql-support";

/** Counts the rows that the queries of a source read. */
function countRows(source: GraphSource): { counted: GraphSource; getRows: () => number } {
  let rows = 0;
  const d1 = new Proxy(source.db.d1, {
    get(database, name) {
      const value: unknown = Reflect.get(database, name, database);
      if (typeof value !== "function") return value;
      if (name !== "batch") return value.bind(database);
      return async (statements: D1PreparedStatement[]) => {
        const results = await database.batch(statements);
        for (const { meta } of results) rows += meta.rows_read;
        return results;
      };
    },
  });
  return { counted: { ...source, db: { ...source.db, d1 } }, getRows: () => rows };
}

const NODES = 500;

describe("A join", () => {
  const texts = Array.from({ length: NODES }, (_, i) => `:n${i} :text "${i}" .`).join(" ");

  it.each([
    [
      "two texts",
      "SELECT ?a ?b { ?old :text ?a . ?new :text ?b . ?old :replacedBy ?new } ORDER BY ?a",
      ["1 2", "2 3"],
    ],
    [
      "the same within a larger group",
      "SELECT ?b { ?old :text ?a . ?new :text ?b . ?old :replacedBy ?new . VALUES ?a { '1' '3' } }",
      ["2"],
    ],
    [
      "texts of two steps",
      "SELECT ?a ?c { ?x :text ?a . ?z :text ?c . ?x :replacedBy ?y . ?y :replacedBy ?z }",
      ["1 3"],
    ],
    [
      "texts with an optional one",
      "SELECT ?a ?b ?c { ?x :text ?a . ?y :text ?b . ?x :replacedBy ?y OPTIONAL { ?y :replacedBy ?z . ?z :text ?c } } ORDER BY ?a",
      ["1 2 3", "2 3 -"],
    ],
  ])("of %s reads each of them a few times, not all for each", async (_, query, expected) => {
    const { counted, getRows } = countRows(
      await makeGraph(`${texts} :n1 :replacedBy :n2 . :n2 :replacedBy :n3 .`),
    );
    expect(await select(counted, query)).toEqual(expected);
    expect(getRows()).toBeLessThan(10 * NODES);
  });
});
