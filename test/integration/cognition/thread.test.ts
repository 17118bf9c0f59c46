// The thread in its object: what lands in it by itself, and how it is read however long it grows.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { findProjector } from "../../../src/cognition/projectors/projector-registry";
import { SEGMENT_ENTRIES } from "../../../src/cognition/runtime/thread-log";
import { COGNITION } from "../../../src/kernel/limits";
import { type Client, freshId, newClient, sessionStub } from "../support";

type Entry = { seq: number; kind: string; payload: { n: number } };

async function append(client: Client, path: string, count: number, from = 1): Promise<void> {
  for (let next = from; next < from + count; next += COGNITION.entriesPerCall) {
    const size = Math.min(COGNITION.entriesPerCall, from + count - next);
    const entries = Array.from({ length: size }, (_, i) => ({
      kind: (next + i) % 700 === 0 ? "signal" : "note",
      payload: { n: next + i },
    }));
    const { status, body } = await client.call("POST", `${path}/thread`, { entries });
    expect(status).toBe(201);
    expect(body).toEqual({ first_seq: next, last_seq: next + size - 1 });
  }
}

async function readAll(client: Client, path: string, query = ""): Promise<Entry[]> {
  const found: Entry[] = [];
  for (let from = 1; ; ) {
    const { body } = await client.call("GET", `${path}/thread?from=${from}&limit=100${query}`);
    found.push(...body.data);
    if (body.data.length === 0) return found;
    from = body.next_seq;
  }
}

function rowsAndSegments(client: Client, id: string): Promise<{ rows: number; segments: number }> {
  return runInDurableObject(sessionStub(client.tenant, id), (_instance, { storage: { sql } }) => ({
    rows: Number(sql.exec("SELECT count(*) AS n FROM thread").one().n),
    segments: Number(sql.exec("SELECT count(*) AS n FROM thread_segments").one().n),
  }));
}

describe("a long thread", () => {
  const total = 3_200;

  it("seals its old entries away, and reads them back in order, whole and in part", async () => {
    const client = await newClient();
    const id = freshId("session");
    const path = `/v1/sessions/${id}`;
    await append(client, path, total);
    await vi.waitFor(async () => {
      const { rows, segments } = await rowsAndSegments(client, id);
      expect(segments).toBe(4);
      expect(rows).toBe(total - 4 * SEGMENT_ENTRIES);
    });
    await evictDurableObject(sessionStub(client.tenant, id));

    const all = await readAll(client, path);
    expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: total }, (_, i) => i + 1));
    expect(all.every(({ seq, payload }) => payload.n === seq)).toBe(true);

    const across = await client.call("GET", `${path}/thread?from=1990&to=2010&limit=100`);
    expect(across.body.data.map(({ seq }: Entry) => seq)).toEqual(
      Array.from({ length: 21 }, (_, i) => 1_990 + i),
    );
    expect(across.body.next_seq).toBe(2_011);

    const signals = await readAll(client, path, "&kind=signal");
    expect(signals.map(({ seq }) => seq)).toEqual([700, 1_400, 2_100, 2_800]);

    await append(client, path, 1, total + 1);
    expect((await client.call("GET", `${path}/thread?from=${total}`)).body.data).toHaveLength(2);
  });

  it("keeps segments small enough for a row, whatever the entries hold", async () => {
    const client = await newClient();
    const id = freshId("session");
    const path = `/v1/sessions/${id}`;
    const large = "記".repeat(10_000);
    for (let call = 0; call < 2; call += 1) {
      const entries = Array.from({ length: 30 }, () => ({ kind: "note", payload: large }));
      expect((await client.call("POST", `${path}/thread`, { entries })).status).toBe(201);
    }
    await append(client, path, 1_500, 61);
    await vi.waitFor(async () => expect((await rowsAndSegments(client, id)).segments).toBeGreaterThan(1));
    const { body } = await client.call("GET", `${path}/thread?from=1&to=60&limit=100`);
    expect(body.data).toHaveLength(60);
    expect(body.data.every(({ payload }: { payload: unknown }) => payload === large)).toBe(true);
  });

  it("gives no more at once than an answer carries, and says where to go on", async () => {
    const client = await newClient();
    const id = freshId("session");
    const path = `/v1/sessions/${id}`;
    await append(client, path, 1);
    await runInDurableObject(sessionStub(client.tenant, id), (_instance, { storage: { sql } }) => {
      for (let n = 0; n < 8; n += 1)
        sql.exec(
          "INSERT INTO thread (kind, at, payload) VALUES ('signal', '', ?)",
          JSON.stringify("x".repeat(1_500_000)),
        );
    });
    const sizes: number[] = [];
    for (let from = 1; ; ) {
      const { status, body } = await client.call("GET", `${path}/thread?from=${from}&limit=100`);
      expect(status).toBe(200);
      if (body.data.length === 0) break;
      sizes.push(body.data.length);
      from = body.next_seq;
    }
    expect(sizes).toEqual([3, 2, 2, 2]);
    // A projector reads what it is for, and none of the rest.
    const { body } = await client.call("POST", `${path}/projectors/summary/run`, {});
    expect(body).toEqual({ projected: 9, covers: { from: 1, to: 9 } });
  });

  it("loses and repeats nothing while it is read, appended to and sealed at once", async () => {
    const client = await newClient();
    const path = `/v1/sessions/${freshId("session")}`;
    const writing = append(client, path, 2_500);
    let read: Entry[] = [];
    await Promise.all([
      writing,
      (async () => {
        await vi.waitFor(async () => {
          read = await readAll(client, path);
          expect(read.map(({ seq }) => seq)).toEqual(Array.from({ length: read.length }, (_, i) => i + 1));
          expect(read).toHaveLength(2_500);
        });
      })(),
    ]);
    expect(read).toHaveLength(2_500);
  });
});

describe("what lands in the thread by itself", () => {
  it("is every message, its tool calls, and the results of tools", async () => {
    const client = await newClient();
    const path = `/v1/sessions/${freshId("session")}`;
    const call = { id: "call_1", type: "function", function: { name: "search", arguments: "{}" } };
    await client.call("POST", `${path}/messages`, {
      messages: [
        { id: "m1", role: "user", content: "Where is it?", timestamp: "2026-01-01T00:00:00.000Z" },
        { id: "m2", role: "assistant", content: "Let me look.", tool_calls: [call] },
        { id: "m3", role: "tool", content: "On the shelf." },
      ],
    });
    // A message that is sent twice is told once.
    await client.call("POST", `${path}/messages`, {
      messages: [{ id: "m1", role: "user", content: "Where is it?" }],
    });
    const { body } = await client.call("GET", `${path}/thread`);
    expect(body.data).toMatchObject([
      { seq: 1, kind: "message", at: "2026-01-01T00:00:00.000Z", payload: { id: "m1", role: "user" } },
      { seq: 2, kind: "message", payload: { id: "m2", content: "Let me look.", tool_calls: [call] } },
      { seq: 3, kind: "tool_call", payload: call },
      { seq: 4, kind: "tool_result", payload: { id: "m3", content: "On the shelf." } },
    ]);
    expect(body.next_seq).toBe(5);
  });

  it("is a tool call that was executed here, once, with its result", async () => {
    const client = await newClient();
    const id = freshId("session");
    const path = `/v1/sessions/${id}`;
    const call = {
      id: "toolu_1",
      type: "tool_use",
      name: "remember",
      input: { content: "The office is in Kyoto." },
    };
    const { body: result } = await client.call("POST", "/v1/tools/execute", { session_id: id, call });
    await client.call("POST", `${path}/messages`, {
      messages: [{ role: "assistant", content: "Noted.", tool_calls: [call] }],
    });
    await client.call("POST", `${path}/thread`, { entries: [{ kind: "note", payload: "The end" }] });
    const { body } = await client.call("GET", `${path}/thread`);
    expect(body.data.map(({ seq, kind }: Entry) => [seq, kind])).toEqual([
      [1, "tool_call"],
      [2, "tool_result"],
      [3, "message"],
      [4, "note"],
    ]);
    expect(body.data[1].payload).toEqual(result);
  });

  it("is every call of a model that numbers its calls anew each time", async () => {
    const client = await newClient();
    const path = `/v1/sessions/${freshId("session")}`;
    const calls = ["Kyoto", "Osaka"].map((city) => ({ id: "call_0", function: { arguments: city } }));
    for (const call of calls)
      await client.call("POST", `${path}/messages`, {
        messages: [{ role: "assistant", content: "", tool_calls: [call] }],
      });
    const { body } = await client.call("GET", `${path}/thread?kind=tool_call`);
    expect(body.data.map(({ payload }: { payload: unknown }) => payload)).toEqual(calls);
  });

  it("is every promotion, as a signal", async () => {
    const client = await newClient();
    const path = `/v1/sessions/${freshId("session")}`;
    await client.call("POST", `${path}/pending`, {
      content: "Deploys happen on Mondays",
      memory_type: "convention",
      importance_score: 0.9,
    });
    const { body: promotion } = await client.call("POST", `${path}/promote`, {});
    const { body } = await client.call("GET", `${path}/thread?kind=signal`);
    expect(body.data).toMatchObject([
      { payload: { type: "jido.memory.promoted", data: { promoted: promotion.promoted } } },
    ]);
    const signals = await client.call("GET", `${path}/signals`);
    expect(signals.body).toEqual({ data: [body.data[0].payload], next: 1 });
  });
});

describe("a session that is erased and begun anew under its id", () => {
  it("knows nothing of the old thread, of its segments, or of a projector's late result", async () => {
    const client = await newClient();
    const id = freshId("session");
    const path = `/v1/sessions/${id}`;
    await append(client, path, 2_000);
    await vi.waitFor(async () => expect((await rowsAndSegments(client, id)).segments).toBe(2));
    expect((await client.call("GET", `${path}/thread?from=1&limit=5`)).body.data).toHaveLength(5);
    const facts = findProjector("facts");
    if (facts === undefined) throw new Error("no projector of facts");
    let go: () => void = () => undefined;
    const wait = new Promise<void>((resolve) => {
      go = resolve;
    });
    const spy = vi.spyOn(facts, "project").mockImplementationOnce(async () => {
      await wait;
      return { edits: () => [{ space: "world", ops: [{ op: "put", key: "late", value: true }] }] };
    });
    await client.call("PATCH", `${path}/projectors/facts`, { trigger: { after: null } });
    await append(client, path, 1, 2_001);
    const late = client.call("POST", `${path}/projectors/facts/run`, {});
    await vi.waitFor(() => expect(spy).toHaveBeenCalled());
    expect((await client.call("DELETE", path)).status).toBe(200);
    await append(client, path, 3);
    go();
    expect((await late).status).toBe(404);
    spy.mockRestore();
    const { body } = await client.call("GET", `${path}/thread`);
    expect(body.data.map(({ payload }: Entry) => payload.n)).toEqual([1, 2, 3]);
    expect((await client.call("GET", `${path}/spaces/world`)).body.data).toEqual({});
    expect((await client.call("GET", `${path}/projectors`)).body.data).toMatchObject(
      Array.from({ length: 4 }, () => ({ covered_seq: 0, failures: 0 })),
    );
  });
});
