// From short-term to long-term memory: what leaves the window, what the working context says, what was offered.
import { runDurableObjectAlarm } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import { memoriesOf, objectsOf, offer } from "../../faults/support";
import { type Client, freshId, newClient, sessionStub } from "../support";

let client: Client;
let id: string;
let path: string;

beforeEach(async () => {
  client = await newClient();
  id = freshId("session");
  path = `/v1/sessions/${id}`;
});

const promote = async () => (await client.call("POST", `${path}/promote`)).body;
const contents = async () => (await memoriesOf(client.tenant)).map(({ content }) => content);
const put = (key: string, value: unknown, more: object = {}) =>
  client.call("PUT", `${path}/context/${key}`, { value, ...more });

describe("the plain statements of a user", () => {
  const STATEMENTS = [
    "I live in Lisbon",
    "My daughter is called Mia",
    "I'm allergic to peanuts",
    "We have two cats",
    "I work as a nurse at St Mary's",
    "I'm training for a marathon in May",
    "My favourite colour is green",
    "I don't eat meat",
    "I was born in 1984",
    "I speak Portuguese and German",
    "My brother Tariq is a pilot",
    "I drive a 2015 Corolla",
    "We're moving to Porto in March",
    "My boss is called Elena",
    "I play the cello in an orchestra",
    "I prefer tea over coffee",
    "I have type 2 diabetes",
    "My wife and I have been married for twelve years",
    "I never drink alcohol",
    "I'm left-handed",
    "I studied law in Leiden",
    "I can't swim",
    "Our dog is called Pepper",
    "My birthday is on 9 November",
    "I hate phone calls",
    "I moved to Oslo in 2019",
    "My sister lives in Ghent",
    "I'm on the payments team",
    "I take the bus every day",
    "My phone is a Pixel 8",
  ];
  const sayAll = (messages: { role: string; content: string; token_count?: number }[]) =>
    client.call("POST", `${path}/messages`, { messages });

  it("are all live memories after the session closes, each in a message of its own", async () => {
    await sayAll(STATEMENTS.map((content) => ({ role: "user", content })));
    await client.call("POST", `${path}/close`);
    const live = (await memoriesOf(client.tenant)).filter(({ superseded_by }) => superseded_by === null);
    expect(live.map(({ content }) => content).toSorted()).toEqual(STATEMENTS.toSorted());
  });

  it("are all kept from two messages of fifteen statements", async () => {
    const messages = [STATEMENTS.slice(0, 15), STATEMENTS.slice(15)].map((part) => ({
      role: "user",
      content: `${part.join(". ")}.`,
    }));
    await sayAll(messages);
    await client.call("POST", `${path}/close`);
    expect((await contents()).toSorted()).toEqual(STATEMENTS.map((one) => `${one}.`).toSorted());
  });

  it("pass the threshold of the alarm as they leave the window", async () => {
    await client.call("POST", "/v1/sessions", {
      id,
      token_budget: { total: 1_000, conversation: 130, context: 870 },
    });
    await sayAll(
      [...STATEMENTS, "Hm.", "Right."].map((content) => ({ role: "user", content, token_count: 60 })),
    );
    // One run promotes at most 20.
    await promote();
    expect(await promote()).toMatchObject({ remaining: 0 });
    expect((await contents()).toSorted()).toEqual(STATEMENTS.toSorted());
  });
});

describe("a message that leaves the window", () => {
  const say = (...said: string[]) =>
    client.call("POST", `${path}/messages`, {
      messages: said.map((content, n) => ({
        id: `${n}-${said.length}`,
        role: "user",
        content,
        token_count: 60,
      })),
    });

  beforeEach(async () => {
    await client.call("POST", "/v1/sessions", {
      id,
      token_budget: { total: 1_000, conversation: 130, context: 870 },
    });
  });

  it("is promoted for the decision in it, with the message as its evidence; a greeting is not", async () => {
    await say("Hello there, how are you?", "We decided to use PostgreSQL for the ledger.");
    expect((await client.call("GET", `${path}/pending`)).body.data).toEqual([]);
    const { body } = await say("Thanks!", "That is all.", "Bye");
    expect(body).toMatchObject({ added: 3, evicted: 3, tokens: { used: 120, max: 130 } });
    const { body: pending } = await client.call("GET", `${path}/pending`);
    expect(pending.data).toMatchObject([
      { memory_type: "decision", suggested_by: "implicit", evidence: ["message:1-2"], source_type: "user" },
    ]);
    expect(await promote()).toMatchObject({ promoted: [{ memory_type: "decision" }], remaining: 0 });
    const [memory] = await memoriesOf(client.tenant);
    expect(memory?.content).toBe("We decided to use PostgreSQL for the ledger.");
    const { body: found } = await client.call("POST", `${path}/recall`, { query: "PostgreSQL ledger" });
    expect(found.memories[0]).toMatchObject({ id: memory?.id, type: "decision" });
  });

  it("is a candidate once, however often what it says is said", async () => {
    await say("We decided to use PostgreSQL for the ledger.", "Hm", "Well");
    await say("We decided to use PostgreSQL for the ledger.", "Yes", "No", "Right");
    expect((await client.call("GET", `${path}/pending`)).body.data).toMatchObject([{ access_count: 2 }]);
    await promote();
    expect(await contents()).toHaveLength(1);
  });

  it("is the only one left when it is larger than the window", async () => {
    await say("one", "two");
    await client.call("POST", `${path}/messages`, {
      messages: [{ id: "large", role: "user", content: "A long story", token_count: 5_000 }],
    });
    const { body } = await client.call("GET", `${path}/messages`);
    expect(body.data.map((message: { id: string }) => message.id)).toEqual(["large"]);
    expect((await client.call("GET", path)).body.counts).toMatchObject({ messages: 1, tokens: 5_000 });
  });
});

describe("a message in the window", () => {
  const DECISION = "We decided to use PostgreSQL for the ledger.";
  const EVIDENCE = JSON.stringify(["message:decided"]);

  beforeEach(async () => {
    await client.call("POST", `${path}/messages`, {
      messages: [
        { role: "user", content: "Good morning!" },
        { id: "decided", role: "user", content: DECISION },
      ],
    });
  });

  it.each(["promote", "pause", "close"])("is extracted from on %s, once", async (end) => {
    await client.call("POST", `${path}/${end}`);
    const stored = [{ content: DECISION, access_count: 0, evidence: EVIDENCE }];
    expect(await memoriesOf(client.tenant)).toMatchObject(stored);
    for (const again of ["promote", "close", "close"]) {
      await client.call("POST", `${path}/${again}`);
      expect(await memoriesOf(client.tenant)).toMatchObject(stored);
    }
  });

  it("is extracted from by the alarm, once, and not again when it leaves the window", async () => {
    const stub = sessionStub(client.tenant, id);
    expect((await client.call("GET", path)).body.promotion.next_run).not.toBeNull();
    await runDurableObjectAlarm(stub);
    expect(await contents()).toEqual([DECISION]);
    await client.call("POST", `${path}/messages`, {
      messages: [{ role: "user", content: "Thanks!", token_count: 50_000 }],
    });
    expect((await client.call("GET", path)).body.counts).toMatchObject({ messages: 1, pending: 0 });
    await client.call("POST", `${path}/close`);
    expect(await memoriesOf(client.tenant)).toMatchObject([{ access_count: 0 }]);
  });
});

describe("an item of the working context", () => {
  beforeEach(async () => {
    await client.call("POST", "/v1/sessions", { id, promotion: { threshold: 0.4 } });
  });
  const framework = (value: string) => put("framework", value, { source: "tool" });

  it("is promoted once per value, however often it is read, put or promoted", async () => {
    await framework("Hono");
    expect((await promote()).promoted).toMatchObject([{ memory_type: "fact" }]);
    await framework("Hono");
    await client.call("GET", `${path}/context/framework`);
    expect((await promote()).promoted).toEqual([]);
    await client.call("POST", `${path}/pause`);
    expect(await memoriesOf(client.tenant)).toMatchObject([
      { content: "framework: Hono", live: 1, access_count: 0 },
    ]);
  });

  it("is superseded when its value changes, there and back, without a cycle", async () => {
    for (const value of ["Hono", "Express", "Hono"]) {
      await framework(value);
      expect((await promote()).promoted).toHaveLength(1);
    }
    const stored = await memoriesOf(client.tenant);
    const [express, first, last] = stored;
    expect(stored.map(({ content, live }) => [content, live])).toEqual([
      ["framework: Express", 0],
      ["framework: Hono", 0],
      ["framework: Hono", 1],
    ]);
    expect([first?.superseded_by, express?.superseded_by, last?.superseded_by]).toEqual([
      express?.id,
      last?.id,
      null,
    ]);
    expect(await objectsOf(client.tenant, `jido:memory_${first?.id}`, "jido:supersededBy")).toEqual([
      `jido:memory_${express?.id}`,
    ]);
    const { body } = await client.call("GET", `/v1/memories/${express?.id}/history`);
    expect(body.data.map((memory: { id: string }) => memory.id)).toEqual([first?.id, express?.id, last?.id]);
  });

  it("is the same value when only the order of its members changed", async () => {
    await put("discovered_patterns", { a: 1, b: [2, 3] });
    await promote();
    await put("discovered_patterns", { b: [2, 3], a: 1 });
    expect((await promote()).promoted).toEqual([]);
  });

  it("of active_errors, or without a type, is never promoted, not even at the end", async () => {
    await put("active_errors", ["E1"], { source: "tool", confidence: 1, memory_type: "fact" });
    await put("framework", "Hono", { source: "explicit", confidence: 1 });
    expect((await promote()).promoted).toEqual([]);
    expect((await client.call("POST", `${path}/close`)).body.promoted).toBe(0);
    expect(await contents()).toEqual([]);
  });

  it.each([
    ["primary_language", "tool", "fact"],
    ["project_root", "tool", "fact"],
    ["user_intent", "inferred", "assumption"],
    ["current_task", "inferred", "assumption"],
    ["file_relationships", "explicit", "discovery"],
    ["pending_questions", "explicit", "unknown"],
  ])("%s from %s becomes a memory of type %s", async (key, source, type) => {
    await put(key, "x", { source, confidence: 1 });
    expect((await promote()).promoted).toMatchObject([{ memory_type: type }]);
  });
});

describe("a pending memory", () => {
  it("alone leaves the list when it alone is promoted", async () => {
    await offer(client, id, "Strong");
    const weak = await offer(client, id, "Weak", { importance_score: 0.2 });
    await offer(client, id, "Decided", {
      suggested_by: "agent",
      memory_type: "decision",
      importance_score: 0.1,
    });
    await client.call("PATCH", path, { promotion: { max_per_run: 1 } });
    expect(await promote()).toMatchObject({ promoted: [{ memory_type: "fact" }], remaining: 2 });
    expect(await contents()).toEqual(["Strong"]);
    expect(await promote()).toMatchObject({ promoted: [{ memory_type: "decision" }], remaining: 1 });
    expect(await promote()).toEqual({ promoted: [], remaining: 1 });
    expect((await client.call("GET", `${path}/pending`)).body.data).toEqual([weak]);
  });

  it("brings its evidence into the triples and back, each reference once", async () => {
    const evidence = ["doc:1", "https://example.org/a b?c=d#e", "日本", "doc:1"];
    await offer(client, id, "Well founded", { evidence, rationale: "Seen twice" });
    const { promoted } = await promote();
    const memory = promoted[0].memory_id;
    const references = [...new Set(evidence)];
    expect(await objectsOf(client.tenant, `jido:memory_${memory}`, "jido:derivedFrom")).toEqual(
      references.map((item) => `jido:evidence_${encodeURIComponent(item)}`).toSorted(),
    );
    const { body } = await client.call("GET", `/v1/memories/${memory}`);
    expect(body).toMatchObject({ evidence: references, rationale: "Seen twice" });
  });

  it("offered again is one candidate, with the evidence of both and the higher score", async () => {
    await offer(client, id, "Said twice", { evidence: ["a"], importance_score: 0.3, confidence: 0.9 });
    await offer(client, id, "  said TWICE ", { evidence: ["b"], importance_score: 0.7, confidence: 0.5 });
    expect((await client.call("GET", `${path}/pending`)).body.data).toMatchObject([
      { evidence: ["a", "b"], importance_score: 0.7, confidence: 0.9, access_count: 2 },
    ]);
  });

  it("that is already a memory adds an access and evidence to it, not a second one", async () => {
    await client.call("POST", `${path}/remember`, { content: "Known", evidence: ["a"], confidence: 0.6 });
    await offer(client, id, "Known", { evidence: ["b"], confidence: 0.9 });
    await promote();
    const [memory, ...more] = await memoriesOf(client.tenant);
    expect(more).toEqual([]);
    expect(memory).toMatchObject({ access_count: 1, evidence: JSON.stringify(["a", "b"]) });
    expect(await objectsOf(client.tenant, `jido:memory_${memory?.id}`, "jido:confidenceValue")).toEqual([
      "0.9",
    ]);
  });
});
