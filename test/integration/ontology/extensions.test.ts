// Extensions of the ontology: classes, properties and shapes of a tenant's own.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { rebuild } from "../store/long-term-support";
import { ADMIN_KEY, type Client, callWith, freshId, newClient } from "../support";

let kioku: Client;

beforeEach(async () => {
  kioku = await newClient(["read", "write", "admin"]);
});

const PREFIXES = `@prefix ext: <https://jido.ai/ontology/extension#> .
@prefix jido: <https://jido.ai/ontology#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
`;
const RUNBOOK = `
ext:Runbook a owl:Class ; rdfs:subClassOf jido:Plan ; rdfs:label "runbook" .
ext:ServiceTier a owl:Class .
ext:Gold a owl:NamedIndividual , ext:ServiceTier .
ext:Silver a owl:NamedIndividual , ext:ServiceTier .
ext:servesTier a owl:ObjectProperty , owl:FunctionalProperty ; rdfs:domain ext:Runbook ; rdfs:range ext:ServiceTier .
ext:reviewDays a owl:DatatypeProperty , owl:FunctionalProperty ; rdfs:domain ext:Runbook ; rdfs:range xsd:integer .
ext:RunbookShape a sh:NodeShape ; sh:targetClass ext:Runbook ;
  sh:property [ sh:path ext:reviewDays ; sh:minCount 1 ; sh:maxInclusive 90 ;
    sh:message "A runbook is reviewed at least every 90 days." ] ,
  [ sh:path ext:servesTier ; sh:minCount 1 ; sh:severity sh:Warning ; sh:message "Name the tier." ] .
`;

const put = (turtle: string, name = "operations", query = "") =>
  callWith(kioku.key, "PUT", `/v1/ontology/extensions/${name}${query}`, PREFIXES + turtle, {
    "Content-Type": "text/turtle",
  });
const remember = (body: object) => kioku.call("POST", "/v1/remember", { project_id: "shop", ...body });
const runbook = (properties: object, content = freshId("runbook")) =>
  remember({ type: "runbook", content, properties });

async function problems(turtle: string): Promise<string[]> {
  const { status, body } = await put(turtle);
  expect(status).toBe(422);
  return body.errors.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`);
}

describe("an extension", () => {
  it("adds a memory type, its properties and its shapes", async () => {
    const made = await put(RUNBOOK);
    expect(made).toMatchObject({
      status: 200,
      body: { version: 1, current: true, memory_types: ["runbook"] },
    });
    const stored = await runbook({ reviewDays: "30", serves_tier: "Gold" });
    expect(stored.status).toBe(201);
    expect(stored.body).not.toHaveProperty("warnings");
    const { body } = await kioku.call("GET", `/v1/memories/${stored.body.memory_id}`);
    expect(body).toMatchObject({ type: "runbook", properties: { reviewDays: ["30"], servesTier: ["Gold"] } });
    const triples = await kioku.call("GET", `/v1/memories/${stored.body.memory_id}/triples`, undefined, {
      Accept: "text/turtle",
    });
    expect(triples.body).toContain("a ext:Runbook");
    expect(triples.body).toContain("ext:servesTier ext:Gold");
    expect(triples.body).toMatch(/ext:reviewDays (30|"30"\^\^xsd:integer)/);
  });

  it("has shapes that refuse, and shapes that warn", async () => {
    await put(RUNBOOK);
    const late = await runbook({ reviewDays: "365" });
    expect(late.status).toBe(422);
    expect(late.body.errors).toEqual([
      { path: "properties.reviewDays", message: "A runbook is reviewed at least every 90 days." },
    ]);
    expect((await runbook({})).status).toBe(422);
    expect((await runbook({ reviewDays: "30" })).body.warnings).toEqual(["servesTier: Name the tier."]);
  });

  it("checks the values of its properties", async () => {
    await put(RUNBOOK);
    const messages = async (properties: object) => (await runbook(properties)).body.errors?.[0]?.message;
    expect(await messages({ reviewDays: "soon" })).toBe("must be a whole number");
    expect(await messages({ reviewDays: ["1", "2"] })).toBe("takes one value");
    expect(await messages({ reviewDays: "30", servesTier: "Bronze" })).toBe("must be one of: Gold, Silver");
    const misplaced = await remember({ content: "A fact", type: "fact", properties: { reviewDays: "3" } });
    expect(misplaced.body.errors[0].message).toBe("belongs to Runbook, not to a fact");
  });

  it("is changed and removed by PATCH, and rebuilt from the triples", async () => {
    await put(RUNBOOK);
    const { body } = await runbook({ reviewDays: "30", servesTier: "Gold" });
    const path = `/v1/memories/${body.memory_id}`;
    const changed = await kioku.call("PATCH", path, { properties: { reviewDays: "60", servesTier: null } });
    expect(changed.body.properties).toEqual({ reviewDays: ["60"] });
    expect(changed.body.warnings).toEqual(["servesTier: Name the tier."]);
    expect((await kioku.call("PATCH", path, { properties: { reviewDays: null } })).status).toBe(422);
    const read = () =>
      env.DB.prepare("SELECT type, properties FROM memories WHERE tenant = ?").bind(kioku.tenant).all();
    const before = (await read()).results;
    expect(before).toEqual([{ type: "runbook", properties: '{"ext:reviewDays":["\\"60\\"^^xsd:integer"]}' }]);
    await rebuild(kioku.tenant);
    expect((await read()).results).toEqual(before);
  });

  it("is found by its superclass, in lists and in recall", async () => {
    await put(RUNBOOK);
    const { body } = await runbook({ reviewDays: "30" }, "Restart the payment service");
    for (const type of ["plan", "runbook"]) {
      const listed = await kioku.call("GET", `/v1/memories?type=${type}`);
      expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([body.memory_id]);
      const recalled = await kioku.call("POST", "/v1/recall", {
        query: "restart payment service",
        type,
        project_id: "shop",
      });
      expect(recalled.body.memories[0]).toMatchObject({ id: body.memory_id, type: "runbook" });
    }
    const task = await remember({
      content: "Test it",
      type: "task",
      properties: { partOfPlan: body.memory_id },
    });
    expect(task.status).toBe(201);
  });

  it("is part of the ontology that the tenant reads, and of no other", async () => {
    await put(RUNBOOK);
    const { body } = await kioku.call("GET", "/v1/ontology");
    expect(body.memory_types).toContain("runbook");
    expect(body.classes.at(-2)).toMatchObject({
      name: "Runbook",
      iri: "https://jido.ai/ontology/extension#Runbook",
      subClassOf: "Plan",
      module: "operations",
    });
    const turtle = await kioku.call("GET", "/v1/ontology", undefined, { Accept: "text/turtle" });
    expect(turtle.body).toContain("ext:Runbook a owl:Class");
    const other = await newClient();
    expect((await other.call("GET", "/v1/ontology")).body.memory_types).not.toContain("runbook");
    const refused = await other.call("POST", "/v1/remember", { type: "runbook", content: "x" });
    expect(refused.status).toBe(400);
    expect(refused.body.errors[0].path).toBe("type");
  });

  it("needs the scope admin to be changed", async () => {
    const writer = await newClient(["read", "write"]);
    expect((await writer.call("PUT", "/v1/ontology/extensions/x", { turtle: PREFIXES })).status).toBe(403);
  });
});

describe("an extension and its tenant", () => {
  it("are erased together", async () => {
    await put(RUNBOOK);
    await runbook({ reviewDays: "30" });
    const erased = await callWith(ADMIN_KEY, "DELETE", `/v1/tenants/${kioku.tenant}`);
    expect(erased.status).toBe(200);
    const left = env.DB.prepare("SELECT count(*) AS n FROM ontology_extensions WHERE tenant = ?");
    expect(await left.bind(kioku.tenant).first("n")).toBe(0);
  });
});

describe("versions", () => {
  it("are counted, compared and readable", async () => {
    await put(RUNBOOK);
    const second = `${RUNBOOK}\next:Drill a owl:Class ; rdfs:subClassOf jido:Task .`;
    expect((await put(second, "operations", "?expected_version=0")).status).toBe(409);
    const changed = await put(second, "operations", "?expected_version=1");
    expect(changed.body).toMatchObject({ version: 2, memory_types: ["runbook", "drill"] });
    const { body } = await kioku.call("GET", "/v1/ontology/extensions/operations?version=1");
    expect(body).toMatchObject({ version: 1, current: false, versions: [1, 2], turtle: PREFIXES + RUNBOOK });
    const listed = await kioku.call("GET", "/v1/ontology/extensions");
    expect(listed.body.data).toMatchObject([{ name: "operations", version: 2, current: true }]);
  });

  it("end with the extension, which memories of its types keep alive", async () => {
    await put(RUNBOOK);
    const { body } = await runbook({ reviewDays: "30" });
    const refused = await kioku.call("DELETE", "/v1/ontology/extensions/operations");
    expect(refused.status).toBe(409);
    expect(refused.body.errors).toEqual([
      { path: body.memory_id, message: "has the type runbook, which would not exist" },
    ]);
    await kioku.call("DELETE", `/v1/memories/${body.memory_id}`);
    expect((await kioku.call("DELETE", "/v1/ontology/extensions/operations")).status).toBe(204);
    expect((await runbook({ reviewDays: "30" })).status).toBe(400);
    expect((await kioku.call("GET", "/v1/ontology/extensions/operations")).status).toBe(404);
    expect((await kioku.call("GET", "/v1/ontology/extensions/operations?version=1")).status).toBe(200);
  });
});

describe("the shapes of an extension", () => {
  const RISK = `ext:RiskShape a sh:NodeShape ; sh:targetClass jido:Risk ;
    sh:property [ sh:path jido:rationale ; sh:minCount 1 ; sh:message "A risk has a reason." ] .`;
  const errors = [{ path: "rationale", message: "A risk has a reason." }];

  it("hold for what a session remembers and promotes", async () => {
    await put(RISK);
    const session_id = freshId("session");
    const risk = { type: "risk", content: "The disk fills up" };
    expect((await remember({ ...risk, session_id })).body.errors).toEqual(errors);
    expect((await remember({ ...risk, session_id, rationale: "Logs grow" })).status).toBe(201);
    const pending = { content: "The queue grows", memory_type: "risk", importance_score: 0.9 };
    expect((await kioku.call("POST", `/v1/sessions/${session_id}/pending`, pending)).status).toBe(201);
    const promoted = await kioku.call("POST", `/v1/sessions/${session_id}/promote`);
    expect(promoted.status).toBe(422);
    expect(promoted.body.errors).toEqual(errors);
    await kioku.call("DELETE", "/v1/ontology/extensions/operations");
    const again = await kioku.call("POST", `/v1/sessions/${session_id}/promote`);
    expect(again.body.promoted).toHaveLength(1);
  });

  it("hold for links, new and deleted", async () => {
    await put(`ext:ChoiceShape a sh:NodeShape ; sh:targetClass jido:Decision ; sh:property [
      sh:path jido:hasAlternative ; sh:minCount 1 ; sh:maxCount 2 ; sh:message "One or two alternatives." ] .`);
    const [one, two, three] = await Promise.all(
      ["One", "Two", "Three"].map(
        async (content) => (await remember({ type: "alternative", content })).body.memory_id,
      ),
    );
    const decision = await remember({
      type: "decision",
      content: "Choose",
      properties: { hasAlternative: one },
    });
    const link = (to: string) =>
      kioku.call("POST", "/v1/links", { from: decision.body.memory_id, relation: "hasAlternative", to });
    const second = await link(two);
    expect(second.status).toBe(201);
    const third = await link(three);
    expect(third.status).toBe(422);
    expect(third.body.errors).toEqual([
      { path: "properties.hasAlternative", message: "One or two alternatives." },
    ]);
    expect((await kioku.call("DELETE", `/v1/links/${second.body.id}`)).status).toBe(204);
    const last = `${decision.body.memory_id}-hasAlternative-${one}`;
    expect((await kioku.call("DELETE", `/v1/links/${last}`)).status).toBe(422);
  });
});

describe("stored memories", () => {
  it("that would violate a shape refuse the extension, with their ids", async () => {
    const made = await remember({ type: "bug", content: "The cart is empty" });
    const shape = `ext:BugShape a sh:NodeShape ; sh:targetClass jido:Bug ;
      sh:property [ sh:path jido:severityLevel ; sh:minCount 1 ; sh:message "A bug has a severity." ] .`;
    const refused = await put(shape);
    expect(refused.status).toBe(409);
    expect(refused.body.errors).toEqual([
      { path: made.body.memory_id, message: "properties.severityLevel: A bug has a severity." },
    ]);
    await kioku.call("PATCH", `/v1/memories/${made.body.memory_id}`, {
      properties: { severityLevel: "high" },
    });
    expect((await put(shape)).status).toBe(200);
    expect((await remember({ type: "bug", content: "The cart is full" })).status).toBe(422);
  });

  it("refuse a version that takes away a property they have", async () => {
    await put(RUNBOOK);
    const { body } = await runbook({ reviewDays: "30", servesTier: "Gold" });
    const refused = await put("ext:Runbook a owl:Class ; rdfs:subClassOf jido:Plan .");
    expect(refused.body.errors).toEqual([
      { path: body.memory_id, message: "has the property reviewDays, which would not exist" },
    ]);
  });
});

describe("an inconsistent extension is refused because", () => {
  it("a shape cannot be run", async () => {
    const { status, body } = await put(
      "ext:S a sh:NodeShape ; sh:targetClass jido:Fact ; sh:property [ sh:path jido:summary ; sh:in jido:High ] .",
    );
    expect(status).toBe(422);
    expect(body.detail).toContain("A shape is malformed, and cannot be run");
  });

  it("it is not Turtle", async () => {
    const { status, body } = await put("ext:Runbook a owl:Class");
    expect(status).toBe(400);
    expect(body.detail).toContain("is not Turtle");
  });

  it.each([
    [
      "a term of the ontology is changed",
      "jido:Fact rdfs:subClassOf jido:Plan .",
      "https://jido.ai/ontology#Fact is a term of the ontology, which an extension cannot change: declare one of your own",
    ],
    [
      "a term has a foreign namespace",
      "<https://example.org/x> a owl:Class .",
      "https://example.org/x is not in the namespace of extensions: begin it with https://jido.ai/ontology/extension#",
    ],
    [
      "a superclass does not exist",
      "ext:Runbook a owl:Class ; rdfs:subClassOf jido:Dream .",
      "Dream is declared nowhere: state that it is an owl:Class, owl:ObjectProperty, owl:DatatypeProperty, owl:NamedIndividual or sh:NodeShape",
    ],
    [
      "classes form a cycle",
      "ext:One a owl:Class ; rdfs:subClassOf ext:Two . ext:Two a owl:Class ; rdfs:subClassOf ext:One .",
      "ext:One is a subclass of itself: remove a superclass of the cycle",
    ],
    [
      "a class is below two disjoint ones",
      "ext:Odd a owl:Class ; rdfs:subClassOf jido:Fact , jido:Hypothesis .",
      "ext:Odd can have no members: Fact and Hypothesis are disjoint",
    ],
    [
      "a class is disjoint with its superclass",
      "ext:Odd a owl:Class ; rdfs:subClassOf jido:Fact ; owl:disjointWith jido:Fact .",
      "ext:Odd can have no members: ext:Odd and Fact are disjoint",
    ],
    [
      "a name is taken",
      "ext:Fact a owl:Class ; rdfs:subClassOf jido:MemoryItem .",
      "ext:Fact has the name of a term of the ontology: choose another one",
    ],
    [
      "a property has no range",
      "ext:cost a owl:DatatypeProperty ; rdfs:domain jido:Plan .",
      "ext:cost has 0 ranges: give one",
    ],
    [
      "a shape needs more than one memory",
      "ext:S a sh:NodeShape ; sh:targetClass jido:RootCause ; sh:property [ sh:path [ sh:inversePath jido:hasRootCause ] ; sh:minCount 1 ] .",
      "shape uses sh:inversePath, which is not supported: a shape is decided by the triples of one memory",
    ],
    [
      "a pattern could take long",
      'ext:S a sh:NodeShape ; sh:targetClass jido:Fact ; sh:property [ sh:path jido:summary ; sh:pattern "^(a+)+$" ] .',
      "shape has a pattern that could take long: leave out repeated groups, look-arounds and back-references",
    ],
    [
      "a count is none",
      'ext:S a sh:NodeShape ; sh:targetClass jido:Fact ; sh:property [ sh:path jido:summary ; sh:minCount "one" ] .',
      "shape has as sh:minCount no whole number",
    ],
  ])("%s", async (_name, turtle, expected) => {
    expect(await problems(turtle)).toContain(expected);
  });
});
