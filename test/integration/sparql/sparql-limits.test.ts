// Queries that are refused before they run, limits while they run, and malformed requests.
import { describe, expect, it } from "vitest";
import { runQuery } from "../../../src/graph/query";
import {
  QueryRefused,
  QueryTooExpensive,
  SparqlSyntaxError,
  SparqlUpdateError,
} from "../../../src/graph/sparql-answer";
import { ask, makeGraph, select } from "./sparql-support";

/** A chain of resources in one group. */
const CHAIN = Array.from({ length: 600 }, (_, i) => `:n${i} :next :n${i + 1} ; :in :group .`).join("\n");

describe("Work that is refused", () => {
  it("names the variables of parts that share none", async () => {
    const source = await makeGraph(CHAIN);
    const query = "SELECT (COUNT(*) AS ?n) { ?a :next ?b . ?c :in ?d }";
    await expect(ask(source, query)).rejects.toThrow(QueryRefused);
    await expect(ask(source, query)).rejects.toThrow(/share no variable.*\?/);
    expect(await select(source, "SELECT ?b { :n1 :next ?b . :n2 :in ?d }")).toEqual([":n2"]);
  });

  it("is found behind BIND, OPTIONAL, UNION and subqueries", async () => {
    const source = await makeGraph(CHAIN);
    for (const query of [
      "ASK { ?a :next ?b BIND(1 AS ?k) { ?c :in ?d } }",
      "ASK { ?a :next ?b OPTIONAL { ?c :in ?d } }",
      "ASK { ?a :next ?b { { ?c :in ?d } UNION { ?c :next ?d } } }",
      "ASK { ?a :next ?b { SELECT ?c { ?c :in ?d } } }",
      "SELECT * { ?x :next ?y FILTER EXISTS { ?a :next ?b . ?c :in ?d } }",
      "ASK { ?x :next ?y MINUS { ?x :in ?z . ?a :next ?b . ?c :in ?d } }",
      "ASK { ?x :next ?y MINUS { ?a :next* ?b } }",
      "ASK { ?x :next ?y OPTIONAL { ?x :in ?z FILTER EXISTS { ?a :next ?b . ?c :in ?d } } }",
      "SELECT ?x { ?x :next ?y } ORDER BY EXISTS { ?a :next ?b . ?c :in ?d }",
      "SELECT (COUNT(EXISTS { ?a :next ?b . ?c :in ?d }) AS ?n) { ?x :next ?y }",
    ])
      await expect(ask(source, query), query).rejects.toThrow(QueryRefused);
  });

  it("is a path of any length with two free ends over many edges", async () => {
    const source = await makeGraph(CHAIN);
    await expect(ask(source, "SELECT * { ?a :next+ ?b }")).rejects.toThrow(/Bind \?a or \?b/);
    expect(await select(source, "SELECT ?b { :n597 :next+ ?b }")).toEqual([":n598", ":n599", ":n600"]);
    expect(await select(source, "SELECT ?a { ?a :next* :n1 }")).toEqual([":n1", ":n0"]);
  });

  it("is a join through an object that many subjects share", async () => {
    const source = await makeGraph(Array.from({ length: 1100 }, (_, i) => `:m${i} :by :agent .`).join("\n"));
    await expect(ask(source, "SELECT (COUNT(*) AS ?n) { ?a :by ?x . ?b :by ?x }")).rejects.toThrow(/Bind/);
    expect(await select(source, "SELECT (COUNT(*) AS ?n) { :m1 :by ?x . ?b :by ?x }")).toEqual(["1100"]);
    for (const query of [
      "ASK { ?a :by ?x . { ?b :by ?x } UNION { ?b :in ?x } }",
      "ASK { ?a :by ?x . { SELECT ?b ?x { ?b :by ?x } } }",
      "ASK { ?a :by ?x . ?x ^:by|^:in ?b }",
      "ASK { ?a :by ?x . ?b !:in ?x }",
      "ASK { ?a :by ?x . ?a (:by|^:by)* ?b }",
    ])
      await expect(ask(source, query), query).rejects.toThrow(QueryRefused);
    for (const [query, count] of [
      ["{ ?a :by ?x . { ?a :by ?y } UNION { ?a :in ?y } }", "1100"],
      ["{ ?a :by :agent . ?a :by/^:none ?y }", "0"],
      ["{ ?a :by ?x . ?x ^:none ?y }", "0"],
      ["{ ?a :by ?x . { SELECT ?x (COUNT(?b) AS ?k) { ?b :by ?x } GROUP BY ?x } }", "1100"],
    ])
      expect(await select(source, `SELECT (COUNT(*) AS ?n) ${query}`), query).toEqual([count]);
  });

  it("is not a path in EXISTS whose end the solution binds", async () => {
    const source = await makeGraph(`${CHAIN} :n0 a :Start . :n600 a :Start . :x a :Start .`);
    const query = "SELECT ?a { ?a a :Start FILTER NOT EXISTS { ?a :next+ ?b } } ORDER BY ?a";
    expect(await select(source, query)).toEqual([":n600", ":x"]);
    expect((await ask(source, query)).explain).toEqual({ statements: 1, whollyInSql: true });
    const back = "SELECT ?a { ?a a :Start FILTER EXISTS { ?b :next+ ?a } }";
    expect(await select(source, back)).toEqual([":n600"]);
    const reflexive = 'SELECT ?a { VALUES ?a { :n0 :nowhere "text" } FILTER EXISTS { ?a :next* ?b } }';
    expect(await select(source, reflexive)).toEqual([":n0"]);
  });

  it("is a query of very many patterns", async () => {
    const source = await makeGraph(":a :p :b .");
    const patterns = (count: number, write: (i: number) => string) =>
      Array.from({ length: count }, (_, i) => write(i)).join(" ");
    for (const query of [
      `ASK { ${patterns(65, (i) => `?a :p ?b${i} .`)} }`,
      `ASK { ${patterns(33, (i) => `?a${i} :p${i} ?b${i} .`)} }`,
      `ASK { ${patterns(10, () => `{ ${patterns(60, (i) => `?a :p ?b${i} .`)} } UNION`)} {} }`,
    ])
      await expect(ask(source, query), query.slice(0, 60)).rejects.toThrow(/patterns/);
    expect(await ask(source, `ASK { ${patterns(60, (i) => `?a :p ?b${i} .`)} }`)).toMatchObject({
      value: true,
    });
  });

  it("includes SERVICE, regular expressions of exponential time, and deep nesting", async () => {
    const source = await makeGraph(':a :p "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab" .');
    const refused = [
      "SELECT * { SERVICE :x { ?s ?p ?o } }",
      'SELECT * { ?s :p ?o FILTER REGEX(?o, "^(a+)+$") }',
      `SELECT * { ${"{".repeat(300)} ?s :p ?o ${"}".repeat(300)} }`,
    ];
    for (const query of refused) await expect(ask(source, query), query).rejects.toThrow(QueryRefused);
  });
});

describe("Limits while a query runs", () => {
  it("stop at too many rows and after too much time", async () => {
    const source = await makeGraph(CHAIN);
    const request = { query: "SELECT * { ?s ?p ?o }", infer: false };
    const limits = { rows: 100, milliseconds: 10_000, work: 1_000_000 };
    await expect(runQuery(source, request, limits)).rejects.toThrow(QueryTooExpensive);
    const limited = await runQuery(source, { ...request, query: `${request.query} LIMIT 100` }, limits);
    expect(limited).toMatchObject({ kind: "solutions", solutions: { length: 100 } });
    await expect(runQuery(source, request, { ...limits, milliseconds: -1 })).rejects.toThrow(
      QueryTooExpensive,
    );
  });

  it("do not stop a query of many terms and conditions", async () => {
    const source = await makeGraph(CHAIN);
    const names = Array.from({ length: 400 }, (_, i) => `:n${i}`);
    const among = `SELECT (COUNT(*) AS ?n) { ?s :in :group FILTER(?s IN (${names.join(", ")})) }`;
    expect(await select(source, among)).toEqual(["400"]);
    const either = names.map((name) => `?s = ${name}`).join(" || ");
    expect(await select(source, `SELECT (COUNT(*) AS ?n) { ?s :in :group FILTER(${either}) }`)).toEqual([
      "400",
    ]);
    const union = names
      .slice(0, 40)
      .map((name) => `{ ${name} :next ?o }`)
      .join(" UNION ");
    expect(await select(source, `SELECT (COUNT(*) AS ?n) { ${union} }`)).toEqual(["40"]);
  });
});

describe("Malformed requests", () => {
  it("tell line and column", async () => {
    const source = await makeGraph("");
    const error = await runQuery(source, { query: "SELECT * {\n  ?s ?p }" }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(SparqlSyntaxError);
    expect(error).toMatchObject({ line: 2, column: expect.any(Number) });
    const unknown = await runQuery(source, { query: "SELECT * {\n ?s foo:p ?o }" }).catch(
      (thrown: unknown) => thrown,
    );
    expect(unknown).toMatchObject({ name: "SparqlSyntaxError", line: 2, column: 5 });
  });

  it("tell an update from a query", async () => {
    const source = await makeGraph("");
    await expect(ask(source, "INSERT DATA { :a :b :c }")).rejects.toThrow(SparqlUpdateError);
    await expect(ask(source, "DELETE WHERE { ?s ?p ?o }")).rejects.toThrow(SparqlUpdateError);
  });
});
