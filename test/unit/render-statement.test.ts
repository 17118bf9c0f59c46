// Hand-written statements as text and parameters.
import { type SQL, sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { describe, expect, it } from "vitest";
import { renderStatement } from "../../src/kernel/databases/d1";
import { memories } from "../../src/kernel/tables";

const renderWithDrizzle = (statement: SQL) => {
  const { sql: text, params } = new SQLiteSyncDialect().sqlToQuery(statement);
  return { sql: text, params };
};

describe("a rendered statement", () => {
  it.each([
    ["values of each kind", sql`SELECT ${"a"}, ${1}, ${0.5}, ${null}, '?'`],
    ["nested statements", sql`SELECT ${sql`max(${1}, ${sql.raw("m.seq")})`} FROM t WHERE ${sql`a = ${"b"}`}`],
    ["joined conditions", sql`SELECT 1 WHERE ${sql.join([sql`a = ${1}`, sql`b = ${"c"}`], sql` AND `)}`],
    ["an empty part", sql`SELECT 1 ${sql``} FROM t`],
    [
      "columns, lists and booleans",
      sql`SELECT ${memories.id} FROM ${memories} WHERE a IN ${[1, 2]} AND ${true}`,
    ],
  ])("has the text and parameters of drizzle: %s", (_, statement) => {
    expect(renderStatement(statement)).toMatchObject(renderWithDrizzle(statement));
  });

  it("has the number after LIMIT in its text, so that SQLite compiles it once", () => {
    const statement = sql`SELECT * FROM (SELECT a FROM t WHERE b = ${2} LIMIT ${64}) WHERE c = ${3} LIMIT ${-1}`;
    expect(renderStatement(statement)).toEqual({
      sql: "SELECT * FROM (SELECT a FROM t WHERE b = ? LIMIT 64) WHERE c = ? LIMIT -1",
      params: [2, 3],
    });
  });

  it("never has a text after LIMIT in its own", () => {
    expect(renderStatement(sql`SELECT 1 LIMIT ${"1; DROP TABLE t"}`)).toEqual({
      sql: "SELECT 1 LIMIT ?",
      params: ["1; DROP TABLE t"],
    });
  });
});
