// Each operator of the SPARQL algebra, compiled to SQL and evaluated in JavaScript: both give the same answer.
import type { Quad } from "n3";
import { describe, expect, it } from "vitest";
import type { GraphSource } from "../../../src/graph/graph-source";
import { ask, makeGraph, select } from "./sparql-support";

const DATA = `
:ada a :Person ; :name "Ada" ; :age 36 ; :knows :bob , :cy .
:bob a :Person ; :name "Bob"@en ; :age 7 ; :knows :cy .
:cy a :Robot ; :name "Cy" ; :age 7.0 ; :built "2026-01-02T03:04:05.000Z"^^xsd:dateTime .
:dan :age "x" .
:g1 { :ada :said "hi" . :bob :said "hi" }
:g2 { :ada :said "hi" . }
`;

/** Queries with their solutions, in any order unless they are ordered. */
const CASES: readonly (readonly [name: string, query: string, solutions: readonly string[]])[] = [
  ["a join", "SELECT ?n { ?p a :Person ; :name ?n }", ["Ada", "Bob"]],
  ["a constant literal", 'SELECT ?p { ?p :name "Ada" }', [":ada"]],
  ["a language as part of identity", 'SELECT ?p { ?p :name "Bob" }', []],
  ["a datatype as part of identity", "SELECT ?p { ?p :age 7 }", [":bob"]],
  ["a repeated variable", "SELECT ?p { ?p :knows ?p }", []],
  [
    "OPTIONAL",
    "SELECT ?p ?b { ?p :name ?n OPTIONAL { ?p :built ?b } }",
    [":ada -", ":bob -", ":cy 2026-01-02T03:04:05.000Z"],
  ],
  [
    "OPTIONAL of two patterns",
    'SELECT ?p ?n { ?p a ?t OPTIONAL { ?p :knows ?q . ?q :name ?n FILTER(?n = "Cy") } }',
    [":ada Cy", ":bob Cy", ":cy -"],
  ],
  [
    "a filter of OPTIONAL on the outer variable",
    "SELECT ?p ?q { ?p :age ?a OPTIONAL { ?p :knows ?q FILTER(?a > 10) } }",
    [":ada :bob", ":ada :cy", ":bob -", ":cy -", ":dan -"],
  ],
  ["numbers that compare as such", "SELECT ?p { ?p :age ?a FILTER(?a = 7) }", [":bob", ":cy"]],
  ["a type error in a filter", "SELECT ?p { ?p :age ?a FILTER(?a < 10) }", [":bob", ":cy"]],
  ["an error under negation", "SELECT ?p { ?p :age ?a FILTER(!(?a < 10)) }", [":ada"]],
  ["dates", 'SELECT ?p { ?p :built ?d FILTER(?d > "2026-01-01T00:00:00.000Z"^^xsd:dateTime) }', [":cy"]],
  ["UNION", "SELECT ?x { { ?x a :Robot } UNION { ?x :age 36 } }", [":ada", ":cy"]],
  ["MINUS", "SELECT ?p { ?p :age ?a MINUS { ?p a :Person } }", [":cy", ":dan"]],
  ["MINUS without a shared variable", "SELECT ?p { ?p a :Robot MINUS { ?x a :Person } }", [":cy"]],
  ["EXISTS", "SELECT ?p { ?p a :Person FILTER EXISTS { ?p :knows :bob } }", [":ada"]],
  [
    "NOT EXISTS with a filter on the outer variable",
    "SELECT ?p { ?p :age ?a FILTER NOT EXISTS { ?q :age ?b FILTER(?b < ?a) } }",
    [":bob", ":cy", ":dan"],
  ],
  ["VALUES", 'SELECT ?p ?n { VALUES (?p ?n) { (:ada UNDEF) (:bob "Bob") } ?p :name ?n }', [":ada Ada"]],
  ["BIND", 'SELECT ?s { ?p :name ?n BIND(CONCAT(?n, "!") AS ?s) FILTER(LANG(?n) = "en") }', ["Bob!"]],
  ["a sequence of properties", "SELECT ?n { :ada :knows/:name ?n }", ["Bob", "Cy"]],
  ["an inverse property", "SELECT ?p { :cy ^:knows ?p }", [":ada", ":bob"]],
  ["alternatives, each once per way", "SELECT ?x { :ada (:knows|:knows/:knows) ?x }", [":bob", ":cy", ":cy"]],
  ["one or more steps, each node once", "SELECT ?x { :ada :knows+ ?x }", [":bob", ":cy"]],
  ["zero or more steps", "SELECT ?x { :ada :knows* ?x }", [":ada", ":bob", ":cy"]],
  ["zero or one step backwards", "SELECT ?x { ?x :knows? :bob }", [":ada", ":bob"]],
  [
    "a closure from what another pattern binds",
    "SELECT ?p ?x { ?p :age 36 . ?p :knows+ ?x . ?x a :Robot }",
    [":ada :cy"],
  ],
  ["a closure with free ends", "SELECT ?x ?y { ?x :knows+ ?y }", [":ada :bob", ":ada :cy", ":bob :cy"]],
  ["a negated property set", "SELECT ?x { :bob !(:name|:age|:knows) ?x }", [":Person"]],
  ["COUNT in groups", "SELECT ?t (COUNT(?p) AS ?n) { ?p a ?t } GROUP BY ?t", [":Person 2", ":Robot 1"]],
  ["COUNT of nothing", "SELECT (COUNT(*) AS ?n) { ?p a :Cat }", ["0"]],
  ["COUNT DISTINCT", "SELECT (COUNT(DISTINCT ?q) AS ?n) { ?p :knows ?q }", ["2"]],
  ["exact sums", "SELECT (SUM(?a) AS ?s) { ?p :name ?n ; :age ?a }", ["50"]],
  [
    "AVG, MIN and MAX",
    "SELECT (AVG(?a) AS ?v) (MIN(?a) AS ?x) (MAX(?a) AS ?y) { ?p a :Person ; :age ?a }",
    ["21.5 7 36"],
  ],
  ["HAVING", "SELECT ?p { ?p :knows ?q } GROUP BY ?p HAVING (COUNT(?q) > 1)", [":ada"]],
  ["GROUP_CONCAT", 'SELECT (GROUP_CONCAT(?n; separator="+") AS ?s) { :bob :knows/:name ?n }', ["Cy"]],
  [
    "a subquery",
    "SELECT ?p ?n { { SELECT ?p (COUNT(?q) AS ?n) { ?p :knows ?q } GROUP BY ?p } ?p :age 7 }",
    [":bob 1"],
  ],
  ["DISTINCT", "SELECT DISTINCT ?q { ?p :knows ?q }", [":bob", ":cy"]],
  ["GRAPH with a name", "SELECT ?p { GRAPH :g1 { ?p :said ?x } }", [":ada", ":bob"]],
  [
    "GRAPH with a variable",
    "SELECT ?g ?p { GRAPH ?g { ?p :said ?x } }",
    [":g1 :ada", ":g1 :bob", ":g2 :ada"],
  ],
  [
    "GRAPH with a variable around OPTIONAL",
    "SELECT ?g ?p { GRAPH ?g { ?p :said ?x OPTIONAL { ?p :name ?n } } }",
    [":g1 :ada", ":g1 :bob", ":g2 :ada"],
  ],
  ["FROM, whose triples count once", "SELECT ?p FROM :g1 FROM :g2 { ?p :said ?x }", [":ada", ":bob"]],
  ["text search without regard to case", 'SELECT ?p { ?p :name ?n FILTER(REGEX(?n, "AD", "i")) }', [":ada"]],
  ["LCASE", 'SELECT ?p { ?p :name ?n FILTER(CONTAINS(LCASE(STR(?n)), "bob")) }', [":bob"]],
  [
    "OPTIONAL with a computed value",
    "SELECT ?p ?f { ?p a :Person OPTIONAL { ?p :says ?x BIND(true AS ?f) } }",
    [":ada -", ":bob -"],
  ],
  ["LIMIT 0", "SELECT ?p { ?p a :Person } LIMIT 0", []],
  ["LIMIT 0 of a subquery", "SELECT ?p { ?p a :Person { SELECT ?p { ?p ?q ?r } LIMIT 0 } }", []],
  [
    "LIMIT 0 of a subquery in EXISTS",
    "SELECT ?p { ?p a :Robot FILTER NOT EXISTS { SELECT (COUNT(*) AS ?n) { ?p ?q ?r } LIMIT 0 } }",
    [":cy"],
  ],
  ["a LIMIT beyond all integers", "SELECT ?p { ?p a :Robot } LIMIT 99999999999999999999", [":cy"]],
  ["an OFFSET beyond all integers", "SELECT ?p { ?p a :Robot } OFFSET 99999999999999999999", []],
  ["a malformed IRI", 'BASE <http://example.org/> SELECT (IRI("//[") AS ?i) {}', ["-"]],
  ["an IRI without a hierarchical base", 'BASE <urn:x> SELECT (IRI("a") AS ?i) {}', ["-"]],
  ["IN", 'SELECT ?p { ?p :name ?n FILTER(?n IN ("Ada", "Cy")) }', [":ada", ":cy"]],
];

describe("The operators of SPARQL", async () => {
  let source: GraphSource | null = null;
  const load = async () => {
    source ??= await makeGraph(DATA);
    return source;
  };

  it.each(CASES)("%s", async (_, query, solutions) => {
    const graph = await load();
    expect((await select(graph, query)).toSorted()).toEqual([...solutions].toSorted());
    expect((await select(graph, query, { pushDown: false })).toSorted()).toEqual([...solutions].toSorted());
  });

  it("orders numbers, then text, and slices", async () => {
    const query = "SELECT ?p { ?p :age ?a } ORDER BY DESC(?a) ?p OFFSET 1 LIMIT 2";
    expect(await select(await load(), query)).toEqual([":ada", ":bob"]);
    expect(await select(await load(), query, { pushDown: false })).toEqual([":ada", ":bob"]);
  });

  it("answers ASK", async () => {
    expect(await ask(await load(), "ASK { :ada :knows :cy }")).toMatchObject({
      kind: "boolean",
      value: true,
    });
    expect(await ask(await load(), "ASK { :cy :knows :ada }")).toMatchObject({
      kind: "boolean",
      value: false,
    });
  });

  it("constructs triples, each once, with new blank nodes for each solution", async () => {
    const answer = await ask(await load(), "CONSTRUCT { ?q :knownBy _:b . _:b :is ?p } { ?p :knows ?q }");
    if (answer.kind !== "graph") throw new Error(answer.kind);
    expect(answer.quads).toHaveLength(6);
    expect(new Set(answer.quads.map(({ subject, object }) => `${subject.id} ${object.id}`)).size).toBe(6);
  });

  it("describes a term by its triples", async () => {
    const answer = await ask(await load(), "DESCRIBE :bob ?x { ?x a :Robot }");
    if (answer.kind !== "graph") throw new Error(answer.kind);
    expect(answer.quads).toHaveLength(8);
  });

  it("keeps the order of SELECT *", async () => {
    const answer = await ask(await load(), "SELECT * { ?z :knows ?a }");
    expect(answer).toMatchObject({ variables: ["z", "a"] });
  });

  it.each([
    ["CONSTRUCT { ?p :is ?n } WHERE { ?p :name ?n } ORDER BY ?p LIMIT 1 OFFSET 1", ["bob"]],
    ["CONSTRUCT WHERE { ?p :name ?n } LIMIT 2", ["ada", "bob"]],
    ["CONSTRUCT { ?p :is ?n } WHERE { ?p :name ?n } LIMIT 0", []],
    ["DESCRIBE ?p WHERE { ?p a :Person } ORDER BY DESC(?p) LIMIT 1", ["bob"]],
  ])("LIMIT and OFFSET count the solutions of %s", async (query, subjects) => {
    const answer = await ask(await load(), query);
    const names = (answer as { quads: Quad[] }).quads.map(({ subject }) => subject.value.split("/").at(-1));
    expect([...new Set(names)].toSorted()).toEqual(subjects);
  });

  it("ASK takes a limit", async () => {
    expect(await ask(await load(), "ASK { ?p :name ?n } LIMIT 1")).toMatchObject({ value: true });
    expect(await ask(await load(), "ASK { ?p :name ?n } OFFSET 3")).toMatchObject({ value: false });
  });

  it("tells whether a statement answered the query alone", async () => {
    const wholly = await ask(await load(), 'SELECT ?n { ?p a :Person ; :name ?n FILTER(?n != "x") } LIMIT 3');
    expect(wholly.explain).toEqual({ statements: 1, whollyInSql: true });
    const partly = await ask(await load(), "SELECT (UCASE(?n) AS ?u) { ?p a :Person ; :name ?n }");
    expect(partly.explain).toEqual({ statements: 1, whollyInSql: false });
  });

  it("compares numbers beyond the precision of SQL exactly", async () => {
    const graph = await makeGraph(
      ":a :n 9007199254740993 . :b :n 9007199254740992 . :c :n 0.1000000000000000001 .",
    );
    expect(await select(graph, "SELECT ?x { ?x :n ?n FILTER(?n > 9007199254740992) }")).toEqual([":a"]);
    expect(await select(graph, "SELECT ?x { ?x :n ?n FILTER(?n = 0.1) }")).toEqual([]);
  });

  it("finds long literals by value and joins them", async () => {
    const long = "long ".repeat(40);
    const graph = await makeGraph(`:a :text "${long}" . :b :copy "${long}" .`);
    expect(await select(graph, "SELECT ?x ?y { ?x :text ?t . ?y :copy ?t }")).toEqual([":a :b"]);
    expect(await select(graph, `SELECT ?x { ?x :text "${long}" }`)).toEqual([":a"]);
    expect(await select(graph, `SELECT ?x { ?x :text ?t FILTER(?t = "${long}") }`)).toEqual([":a"]);
  });
});
