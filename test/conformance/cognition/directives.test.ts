// Directives: upserts, queries and deletions that a provider carries out later; and providers by other names.
import { describe, expect, it } from "vitest";
import { newSession, quietSession, readSession } from "../support/actions";
import { type Client, fresh } from "../support/client";
import { ISO_MS, type Match } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import {
  answersTo,
  answerTo,
  change,
  direct,
  makeSpace,
  outcome,
  readContainer,
  readSpace,
  signalsOf,
  upsert,
} from "./cognition";

const kioku = serviceUnderTest();

const PROVIDERS = ["inline", "d1", "vector", "ephemeral"];
const SHARED = ["d1", "vector"];

type Fields = Record<string, unknown>;

async function session(): Promise<string> {
  return (await quietSession(kioku.api)).id;
}

function ask(provider: string, text: string, more: Fields = {}): Fields {
  return { type: "query", provider, query: { text, top_k: 5 }, ...more };
}

async function keysFound(client: Client, id: string, directive: Fields): Promise<string[]> {
  return (await outcome<Match[]>(client, id, directive)).map(({ key }) => key);
}

async function point(id: string, pointers: unknown): Promise<void> {
  await change(kioku.api, id, "world", [{ op: "put", key: "pointers", value: pointers }]);
}

describe("a directive", () => {
  it("is answered by a CloudEvent", async () => {
    const id = fresh("session");
    const request_id = fresh("req");
    const path = `/v1/sessions/${id}/directives`;
    const body = upsert("inline", { fact_1: "The harbour master is called Ines" }, { request_id });
    expect(bodyOf(await kioku.api.post(path, body), 202)).toEqual({ request_id });
    const signal = await answerTo(kioku.api, id, request_id);
    expect(signal).toMatchObject({
      specversion: "1.0",
      id: expect.stringMatching(/\S/),
      source: expect.stringMatching(/\S/),
      type: "jido.memory.result",
      time: expect.stringMatching(ISO_MS),
      data: {
        request_id,
        status: "ok",
        meta: { provider: "inline", latency_ms: expect.any(Number) },
      },
      seq: expect.any(Number),
    });
    expect(signal.data).toHaveProperty("result");
    expect(signal.data.meta.latency_ms).toBeGreaterThanOrEqual(0);
    expect((await readSession(kioku.api, id)).status).toBe("active");
  });

  it("is given a request id when it has none, another one each time", async () => {
    const id = await session();
    const directive = upsert("inline", { a: 1 });
    const requests = [await direct(kioku.api, id, directive), await direct(kioku.api, id, directive)];
    expect(new Set(requests).size).toBe(2);
    for (const request of requests) expect((await answerTo(kioku.api, id, request)).data.status).toBe("ok");
  });

  it.each(PROVIDERS)("upserts, queries and deletes with %s", async (provider) => {
    const id = await session();
    const facts = {
      harbour: "The harbour master is called Ines",
      ferry: { text: "Ferries to the island leave at noon", days: ["Monday"] },
      bakery: "The bakery sells rye bread",
    };
    await outcome(kioku.api, id, upsert(provider, facts));
    const [best, ...others] = await outcome<Match[]>(
      kioku.api,
      id,
      ask(provider, "Who is the harbour master?"),
    );
    expect(best).toEqual({ key: "harbour", score: expect.any(Number), value: facts.harbour });
    for (const other of others) expect(other.score).toBeLessThanOrEqual(best?.score ?? 0);
    const noon = await outcome<Match[]>(kioku.api, id, ask(provider, "ferries leave at noon"));
    expect(noon[0]).toMatchObject({ key: "ferry", value: facts.ferry });

    await outcome(kioku.api, id, upsert(provider, { harbour: "The harbour master is now called Tomas" }));
    const now = await outcome<Match[]>(kioku.api, id, ask(provider, "harbour master"));
    expect(now.filter(({ key }) => key === "harbour")).toMatchObject([
      { value: "The harbour master is now called Tomas" },
    ]);

    await outcome(kioku.api, id, { type: "delete", provider, keys: ["harbour", "ferry"] });
    const left = await keysFound(kioku.api, id, ask(provider, "harbour master ferries bakery bread"));
    expect(left).toEqual(["bakery"]);
  });

  it.each(PROVIDERS)("finds with %s no more than top_k", async (provider) => {
    const id = await session();
    const items = Object.fromEntries(
      Array.from({ length: 8 }, (_, n) => [`k${n}`, `Lighthouse number ${n}`]),
    );
    await outcome(kioku.api, id, upsert(provider, items));
    const query = (top_k: number) => ({ type: "query", provider, query: { text: "lighthouse", top_k } });
    expect(await keysFound(kioku.api, id, query(3))).toHaveLength(3);
    expect(new Set(await keysFound(kioku.api, id, query(50))).size).toBe(8);
  });

  it.each(PROVIDERS)("keeps with %s every JSON value, under any key", async (provider) => {
    const id = await session();
    const values = {
      text: "lighthouse",
      "a b/é💥": { text: "lighthouse", deep: [null, { a: 1 }] },
      constructor: ["lighthouse", 1, false],
      toString: { lighthouse: true, n: 1.5 },
    };
    await outcome(kioku.api, id, upsert(provider, values));
    const found = await outcome<Match[]>(kioku.api, id, ask(provider, "lighthouse"));
    expect(Object.fromEntries(found.map(({ key, value }) => [key, value]))).toEqual(values);
  });

  it.each(PROVIDERS)("takes with %s a query that looks like syntax for words", async (provider) => {
    const id = await session();
    await outcome(kioku.api, id, upsert(provider, { a: "A lighthouse" }));
    for (const text of [
      '"',
      "*",
      "%",
      "a OR",
      "NOT lighthouse",
      'NEAR("a" b)',
      "key:x*",
      "'; --",
      "\\",
      "灯台",
    ])
      expect(await outcome(kioku.api, id, ask(provider, text))).toBeInstanceOf(Array);
    expect(await keysFound(kioku.api, id, ask(provider, 'lighthouse" OR "'))).toEqual(["a"]);
  });

  it.each(PROVIDERS)("asked of %s before anything is there finds nothing", async (provider) => {
    expect(await outcome(kioku.api, await session(), ask(provider, "anything"))).toEqual([]);
  });

  it.each(PROVIDERS)("sees with %s what those handed in before it did", async (provider) => {
    const id = await session();
    const requests: string[] = [];
    for (const directive of [
      upsert(provider, { a: "Zeppelin over the lake" }),
      ask(provider, "zeppelin"),
      { type: "delete", provider, keys: ["a"] },
      ask(provider, "zeppelin"),
    ])
      requests.push(await direct(kioku.api, id, directive));
    await answerTo(kioku.api, id, requests.at(-1) ?? "");
    const signals = await signalsOf(kioku.api, id);
    expect(signals.map(({ data }) => data.request_id)).toEqual(requests);
    expect(signals[1]?.data.result).toMatchObject([{ key: "a" }]);
    expect(signals[3]?.data.result).toEqual([]);
  });

  it.each<[string, Fields, string | RegExp]>([
    ["no type", { provider: "inline", keys: ["a"] }, "type"],
    ["a type nobody knows", { type: "burn", provider: "inline", keys: ["a"] }, "type"],
    ["a provider without a name", { type: "delete", provider: "", keys: ["a"] }, "provider"],
    [
      "a signal type that is none",
      { type: "query", query: { text: "a" }, reply_signal_type: "two words" },
      "reply_signal_type",
    ],
    [
      "a signal type on an upsert",
      { type: "upsert", items: [{ key: "a", value: 1 }], reply_signal_type: "a" },
      "reply_signal_type",
    ],
    [
      "an embedding without a direction",
      { type: "upsert", provider: "vector", items: [{ key: "a", value: 1, embedding: [0, 0] }] },
      /items\.0\.embedding/,
    ],
    [
      "an embedding of text",
      { type: "upsert", provider: "vector", items: [{ key: "a", value: 1, embedding: ["1"] }] },
      /items\.0\.embedding/,
    ],
    [
      "an embedding of another length",
      { type: "upsert", provider: "vector", items: [{ key: "a", value: 1, embedding: [1, 2] }] },
      /items\.0\.embedding/,
    ],
    [
      "an embedding for words",
      { type: "upsert", provider: "d1", items: [{ key: "a", value: 1, embedding: [1] }] },
      /items\.0\.embedding/,
    ],
    [
      "a time to live for good",
      { type: "upsert", provider: "d1", items: [{ key: "a", value: 1 }], opts: { ttl_ms: 5 } },
      /ttl_ms/,
    ],
    [
      "a time to live of nothing",
      { type: "upsert", provider: "ephemeral", items: [{ key: "a", value: 1 }], opts: { ttl_ms: 0 } },
      /ttl_ms/,
    ],
    ["an upsert of nothing", { type: "upsert", provider: "inline" }, "items"],
    ["an empty upsert", { type: "upsert", provider: "inline", items: [] }, "items"],
    ["an item without a key", { type: "upsert", provider: "inline", items: [{ value: 1 }] }, /items.*key/],
    [
      "an item without a value",
      { type: "upsert", provider: "inline", items: [{ key: "a" }] },
      /items.*value/,
    ],
    ["a query for nothing", { type: "query", provider: "inline" }, "query"],
    ["a query without text", { type: "query", provider: "inline", query: { top_k: 5 } }, /query.*text/],
    [
      "a query for no match",
      { type: "query", provider: "inline", query: { text: "a", top_k: 0 } },
      /query.*top_k/,
    ],
    ["a deletion of nothing", { type: "delete", provider: "inline" }, "keys"],
    [
      "a request id that is none",
      { type: "delete", provider: "inline", keys: ["a"], request_id: "a b" },
      "request_id",
    ],
  ])("with %s is refused at once", async (_name, body, field) => {
    const id = fresh("session");
    expectProblem(await kioku.api.post(`/v1/sessions/${id}/directives`, body), "invalid_request", field);
    expectProblem(await kioku.api.get(`/v1/sessions/${id}`), "not_found");
  });
});

describe("a directive as an agent writes it", () => {
  it("is answered under the type of signal that it names, in each of the three forms", async () => {
    const id = await session();
    await point(id, { semantic: { provider: "vector", index: fresh("index") } });
    const upserted = {
      type: "upsert",
      request_id: "req_...",
      items: [{ key: "fact_1", value: "relevant context for the task", embedding: vectorOf(1) }],
      provider: "semantic",
      opts: [],
    };
    await outcome(kioku.api, id, upserted);
    await outcome(kioku.api, id, upsert("semantic", { fact_2: "relevant context for another task" }));
    const asked = await direct(kioku.api, id, {
      type: "query",
      request_id: "req_2",
      query: { text: "relevant context for another task", top_k: 5 },
      provider: "semantic",
      opts: [],
      reply_signal_type: "my.memory.answer",
    });
    const signal = await answerTo(kioku.api, id, asked);
    expect(signal).toMatchObject({ type: "my.memory.answer", data: { status: "ok" } });
    expect((signal.data.result as Match[])[0]).toMatchObject({ key: "fact_2" });
    await direct(kioku.api, id, {
      type: "delete",
      request_id: "req_3",
      keys: ["fact_2", "stale_fact"],
      provider: "semantic",
    });
    const deleted = await answerTo(kioku.api, id, "req_3");
    expect(deleted).toMatchObject({ type: "jido.memory.result", data: { result: { deleted: 1 } } });
  });

  /** A vector of the embedded embedder's length, in a direction of its own. */
  function vectorOf(direction: number): number[] {
    return Array.from({ length: 512 }, (_, i) => (i === direction ? 1 : 0));
  }

  it("finds an item by the embedding that it brings, not by its text", async () => {
    const id = await session();
    const text = "The harbour master is called Ines";
    const items = [
      { key: "by-text", value: text },
      { key: "by-vector", value: text, embedding: vectorOf(7) },
    ];
    await outcome(kioku.api, id, { type: "upsert", provider: "vector", items });
    const found = await outcome<Match[]>(kioku.api, id, ask("vector", text));
    expect(found[0]).toMatchObject({ key: "by-text" });
    expect(found.find(({ key }) => key === "by-vector")?.score ?? 0).toBeLessThan((found[0]?.score ?? 0) / 2);
  });
});

describe("inline, which is the default,", () => {
  const worldOf = async (id: string) => (await readSpace<Fields>(kioku.api, id, "world")).data;

  it("writes, reads, finds and deletes the entries of spaces", async () => {
    const id = await session();
    await makeSpace(kioku.api, id, "blackboard", {});
    const before = await readContainer(kioku.api, id);
    await outcome(kioku.api, id, {
      type: "upsert",
      items: [
        { key: "world.door_open", value: true },
        { key: "blackboard.hypothesis", value: "The door was left open by an occupant" },
        { key: "tasks.t1", value: { text: "Investigate room 4", status: "open" } },
        { key: "elsewhere.note", value: "No such space" },
      ],
    });
    const after = await readContainer(kioku.api, id);
    expect(after.rev).toBe(before.rev + 1);
    expect(after.spaces).toMatchObject({
      world: { rev: 1, data: { door_open: true } },
      blackboard: { rev: 2, data: { hypothesis: "The door was left open by an occupant" } },
      tasks: { rev: 1, data: [{ id: "t1", text: "Investigate room 4", status: "open" }] },
    });
    await change(kioku.api, id, "world", [{ op: "put", key: "temperature", value: 22 }]);
    const keys = ["world.temperature", "tasks.t1", "elsewhere.note", "world.none"];
    expect(await outcome(kioku.api, id, { type: "query", keys })).toEqual([
      { key: "world.temperature", value: 22 },
      { key: "tasks.t1", value: { id: "t1", text: "Investigate room 4", status: "open" } },
      { key: "elsewhere.note", value: "No such space" },
    ]);
    expect(await keysFound(kioku.api, id, { type: "query", query: { text: "room" } })).toEqual(["tasks.t1"]);
    expect((await keysFound(kioku.api, id, { type: "query", query: { text: "open door" } }))[0]).toMatch(
      /door_open|hypothesis/,
    );
    const gone = { type: "delete", keys: ["world.door_open", "tasks.t1", "elsewhere.note", "world.none"] };
    expect(await outcome(kioku.api, id, gone)).toEqual({ deleted: 3 });
    expect(await worldOf(id)).toEqual({ temperature: 22 });
  });

  it("changes nothing if one item does not fit its space", async () => {
    const id = await session();
    const request = await direct(kioku.api, id, {
      type: "upsert",
      items: [
        { key: "world.door_open", value: true },
        { key: "loose", value: 1 },
        { key: "tasks.t1", value: "no task" },
      ],
    });
    expect((await answerTo(kioku.api, id, request)).data).toMatchObject({
      status: "error",
      error: { code: "invalid_request" },
    });
    expect(await worldOf(id)).toEqual({});
    expect(await outcome(kioku.api, id, { type: "query", keys: ["loose"] })).toEqual([]);
  });
});

describe("a request id", () => {
  it("sent again does the work once, and is answered once", async () => {
    const id = await session();
    const request_id = fresh("req");
    const first = upsert("d1", { a: "Old lighthouse" }, { request_id });
    await outcome(kioku.api, id, first);
    await outcome(kioku.api, id, upsert("d1", { a: "New lighthouse" }));
    expect(await direct(kioku.api, id, first)).toBe(request_id);
    const found = await outcome<Match[]>(kioku.api, id, ask("d1", "lighthouse"));
    expect(found).toMatchObject([{ key: "a", value: "New lighthouse" }]);
    expect(answersTo(await signalsOf(kioku.api, id), request_id)).toHaveLength(1);
  });

  it("sent many times at once is answered once", async () => {
    const id = await session();
    const request_id = fresh("req");
    const directive = upsert("inline", { a: 1 }, { request_id });
    await Promise.all(Array.from({ length: 12 }, () => direct(kioku.api, id, directive)));
    await outcome(kioku.api, id, upsert("inline", { b: 1 }));
    expect(answersTo(await signalsOf(kioku.api, id), request_id)).toHaveLength(1);
  });

  it("with another body is a conflict, and does nothing", async () => {
    const id = await session();
    const request_id = fresh("req");
    await outcome(kioku.api, id, upsert("inline", { a: "Old lighthouse" }, { request_id }));
    const path = `/v1/sessions/${id}/directives`;
    for (const other of [
      upsert("inline", { a: "New lighthouse" }, { request_id }),
      upsert("d1", { a: "Old lighthouse" }, { request_id }),
      { type: "delete", provider: "inline", keys: ["a"], request_id },
    ])
      expectProblem(await kioku.api.post(path, other), "conflict");
    const found = await outcome<Match[]>(kioku.api, id, ask("inline", "lighthouse"));
    expect(found).toMatchObject([{ value: "Old lighthouse" }]);
  });

  it("belongs to its session alone", async () => {
    const request_id = fresh("req");
    for (const id of [await session(), await session()])
      await outcome(kioku.api, id, upsert("inline", { a: id }, { request_id }));
  });
});

describe("providers", () => {
  it.each([
    "nowhere",
    "constructor",
    "toString",
    "__proto__",
    "INLINE",
    " inline",
  ])("that nobody knows are refused at once, by name: %j", async (provider) => {
    const id = await session();
    const answer = await kioku.api.post(`/v1/sessions/${id}/directives`, ask(provider, "a"));
    const problem = expectProblem(answer, "invalid_request", "provider");
    expect(JSON.stringify(problem)).toContain(provider.trim());
    expect(await signalsOf(kioku.api, id)).toEqual([]);
  });

  it.each(PROVIDERS)("have other names by pointers: %s", async (provider) => {
    const id = await session();
    await point(id, { semantic: { provider }, "rag:cache": { provider } });
    await outcome(kioku.api, id, upsert("semantic", { a: "Lighthouse" }));
    for (const name of ["semantic", "rag:cache", provider])
      expect(await keysFound(kioku.api, id, ask(name, "lighthouse"))).toEqual(["a"]);
  });

  it("are not found by a pointer that is gone, or never led anywhere", async () => {
    const id = await session();
    const path = `/v1/sessions/${id}/directives`;
    await point(id, { good: { provider: "inline" } });
    await outcome(kioku.api, id, upsert("good", { a: 1 }));
    for (const pointers of [
      {},
      "text",
      [{ provider: "inline" }],
      null,
      { good: null },
      { good: "inline" },
      { good: {} },
      { good: { provider: "nowhere" } },
      { good: { provider: "good" } },
      { good: { provider: ["inline"] } },
    ]) {
      await point(id, pointers);
      expectProblem(await kioku.api.post(path, ask("good", "a")), "invalid_request", "provider");
    }
    await outcome(kioku.api, id, ask("inline", "a"));
  });

  it.each(PROVIDERS)("keep each session's own items apart: %s", async (provider) => {
    const [one, two] = [await session(), await session()];
    await outcome(kioku.api, one, upsert(provider, { a: "Lighthouse of one" }));
    for (const more of [{}, { opts: { index: one } }])
      expect(await outcome(kioku.api, two, ask(provider, "lighthouse", more))).toEqual([]);
    await outcome(kioku.api, two, upsert(provider, { a: "Lighthouse of two" }));
    await outcome(kioku.api, two, { type: "delete", provider, keys: ["a"] });
    expect(await outcome(kioku.api, one, ask(provider, "lighthouse"))).toMatchObject([
      { key: "a", value: "Lighthouse of one" },
    ]);
  });

  it.each(SHARED)("share what is kept under a name, between sessions: %s", async (provider) => {
    const [one, two, index] = [await session(), await session(), fresh("index")];
    await point(one, { shared: { provider, index } });
    await point(two, { ours: { provider, index } });
    await outcome(kioku.api, one, upsert("shared", { a: "Lighthouse for all" }));
    expect(await outcome(kioku.api, two, ask("ours", "lighthouse"))).toMatchObject([
      { key: "a", value: "Lighthouse for all" },
    ]);
    expect(await keysFound(kioku.api, two, ask(provider, "lighthouse", { opts: { index } }))).toEqual(["a"]);
    for (const id of [one, two])
      expect(await outcome(kioku.api, id, ask(provider, "lighthouse"))).toEqual([]);
    const other = ask(provider, "lighthouse", { opts: { index: fresh("index") } });
    expect(await outcome(kioku.api, two, other)).toEqual([]);
    await outcome(kioku.api, two, { type: "delete", provider: "ours", keys: ["a"] });
    expect(await outcome(kioku.api, one, ask("shared", "lighthouse"))).toEqual([]);
  });

  it.each(
    PROVIDERS,
  )("never show one tenant's items to another, not by the same names: %s", async (provider) => {
    const [mine, theirs, index] = [kioku.api, await kioku.tenant(), fresh("index")];
    const { id } = await newSession(mine);
    await newSession(theirs, { id });
    for (const more of [{}, { opts: { index } }]) {
      await outcome(mine, id, upsert(provider, { a: "Lighthouse of mine" }, more));
      expect(await outcome(theirs, id, ask(provider, "lighthouse", more))).toEqual([]);
      await outcome(theirs, id, { type: "delete", provider, keys: ["a"], ...more });
      await outcome(theirs, id, upsert(provider, { a: "Lighthouse of theirs" }, more));
      expect(await outcome(mine, id, ask(provider, "lighthouse", more))).toMatchObject([
        { value: "Lighthouse of mine" },
      ]);
    }
  });
});
