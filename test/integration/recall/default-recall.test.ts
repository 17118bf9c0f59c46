// Recall without sources: memories and messages in one list, what it leaves out, and its round trips to D1.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { RecallInput } from "../../../src/memories/memory-schemas";
import { createLongTermMemory } from "../../../src/services/long-term-memory";
import { newTenant, type Tenant } from "../store/long-term-support";
import { freshId, untilIndexed } from "../support";

type Hit = { id: string; kind: string; content: string; score: number; session_id: string };

let t: Tenant;
beforeEach(async () => {
  t = await newTenant();
});

async function openSession(user_id: string): Promise<string> {
  const id = freshId("session");
  expect((await t.call("POST", "/v1/sessions", { id, user_id })).status).toBe(201);
  return id;
}

async function say(session: string, contents: readonly string[]): Promise<void> {
  const messages = contents.map((content, i) => ({ id: `m${i + 1}`, role: "user", content }));
  expect((await t.call("POST", `/v1/sessions/${session}/messages`, { messages })).status).toBe(201);
  await vi.waitFor(async () => {
    const found = await recall(session, { scope: "tenant", sources: ["messages"], limit: 50 });
    expect(found.filter(({ session_id }) => session_id === session).length).toBe(
      Math.min(50, messages.length),
    );
  });
}

async function recall(session: string, body: object): Promise<Hit[]> {
  const { status, body: answer } = await t.call("POST", `/v1/sessions/${session}/recall`, body);
  expect(status).toBe(200);
  return answer.memories;
}

const ids = (hits: readonly Hit[]) => hits.map(({ id }) => id);

describe("plain recall", () => {
  it("finds what was said in another session of the same user, and nobody else's words", async () => {
    const [first, second] = [await openSession("ana"), await openSession("ana")];
    const stranger = await openSession("ben");
    await say(first, ["Good morning", "The zeppelin lands at noon"]);
    await say(stranger, ["The zeppelin of Ben is red"]);
    const hits = await recall(second, { query: "When does the zeppelin land?" });
    expect(hits[0]).toMatchObject({ kind: "message", id: "m2", session_id: first });
    expect(hits.map(({ session_id }) => session_id)).not.toContain(stranger);
  });

  it("does not return a mere courtesy for the words of its neighbours", async () => {
    const [first, second] = [await openSession("ana"), await openSession("ana")];
    await say(first, ["Does the zeppelin land at noon?", "Okay.", "At one", "Thanks!"]);
    const said = async (query: string) => (await recall(second, { query })).map(({ content }) => content);
    const answers = await said("When does the zeppelin land?");
    expect(answers).toContain("At one");
    expect(answers).not.toContain("Okay.");
    expect(answers).not.toContain("Thanks!");
    expect(await said("okay")).toContain("Okay.");
  });

  it("leaves out the messages in the window of the asking session, unless messages are named", async () => {
    const [first, second] = [await openSession("ana"), await openSession("ana")];
    await say(first, ["The zeppelin lands at noon"]);
    await say(second, ["Which zeppelin do you mean?"]);
    const sessions = async (body: object) =>
      (await recall(second, { query: "zeppelin", ...body })).map(({ session_id }) => session_id).toSorted();
    expect(await sessions({})).toEqual([first]);
    expect(await sessions({ sources: ["messages"] })).toEqual([first, second].toSorted());
  });

  it.each([
    "text",
    "hybrid",
  ])("by %s keeps a memory that answers in the first three among 50 messages", async (mode) => {
    const [first, second] = [await openSession("ana"), await openSession("ana")];
    const names = ["harbour", "captain", "engine", "hangar", "crew"];
    await say(
      first,
      Array.from(
        { length: 50 },
        (_, i) => `Zeppelin ${names[i % 5]} talk: when does the zeppelin land, ${i}?`,
      ),
    );
    const answer = await t.remember({
      session_id: first,
      content: "The zeppelin lands at noon",
      confidence: 0.6,
    });
    for (const content of ["The captain likes tea", "Lunch is at one"])
      await t.remember({ session_id: first, content });
    await untilIndexed(t.tenant);
    const hits = await recall(second, { query: "When does the zeppelin land?", mode });
    expect(ids(hits).slice(0, 3)).toContain(answer);
    expect(hits).toHaveLength(10);
    expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a));
  });

  it("returns the same content of several sessions once, and fills the limit with other hits", async () => {
    const asking = await openSession("ana");
    const sessions = await Promise.all(Array.from({ length: 12 }, () => openSession("ana")));
    for (const session_id of sessions) await t.remember({ session_id, content: "The zeppelin is silver" });
    for (const part of ["hull", "cabin", "engine", "flag"])
      await t.remember({ session_id: sessions[0], content: `The ${part} of the zeppelin is red` });
    for (const body of [{ query: "zeppelin" }, { query: "zeppelin", mode: "text" }, {}]) {
      const hits = await recall(asking, { limit: 5, ...body });
      expect(hits.map(({ content }) => content).toSorted()).toEqual([
        "The cabin of the zeppelin is red",
        "The engine of the zeppelin is red",
        "The flag of the zeppelin is red",
        "The hull of the zeppelin is red",
        "The zeppelin is silver",
      ]);
    }
  });

  it("ranks a message that says the same as a memory last", async () => {
    const [first, second] = [await openSession("ana"), await openSession("ana")];
    await say(first, ["The zeppelin lands at noon!", "Does the zeppelin land?"]);
    const memory = await t.remember({ session_id: first, content: "The zeppelin lands at noon" });
    expect(ids(await recall(second, { query: "When does the zeppelin land?" }))).toEqual([
      memory,
      "m2",
      "m1",
    ]);
  });

  it("without a query lists memories, then messages, newest first", async () => {
    const [first, second] = [await openSession("ana"), await openSession("ana")];
    const memory = await t.remember({ session_id: first, content: "The zeppelin is silver" });
    await say(first, ["Hello", "Goodbye"]);
    expect(ids(await recall(second, {}))).toEqual([memory, "m2", "m1"]);
    expect(ids(await recall(second, { limit: 1 }))).toEqual([memory]);
  });
});

describe("the round trips of a recall to D1", () => {
  /** Counts calls: `first`, `all`, `run` and `raw` of a statement, and batches. */
  function countCalls(d1: D1Database): { d1: D1Database; count: () => number } {
    let calls = 0;
    const counted = new Set<PropertyKey>(["batch", "first", "all", "run", "raw"]);
    const wrap = <T extends object>(target: T): T =>
      new Proxy(target, {
        get(object, name) {
          const value: unknown = Reflect.get(object, name, object);
          if (typeof value !== "function") return value;
          return (...args: unknown[]) => {
            if (counted.has(name)) calls += 1;
            const unwrapped =
              name === "batch" ? [(args[0] as object[]).map((item) => originals.get(item) ?? item)] : args;
            const result: unknown = Reflect.apply(value, object, unwrapped);
            if (name !== "prepare" && name !== "bind") return result;
            const proxy = wrap(result as object);
            originals.set(proxy, result as object);
            return proxy;
          };
        },
      });
    const originals = new WeakMap<object, object>();
    return { d1: wrap(d1), count: () => calls };
  }

  it.each([
    ["hybrid", "zeppelin", 2],
    ["text", "zeppelin", 1],
    ["text", "", 1],
  ] as const)("in mode %s with the query %j are as many for both kinds as for one", async (mode, query, expected) => {
    const session = await openSession("ana");
    await say(session, ["The zeppelin lands at noon"]);
    await t.remember({ session_id: session, content: "The zeppelin is silver" });
    await untilIndexed(t.tenant);
    for (const sources of [["memories"] as const, undefined]) {
      const { d1, count } = countCalls(env.DB);
      const { search } = createLongTermMemory({ ...env, DB: d1 }, t.tenant, { now: Date.now });
      const { hits } = await search.recall(
        { kind: "user", id: "ana" },
        { ...RecallInput.parse({ query, mode }), sources, collapsesDuplicates: true },
      );
      expect(hits).toHaveLength(sources === undefined ? 2 : 1);
      expect(count()).toBe(expected);
    }
  });
});
