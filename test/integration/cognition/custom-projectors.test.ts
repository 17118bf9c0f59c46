// A projector of a deployment's own, which wants signals and returns directives.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Projector } from "../../../src/cognition/projectors/projector";
import { PROJECTORS } from "../../../src/cognition/projectors/projector-registry";
import { alarmOf, kill, newSession, runAlarm, setClock, type TestSession } from "../../faults/support";
import { sessionStub } from "../support";

/** Stores each answer of a query in a space of its own, and asks once more for each note. */
const librarian: Projector = {
  name: "librarian",
  reads: ["signal", "note"],
  trigger: { tick: false, after: null, signals: ["jido.memory.result", "library.*"] },
  async project(entries) {
    const notes = entries.filter(({ kind }) => kind === "note");
    const answers = entries.flatMap(({ kind, seq, payload }) =>
      kind === "signal" ? [{ id: `s${seq}`, payload }] : [],
    );
    return {
      edits: () => [{ space: "rag:answers", ops: answers.map((item) => ({ op: "append" as const, item })) }],
      directives: notes.flatMap(({ seq, payload }) => [
        {
          type: "upsert" as const,
          provider: "inline",
          items: [{ key: `note-${seq}`, value: payload }],
        },
        {
          type: "query" as const,
          provider: "inline",
          request_id: `ask-${seq}`,
          query: { text: String(payload), top_k: 3 },
          reply_signal_type: "library.answer",
        },
      ]),
    };
  },
};

/** The Worker runs in this isolate, so a projector that is added here is one of its own. */
const registry = PROJECTORS as Projector[];
beforeAll(() => {
  registry.push(librarian);
});
afterAll(() => {
  registry.splice(registry.indexOf(librarian), 1);
});

afterEach(() => {
  vi.restoreAllMocks();
});

function append({ client, path }: TestSession, kind: string, payload: unknown) {
  return client.call("POST", `${path}/thread`, { entries: [{ kind, payload }] });
}

async function stateOf({ client, path }: TestSession) {
  const { body } = await client.call("GET", `${path}/projectors`);
  return body.data.find((state: { name: string }) => state.name === "librarian");
}

async function signalsOf({ client, path }: TestSession) {
  return (await client.call("GET", `${path}/signals?limit=100`)).body.data;
}

describe("a projector that wants signals", () => {
  it("is listed with its patterns", async () => {
    const session = await newSession();
    expect(await stateOf(session)).toMatchObject({
      covered_seq: 0,
      trigger: { tick: false, after: null, signals: ["jido.memory.result", "library.*"] },
    });
  });

  it("runs at once when one arrives over the thread, and not for others", async () => {
    const session = await newSession();
    await append(session, "signal", { type: "weather.changed" });
    await append(session, "tool_call", { name: "nobody waits for this one" });
    expect(await stateOf(session)).toMatchObject({ covered_seq: 0 });
    await append(session, "signal", { type: "library.opened", data: { at: "nine" } });
    await vi.waitFor(async () => expect((await stateOf(session)).covered_seq).toBeGreaterThanOrEqual(3));
    const { body } = await session.client.call("GET", `${session.path}/spaces/rag:answers`);
    expect(body.data).toMatchObject([
      { id: "s1" },
      { id: "s3", payload: { type: "library.opened", data: { at: "nine" } } },
    ]);
  });

  it("runs at once when a directive is answered", async () => {
    const session = await newSession();
    await session.client.call("POST", `${session.path}/directives`, {
      type: "upsert",
      request_id: "r1",
      items: [{ key: "a", value: 1 }],
    });
    await vi.waitFor(async () => expect(await stateOf(session)).toMatchObject({ covered_seq: 1 }));
    const { body } = await session.client.call("GET", `${session.path}/spaces/rag:answers`);
    expect(body.data).toMatchObject([
      { payload: { type: "jido.memory.result", data: { request_id: "r1" } } },
    ]);
    expect(await alarmOf(session.stub)).toBeNull();
  });

  it("runs by the alarm if the object was lost before it could", async () => {
    const session = await newSession();
    vi.spyOn(librarian, "project").mockImplementationOnce(() => new Promise(() => undefined));
    await append(session, "signal", { type: "library.opened" });
    await vi.waitFor(() => expect(librarian.project).toHaveBeenCalled());
    await kill(session.stub);
    const stub = sessionStub(session.client.tenant, session.id);
    await setClock(stub, session.now);
    const again = { ...session, stub };
    expect(await stateOf(again)).toMatchObject({ covered_seq: 0 });
    await runAlarm(stub);
    expect(await stateOf(again)).toMatchObject({ covered_seq: 1 });
  });
});

describe("the directives of a projector", () => {
  it("are executed once each, in order, and their results reach the projector", async () => {
    const session = await newSession();
    await append(session, "note", "Ines keeps the lighthouse");
    expect((await session.client.call("POST", `${session.path}/projectors/librarian/run`, {})).status).toBe(
      200,
    );
    await vi.waitFor(async () => expect(await stateOf(session)).toMatchObject({ covered_seq: 3 }));
    const signals = await signalsOf(session);
    expect(signals).toMatchObject([
      { type: "jido.memory.result", data: { status: "ok", result: { upserted: 1 } } },
      {
        type: "library.answer",
        data: { request_id: "ask-1", result: [{ key: "note-1", value: "Ines keeps the lighthouse" }] },
      },
    ]);
    const { body } = await session.client.call("GET", `${session.path}/spaces/rag:answers`);
    expect(body.data).toMatchObject([{ id: "s2" }, { id: "s3", payload: { type: "library.answer" } }]);
    // A run over the same thread has nothing left to send.
    await session.client.call("POST", `${session.path}/projectors/librarian/run`, {});
    expect(await signalsOf(session)).toHaveLength(2);
  });

  it("are not sent by a run that fails, and once by the one after it", async () => {
    const session = await newSession();
    await append(session, "note", "Ines keeps the lighthouse");
    const { project } = librarian;
    vi.spyOn(librarian, "project").mockImplementationOnce(async (entries, context) => ({
      ...(await project(entries, context)),
      edits: () => [{ space: "tasks", ops: [{ op: "put", key: "wrong", value: 1 }] }],
    }));
    const { status } = await session.client.call("POST", `${session.path}/projectors/librarian/run`, {});
    expect(status).toBe(409);
    expect(await signalsOf(session)).toEqual([]);
    await session.client.call("POST", `${session.path}/projectors/librarian/run`, {});
    await vi.waitFor(async () => expect(await signalsOf(session)).toHaveLength(2));
  });
});
