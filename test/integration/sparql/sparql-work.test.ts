// Work that is counted while a query is compiled and evaluated: long statements, computed values, comparisons.
import { describe, expect, it } from "vitest";
import { QueryRefused, QueryTooExpensive } from "../../../src/graph/sparql-answer";
import { ask, makeGraph, select } from "./sparql-support";

const list = (length: number, write: (i: number) => string, separator = " ") =>
  Array.from({ length }, (_, i) => write(i)).join(separator);

describe("A statement that would be too long", () => {
  it("is evaluated in parts: a chain of closures", async () => {
    const source = await makeGraph(":a :next :b .");
    const hops = list(16, (i) => `?v${i} :next* ?v${i + 1} .`);
    expect(await select(source, `SELECT ?v0 ?v16 { :a :next* ?v0 . ${hops} }`)).toHaveLength(18);
  });

  it("is evaluated in parts: many comparisons with computed columns", async () => {
    const source = await makeGraph(":a :p 1999 . :b :p 3000 .");
    const among = `SELECT ?s { ?s ?p ?x FILTER(?x IN (${list(2_000, String, ", ")})) }`;
    expect(await select(source, among)).toEqual([":a"]);
    const either = `SELECT ?s { ?s ?p ?x FILTER(${list(400, (i) => `?x = ${1_800 + i}`, " || ")}) }`;
    expect(await select(source, either)).toEqual([":a"]);
  });

  it("is refused if its operators are a very long chain, and answered if they are a long one", async () => {
    const source = await makeGraph(":a :p 700 . :b :p :c .");
    const chain = (length: number, operator: string, write: (i: number) => string) =>
      select(source, `SELECT ?s { ?s :p ?x FILTER(${list(length, write, operator)}) } ORDER BY ?s`);
    expect(await chain(750, " || ", (i) => `?x = ${i}`)).toEqual([":a"]);
    expect(await chain(750, " && ", (i) => `?x != ${i + 1_000}`)).toEqual([":a", ":b"]);
    expect(await chain(750, " + ", () => "?x")).toEqual([":a"]);
    for (const operator of [" || ", " && ", " + "])
      await expect(
        chain(5_000, operator, () => "?x"),
        operator,
      ).rejects.toThrow(QueryRefused);
  });

  it("is evaluated in parts: texts of texts", async () => {
    const source = await makeGraph(":a :p :b .");
    const bindings = list(12, (i) => `BIND(STR(?x${i}) AS ?x${i + 1})`);
    expect(await select(source, `SELECT ?x12 { ?s :p ?x0 ${bindings} }`)).toEqual([":b"]);
  });
});

describe("Computed values", () => {
  it.each([
    ["CONCAT", '"aa"', (i: number) => `CONCAT(?x${i}, ?x${i})`],
    ["REPLACE", '"aa"', (i: number) => `REPLACE(?x${i}, "a", "aa")`],
    ["ENCODE_FOR_URI", '"ää"', (i: number) => `ENCODE_FOR_URI(CONCAT(?x${i}, ?x${i}))`],
    ["multiplication", "12", (i: number) => `?x${i} * ?x${i}`],
  ])("of %s have a bound", async (_, first, write) => {
    const source = await makeGraph("");
    const bindings = list(24, (i) => `BIND(${write(i)} AS ?x${i + 1})`);
    const query = `SELECT ?x24 { BIND(${first} AS ?x0) ${bindings} }`;
    await expect(ask(source, query)).rejects.toThrow(QueryTooExpensive);
  });

  it("of GROUP_CONCAT, and of all solutions together, have a bound", async () => {
    const source = await makeGraph(list(600, (i) => `:n${i} :p :x .`));
    const long = `CONCAT(${list(90, () => `"${"a".repeat(100)}"`, ", ")})`;
    const concatenated = `SELECT (GROUP_CONCAT(?t) AS ?all) { ?s :p ?o BIND(${long} AS ?t) }`;
    await expect(ask(source, concatenated)).rejects.toThrow(/100000 characters/);
    const longer = `${list(10, (i) => `BIND(CONCAT(?t, "${i}") AS ?u${i})`)}`;
    await expect(ask(source, `SELECT * { ?s :p ?o BIND(${long} AS ?t) ${longer} }`)).rejects.toThrow(
      /together/,
    );
  });

  it("keep what REPLACE writes", async () => {
    const source = await makeGraph("");
    const query = String.raw`SELECT (REPLACE("a-b", "(a)-(b)", "$2\\$\\\\$1$0$") AS ?x) {}`;
    expect(await select(source, query)).toEqual([String.raw`b$\aa-b$`]);
  });

  it("of conditions have a bound, by their number for all solutions", async () => {
    const source = await makeGraph("");
    const table = (name: string) => `VALUES ?${name} { ${list(49, String)} }`;
    const among = (length: number) =>
      ask(
        source,
        `SELECT * { ${table("a")} ${table("b")} FILTER(ABS(?a) IN (${list(length, (i) => `${-i - 1}`, ", ")})) }`,
      );
    await expect(among(4_500)).rejects.toThrow(/too many conditions/);
    expect(await among(10)).toMatchObject({ solutions: [] });
  });

  it("of CONSTRUCT have a bound", async () => {
    const source = await makeGraph(list(600, (i) => `:n${i} :p :x .`));
    const template = list(100, (i) => `?s :p${i} ?o .`);
    await expect(ask(source, `CONSTRUCT { ${template} } { ?s :p ?o }`)).rejects.toThrow(QueryTooExpensive);
  });
});

describe("EXISTS with a condition that SQL does not express", () => {
  it("is answered for all solutions at once if it tests its own variables", async () => {
    const source = await makeGraph(list(600, (i) => `:n${i} :p :x ; :tag "a${i % 7}b" .`));
    const query =
      'SELECT (COUNT(*) AS ?n) { ?s :p :x FILTER EXISTS { ?s :tag ?t FILTER(REGEX(?t, "a3*b")) } }';
    expect(await select(source, query)).toEqual(["86"]);
    expect((await ask(source, query)).explain.statements).toBeLessThan(5);
  });

  it("is refused if it takes very many statements", async () => {
    const source = await makeGraph(list(600, (i) => `:n${i} :p :x ; :tag "a${i % 7}b" .`));
    const query = 'SELECT * { ?s :p ?x FILTER EXISTS { ?s :tag ?t FILTER(REGEX(?t, "a3*b") && ISIRI(?x)) } }';
    await expect(ask(source, query)).rejects.toThrow(/a statement for each of 600 solutions/);
    expect(await select(source, query.replace("?s :p ?x", ":n3 :p ?x . BIND(:n3 AS ?s)"))).toHaveLength(1);
  });
});
