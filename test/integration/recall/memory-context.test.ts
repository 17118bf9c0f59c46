// Memories are indexed with their context: the message they rest on, or the memories before them in their session. It
// raises them among the hits, makes none of them a hit, and leaves the index when it is erased.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { Json } from "../../../src/kernel/json";
import { type Client, freshId, newClient } from "../support";

let client: Client;
let session: string;
beforeEach(async () => {
  client = await newClient();
  session = freshId("session");
});

type Hit = { id: string; content: string; score: number; signals: Record<string, Json> };
type Answer = { count: number; confidence: string; memories: Hit[] };

async function remember(content: string, more: object = {}): Promise<string> {
  const { status, body } = await client.call("POST", `/v1/sessions/${session}/remember`, {
    content,
    ...more,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.memory_id;
}

async function recall(query: string, more: object = {}): Promise<Answer> {
  const { status, body } = await client.call("POST", `/v1/sessions/${session}/recall`, {
    query,
    scope: "session",
    sources: ["memories"],
    ...more,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const listContents = async (query: string, more: object = {}) =>
  (await recall(query, more)).memories.map(({ content }) => content);

/** Returns the ids of the memories whose text-index entry has a word, hits or not. */
async function findIndexed(word: string): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT m.id FROM memories_fts f JOIN memories m ON m.seq = f.rowid WHERE memories_fts MATCH ? AND m.tenant = ? ORDER BY m.seq",
  )
    .bind(`"${word}"`, client.tenant)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

describe("the context of a memory", () => {
  it("is the two live memories before it in its session, and no others", async () => {
    const ids: string[] = [];
    for (const content of ["Zebra one", "Second note", "Third note", "Fourth note"])
      ids.push(await remember(content));
    expect(await findIndexed("zebra")).toEqual(ids.slice(0, 3));
    session = freshId("session");
    await remember("A note elsewhere");
    expect(await findIndexed("zebra")).toEqual(ids.slice(0, 3));
  });

  it("is the message that it rests on, instead of the memories before it", async () => {
    await client.call("POST", `/v1/sessions/${session}/messages`, {
      messages: [{ id: "m1", role: "user", content: "For the zebra enclosure I would take oak" }],
    });
    await remember("Zoo opens at nine");
    await recall("oak", { sources: ["messages"] });
    const id = await remember("The fence is made of oak", { evidence: ["message:m1"] });
    expect(await findIndexed("enclosure")).toEqual([id]);
    expect(await findIndexed("nine")).not.toContain(id);
  });

  it("orders memories that share a term with the query", async () => {
    await remember("We talked about the holiday in Norway");
    await remember("The ferry ticket costs 80 euros");
    for (let i = 0; i < 3; i += 1) await remember(`Unrelated remark number ${i} on gardening`);
    await remember("The parking ticket costs 25 euros");
    const [first] = (await recall("How much is a ticket on the holiday?", { mode: "text" })).memories;
    expect(first?.content).toBe("The ferry ticket costs 80 euros");
  });

  it.each(["text", "hybrid", "semantic"])("makes no hit by itself in mode %s", async (mode) => {
    await remember("The zebra enclosure needs paint");
    await remember("Invoices are sent on Fridays");
    expect(await listContents("zebra enclosure", { mode })).toEqual(["The zebra enclosure needs paint"]);
  });

  it("makes no hit of a memory when it is forgotten", async () => {
    const id = await remember("The zebra enclosure needs paint");
    await remember("Invoices are sent on Fridays");
    await client.call("POST", `/v1/sessions/${session}/forget`, { memory_id: id });
    for (const mode of ["text", "hybrid"])
      expect(await listContents("zebra enclosure", { mode })).toEqual([]);
  });

  it("leaves the index with its erasure, also over memories that were forgotten since", async () => {
    const erased = await remember("Zebra one");
    const forgotten = await remember("Second note");
    const follower = await remember("Third note");
    await client.call("POST", `/v1/sessions/${session}/forget`, { memory_id: forgotten });
    const late = await remember("Fourth note");
    expect((await findIndexed("zebra")).toSorted()).toEqual([erased, forgotten, follower, late].toSorted());
    expect((await client.call("DELETE", `/v1/memories/${erased}`)).status).toBe(200);
    expect(await findIndexed("zebra")).toEqual([]);
    expect(await listContents("Third note", { mode: "text" })).toContain("Third note");
  });

  it("leaves the index with its erasure if entries of another owner lie between", async () => {
    const erased = await remember("Zebra one");
    for (const content of ["First entry", "Second entry"]) {
      const body = { agent_id: "ada", session_id: session, content };
      expect((await client.call("POST", "/v1/entries", body)).status).toBe(201);
    }
    const follower = await remember("Fourth note");
    expect((await findIndexed("zebra")).toSorted()).toEqual([erased, follower].toSorted());
    expect((await client.call("DELETE", `/v1/memories/${erased}`)).status).toBe(200);
    expect(await findIndexed("zebra")).toEqual([]);
  });

  it("leaves the index with the messages of its session", async () => {
    await client.call("POST", `/v1/sessions/${session}/messages`, {
      messages: [{ id: "m1", role: "user", content: "For the zebra enclosure I would take oak" }],
    });
    await recall("oak", { sources: ["messages"] });
    const id = await remember("The fence is made of oak", { evidence: ["message:m1"] });
    expect(await findIndexed("enclosure")).toEqual([id]);
    expect((await client.call("DELETE", `/v1/sessions/${session}`)).status).toBe(200);
    expect(await findIndexed("enclosure")).toEqual([]);
    expect(await findIndexed("fence")).toEqual([id]);
  });
});

describe("the date of a memory", () => {
  it("is found by its words", async () => {
    await remember("The rollout went well", { valid_from: "2024-05-07T10:00:00.000Z" });
    await remember("The audit went well", { valid_from: "2023-11-02T10:00:00.000Z" });
    expect(await listContents("What went well in May 2024?", { mode: "text", limit: 1 })).toEqual([
      "The rollout went well",
    ]);
    expect(await findIndexed("november")).toHaveLength(1);
  });
});

describe("hits behind memories that match by their context alone", () => {
  it("are found, however many there are", async () => {
    for (let i = 0; i < 8; i += 1) {
      await remember(`The zebra heron walrus meets ${i}`);
      const zebra = await recall("zebra heron walrus", { mode: "text", limit: 50 });
      await client.call("POST", `/v1/sessions/${session}/forget`, { memory_id: zebra.memories[0]?.id });
      await remember(`Plain remark ${i}`);
    }
    await remember("A zebra");
    expect(await listContents("zebra heron walrus", { mode: "text", limit: 1 })).toEqual(["A zebra"]);
  });
});

describe("a name in a query", () => {
  it("is a signal and no search term, if a memory is by this person", async () => {
    await remember("Ben: Anna, Anna, are you there, Anna?");
    await remember("Anna: I moved to Porto last spring.");
    const [first] = (await recall("Where does Anna live since she moved?", { mode: "text" })).memories;
    expect(first).toMatchObject({
      content: "Anna: I moved to Porto last spring.",
      signals: { speaker: 0.5 },
    });
  });
});

describe("an answer", () => {
  it("states its confidence: none, weak or good", async () => {
    await remember("The deploy token expires on 2027-01-01");
    expect(await recall("When does the deploy token expire?")).toMatchObject({
      count: 1,
      confidence: "good",
    });
    expect(await recall("Which opera did Mozart write in Prague?")).toMatchObject({
      count: 0,
      confidence: "none",
    });
    const weak = await recall("Is there a token for the swimming pool in Prague near the opera?", {
      min_relevance: 0,
    });
    expect(weak).toMatchObject({ count: 1, confidence: "weak" });
  });

  it("leaves out hits below min_score, and takes min_relevance in place of its own floor", async () => {
    await remember("The deploy token expires on 2027-01-01");
    await remember("The token ring is in the museum");
    const { memories } = await recall("deploy token");
    const [best] = memories;
    expect(memories.length).toBe(2);
    expect(
      (await recall("deploy token", { min_score: best?.score ?? 0 })).memories.map(({ id }) => id),
    ).toEqual([best?.id]);
    // Vectors in the index are rounded.
    const relevance = Number(best?.signals.relevance) - 0.05;
    expect((await recall("deploy token", { min_relevance: relevance })).count).toBe(1);
    expect((await recall("xylophone", { min_relevance: 0, mode: "semantic" })).count).toBeGreaterThan(0);
    expect((await recall("xylophone")).count).toBe(0);
    const refused = await client.call("POST", `/v1/sessions/${session}/recall`, {
      query: "x",
      min_relevance: 3,
    });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain("min_relevance");
  });
});

describe("an answer to a question", () => {
  it("is found by the words of the question as by its own", async () => {
    await client.call("POST", `/v1/sessions/${session}/messages`, {
      messages: [
        { role: "user", content: "Which glaze suits the porcelain vase?" },
        { role: "user", content: "Celadon, fired twice." },
        { role: "user", content: "We should buy more clay." },
        { role: "user", content: "The porcelain vase is on the shelf." },
        { role: "user", content: "It is raining again." },
      ],
    });
    const { memories } = await recall("glaze for the porcelain vase", {
      sources: ["messages"],
      mode: "text",
    });
    const answer = memories.find(({ content }) => content.startsWith("Celadon"));
    const after = memories.find(({ content }) => content.startsWith("It is raining"));
    expect(Number(answer?.signals.lexical)).toBeGreaterThan(Number(after?.signals.lexical ?? 0));
    expect(memories.find(({ content }) => content.startsWith("Which"))?.signals.question).toBe(-0.05);
  });
});
