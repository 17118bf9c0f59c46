// What is stored of idempotent calls: nothing of those that read, little of the others, and nothing after a day.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { sweep } from "../../../src/administration/sweep";
import { IDEMPOTENCY_MS, LIMITS } from "../../../src/kernel/limits";
import { alarmOf, newSession, runAlarm, setClock, type TestSession } from "../../faults/support";

const LONG = "x".repeat(LIMITS.answerChars);

async function listAnswers({ client: { tenant }, stub }: TestSession): Promise<string[]> {
  const { results } = await env.DB.prepare("SELECT response FROM operations WHERE tenant = ? AND quotes = 1")
    .bind(tenant)
    .all<{ response: string }>();
  const stored = await runInDurableObject(stub, (_instance, { storage }) =>
    storage.sql.exec<{ response: string }>("SELECT response FROM idempotency").toArray(),
  );
  return [...results, ...stored].map(({ response }) => response);
}

function post({ client }: TestSession, path: string, body: object, key = "once") {
  return client.call("POST", path, body, { "Idempotency-Key": key });
}

describe("a call that only reads", () => {
  it("accepts a key and stores nothing", async () => {
    const session = await newSession();
    const { path, id: session_id } = session;
    await session.client.call("POST", `${path}/remember`, { content: "Kioku runs on Workers" });
    const name = "recall";
    const reads: [string, object][] = [
      [`${path}/recall`, { query: "Kioku" }],
      ["/v1/recall", { query: "Kioku" }],
      [`${path}/assemble`, { query: "Kioku" }],
      [`${path}/preflight`, { input: "Kioku" }],
      ["/v1/prime", { goal: "Kioku" }],
      ["/v1/memories/search", { filter: {} }],
      ["/v1/entries/recall", { session_id, query: "Kioku" }],
      ["/v1/graph/read_graph", {}],
      ["/v1/tools/execute", { session_id, call: { id: "c1", name, arguments: { query: "Kioku" } } }],
      ["/v1/tools/execute", { session_id, call: { id: "c1", name: "no_such_tool", arguments: {} } }],
    ];
    for (const [read, body] of reads) {
      expect((await post(session, read, body)).status, read).toBe(200);
      expect((await post(session, read, { ...body, limit: 3 })).status, read).not.toBe(409);
    }
    expect(await listAnswers(session)).toEqual([]);
  });
});

describe("a stored answer", () => {
  it("that is long is repeated as its ids, revisions and counts, and the work is done once", async () => {
    const session = await newSession();
    const { path } = session;
    const ops = { ops: [{ op: "put", key: "log", value: LONG }] };
    const call = { id: "c1", name: "save_checkpoint", arguments: { state: { LONG } } };
    const changed = await post(session, `${path}/spaces/world/ops`, ops);
    const execute = { agent_id: "ada", call };
    const saved = await post(session, "/v1/tools/execute", execute);
    expect(changed.body.data.log).toBe(LONG);
    expect(saved.body.content).toContain(LONG);
    for (const answer of await listAnswers(session)) expect(answer.length).toBeLessThan(1_000);
    expect(await post(session, `${path}/spaces/world/ops`, ops)).toMatchObject({
      status: 200,
      body: { rev: changed.body.rev, memory_rev: changed.body.memory_rev },
    });
    const again = await post(session, "/v1/tools/execute", execute);
    expect(JSON.parse(again.body.content)).toEqual({ agent_id: "ada", version: 1 });
    expect((await session.client.call("GET", "/v1/ledgers/ada/history")).body.data).toHaveLength(1);
  });

  it("is deleted after a day, by the sweep and by the session's alarm", async () => {
    const session = await newSession();
    const { path, id: session_id, stub, now } = session;
    await post(session, `${path}/tasks`, { text: "Look" });
    await post(session, "/v1/tools/execute", {
      session_id,
      call: { id: "c1", name: "add_task", arguments: { text: "Look again" } },
    });
    const stored = await listAnswers(session);
    expect(stored).toHaveLength(3);
    await sweep(env, Date.now() + IDEMPOTENCY_MS - 60_000);
    expect(await listAnswers(session)).toEqual(stored);

    await sweep(env, Date.now() + IDEMPOTENCY_MS + 1_000);
    expect(await listAnswers(session)).toHaveLength(2);
    await session.client.call("POST", `${path}/close`);
    expect(await alarmOf(stub)).toBe(now + IDEMPOTENCY_MS);
    await setClock(stub, now + IDEMPOTENCY_MS);
    await runAlarm(stub);
    expect(await listAnswers(session)).toEqual([]);
    expect(await alarmOf(stub)).toBeNull();
  });
});
