// Projectors in their session: when they run, that each entry is projected once, and that one which fails is tried
// again and stops no other.
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  MAX_ENTRIES_PER_RUN,
  type Projection,
  type Projector,
} from "../../../src/cognition/projectors/projector";
import { findProjector } from "../../../src/cognition/projectors/projector-registry";
import {
  FIRST_PROJECTOR_RETRY_MS,
  MAX_PROJECTOR_ATTEMPTS,
} from "../../../src/cognition/runtime/projector-states";
import { SEND_DELAY_MS } from "../../../src/sessions/short-term/message-progress";
import { alarmOf, kill, newSession, offer, runAlarm, setClock, type TestSession } from "../../faults/support";
import { eventsIn, freshId, sessionStub, skipWaits } from "../support";

afterEach(() => {
  vi.restoreAllMocks();
});

function say(session: TestSession, ...contents: string[]) {
  const messages = contents.map((content) => ({ role: "user", content }));
  return session.client.call("POST", `${session.path}/messages`, { messages });
}

async function worldOf({ client, path }: TestSession) {
  return (await client.call("GET", `${path}/spaces/world`)).body;
}

async function stateOf({ client, path }: TestSession, name: string) {
  const { body } = await client.call("GET", `${path}/projectors`);
  return body.data.find((state: { name: string }) => state.name === name);
}

function run({ client, path }: TestSession, name: string, headers?: Record<string, string>) {
  return client.call("POST", `${path}/projectors/${name}/run`, {}, headers);
}

function projector(name: string): Projector {
  const found = findProjector(name);
  if (found === undefined) throw new Error(`no projector ${name}`);
  return found;
}

describe("a projector", () => {
  it("runs on the tick, which comes only while something is new", async () => {
    const session = await newSession();
    expect(await alarmOf(session.stub)).toBeNull();
    await say(session, "My name is Alice.", "TODO: book the train to Osaka");
    expect(await alarmOf(session.stub)).not.toBeNull();
    expect(await worldOf(session)).toMatchObject({ rev: 0, data: {} });
    await runAlarm(session.stub);
    const { data } = await worldOf(session);
    // The two messages, and the promotion of the first, which the same alarm extracted.
    expect(data.summary).toMatchObject({ covers: { from: 1, to: 3 } });
    expect(JSON.stringify(data.facts)).toContain("Alice");
    const { body: tasks } = await session.client.call("GET", `${session.path}/tasks`);
    expect(tasks.data).toMatchObject([{ text: "Book the train to Osaka", status: "open" }]);
    for (const name of ["summary", "facts", "tasks", "vectors"])
      expect(await stateOf(session, name)).toMatchObject({ covered_seq: 3, failures: 0 });
    expect(await alarmOf(session.stub)).toBeNull();
  });

  it("runs as soon as so many entries are new, without a tick", async () => {
    const session = await newSession();
    const patched = await session.client.call("PATCH", `${session.path}/projectors/summary`, {
      trigger: { tick: false, after: 3 },
    });
    expect(patched.body.trigger).toEqual({ tick: false, after: 3, signals: [] });
    await say(session, "One thing.", "Another thing.");
    expect(await stateOf(session, "summary")).toMatchObject({ covered_seq: 0 });
    await say(session, "A third thing.");
    await vi.waitFor(async () => expect(await stateOf(session, "summary")).toMatchObject({ covered_seq: 3 }));
    expect((await worldOf(session)).data.summary.text).toContain("A third thing.");
  });

  it("runs as the session was made to have it", async () => {
    const { client } = await newSession();
    const id = freshId("session");
    const projectors = { summary: { tick: false, after: null }, facts: { after: 7 } };
    expect((await client.call("POST", "/v1/sessions", { id, projectors })).status).toBe(201);
    const { body } = await client.call("GET", `/v1/sessions/${id}/projectors`);
    expect(body.data).toMatchObject([
      { name: "summary", trigger: { tick: false, after: null } },
      { name: "facts", trigger: { tick: true, after: 7 } },
      { name: "tasks", trigger: { tick: true, after: 50 } },
      { name: "vectors", trigger: { tick: true, after: null } },
    ]);
    const other = freshId("session");
    const refused = await client.call("POST", "/v1/sessions", { id: other, projectors: { sumary: {} } });
    expect(refused.body).toMatchObject({ status: 400, errors: [{ path: "projectors.sumary" }] });
    expect((await client.call("GET", `/v1/sessions/${other}`)).status).toBe(404);
  });

  it("runs on demand, covers an entry once, and says what it covered", async () => {
    const session = await newSession();
    const spy = vi.spyOn(projector("summary"), "project");
    await say(session, "We decided to use SQLite.");
    expect((await run(session, "summary")).body).toEqual({ projected: 1, covers: { from: 1, to: 1 } });
    const before = await worldOf(session);
    expect((await run(session, "summary")).body).toEqual({ projected: 0, covers: { from: 2, to: 1 } });
    expect(await worldOf(session)).toEqual(before);
    expect(spy).toHaveBeenCalledTimes(1);
    // With a key, what came since waits for a call of its own.
    const first = await run(session, "summary", { "Idempotency-Key": "k" });
    await say(session, "And Hono.");
    expect((await run(session, "summary", { "Idempotency-Key": "k" })).body).toEqual(first.body);
    expect(await stateOf(session, "summary")).toMatchObject({ covered_seq: 1 });
  });

  it("covers a thread of any length, page by page, each entry once", async () => {
    const session = await newSession();
    const total = 2 * MAX_ENTRIES_PER_RUN + 20;
    await session.client.call("PATCH", `${session.path}/projectors/facts`, { trigger: { after: null } });
    for (let n = 0; n < total; n += 340)
      await session.client.call("POST", `${session.path}/thread`, {
        entries: Array.from({ length: 340 }, (_, i) => ({ kind: "note", payload: `Note ${n + i + 1}` })),
      });
    const seen: number[] = [];
    const { project } = projector("facts");
    vi.spyOn(projector("facts"), "project").mockImplementation((entries, context) => {
      seen.push(...entries.map(({ seq }) => seq));
      return project(entries, context);
    });
    // Twice at once: one waits for the other and finds nothing left.
    const runs = await Promise.all([run(session, "facts"), run(session, "facts")]);
    expect(runs.map(({ body }) => body.projected).toSorted((a, b) => b - a)).toEqual([total, 0]);
    expect(seen).toEqual(Array.from({ length: total }, (_, i) => i + 1));
  });

  it("runs when the session ends, since no tick comes after that", async () => {
    const session = await newSession();
    await say(session, "My name is Alice.");
    await session.client.call("POST", `${session.path}/close`, {});
    // The last promotion was told in the thread too.
    expect((await worldOf(session)).data.summary).toMatchObject({ covers: { from: 1, to: 2 } });
    const { status, body } = await run(session, "summary");
    expect({ status, code: body.code }).toEqual({ status: 409, code: "conflict" });
  });

  it("is given nothing to do by a session that wants no alarm, and by one that is paused", async () => {
    const session = await newSession();
    await session.client.call("PATCH", session.path, { promotion: { enabled: false } });
    // The alarm would send the messages if the object were lost.
    const untilSent = () => vi.waitFor(async () => expect(await alarmOf(session.stub)).toBeNull());
    skipWaits(SEND_DELAY_MS);
    await say(session, "My name is Alice.");
    await untilSent();
    await session.client.call("PATCH", session.path, { promotion: { enabled: true } });
    expect(await alarmOf(session.stub)).not.toBeNull();
    await session.client.call("POST", `${session.path}/pause`, {});
    await say(session, "And I live in Kyoto.");
    await untilSent();
  });

  it("has its tick however busy the session is", async () => {
    const session = await newSession();
    await say(session, "My name is Alice.");
    const tick = await alarmOf(session.stub);
    if (tick === null) throw new Error("no tick");
    // Its time has come, and before its turn others write.
    await setClock(session.stub, tick + 500);
    await say(session, "And I live in Kyoto.");
    expect(await alarmOf(session.stub)).toBe(tick);
  });

  it("makes the space it writes to, if there is none", async () => {
    const session = await newSession();
    await say(session, "My name is Alice.");
    vi.spyOn(projector("facts"), "project").mockResolvedValueOnce({
      edits: () => [
        { space: "people", ops: [{ op: "put", key: "alice", value: {} }] },
        { space: "log", ops: [{ op: "append", item: "Alice came" }] },
      ],
    });
    expect((await run(session, "facts")).status).toBe(200);
    const { body } = await session.client.call("GET", `${session.path}/memory`);
    expect(body.spaces).toMatchObject({
      people: { kind: "map", data: { alice: {} } },
      log: { kind: "list", data: ["Alice came"] },
    });
  });

  it("loses nobody's write, however long it takes", async () => {
    const session = await newSession();
    await say(session, "My name is Alice.");
    let go: () => void = () => undefined;
    const wait = new Promise<void>((resolve) => {
      go = resolve;
    });
    const slow: Projector["project"] = async (): Promise<Projection> => {
      await wait;
      return {
        edits: ({ map }) => [{ space: "world", ops: [{ op: "put", key: "seen", value: map("world") }] }],
      };
    };
    vi.spyOn(projector("facts"), "project").mockImplementationOnce(slow);
    const running = run(session, "facts");
    await session.client.call("POST", `${session.path}/spaces/world/ops`, {
      ops: [{ op: "put", key: "door", value: "open" }],
    });
    go();
    expect((await running).status).toBe(200);
    expect((await worldOf(session)).data).toEqual({ door: "open", seen: { door: "open" } });
  });
});

describe("a projector that fails", () => {
  it("is tried again, later each time, and stops no other", async () => {
    const session = await newSession();
    const log = vi.spyOn(console, "log");
    const spy = vi.spyOn(projector("facts"), "project").mockRejectedValue(new Error("a defect"));
    await say(session, "My name is Alice.");
    const first = await runAlarm(session.stub);
    // The message, and its promotion by the same alarm.
    expect(await stateOf(session, "summary")).toMatchObject({ covered_seq: 2, failures: 0 });
    expect(await stateOf(session, "facts")).toMatchObject({
      covered_seq: 0,
      failures: 1,
      retry_at: new Date(first + FIRST_PROJECTOR_RETRY_MS).toISOString(),
    });
    const second = await runAlarm(session.stub);
    expect(second).toBe(first + FIRST_PROJECTOR_RETRY_MS);
    expect(await alarmOf(session.stub)).toBe(second + 2 * FIRST_PROJECTOR_RETRY_MS);
    expect(eventsIn(log, "projector.failed")).toMatchObject([
      { projector: "facts", trigger: "tick", failures: 1 },
      { projector: "facts", trigger: "retry", failures: 2 },
    ]);
    spy.mockRestore();
    await runAlarm(session.stub);
    expect(await stateOf(session, "facts")).toMatchObject({ covered_seq: 2, failures: 0, retry_at: null });
    expect(await alarmOf(session.stub)).toBeNull();
  });

  it("changes nothing, not even half, and tells whoever asked for it", async () => {
    const session = await newSession();
    await say(session, "My name is Alice.");
    vi.spyOn(projector("facts"), "project").mockResolvedValueOnce({
      edits: () => [
        { space: "world", ops: [{ op: "put", key: "half", value: true }] },
        { space: "tasks", ops: [{ op: "put", key: "other", value: true }] },
      ],
    });
    const { status, body } = await run(session, "facts");
    expect({ status, detail: body.detail }).toMatchObject({
      status: 409,
      detail: expect.stringContaining("tasks"),
    });
    expect(await worldOf(session)).toMatchObject({ rev: 0, data: {} });
    vi.spyOn(projector("facts"), "project").mockRejectedValueOnce(new Error("secret"));
    const defect = await run(session, "facts");
    expect(defect.status).toBe(503);
    expect(defect.headers.get("Retry-After")).toBe("5");
    expect(JSON.stringify(defect.body)).not.toContain("secret");
    expect((await run(session, "facts")).body).toEqual({ projected: 1, covers: { from: 1, to: 1 } });
  });

  it("stops trying after half an hour, until there is more to try it on", async () => {
    const session = await newSession();
    const spy = vi.spyOn(projector("facts"), "project").mockRejectedValue(new Error("a defect"));
    await say(session, "My name is Alice.");
    for (let tried = 0; tried < MAX_PROJECTOR_ATTEMPTS; tried += 1) await runAlarm(session.stub);
    expect(await alarmOf(session.stub)).toBeNull();
    expect(await stateOf(session, "facts")).toMatchObject({
      failures: MAX_PROJECTOR_ATTEMPTS,
      retry_at: null,
    });
    spy.mockRestore();
    await say(session, "And I live in Kyoto.");
    await runAlarm(session.stub);
    // Two messages, and their promotions.
    expect(await stateOf(session, "facts")).toMatchObject({ covered_seq: 4, failures: 0 });
  });

  it("is tried again by itself although it has no tick", async () => {
    const session = await newSession();
    await session.client.call("PATCH", `${session.path}/projectors/facts`, {
      trigger: { tick: false, after: 1 },
    });
    vi.spyOn(projector("facts"), "project").mockRejectedValueOnce(new Error("a defect"));
    await say(session, "My name is Alice.");
    await vi.waitFor(async () => expect(await stateOf(session, "facts")).toMatchObject({ failures: 1 }));
    await runAlarm(session.stub);
    expect(await stateOf(session, "facts")).toMatchObject({ covered_seq: 1, failures: 0 });
  });

  it("brings no promotion and no other projector forward when it is tried again", async () => {
    const session = await newSession();
    await session.client.call("PATCH", session.path, { promotion: { interval_ms: 3_600_000 } });
    vi.spyOn(projector("facts"), "project").mockRejectedValueOnce(new Error("a defect"));
    await say(session, "My name is Alice.");
    expect((await run(session, "facts")).status).toBe(503);
    await offer(session.client, session.id, "The office is in Kyoto");
    expect(await runAlarm(session.stub)).toBe(session.now + FIRST_PROJECTOR_RETRY_MS);
    expect(await stateOf(session, "facts")).toMatchObject({ covered_seq: 1 });
    expect(await stateOf(session, "summary")).toMatchObject({ covered_seq: 0 });
    expect((await session.client.call("GET", session.path)).body.promotion).toMatchObject({ runs: 0 });
  });

  it("goes on after the object was lost in the middle", async () => {
    const session = await newSession();
    await say(session, "My name is Alice.");
    let begun = false;
    vi.spyOn(projector("facts"), "project").mockImplementationOnce(() => {
      begun = true;
      return new Promise(() => undefined);
    });
    const lost = run(session, "facts").catch(() => null);
    await vi.waitFor(() => expect(begun).toBe(true));
    await kill(session.stub);
    await lost;
    await setClock(sessionStub(session.client.tenant, session.id), session.now);
    expect((await run(session, "facts")).body).toEqual({ projected: 1, covers: { from: 1, to: 1 } });
  });
});
