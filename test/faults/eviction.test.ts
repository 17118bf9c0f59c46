// The platform may evict a session's object between any two calls, and may kill it in the middle of one.
// Everything it knew is rebuilt from its storage: nothing is lost, nothing is done twice.
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Answer, type Client, freshId, newClient, sessionStub } from "../integration/support";
import {
  alarmOf,
  breakBatches,
  COMMIT,
  failuresOfD1,
  HOUR,
  kill,
  MOMENTS,
  memoriesOf,
  mendD1,
  offer,
  outboxOf,
  setClock,
  stickBatches,
  untilProjected,
} from "./support";

type Stub = ReturnType<typeof sessionStub>;

let client: Client;
beforeEach(async () => {
  client = await newClient();
});
afterEach(mendD1);

async function evict(stub: Stub, now: number): Promise<void> {
  await evictDurableObject(stub);
  await setClock(stub, now);
}

const FILLER = "and so on ".repeat(20);

/** A life in steps; the window holds few messages, so that some leave it on the way. */
const LIFE: readonly [
  name: string,
  run: (call: Client["call"], path: string, id: string) => Promise<unknown>,
][] = [
  [
    "create",
    (call, _path, id) =>
      call("POST", "/v1/sessions", { id, token_budget: { total: 1_000, conversation: 200, context: 800 } }),
  ],
  [
    "messages",
    (call, path) =>
      call("POST", `${path}/messages`, {
        messages: [
          { id: "m1", role: "user", content: "Hello there" },
          { id: "m2", role: "user", content: "We decided to use SQLite for the index." },
          { id: "m3", role: "assistant", content: "Noted. The project uses Hono." },
        ],
      }),
  ],
  [
    "context",
    (call, path) => call("PUT", `${path}/context/primary_language`, { value: "TypeScript", source: "tool" }),
  ],
  ["access", (call, path) => call("GET", `${path}/context/primary_language`)],
  ["access again", (call, path) => call("GET", `${path}/context/primary_language`)],
  [
    "pending",
    (call, path) =>
      call("POST", `${path}/pending`, {
        content: "A weak hunch",
        memory_type: "fact",
        importance_score: 0.1,
      }),
  ],
  [
    "decision",
    (call, path) =>
      call("POST", `${path}/pending`, {
        content: "Deploy on Mondays",
        memory_type: "decision",
        suggested_by: "agent",
      }),
  ],
  [
    "messages that evict",
    (call, path) =>
      call("POST", `${path}/messages`, {
        messages: ["m4", "m5", "m6", "m7"].map((id) => ({ id, role: "user", content: FILLER })),
      }),
  ],
  ["promote", (call, path) => call("POST", `${path}/promote`)],
  ["remember", (call, path) => call("POST", `${path}/remember`, { content: "The office is in Kyoto" })],
  ["remember again", (call, path) => call("POST", `${path}/remember`, { content: "The office is in Kyoto" })],
  [
    "a changed value",
    (call, path) => call("PUT", `${path}/context/primary_language`, { value: "Rust", source: "tool" }),
  ],
  [
    "repeated messages",
    (call, path) =>
      call("POST", `${path}/messages`, { messages: [{ id: "m1", role: "user", content: "Hello there" }] }),
  ],
  [
    "space",
    (call, path) =>
      call("PUT", `${path}/spaces/plans`, { data: { exit: ["stand up", "walk"] }, expected_rev: 0 }),
  ],
  [
    "operations",
    (call, path) =>
      call("POST", `${path}/spaces/plans/ops`, {
        expected_rev: 1,
        ops: [
          { op: "put", key: "stay", value: [] },
          { op: "delete", key: "exit" },
        ],
      }),
  ],
  ["task", (call, path) => call("POST", `${path}/tasks`, { id: "t1", text: "Find the exit" })],
  [
    "note",
    (call, path) =>
      call("POST", `${path}/thread`, {
        entries: [{ kind: "note", payload: "TODO: close the window", at: "2026-01-01T00:00:00.000Z" }],
      }),
  ],
  ["projection", (call, path) => call("POST", `${path}/projectors/tasks/run`)],
  ["task done", (call, path) => call("POST", `${path}/tasks/t1/complete`, { expected_rev: 2 })],
  ["space deleted", (call, path) => call("DELETE", `${path}/spaces/plans?expected_rev=2`)],
  ["pause", (call, path) => call("POST", `${path}/pause`)],
  ["resume", (call, path) => call("POST", `${path}/resume`)],
  ["smaller budget", (call, path) => call("PATCH", path, { token_budget: { conversation: 150 } })],
  ["assemble", (call, path) => call("POST", `${path}/assemble`, { include: ["conversation", "working"] })],
  ["close", (call, path) => call("POST", `${path}/close`)],
];

/** What can be seen of a session and of its long-term memory, without what differs from session to session. */
async function seen(stub: Stub, path: string, now: number) {
  const get = async (of: string) => (await client.call("GET", `${path}${of}`)).body;
  const { id: _id, ...session } = await get("");
  const pending = (await get("/pending")).data.map(({ id: _pendingId, ...item }: { id: string }) => item);
  const alarm = await alarmOf(stub);
  const { id: _memory, ...memory } = await get("/memory");
  return {
    session,
    memory,
    thread: (await get("/thread")).data.filter(({ kind }: { kind: string }) => kind !== "signal"),
    projectors: (await get("/projectors")).data,
    signals: (await get("/signals")).data.map(({ seq, type }: { seq: number; type: string }) => [seq, type]),
    messages: (await get("/messages")).data,
    context: (await get("/context")).data,
    pending: pending.toSorted((a: { content: string }, b: { content: string }) =>
      a.content < b.content ? -1 : 1,
    ),
    memories: (await memoriesOf(client.tenant)).map(({ id: _memoryId, superseded_by, ...memory }) => ({
      ...memory,
      superseded: superseded_by !== null,
    })),
    alarm: alarm === null ? null : alarm - now,
    outbox: await outboxOf(stub),
  };
}

async function live(now: number, evicting: boolean) {
  client = await newClient();
  const id = freshId("session");
  const path = `/v1/sessions/${id}`;
  const stub = sessionStub(client.tenant, id);
  await setClock(stub, now);
  const states = [];
  for (const [name, run] of LIFE) {
    const answer = (await run(client.call, path, id)) as Answer;
    expect(answer.status, name).toBeLessThan(300);
    await untilProjected(stub);
    if (evicting) await evict(stub, now);
    states.push({ step: name, ...(await seen(stub, path, now)) });
    if (evicting) await evict(stub, now);
  }
  return states;
}

describe("an object evicted between any two steps", () => {
  it("goes on as if it had never been away", async () => {
    const now = Date.now() + HOUR;
    const undisturbed = await live(now, false);
    expect(await live(now, true)).toEqual(undisturbed);
    // The life really went through everything that could be lost.
    const at = (step: string) => undisturbed.find((state) => state.step === step);
    expect(at("access again")?.context).toMatchObject([
      { key: "framework", access_count: 1 },
      { key: "primary_language", access_count: 3 },
    ]);
    expect(at("decision")?.alarm).toBe(30_000);
    expect(at("messages that evict")?.session.counts.messages).toBeLessThan(7);
    expect(at("promote")?.memories.map(({ content }) => content)).toContain("Deploy on Mondays");
    expect(at("close")?.memories.filter(({ superseded }) => superseded)).toHaveLength(1);
  });
});

describe("an evicted object", () => {
  it("keeps its alarm, and promotes when that goes off", async () => {
    const id = freshId("session");
    const stub = sessionStub(client.tenant, id);
    await setClock(stub, Date.now() + HOUR);
    await offer(client, id, "The sky is up");
    const due = await alarmOf(stub);
    expect(due).not.toBeNull();
    await evictDurableObject(stub);
    expect(await alarmOf(stub)).toBe(due);
    await evictDurableObject(stub);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await memoriesOf(client.tenant)).toMatchObject([{ content: "The sky is up", access_count: 0 }]);
    await untilProjected(stub);
    expect(await alarmOf(stub)).toBeNull();
  });

  it.each(MOMENTS)("keeps its outbox and its back-off when D1 failed %s the commit", async (moment) => {
    const id = freshId("session");
    const path = `/v1/sessions/${id}`;
    const stub = sessionStub(client.tenant, id);
    const now = Date.now() + HOUR;
    await setClock(stub, now);
    await client.call("POST", "/v1/sessions", { id });
    await offer(client, id, "The sea is deep");
    breakBatches({ moment, matching: COMMIT });
    expect((await client.call("POST", `${path}/promote`)).status).toBe(503);
    expect((await client.call("POST", `${path}/remember`, { content: "The hills are old" })).status).toBe(
      503,
    );
    const before = await seen(stub, path, now);
    expect(before.outbox).toBe(2);
    await evict(stub, now);
    expect(await seen(stub, path, now)).toEqual(before);
    mendD1();
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await memoriesOf(client.tenant)).toMatchObject([
      { content: "The hills are old", access_count: 0, live: 1 },
      { content: "The sea is deep", access_count: 0, live: 1 },
    ]);
    expect(await outboxOf(stub)).toBe(0);
  });

  it("is not made by reading: an unknown session stays unknown and stores nothing", async () => {
    const id = freshId("session");
    const stub = sessionStub(client.tenant, id);
    expect((await client.call("GET", `/v1/sessions/${id}`)).status).toBe(404);
    await evictDurableObject(stub);
    expect((await client.call("GET", `/v1/sessions/${id}/messages`)).status).toBe(404);
    expect(await alarmOf(stub)).toBeNull();
  });
});

describe("an object killed while a write is on its way to D1", () => {
  let id: string;
  let path: string;

  beforeEach(async () => {
    id = freshId("session");
    path = `/v1/sessions/${id}`;
    await setClock(sessionStub(client.tenant, id), Date.now() + HOUR);
    await client.call("POST", "/v1/sessions", { id });
  });

  /** Sends the call, kills the object while D1 has not answered, and gives a new stub: the old one stays broken. */
  async function killedDuring(
    body: object | undefined,
    name: string,
    meanwhile: () => Promise<void> = async () => {},
  ): Promise<Stub> {
    stickBatches(COMMIT);
    const sent = client.call("POST", `${path}/${name}`, body);
    await vi.waitFor(() => expect(failuresOfD1()).toBe(1));
    await meanwhile();
    await kill(sessionStub(client.tenant, id));
    expect((await sent.catch(() => ({ status: 500 }))).status).toBe(500);
    mendD1();
    const reborn = sessionStub(client.tenant, id);
    expect(await outboxOf(reborn)).toBe(1);
    return reborn;
  }

  async function expectWrittenByAlarm(stub: Stub, content: string): Promise<void> {
    expect(await alarmOf(stub)).not.toBeNull();
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await memoriesOf(client.tenant)).toMatchObject([{ content, access_count: 0 }]);
    expect((await client.call("GET", path)).body.counts).toMatchObject({ pending: 0, memories: 1 });
  }

  it("still promotes its candidate, without anybody touching it", async () => {
    await offer(client, id, "The river runs south");
    await expectWrittenByAlarm(await killedDuring(undefined, "promote"), "The river runs south");
  });

  it("still promotes its candidate when another call came in between", async () => {
    await offer(client, id, "The road runs north");
    const messages = [{ role: "user", content: "Hello" }];
    const meanwhile = async () => {
      expect((await client.call("POST", `${path}/messages`, { messages })).status).toBe(201);
    };
    const reborn = await killedDuring(undefined, "promote", meanwhile);
    await expectWrittenByAlarm(reborn, "The road runs north");
  });

  it("still writes what it was told to remember", async () => {
    const reborn = await killedDuring({ content: "The bridge is closed" }, "remember");
    await expectWrittenByAlarm(reborn, "The bridge is closed");
  });

  it("still promotes on demand when it has no alarm of its own", async () => {
    await client.call("PATCH", path, { promotion: { enabled: false } });
    await offer(client, id, "The gate is open");
    await killedDuring(undefined, "promote");
    expect((await client.call("POST", `${path}/promote`)).body.remaining).toBe(0);
    expect(await memoriesOf(client.tenant)).toMatchObject([{ content: "The gate is open", access_count: 0 }]);
  });
});
