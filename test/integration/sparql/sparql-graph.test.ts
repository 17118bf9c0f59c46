// What the graph of a tenant contains: memories with what is derived, sessions, the ontology, what follows from it, and
// only what the key's binding covers.
import { describe, expect, it } from "vitest";
import { createGraphSource } from "../../../src/graph/graph-source";
import { type Client, callWith, newClient } from "../support";
import { getDatabase, makeGraph, makeGraphWith, PREFIXES, select } from "./sparql-support";

async function makeTenant() {
  const client = await newClient();
  const remember = async (body: object): Promise<string> =>
    (await client.call("POST", "/v1/remember", body)).body.memory_id;
  const owner = { user_id: "ada", project_id: "apollo" };
  const decision = await remember({
    type: "architectural_decision",
    content: "Use D1",
    confidence: 0.9,
    ...owner,
  });
  const lesson = await remember({
    type: "fact",
    content: "D1 has no PRAGMA",
    confidence: 0.6,
    user_id: "bob",
  });
  return {
    client,
    decision,
    lesson,
    source: createGraphSource({ db: getDatabase(), tenant: client.tenant }),
  };
}

describe("The graph of a tenant", () => {
  it("has memories with their derived triples", async () => {
    const { source, decision } = await makeTenant();
    const query = `SELECT ?level ?n { jido:memory_${decision} jido:hasConfidence ?level ; jido:accessCount ?n }`;
    expect(await select(source, query)).toEqual(["jido:High 0"]);
    const all = await select(source, `SELECT ?p { jido:memory_${decision} ?p ?o }`);
    expect(all).toEqual(
      expect.arrayContaining(["jido:hasConfidence", "jido:accessCount", "jido:lastAccessed"]),
    );
    expect(all.filter((name) => name === "jido:importanceScore")).toHaveLength(1);
    expect(await select(source, "SELECT ?m { ?m jido:hasConfidence jido:High }")).toEqual([
      `jido:memory_${decision}`,
    ]);
  });

  it("leaves the level of a confidence that is not stored unbound", async () => {
    const source = await makeGraph(":e :p 1 .");
    expect(await select(source, "SELECT ?c { ?e :p 1 OPTIONAL { ?e jido:hasConfidence ?c } }")).toEqual([
      "-",
    ]);
  });

  it("finds instances of subclasses, each once, unless nothing is to be inferred", async () => {
    const { source, decision, lesson } = await makeTenant();
    const query = "SELECT ?m { ?m a jido:Decision }";
    expect(await select(source, query)).toEqual([]);
    expect(await select(source, query, { infer: true })).toEqual([`jido:memory_${decision}`]);
    const items = await select(source, "SELECT ?m { ?m a jido:MemoryItem ; jido:summary ?s }", {
      infer: true,
    });
    expect(items.toSorted()).toEqual([`jido:memory_${decision}`, `jido:memory_${lesson}`].toSorted());
  });

  it("names the superclasses of a memory", async () => {
    const { source, decision } = await makeTenant();
    const classes = await select(source, `SELECT ?c { jido:memory_${decision} a ?c }`, { infer: true });
    expect(classes).toEqual(
      expect.arrayContaining(["jido:ArchitecturalDecision", "jido:Decision", "jido:MemoryItem"]),
    );
    expect(new Set(classes).size).toBe(classes.length);
  });

  it("includes the ontology", async () => {
    const { source, decision } = await makeTenant();
    expect(await select(source, "SELECT ?c { ?c rdfs:subClassOf jido:Decision }")).toContain(
      "jido:ArchitecturalDecision",
    );
    const labels = await select(source, `SELECT ?l { jido:memory_${decision} a ?c . ?c rdfs:label ?l }`);
    expect(labels).toEqual(["architectural decision"]);
  });

  it("shows a bound key what belongs to its owner, and the ontology", async () => {
    const { client, decision, lesson } = await makeTenant();
    const db = getDatabase();
    const see = (binding: object) =>
      select(createGraphSource({ db, tenant: client.tenant, binding }), "SELECT ?m { ?m jido:summary ?s }");
    expect(await see({ user_id: "ada" })).toEqual([`jido:memory_${decision}`]);
    expect(await see({ user_id: "bob" })).toEqual([`jido:memory_${lesson}`]);
    expect(await see({ user_id: "bob", project_id: "apollo" })).toEqual([]);
    expect(await see({ project_id: "apollo" })).toEqual([`jido:memory_${decision}`]);
    const bound = createGraphSource({ db, tenant: client.tenant, binding: { user_id: "carol" } });
    expect(await select(bound, "SELECT ?c { ?c rdfs:subClassOf jido:Decision }")).not.toEqual([]);
    expect(await select(bound, `SELECT ?o { jido:memory_${decision} ?p ?o }`)).toEqual([]);
  });

  it("hides from a bound key that a memory of its owner points at one of another", async () => {
    const { client, decision, lesson } = await makeTenant();
    await client.call("POST", "/v1/links", { from: decision, to: lesson, relation: "relatedTo" });
    const query = `SELECT ?o { jido:memory_${decision} jido:relatedTo ?o }`;
    const db = getDatabase();
    const open = createGraphSource({ db, tenant: client.tenant });
    const bound = createGraphSource({ db, tenant: client.tenant, binding: { user_id: "ada" } });
    expect(await select(open, query)).toEqual([`jido:memory_${lesson}`]);
    expect(await select(bound, query)).toEqual([]);
  });

  it("shows no triple of another tenant", async () => {
    await makeTenant();
    expect(await select(await makeGraphWith([]), "SELECT ?s { ?s ?p ?o }")).toEqual([]);
  });
});

const EXTENSION = `@prefix ext: <https://jido.ai/ontology/extension#> .
@prefix jido: <https://jido.ai/ontology#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ext:Runbook a owl:Class ; rdfs:subClassOf jido:Plan ; rdfs:label "runbook" .`;

describe("The tenant's extensions of the ontology", () => {
  it("are part of the graph and of inference, for that tenant alone", async () => {
    const client = await newClient(["read", "write", "admin"]);
    const put = await callWith(client.key, "PUT", "/v1/ontology/extensions/operations", EXTENSION, {
      "Content-Type": "text/turtle",
    });
    expect(put.status).toBe(200);
    const made = await client.call("POST", "/v1/remember", { type: "runbook", content: "Restart the shop" });
    expect(made.status).toBe(201);
    const find = async (caller: Client, pattern: string) => {
      const query = `${PREFIXES} SELECT ?x { ${pattern} }`;
      const { body } = await caller.call("POST", "/v1/sparql", { query });
      return body.results.bindings.map(({ x }: { x: { value: string } }) => x.value);
    };
    const memory = `https://jido.ai/ontology#memory_${made.body.memory_id}`;
    expect(await find(client, "?x a jido:Plan ; jido:summary ?s")).toEqual([memory]);
    const label = "?m jido:summary ?s ; a ?c . ?c rdfs:subClassOf jido:Plan ; rdfs:label ?x";
    expect(await find(client, label)).toEqual(["runbook"]);
    expect(await find(await newClient(), '?x rdfs:label "runbook"')).toEqual([]);
  });
});

describe("Inference", () => {
  it("follows sub-properties, inverse and symmetric properties, each solution once", async () => {
    const source = await makeGraph(`
      jido:memory_1 jido:selectedAlternative jido:memory_2 ; jido:hasAlternative jido:memory_2 , jido:memory_3 .
      jido:memory_4 jido:supersededBy jido:memory_1 . jido:memory_1 jido:supersedes jido:memory_4 .
      jido:memory_5 jido:supersededBy jido:memory_4 .
      jido:memory_6 jido:relatedTo jido:memory_7 . jido:memory_7 jido:relatedTo jido:memory_6 .
      jido:memory_8 jido:relatedError jido:memory_6 .
    `);
    const find = async (query: string) => [
      await select(source, query, { infer: true }),
      await select(source, query, { infer: true, pushDown: false }),
    ];
    const both = (...expected: string[]) => [expected, expected];
    expect(await find("SELECT ?o { jido:memory_1 jido:hasAlternative ?o } ORDER BY ?o")).toEqual(
      both("jido:memory_2", "jido:memory_3"),
    );
    expect(await find("SELECT ?s ?o { ?s jido:supersedes ?o } ORDER BY ?s")).toEqual(
      both("jido:memory_1 jido:memory_4", "jido:memory_4 jido:memory_5"),
    );
    expect(await find("SELECT ?o { jido:memory_6 jido:relatedTo ?o } ORDER BY ?o")).toEqual(
      both("jido:memory_7", "jido:memory_8"),
    );
    expect(await find("SELECT ?o { jido:memory_1 jido:supersedes+ ?o } ORDER BY ?o")).toEqual(
      both("jido:memory_4", "jido:memory_5"),
    );
  });

  it("counts a subject with two types below a class once", async () => {
    const source = await makeGraph(
      "jido:memory_1 a jido:ArchitecturalDecision , jido:ImplementationDecision .",
    );
    expect(await select(source, "SELECT ?m { ?m a jido:Decision }", { infer: true })).toEqual([
      "jido:memory_1",
    ]);
  });
});
