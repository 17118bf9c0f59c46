// What RDF import makes of documents that people and other programs write, and what it refuses.
import { beforeAll, describe, expect, it } from "vitest";
import { ADMIN_KEY, type Answer, type Client, callWith, newClient } from "../support";
import { exportRdf, importRdf, importTurtle, listQuads, restore, TURTLE_PREFIXES } from "./rdf-support";

const readMemory = async (client: Client, id: string) =>
  (await client.call("GET", `/v1/memories/${id}`)).body;

async function newBoundKey(tenant: string, bind: object): Promise<Client> {
  const { body } = await callWith(ADMIN_KEY, "POST", "/v1/keys", {
    tenant,
    scopes: ["read", "write"],
    bind,
  });
  return { tenant, key: body.key, call: (...args) => callWith(body.key, ...args) };
}

describe("a document by hand", () => {
  const DOCUMENT = `
    _:cause a jido:RootCause ; jido:summary "Guests have no session" .
    [] a jido:Bug ; jido:summary "The checkout fails for guests" ; jido:hasConfidence jido:Low ;
      jido:hasRootCause _:cause ; jido:derivedFrom <https://example.org/report> ; jido:tag "checkout" ;
      jido:appliesToProject jido:project_shop ; jido:validFrom "2026-03-01"^^xsd:date .
    :fact a jido:Fact ; jido:summary "A cart needs a session" ; jido:supports _:cause .`;
  let client: Client;
  let first: Answer;

  beforeAll(async () => {
    client = await newClient();
    first = await importTurtle(client, DOCUMENT);
  });

  it("makes memories as remember would", async () => {
    expect(first.status, JSON.stringify(first.body)).toBe(200);
    expect(first.body.imported).toEqual({ memory: { added: 3, known: 0 } });
    const [bugNode = ""] = Object.keys(first.body.ids).filter(
      (node) => !["_:cause", "http://example.org/fact"].includes(node),
    );
    const bug = await readMemory(client, first.body.ids[bugNode]);
    expect(bug).toMatchObject({
      ...{ type: "bug", confidence: 0.3, project_id: "shop", tags: ["checkout"], source_type: "agent" },
      ...{ evidence: ["https://example.org/report"], valid_from: "2026-03-01T00:00:00.000Z" },
      properties: { hasRootCause: [first.body.ids["_:cause"]] },
    });
    const fact = await readMemory(client, first.body.ids["http://example.org/fact"]);
    expect(fact.project_id).toBe("default");
    expect(fact.properties.supports).toEqual([first.body.ids["_:cause"]]);
    const recalled = await client.call("POST", "/v1/recall", {
      query: "cart session",
      project_id: "default",
    });
    expect(recalled.body.memories.map(({ content }: { content: string }) => content)).toContain(
      "A cart needs a session",
    );
  });

  it("changes nothing when it is imported again", async () => {
    const before = await listQuads(client);
    const again = await importTurtle(client, DOCUMENT);
    expect(again.body.imported).toEqual({ memory: { added: 0, known: 3 } });
    expect(await listQuads(client)).toEqual(before);
  });

  it("supersedes a stored memory", async () => {
    const old = first.body.ids["http://example.org/fact"];
    const { body } = await importTurtle(
      client,
      `_:new a jido:Fact ; jido:summary "A cart needs a token" ; jido:supersedes jido:memory_${old} .`,
    );
    expect(await readMemory(client, old)).toMatchObject({
      status: "superseded",
      superseded_by: body.ids["_:new"],
    });
  });
});

describe("an edited export", () => {
  it("changes what is stated otherwise, and only that", async () => {
    const client = await newClient();
    const { body } = await client.call("POST", "/v1/remember", {
      ...{
        content: "Deploys on Monday",
        type: "decision",
        rationale: "quiet",
        confidence: 0.5,
        tags: ["ops"],
      },
    });
    const id = body.memory_id;
    const edited = (await exportRdf(client, "turtle"))
      .replace('jido:tag "ops"', 'jido:tag "ops", "release"')
      .replace("0.5", "0.9");
    const changed = await importRdf(client, edited);
    expect(changed.body).toEqual({ imported: { memory: { added: 0, known: 0, changed: 1 } } });
    expect(await readMemory(client, id)).toMatchObject({
      confidence: 0.9,
      tags: ["ops", "release"],
      rationale: "quiet",
    });
    expect((await importRdf(client, edited)).body.imported).toEqual({ memory: { added: 0, known: 1 } });

    const rewritten = edited.replace("Deploys on Monday", "Deploys on Tuesday");
    expect((await importRdf(client, rewritten)).body.imported.memory.changed).toBe(1);
    const replaced = await readMemory(client, id);
    expect(replaced.status).toBe("superseded");
    expect(await readMemory(client, replaced.superseded_by)).toMatchObject({
      content: "Deploys on Tuesday",
      tags: ["ops", "release"],
    });
    const quads = await listQuads(client);
    expect((await importRdf(client, rewritten)).body.imported).toEqual({ memory: { added: 0, known: 1 } });
    expect(await listQuads(client)).toEqual(quads);

    const refused = await importTurtle(client, `jido:memory_${id} jido:rationale "loud" .`);
    expect(refused.status).toBe(422);
    expect(refused.body.errors[0].path).toBe(`jido:memory_${id} jido:rationale`);
  });
});

it("changes nothing when metadata or a masked text is imported again", async () => {
  const client = await newClient();
  const metadata = { b: "1", a: "2" };
  const { body } = await client.call("POST", "/v1/remember", { content: "Deploys on Monday", metadata });
  const state = (value: object) =>
    importTurtle(
      client,
      `jido:memory_${body.memory_id} jido:memoryMetadata '${JSON.stringify(value)}'^^xsd:string .`,
    );
  const known = { memory: { added: 0, known: 1 } };
  expect((await state({ a: "2", b: "1" })).body.imported).toEqual(known);
  expect((await state({ a: "2" })).body.imported.memory.changed).toBe(1);
  expect((await readMemory(client, body.memory_id)).metadata).toEqual({ a: "2" });
  expect((await state({ a: "2" })).body.imported).toEqual(known);

  const secret = `_:s a jido:Fact ; jido:summary "The token is ghp_${"a1B2".repeat(9)}" .`;
  expect((await importTurtle(client, secret)).body.imported).toEqual({ memory: { added: 1, known: 0 } });
  expect((await importTurtle(client, secret)).body.imported).toEqual(known);
});

it("links a stored memory with a new one by the id that this one gets", async () => {
  const client = await newClient();
  const remember = async (content: string): Promise<string> =>
    (await client.call("POST", "/v1/remember", { content })).body.memory_id;
  const from = await remember("A cart needs a session");
  await client.call("POST", "/v1/forget", { memory_id: await remember("Guests have a cart") });
  const { body } = await importTurtle(
    client,
    `_:new a jido:Fact ; jido:summary "Guests have a cart" . jido:memory_${from} jido:supports _:new .`,
  );
  expect((await readMemory(client, from)).properties.supports).toEqual([body.ids["_:new"]]);
});

describe("the scope of an export", () => {
  it("is that of an owner, with links between its memories alone", async () => {
    const client = await newClient();
    const remember = async (content: string, owner: object) =>
      (await client.call("POST", "/v1/remember", { content, ...owner })).body.memory_id as string;
    const [tea, milk] = [
      await remember("Likes tea", { user_id: "mia" }),
      await remember("Likes milk", { user_id: "mia" }),
    ];
    const other = await remember("Likes coffee", { user_id: "bob", project_id: "shop" });
    await client.call("POST", "/v1/links", { from: tea, to: milk, relation: "related_to", strength: 0.5 });
    await client.call("POST", "/v1/links", { from: tea, to: other, relation: "related_to" });
    await client.call("POST", "/v1/episodes", {
      id: "mias",
      user_id: "mia",
      context: { goal: "Brew" },
      outcome: "success",
    });
    await client.call("POST", "/v1/sessions/s1/remember", { content: "Within a session" });

    const own = (await listQuads(client, "&scope=user&id=mia")).join("\n");
    for (const text of ["Likes tea", "Likes milk", "Brew", "linkStrength", "endedAtTime"])
      expect(own).toContain(text);
    expect(own).not.toContain(other);
    expect(own).not.toContain("Within a session");
    const project = (await listQuads(client, "&scope=project&id=shop")).join("\n");
    expect(project).toContain("Likes coffee");
    expect(project).not.toContain("tea");
    const session = (await listQuads(client, "&scope=session&id=s1")).join("\n");
    expect(session).toContain("Within a session");
    expect(session).toContain("WorkSession");
    expect(session).not.toContain("Likes");

    const mia = await newBoundKey(client.tenant, { user_id: "mia" });
    expect((await listQuads(mia)).join("\n")).toBe(own);
    const { client: target } = await restore(await exportRdf(client, "trig", "&scope=user&id=mia"), "trig");
    expect((await listQuads(target)).join("\n")).toBe(own);
  });
});

describe("a bound key", () => {
  it("imports nothing", async () => {
    const client = await newClient();
    const mia = await newBoundKey(client.tenant, { user_id: "mia" });
    expect((await importTurtle(mia, `[] a jido:Preference ; jido:summary "Likes tea" .`)).status).toBe(403);
    expect((await listQuads(client)).join("")).toBe("");
  });
});

describe("a document that cannot be stored", () => {
  const ID = "jido:memory_0123456789abcdef0123456789abcdef";
  const MEMORY = `a jido:Fact ; jido:summary "x"`;
  const refusals: [name: string, turtle: string, status: number, message: RegExp][] = [
    ["wrong syntax", `\n${ID} a jido:Fact ;; jido:summary .`, 400, /^data: line 6, column \d+: /],
    ["an unbound prefix", `foo:x a jido:Fact .`, 400, /line 5.*Undefined prefix "foo:"/],
    ["an IRI with a space", `<http://x/a b> ${MEMORY} .`, 400, /line 5/],
    ["an IRI with a quote", `<http://x/a\\u0022b> ${MEMORY} .`, 400, /line 5/],
    ["a relative IRI", `<x> ${MEMORY} .`, 400, /not an absolute IRI/],
    [
      "a class that is not stored",
      `:x a jido:ConfidenceLevel .`,
      422,
      /^http:\/\/example.org\/x rdf:type: unsupported class/,
    ],
    ["a foreign class", `:x a :Thing .`, 422, /unsupported class http:\/\/example.org\/Thing/],
    ["no class", `:x jido:summary "x" .`, 422, /rdf:type: is missing/],
    ["two classes", `[] a jido:Fact, jido:Bug ; jido:summary "x" .`, 422, /takes one class/],
    ["no content", `[] a jido:Fact .`, 422, /jido:summary: is missing/],
    ["two contents", `[] ${MEMORY}, "y" .`, 422, /jido:summary: takes one value, has 2/],
    ["a language", `[] a jido:Fact ; jido:summary "x"@en .`, 422, /without a language/],
    [
      "an unknown property",
      `[] ${MEMORY} ; jido:colour "red" .`,
      422,
      /jido:colour: is not a property of the ontology/,
    ],
    [
      "a foreign property",
      `[] ${MEMORY} ; :colour "red" .`,
      422,
      /http:\/\/example.org\/colour: is not a property/,
    ],
    [
      "a property of another class",
      `[] ${MEMORY} ; jido:hasTaskStatus jido:InProgress .`,
      422,
      /jido:hasTaskStatus: belongs to/,
    ],
    ["a confidence above 1", `[] ${MEMORY} ; jido:confidenceValue 1.5 .`, 422, /jido:confidenceValue/],
    [
      "no time",
      `[] ${MEMORY} ; jido:validFrom "soon"^^xsd:dateTime .`,
      422,
      /jido:validFrom: must be a time/,
    ],
    [
      "an end before the beginning",
      `[] ${MEMORY} ; jido:validFrom "2026-02-01"^^xsd:date ; jido:validUntil "2026-01-01"^^xsd:date .`,
      422,
      /validUntil: must not be before/,
    ],
    [
      "a relation to another class",
      `[] a jido:Decision ; jido:summary "x" ; jido:rationale "y" ; jido:hasAlternative [ ${MEMORY} ] .`,
      422,
      /hasAlternative: must be a jido:Alternative/,
    ],
    ["a relation to nothing", `[] ${MEMORY} ; jido:relatedTo ${ID} .`, 422, /is not there/],
    [
      "a circle",
      `_:a ${MEMORY} ; jido:relatedTo _:b . _:b a jido:Fact ; jido:summary "z" ; jido:supports _:a .`,
      422,
      /circle/,
    ],
    ["a cycle", `${ID} a jido:Task ; jido:summary "x" ; jido:dependsOn ${ID} .`, 422, /cycle/],
    ["a wrong id", `jido:memory_x ${MEMORY} .`, 422, /32 digits/],
    ["a reserved property", `[] ${MEMORY} ; jido:namespace "shared" .`, 422, /jido:namespace: is reserved/],
    ["a session of a new memory", `[] ${MEMORY} ; jido:assertedIn jido:session_s1 .`, 422, /jido:assertedIn/],
    [
      "a Link without its triple",
      `${ID} ${MEMORY} . [] a jido:Link ; jido:linkFrom ${ID} ; jido:linkTo ${ID} ; jido:linkRelation "https://jido.ai/ontology#relatedTo"^^xsd:anyURI ; jido:linkStrength 1 ; jido:linkedAt "2026-01-01"^^xsd:date .`,
      422,
      /describes a link that is not there/,
    ],
    [
      "an activity of nothing",
      `jido:activity_1 a prov:Activity .`,
      422,
      /which the document does not restore/,
    ],
    ["an episode without a goal", `jido:evidence_e a jido:Episode .`, 422, /an episode has a jido:goal/],
    [
      "a malformed escape",
      `[] ${MEMORY} ; jido:concernsUser <https://jido.ai/ontology#user_%zz> .`,
      422,
      /percent-encoded/,
    ],
    ["a list", `[] ${MEMORY} ; jido:tag ("a" "b") .`, 422, /rdf:type: is missing/],
  ];

  it("is refused with the subject, the property and the fix, and nothing of it is stored", async () => {
    const client = await newClient();
    const good = `[] a jido:Fact ; jido:summary "A good one" . `;
    for (const [name, turtle, status, message] of refusals) {
      const answer = await importTurtle(client, status === 400 ? turtle : good + turtle);
      expect([answer.status, answer.body.detail], name).toEqual([status, expect.stringMatching(message)]);
    }
    expect(await listQuads(client)).toEqual([""]);
  });

  it("is refused if it is large in an unusual way", async () => {
    const client = await newClient();
    const many = await importTurtle(client, "[] a [] .".repeat(60_000));
    expect([413, 422]).toContain(many.status);
    const deep = await importTurtle(
      client,
      `[] ${MEMORY} ; jido:relatedTo ${"[ jido:relatedTo ".repeat(20_000)} [] ${"]".repeat(20_000)} .`,
    );
    expect(deep.status).toBe(422);
    const nested = await importRdf(
      client,
      `${'{"jido:relatedTo":'.repeat(20_000)}1${"}".repeat(20_000)}`,
      "jsonld",
    );
    expect(nested.status).toBe(400);
    expect(await listQuads(client)).toEqual([""]);
  });

  it("is refused if its IRIs or its memories are too many or too long", async () => {
    const client = await newClient();
    const long = await importTurtle(client, `@prefix p: <http://x/${"a".repeat(5_000)}> . p:a a p:b .`);
    expect([long.status, long.body.detail]).toEqual([400, expect.stringContaining("at most 4096")]);
    const wide = `@prefix p: <http://x/${"a".repeat(4_000)}> . ${"p:a p:b p:c . ".repeat(5_000)}`;
    expect((await importTurtle(client, wide)).status).toBe(413);
    const memories = Array.from({ length: 501 }, (_, i) => `[] a jido:Fact ; jido:summary "Fact ${i}" .`);
    const many = await importTurtle(client, memories.join("\n"));
    expect([many.status, many.body.detail]).toEqual([413, expect.stringContaining("501 memories")]);
  });

  it("leaves everything as it was if a stored memory cannot be changed as stated", async () => {
    const client = await newClient();
    const { body } = await client.call("POST", "/v1/remember", { content: "Deploys on Friday" });
    await client.call("POST", "/v1/forget", { memory_id: body.memory_id });
    const before = await listQuads(client);
    const answer = await importTurtle(
      client,
      `[] a jido:Fact ; jido:summary "Another" . jido:memory_${body.memory_id} jido:confidenceValue 0.1 .`,
    );
    expect([answer.status, answer.body.detail]).toEqual([422, expect.stringContaining("is forgotten")]);
    expect(await listQuads(client)).toEqual(before);
  });

  it("does not take a named graph for the default graph", async () => {
    const client = await newClient();
    const quad = `<http://x/s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://jido.ai/ontology#Fact> <urn:tenant:other> .\n`;
    const answer = await importRdf(client, quad, "nquads");
    expect([answer.status, answer.body.detail]).toEqual([
      422,
      expect.stringContaining("the graph urn:tenant:other is not stored"),
    ]);
  });
});

describe("an id of another tenant", () => {
  it("is an id of this tenant from then on, and the other keeps its memory", async () => {
    const owner = await newClient();
    const { body } = await owner.call("POST", "/v1/remember", { content: "The owner's" });
    const before = await listQuads(owner);
    const thief = await newClient();
    const document = `jido:memory_${body.memory_id} a jido:Fact ; jido:summary "Mine" .`;
    expect((await importTurtle(thief, document)).status).toBe(200);
    expect(await listQuads(owner)).toEqual(before);
    expect((await listQuads(thief)).join()).not.toContain("owner's");
    expect((await readMemory(thief, body.memory_id)).content).toBe("Mine");
  });

  it("still deduplicates content that is remembered again", async () => {
    const source = await newClient();
    const content = "Guests need a session";
    const { body } = await source.call("POST", "/v1/remember", { content });
    const { client } = await restore(await exportRdf(source, "nquads"), "nquads");
    const again = await client.call("POST", "/v1/remember", { content });
    expect(again.body).toMatchObject({ deduplicated: true, memory_id: body.memory_id });
  });
});

describe("JSON-LD", () => {
  it("is read with an inline context", async () => {
    const client = await newClient();
    const document = {
      "@context": {
        "@vocab": "https://jido.ai/ontology#",
        text: "summary",
        because: { "@id": "derivedFrom", "@type": "@id" },
        until: { "@id": "validUntil", "@type": "http://www.w3.org/2001/XMLSchema#dateTime" },
      },
      "@id": "_:d",
      "@type": "Decision",
      text: "Use an outbox",
      rationale: "Calls fail",
      confidenceValue: 0.75,
      tag: ["queue", "retry"],
      because: "https://example.org/adr",
      until: "2027-01-01T00:00:00Z",
      hasAlternative: [{ "@type": "Alternative", text: "Use a cron job" }],
    };
    const { body } = await importRdf(client, JSON.stringify(document), "jsonld");
    expect(body.imported).toEqual({ memory: { added: 2, known: 0 } });
    expect(await readMemory(client, body.ids["_:d"])).toMatchObject({
      ...{ type: "decision", content: "Use an outbox", confidence: 0.75, tags: ["queue", "retry"] },
      ...{ evidence: ["https://example.org/adr"], valid_until: "2027-01-01T00:00:00.000Z" },
    });
  });

  const refusals: [name: string, document: object, path: string, message: RegExp][] = [
    [
      "a remote context",
      { "@context": "https://schema.org" },
      "@context",
      /is a remote context, https:\/\/schema.org, which is not loaded/,
    ],
    ["one of several", { "@context": [{}, "http://x/c"] }, "@context.1", /is a remote context/],
    [
      "an imported context",
      { "@context": { "@import": "http://x/c" } },
      "@context.@import",
      /is a remote context/,
    ],
    [
      "a nested remote context",
      { "http://x/p": { "@context": "http://x/c" } },
      "http://x/p.@context",
      /is a remote context/,
    ],
    ["a name without a definition", { text: "x" }, "text", /text is not in the context/],
    ["an unknown keyword", { "@nest": {} }, "@nest", /is not read/],
    ["a relative IRI", { "@id": "x" }, "@id", /relative IRI/],
    [
      "a base that resolves nothing",
      { "@context": { "@base": "mailto:x" }, "@id": "y" },
      "@id",
      /cannot be resolved/,
    ],
    [
      "many terms",
      { "@context": Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`t${i}`, "http://x/"])) },
      "@context",
      /more than 1000 terms/,
    ],
    [
      "a long chain of prefixes",
      {
        "@context": Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`t${i}`, `t${i + 1}:x`])),
      },
      "@context.t11",
      /in a chain/,
    ],
  ];
  it("is refused where it would have to be loaded or guessed", async () => {
    const client = await newClient();
    for (const [name, document, path, message] of refusals) {
      const { status, body } = await importRdf(client, JSON.stringify(document), "jsonld");
      expect([status, body.errors?.[0]], name).toEqual([
        400,
        { path, message: expect.stringMatching(message) },
      ]);
    }
    const malformed = await importRdf(client, '{\n "@id": "x",}', "jsonld");
    expect(malformed.body).toMatchObject({ status: 400, line: 2, column: 13 });
  });
});

it("takes an export with its prefixes in a JSON body, too", async () => {
  const client = await newClient();
  const data = `${TURTLE_PREFIXES}_:a a jido:Fact ; jido:summary "x" .`;
  const { body } = await client.call("POST", "/v1/import", { format: "turtle", data });
  expect(body.imported.memory.added).toBe(1);
});
