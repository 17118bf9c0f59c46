// Directives, which providers carry out later, and the signals that answer them: as a list, as server-sent events and
// over a WebSocket, without loss or repetition for those who are cut off and come back.
import { describe, expect, it, vi } from "vitest";
import { newSession, quietSession, readSession } from "./actions";
import { type Client, connect, fresh, inBatches, sleep } from "./client";
import { answersTo, answerTo, change, direct, outcome, signalsOf, wholeThread } from "./cognition";
import { ISO_MS, type Key, type Match, type Signal, type SignalPage } from "./contract";
import { bodyOf, expectProblem } from "./expectations";
import { type Live, openEvents, openSocket } from "./live";
import { serviceUnderTest } from "./service";

const kioku = serviceUnderTest();

const PROVIDERS = ["inline", "d1", "vector"];
const SHARED = ["d1", "vector"];

type Fields = Record<string, unknown>;

async function session(): Promise<string> {
  return (await quietSession(kioku.api)).id;
}

function upsert(provider: string, items: Record<string, unknown>, more: Fields = {}): Fields {
  const list = Object.entries(items).map(([key, value]) => ({ key, value }));
  return { type: "upsert", provider, items: list, ...more };
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
    ["no provider", { type: "delete", keys: ["a"] }, "provider"],
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
    expect(await outcome(kioku.api, two, ask(provider, "lighthouse"))).toEqual([]);
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

/** Hands in so many directives, a few at once. */
async function busy(id: string, count: number): Promise<string[]> {
  const numbers = Array.from({ length: count }, (_, n) => n);
  return inBatches(numbers, 4, async (n) => {
    await sleep(5);
    return direct(kioku.api, id, upsert(PROVIDERS[n % 3] ?? "inline", { [`k${n}`]: `Value ${n}` }));
  });
}

async function answered(id: string, count: number): Promise<Signal[]> {
  return await vi.waitFor(
    async () => {
      const signals = await signalsOf(kioku.api, id);
      expect(signals).toHaveLength(count);
      return signals;
    },
    { timeout: 20_000, interval: 50 },
  );
}

function numbersOf(signals: Signal[]): number[] {
  return signals.map(({ seq }) => seq);
}

describe("the list of signals", () => {
  it("is in order, each with its own number and id, one for every directive", async () => {
    const id = await session();
    const requests = await busy(id, 24);
    const signals = await answered(id, 24);
    expect(signals.map(({ data }) => data.request_id).sort()).toEqual([...requests].sort());
    expect(numbersOf(signals)).toEqual([...new Set(numbersOf(signals))].sort((a, b) => a - b));
    expect(new Set(signals.map((signal) => signal.id)).size).toBe(24);
    const payloads = (await wholeThread<Signal>(kioku.api, id, "kind=signal")).map(
      ({ payload }) => payload.id,
    );
    expect(payloads).toEqual(signals.map((signal) => signal.id));
  });

  it("goes on after a number, page by page", async () => {
    const id = await session();
    await busy(id, 12);
    const signals = await answered(id, 12);
    const path = `/v1/sessions/${id}/signals`;
    const read: Signal[] = [];
    for (let after = 0; read.length < 12; ) {
      const page = bodyOf(await kioku.api.get<SignalPage>(`${path}?after=${after}&limit=5`), 200);
      expect(page.data.length).toBeLessThanOrEqual(5);
      expect(page.next).toBe(page.data.at(-1)?.seq);
      read.push(...page.data);
      after = page.next;
    }
    expect(read).toEqual(signals);
    const last = signals.at(-1)?.seq;
    const end = bodyOf(await kioku.api.get<SignalPage>(`${path}?after=${last}`), 200);
    expect(end).toEqual({ data: [], next: last });
    await outcome(kioku.api, id, upsert("inline", { more: 1 }));
    const more = bodyOf(await kioku.api.get<SignalPage>(`${path}?after=${end.next}`), 200);
    expect(more.data).toHaveLength(1);
  });

  it.each([
    "after=x",
    "after=-1",
    "after=1.5",
    "limit=0",
    "limit=101",
  ])("with %s is refused", async (query) => {
    const field = query.split("=")[0] ?? "";
    const path = `/v1/sessions/${await session()}/signals?${query}`;
    expectProblem(await kioku.api.get(path), "invalid_request", field);
  });

  it("of a session nobody has used is a 404, and of a new one is empty", async () => {
    expectProblem(await kioku.api.get(`/v1/sessions/${fresh("nobody")}/signals`), "not_found");
    expect(await signalsOf(kioku.api, await session())).toEqual([]);
  });
});

type Open = (client: Client, id: string, after: number) => Promise<Live>;

const WAYS: [string, Open, number][] = [
  [
    "server-sent events",
    (client, id, after) =>
      openEvents(client, `/v1/sessions/${id}/signals`, { "last-event-id": String(after) }),
    200,
  ],
  [
    "a WebSocket",
    (client, id, after) => openSocket(client, `/v1/sessions/${id}/signals?after=${after}`),
    101,
  ],
];

async function arrived(live: Live, count: number): Promise<void> {
  await vi.waitFor(() => expect(live.signals.length).toBeGreaterThanOrEqual(count), {
    timeout: 15_000,
    interval: 10,
  });
}

describe.each(WAYS)("live, over %s", (_name, open, status) => {
  it("signals come as they happen, the same as in the list", async () => {
    const id = await session();
    await outcome(kioku.api, id, upsert("inline", { before: 1 }));
    const live = await open(kioku.api, id, 0);
    expect(live.status).toBe(status);
    await arrived(live, 1);
    const request = await direct(kioku.api, id, upsert("d1", { during: 1 }));
    await arrived(live, 2);
    expect(live.signals[1]?.data.request_id).toBe(request);
    await busy(id, 6);
    await arrived(live, 8);
    expect(live.signals).toEqual(await signalsOf(kioku.api, id));
    live.cut();
    await live.ended;
  });

  it("begins after the number given", async () => {
    const id = await session();
    await busy(id, 6);
    const signals = await answered(id, 6);
    const live = await open(kioku.api, id, signals[3]?.seq ?? 0);
    await arrived(live, 2);
    await outcome(kioku.api, id, upsert("inline", { more: 1 }));
    await arrived(live, 3);
    expect(live.signals).toEqual((await signalsOf(kioku.api, id)).slice(4));
    live.cut();
  });

  it("is cut and resumed again and again, and every signal comes once", async () => {
    const id = await session();
    const total = 30;
    const working = busy(id, total);
    const read: Signal[] = [];
    let cuts = 0;
    while (read.length < total) {
      const live = await open(kioku.api, id, read.at(-1)?.seq ?? 0);
      await arrived(live, 1);
      await sleep(cuts % 3);
      live.cut();
      // What comes between the cut and its end was lost on the way.
      read.push(...live.signals);
      await live.ended;
      cuts += 1;
    }
    await working;
    expect(cuts).toBeGreaterThan(1);
    expect(numbersOf(read)).toEqual(numbersOf(await answered(id, total)));
  });

  it("reaches every reader, and one that stays through all of it", async () => {
    const id = await session();
    const readers = await Promise.all(Array.from({ length: 5 }, () => open(kioku.api, id, 0)));
    await busy(id, 20);
    const signals = await answered(id, 20);
    for (const reader of readers) {
      await arrived(reader, 20);
      expect(reader.signals).toEqual(signals);
      reader.cut();
    }
  });

  it("carries large answers whole", async () => {
    const id = await session();
    const items = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [`k${n}`, `Lighthouse ${n} é ${"x".repeat(8_000)}`]),
    );
    await outcome(kioku.api, id, upsert("inline", items));
    const live = await open(kioku.api, id, 0);
    const query = { type: "query", provider: "inline", query: { text: "lighthouse", top_k: 20 } };
    const answer = await answerTo(kioku.api, id, await direct(kioku.api, id, query));
    await arrived(live, 2);
    expect(live.signals.at(-1)).toEqual(answer);
    expect(answer.data.result).toHaveLength(20);
    live.cut();
  });

  it("is open to a key that may only read", async () => {
    const name = fresh("tenant");
    const [writer, reader] = [await kioku.tenant({ name }), await kioku.tenant({ name, scopes: ["read"] })];
    const { id } = await newSession(writer);
    await outcome(writer, id, upsert("inline", { a: 1 }));
    const live = await open(reader, id, 0);
    await arrived(live, 1);
    live.cut();
  });

  it("is closed to those without a key, to other tenants, and where there is no session", async () => {
    const id = await session();
    const refused: [Client, string, number][] = [
      [kioku.anonymous, id, 401],
      [await kioku.tenant(), id, 404],
      [kioku.api, fresh("nobody"), 404],
    ];
    for (const [client, at, wanted] of refused) {
      const live = await open(client, at, 0);
      live.cut();
      expect(live.status).toBe(wanted);
    }
    const wrong = await open(
      connect(() => kioku.api.url(""), "wrong"),
      id,
      0,
    );
    wrong.cut();
    expect(wrong.status).toBe(401);
  });

  it("shows nothing more to a key that was deleted, or has expired", async () => {
    const tenant = fresh("tenant");
    const writer = await kioku.tenant({ name: tenant });
    const { id } = await newSession(writer);
    const made = async (more: Fields = {}) =>
      bodyOf(await kioku.admin.post<Key>("/v1/keys", { tenant, scopes: ["read"], ...more }), 201);
    const expires_at = new Date(Date.now() + 3_000).toISOString();
    const [deleted, expired] = [await made(), await made({ expires_at })];
    const streams = await Promise.all(
      [deleted, expired].map(({ key }) =>
        open(
          connect(() => kioku.api.url(""), key ?? ""),
          id,
          0,
        ),
      ),
    );
    await outcome(writer, id, upsert("inline", { shown: 1 }));
    for (const stream of streams) await arrived(stream, 1);
    bodyOf(await kioku.admin.delete(`/v1/keys/${deleted.id}`), 204);
    await sleep(Math.max(0, Date.parse(expires_at) - Date.now() + 500));
    await outcome(writer, id, upsert("inline", { hidden: 1 }));
    await sleep(500);
    for (const stream of streams) {
      expect(stream.signals).toHaveLength(1);
      stream.cut();
    }
  });
});

describe("server-sent events", () => {
  it("have the headers of every answer, and are not kept by anybody on the way", async () => {
    const live = await openEvents(kioku.api, `/v1/sessions/${await session()}/signals`);
    live.cut();
    expect(live.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(live.headers.get("cache-control")).toMatch(/no-cache|no-store/);
    expect(live.headers.get("x-request-id")).toMatch(/\S/);
    expect(live.headers.get("server-timing")).toMatch(/dur=[\d.]+/);
  });

  it("give their number as their id, so that browsers resume by themselves", async () => {
    const id = await session();
    await busy(id, 3);
    const signals = await answered(id, 3);
    const live = await openEvents(kioku.api, `/v1/sessions/${id}/signals?after=0`);
    await arrived(live, 3);
    live.cut();
    expect(live.lastId()).toBe(String(signals.at(-1)?.seq));
  });

  it("begin after Last-Event-ID even when the address says after", async () => {
    const id = await session();
    await busy(id, 4);
    const signals = await answered(id, 4);
    const headers = { "last-event-id": String(signals[2]?.seq) };
    const live = await openEvents(kioku.api, `/v1/sessions/${id}/signals?after=0`, headers);
    await arrived(live, 1);
    await sleep(100);
    live.cut();
    expect(live.signals).toEqual(signals.slice(3));
  });
});
