// What assemble takes from outside of the window: messages of other sessions, and what projectors know.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { newTenant, type Tenant } from "../store/long-term-support";
import { freshId } from "../support";

let t: Tenant;
beforeEach(async () => {
  t = await newTenant();
});

async function open(session: object): Promise<string> {
  const id = freshId("session");
  expect((await t.call("POST", "/v1/sessions", { id, ...session })).status).toBe(201);
  return id;
}

async function say(session: string, ...contents: string[]): Promise<void> {
  const messages = contents.map((content, i) => ({ id: `m${i + 1}`, role: "user", name: "Ana", content }));
  expect((await t.call("POST", `/v1/sessions/${session}/messages`, { messages })).status).toBe(201);
  // A recall that names the session sends its messages to the long-term store first.
  const path = `/v1/sessions/${session}/recall`;
  await vi.waitFor(async () => {
    const { body } = await t.call("POST", path, { sources: ["messages"], scope: "session" });
    expect(body.count).toBe(contents.length);
  });
}

async function assemble(session: string, input: object = {}) {
  const { status, body } = await t.call("POST", `/v1/sessions/${session}/assemble`, input);
  expect(status).toBe(200);
  return body;
}

async function run(session: string, projector: string): Promise<void> {
  const path = `/v1/sessions/${session}/projectors/${projector}/run`;
  expect((await t.call("POST", path)).status).toBe(200);
}

const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id);

describe("messages in the assembled context", () => {
  it("come from other sessions of the owner, match the query and stand in the prompt after the memories", async () => {
    const [first, second] = [await open({ user_id: "ana" }), await open({ user_id: "ana" })];
    const stranger = await open({ user_id: "ben" });
    await say(first, "The zeppelin lands at noon");
    await say(stranger, "The zeppelin of Ben is red");
    await say(second, "Where is the zeppelin?");
    const memory = await t.remember({ session_id: first, content: "The zeppelin is silver" });
    const { memories, recalled_messages, prompt, tokens, messages } = await assemble(second, {
      query: "zeppelin",
    });
    expect(ids(memories)).toEqual([memory]);
    expect(recalled_messages).toMatchObject([{ id: "m1", kind: "message", session_id: first }]);
    expect(prompt).toMatch(
      /The zeppelin is silver\n\n## Said Before\n- \[[-\d]+, Ana, user\] The zeppelin lands at noon$/,
    );
    expect(messages).toHaveLength(1);
    expect(tokens.total).toBe(tokens.conversation + tokens.working + tokens.long_term);
  });

  it("are left out without a query, without the long-term part, and if a memory says the same", async () => {
    const [first, second] = [await open({ user_id: "ana" }), await open({ user_id: "ana" })];
    await say(first, "The zeppelin lands at noon");
    const query = "zeppelin";
    expect((await assemble(second)).recalled_messages).toEqual([]);
    expect((await assemble(second, { query, include: ["working"] })).recalled_messages).toEqual([]);
    expect((await assemble(second, { query })).recalled_messages).toHaveLength(1);
    await t.remember({ session_id: first, content: "The zeppelin lands at noon" });
    expect(await assemble(second, { query })).toMatchObject({
      recalled_messages: [],
      memories: [{ content: "The zeppelin lands at noon" }],
    });
  });
});

describe("what projectors know", () => {
  it("reaches the prompt as facts", async () => {
    const session = await open({ user_id: "ana" });
    await say(session, "My office is in Ghent.");
    await run(session, "facts");
    const { facts, prompt } = await assemble(session);
    expect(facts).toMatchObject([{ text: expect.stringContaining("Ghent"), session_id: session }]);
    expect(prompt).toMatch(/^## Known Facts\n- .*Ghent/);
    expect((await assemble(session, { include: ["conversation"] })).facts).toEqual([]);
  });

  it("includes the summary once messages have left the window", async () => {
    const token_budget = { total: 2_000, conversation: 200, context: 1_800 };
    const session = await open({ user_id: "ana", token_budget });
    const filler = "word ".repeat(40);
    await say(session, "We decided to paint the zeppelin silver.");
    await run(session, "summary");
    expect((await assemble(session)).summary).toBeNull();
    const messages = Array.from({ length: 8 }, (_, i) => ({ id: `f${i}`, role: "user", content: filler }));
    await t.call("POST", `/v1/sessions/${session}/messages`, { messages });
    const { summary, prompt, messages: window } = await assemble(session);
    expect(JSON.stringify(window)).not.toContain("silver");
    expect(summary).toContain("silver");
    expect(prompt).toContain("## Earlier Conversation\n- user: We decided to paint the zeppelin silver.");
  });

  it("includes facts and summary of the session that it continues, if they have the same owner", async () => {
    const first = await open({ user_id: "ana" });
    await say(first, "My office is in Ghent.", "We decided to paint the zeppelin silver.");
    for (const projector of ["facts", "summary"]) await run(first, projector);
    const second = await open({ user_id: "ana", continues: first });
    const continued = await assemble(second);
    expect(continued.facts.map(({ session_id }: { session_id: string }) => session_id)).toContain(first);
    expect(continued.summary).toContain("silver");
    const stranger = await open({ user_id: "ben", continues: first });
    expect(await assemble(stranger)).toMatchObject({ facts: [], summary: null, prompt: "" });
    const orphan = await open({ user_id: "ana", continues: freshId("unknown") });
    expect(await assemble(orphan)).toMatchObject({ facts: [], summary: null });
  });
});

describe("memories that the assembled context leaves out", () => {
  it("are named without a query: those of low confidence, and those that are older", async () => {
    const session = await open({});
    const remember = (content: string, confidence: number) =>
      t.remember({ session_id: session, content, confidence, supersede: false });
    const unsure = await remember("The lid may be blue", 0.4);
    const old = await remember("The lid is round", 0.9);
    for (let n = 1; n <= 5; n += 1) await remember(`The lid has ${n} holes`, 0.8);
    const { memories, left_out } = await assemble(session);
    expect(memories).toHaveLength(5);
    expect(left_out).toEqual([
      { part: "long_term", id: old, reason: "beyond the 5 newest memories, and there is no query" },
      {
        part: "long_term",
        id: unsure,
        reason: "confidence 0.4 is below 0.7, and there is no query",
      },
    ]);
    const asked = await assemble(session, { query: "lid" });
    expect(ids(asked.memories)).toContain(unsure);
    expect(asked.left_out).toEqual([]);
  });

  it("are named or counted with a query: those beyond the ten best", async () => {
    const session = await open({});
    const memories = Array.from({ length: 20 }, (_, n) => ({
      session_id: session,
      content: `The kettle number ${n} whistles`,
      confidence: 0.1,
    }));
    expect((await t.call("POST", "/v1/memories/batch", { memories })).status).toBe(200);
    const { memories: kept, left_out } = await assemble(session, { query: "kettle" });
    expect(kept).toHaveLength(10);
    const named = left_out.filter(({ id }: { id: string }) => id !== "memories.more");
    expect(named).toHaveLength(5);
    for (const { reason } of named) expect(reason).toBe("beyond the 10 memories that match best");
    expect(new Set(ids([...kept, ...named])).size).toBe(15);
    expect(left_out.at(-1)).toEqual({
      part: "long_term",
      id: "memories.more",
      reason: "up to 5 more memories match less well than these",
    });
  });
});
