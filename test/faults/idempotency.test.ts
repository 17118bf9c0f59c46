// A caller that got no answer sends the same call again under the same Idempotency-Key. Whatever happened in
// between, it gets one answer and the work is done once.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SessionObject } from "../../durable-objects/session";
import { SEND_DELAY_MS } from "../../src/sessions/short-term/message-progress";
import { ADMIN_KEY, type Answer, callWith, freshId, skipWaits } from "../integration/support";
import {
  breakBatches,
  breakStatements,
  COMMIT,
  failuresOfD1,
  memoriesOf,
  mendD1,
  newSession,
  offer,
  setClock,
  type TestSession,
} from "./support";

let session: TestSession;
beforeEach(async () => {
  session = await newSession();
});
afterEach(() => {
  mendD1();
  vi.restoreAllMocks();
});

type Call = {
  name: string;
  /** What must be there before it. */
  prepare?: () => Promise<unknown>;
  send: (headers: Record<string, string>) => Promise<Answer>;
  /** The same path with another body; none where the body is always empty. */
  other?: (headers: Record<string, string>) => Promise<Answer>;
  /** How often the work has been done. */
  done: () => Promise<number>;
};

const post = (path: string, body: object | undefined, headers: Record<string, string>) =>
  session.client.call("POST", path, body, headers);
const view = async () => (await session.client.call("GET", session.path)).body;
const keysOf = async () =>
  (await callWith(ADMIN_KEY, "GET", `/v1/keys?tenant=${session.client.tenant}&limit=100`)).body.data;
let memoryId: string;

/** Every memory counts as its creation and its accesses: a second remember would be an access. */
const writes = async () =>
  (await memoriesOf(session.client.tenant)).reduce((sum, { access_count }) => sum + 1 + access_count, 0);

const CALLS: readonly Call[] = [
  {
    name: "remember",
    send: (headers) => post(`${session.path}/remember`, { content: "Tea at four" }, headers),
    other: (headers) => post(`${session.path}/remember`, { content: "Tea at five" }, headers),
    done: writes,
  },
  {
    name: "remember outside a session",
    send: (headers) => post("/v1/remember", { content: "Tea at four", agent_id: "butler" }, headers),
    other: (headers) => post("/v1/remember", { content: "Tea at five", agent_id: "butler" }, headers),
    done: writes,
  },
  {
    name: "messages",
    send: (headers) => post(`${session.path}/messages`, messages("Tea is served"), headers),
    other: (headers) => post(`${session.path}/messages`, messages("Tea is cold"), headers),
    done: async () => (await view()).counts.messages,
  },
  {
    name: "pending",
    send: (headers) => post(`${session.path}/pending`, hunch("Tea is nice"), headers),
    other: (headers) => post(`${session.path}/pending`, hunch("Tea is hot"), headers),
    done: async () => {
      const { body } = await session.client.call("GET", `${session.path}/pending`);
      return body.data.reduce((sum: number, item: { access_count: number }) => sum + item.access_count, 0);
    },
  },
  {
    name: "promote",
    prepare: () => offer(session.client, session.id, "Tea is a habit"),
    send: (headers) => post(`${session.path}/promote`, undefined, headers),
    done: writes,
  },
  {
    name: "pause",
    prepare: () => offer(session.client, session.id, "Tea is a habit"),
    send: (headers) => post(`${session.path}/pause`, undefined, headers),
    done: writes,
  },
  {
    name: "close",
    prepare: () => offer(session.client, session.id, "Tea is a habit"),
    send: (headers) => post(`${session.path}/close`, undefined, headers),
    done: writes,
  },
  {
    name: "POST /v1/sessions",
    send: (headers) => post("/v1/sessions", { agent_id: "butler" }, headers),
    other: (headers) => post("/v1/sessions", { agent_id: "maid" }, headers),
    done: async () => (await session.client.call("GET", "/v1/sessions?agent_id=butler")).body.data.length,
  },
  {
    name: "forget",
    prepare: async () => {
      memoryId = (await post(`${session.path}/remember`, { content: "Tea at four" }, {})).body.memory_id;
    },
    send: (headers) => post(`${session.path}/forget`, { memory_id: memoryId }, headers),
    other: (headers) => post(`${session.path}/forget`, { memory_id: memoryId, reason: "late" }, headers),
    done: async () => (await memoriesOf(session.client.tenant)).filter(({ live }) => live === 0).length,
  },
  {
    name: "keys",
    send: (headers) => makeKey({ tenant: session.client.tenant, name: "second" }, headers),
    other: (headers) => makeKey({ tenant: session.client.tenant, name: "third" }, headers),
    // The first key is the client's own.
    done: async () => (await keysOf()).length - 1,
  },
];

function makeKey(body: object, headers: Record<string, string>): Promise<Answer> {
  return callWith(ADMIN_KEY, "POST", "/v1/keys", body, headers);
}

function messages(content: string) {
  return { messages: [{ role: "user", content }] };
}

function hunch(content: string) {
  return { content, memory_type: "fact", importance_score: 0.1 };
}

function newKey(): Record<string, string> {
  return { "Idempotency-Key": freshId("key") };
}

describe.each(CALLS)("the same key on $name", ({ prepare, send, other, done }) => {
  beforeEach(async () => {
    await prepare?.();
  });

  it("gives the same answer and does the work once", async () => {
    const key = newKey();
    const first = await send(key);
    expect(first.status).toBeLessThan(300);
    const second = await send(key);
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect(await done()).toBe(1);
  });

  it("gives the same answer after an eviction", async () => {
    // An eviction waits for the messages that are sent together.
    skipWaits(SEND_DELAY_MS);
    const key = newKey();
    const first = await send(key);
    await evictDurableObject(session.stub);
    await setClock(session.stub, session.now);
    const second = await send(key);
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect(await done()).toBe(1);
  });

  it("gives five callers at once the same answer", async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(key)));
    const [first] = answers;
    expect(first?.status).toBeLessThan(300);
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([first?.status, first?.body]);
    expect(await done()).toBe(1);
  });

  it("makes good what D1 did without answering", async () => {
    const key = newKey();
    breakBatches({ moment: "after" });
    breakStatements({ moment: "after", matching: /^\s*insert/i });
    const first = await send(key);
    expect([200, 201, 503]).toContain(first.status);
    mendD1();
    const second = await send(key);
    expect(second.status).toBeLessThan(300);
    if (first.status < 300) expect(second.body).toEqual(first.body);
    const third = await send(key);
    expect([third.status, third.body]).toEqual([second.status, second.body]);
    expect(await done()).toBe(1);
  });

  it("never gives a 5xx again", async () => {
    const key = newKey();
    breakBatches({ moment: "before" });
    breakStatements({ moment: "before", matching: /^\s*insert/i });
    const first = await send(key);
    mendD1();
    const second = await send(key);
    expect(second.status).toBeLessThan(300);
    if (first.status < 300) expect(second.body).toEqual(first.body);
    expect(await done()).toBe(1);
  });

  // Calls without a body have no other body to send.
  const cases = other === undefined ? [] : [other];
  for (const sendOther of cases)
    it("with another body is a conflict, and does nothing", async () => {
      const key = newKey();
      expect((await send(key)).status).toBeLessThan(300);
      const conflict = await sendOther(key);
      expect(conflict).toMatchObject({ status: 409, body: { code: "conflict" } });
      expect(await done()).toBe(1);
    });
});

describe("a key", () => {
  it("is bound to its path: on another one it is another key", async () => {
    const key = newKey();
    const body = { content: "Tea at four" };
    const first = await post(`${session.path}/remember`, body, key);
    const elsewhere = await post(`/v1/sessions/${freshId("session")}/remember`, body, key);
    expect(elsewhere.status).toBe(201);
    expect(elsewhere.body.memory_id).not.toBe(first.body.memory_id);
    expect((await post(`${session.path}/promote`, undefined, key)).body).toEqual({
      promoted: [],
      remaining: 0,
    });
  });

  it("still answers on a session that was closed since", async () => {
    const key = newKey();
    const first = await post(`${session.path}/messages`, messages("Last words"), key);
    await post(`${session.path}/close`, undefined, {});
    const second = await post(`${session.path}/messages`, messages("Last words"), key);
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect((await post(`${session.path}/messages`, messages("Last words"), newKey())).status).toBe(409);
  });

  it.each([
    "promote",
    "pause",
    "close",
  ] as const)("gives calls of %s that overlap one answer", async (name) => {
    await offer(session.client, session.id, "Tea is a habit");
    const ref = { tenant: session.client.tenant, id: session.id };
    const idempotency = { op: freshId("op"), fingerprint: "the same" };
    const answers = await runInDurableObject<SessionObject, unknown[]>(session.stub, (instance) =>
      Promise.all(Array.from({ length: 5 }, () => instance[name](ref, idempotency))),
    );
    expect(answers).toMatchObject([{ ok: true }, {}, {}, {}, {}]);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it("does not do a resume a second time", async () => {
    const key = newKey();
    await post(`${session.path}/pause`, undefined, {});
    const first = await post(`${session.path}/resume`, undefined, key);
    expect(first.body.status).toBe("active");
    await post(`${session.path}/pause`, undefined, {});
    expect((await post(`${session.path}/resume`, undefined, key)).body).toEqual(first.body);
    expect((await view()).status).toBe("paused");
  });

  it("of a remember that only the alarm could finish gives the answer of that write", async () => {
    const key = newKey();
    breakBatches({ moment: "after", matching: COMMIT });
    expect((await post(`${session.path}/remember`, { content: "Tea at four" }, key)).status).toBe(503);
    expect(failuresOfD1()).toBe(1);
    mendD1();
    expect(await runDurableObjectAlarm(session.stub)).toBe(true);
    const again = await post(`${session.path}/remember`, { content: "Tea at four" }, key);
    expect(again).toMatchObject({ status: 201, body: { deduplicated: false } });
    expect(await writes()).toBe(1);
  });

  it("does not keep a tool's failure that was D1's", async () => {
    const key = newKey();
    const { body } = await post(`${session.path}/remember`, { content: "Tea at four" }, {});
    const call = { type: "tool_use", id: "c1", name: "forget", input: { memory_id: body.memory_id } };
    const execute = () => post("/v1/tools/execute", { session_id: session.id, call }, key);
    breakBatches({ moment: "before" });
    expect((await execute()).body.is_error).toBe(true);
    mendD1();
    expect((await execute()).body.is_error).toBe(false);
    expect(await memoriesOf(session.client.tenant)).toMatchObject([{ live: 0 }]);
  });

  it("of a whole answer does only what was not done when D1 failed in its middle", async () => {
    const key = newKey();
    const inputs = [
      ["add_messages", { messages: [{ role: "user", content: "When is tea?" }] }],
      ["remember", { content: "Tea at four" }],
      ["remember", { content: "Scones at five" }],
    ] as const;
    const calls = inputs.map(([name, input], i) => ({ type: "tool_use", id: `c${i}`, name, input }));
    const body = { session_id: session.id, call: { role: "assistant", content: calls } };
    const execute = () => post("/v1/tools/execute", body, key);
    const failed = (answer: Answer) => answer.body.map(({ is_error }: { is_error: boolean }) => is_error);
    breakBatches({ moment: "before", matching: COMMIT, times: 1 });
    expect(failed(await execute())).toEqual([false, true, false]);
    mendD1();
    const again = await execute();
    expect(failed(again)).toEqual([false, false, false]);
    expect((await execute()).body).toEqual(again.body);
    expect(await writes()).toBe(2);
    expect((await view()).counts.messages).toBe(1);
    const { body: thread } = await session.client.call("GET", `${session.path}/thread?kind=tool_result`);
    expect(
      thread.data.map(({ payload }: { payload: { tool_use_id: string } }) => payload.tool_use_id),
    ).toEqual(["c0", "c2", "c1"]);
  });

  it.each([
    "before",
    "after",
  ] as const)("of a whole answer whose reply was lost %s it was stored repeats no call", async (moment) => {
    const key = newKey();
    const call = ["Tea at four", "Scones at five"].map((content) => ({
      name: "remember",
      arguments: { content },
    }));
    const execute = () => post("/v1/tools/execute", { session_id: session.id, call }, key);
    breakStatements({ moment, matching: /insert into "operations"/ });
    expect((await execute()).status).toBeGreaterThanOrEqual(500);
    mendD1();
    const again = await execute();
    expect(again.body).toMatchObject([{ is_error: false }, { is_error: false }]);
    expect(again.body.map(({ content }: { content: string }) => JSON.parse(content).deduplicated)).toEqual([
      false,
      false,
    ]);
    expect(await writes()).toBe(2);
    const { body: thread } = await session.client.call("GET", `${session.path}/thread`);
    expect(thread.data).toHaveLength(4);
  });
});
