// The rows that a session's object writes for each call, its alarm included: Cloudflare bills them.
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SessionObject } from "../../../durable-objects/session";
import { type Client, freshId, newClient, sessionStub } from "../support";
import { holdMessages } from "./held-messages";

type Stub = DurableObjectStub<SessionObject>;
type Written = { what: string; rows: () => number };

let client: Client;
let stub: Stub;
let path: string;
let written: Written[];

/** Notes every statement and every change of the alarm from now on. An alarm is one row. */
async function watch(object: Stub): Promise<void> {
  written = [];
  const note = (what: string, rows: () => number) => written.push({ what, rows });
  await runInDurableObject(object, (_instance, { storage }) => {
    const { sql } = storage;
    const { exec } = sql;
    const counted = (query: string, ...values: unknown[]) => {
      const cursor = exec.call(sql, query, ...values);
      note(query, () => cursor.rowsWritten);
      return cursor;
    };
    Object.defineProperty(sql, "exec", { value: counted });
    for (const name of ["setAlarm", "deleteAlarm"] as const) {
      const change = storage[name] as (...args: unknown[]) => Promise<void>;
      const noted = (...args: unknown[]) => {
        note(name, () => 1);
        return change.apply(storage, args);
      };
      Object.defineProperty(storage, name, { value: noted });
    }
  });
}

/** Returns the rows since the last call of this, by the table or the kind of change. */
function takeRows(): Record<string, number> {
  const rows: Record<string, number> = {};
  for (const { what, rows: count } of written.splice(0)) {
    const name = /(?:INTO|FROM|UPDATE) (\w+)/.exec(what)?.[1] ?? what;
    if (count() > 0) rows[name] = (rows[name] ?? 0) + count();
  }
  return rows;
}

const post = async (name: string, body: object, headers: Record<string, string> = {}) => {
  const { status } = await client.call("POST", `${path}/${name}`, body, headers);
  expect(status).toBeLessThan(300);
};

afterEach(() => {
  vi.restoreAllMocks();
});

beforeEach(async () => {
  holdMessages();
  client = await newClient();
  const id = freshId("session");
  path = `/v1/sessions/${id}`;
  stub = sessionStub(client.tenant, id);
  // Without promotion no alarm but that of the call itself is set.
  await client.call("POST", "/v1/sessions", { id, agent_id: "coder", promotion: { enabled: false } });
  await watch(stub);
});

describe("the object of a session writes", () => {
  it("for remember the entry of the outbox, its removal and the alarm of a retry", async () => {
    const rows = { outbox: 2, setAlarm: 1, deleteAlarm: 1 };
    await post("remember", { content: "Tea at four" });
    expect(takeRows()).toEqual(rows);
    await post("remember", { content: "Tea at four" });
    expect(takeRows()).toEqual(rows);
  });

  it("for an idempotency key one row more", async () => {
    const key = () => ({ "Idempotency-Key": freshId("key") });
    // The first key sets the time at which keys expire.
    await post("remember", { content: "Tea at four" }, key());
    takeRows();
    await post("remember", { content: "Tea at five" }, key());
    expect(takeRows()).toEqual({ outbox: 2, idempotency: 1, setAlarm: 2 });
    await post("thread", { entries: [{ kind: "note", payload: "Tea" }] }, key());
    expect(takeRows()).toEqual({ thread: 1, idempotency: 1 });
  });

  it("for a message its row with its id, its entry in the thread, and once what has been sent", async () => {
    const say = (content: string) => post("messages", { messages: [{ role: "user", content }] });
    await say("Is there tea?");
    expect(takeRows()).toEqual({ messages: 2, thread: 1, setAlarm: 1 });
    await say("Is there cake?");
    expect(takeRows()).toEqual({ messages: 2, thread: 1 });
    await post("recall", { sources: ["messages"] });
    expect(takeRows()).toEqual({ session: 1, deleteAlarm: 1 });
  });

  it("for a space and for a context item two rows, for a thread entry one", async () => {
    const ops = (value: number) => post("spaces/world/ops", { ops: [{ op: "put", key: "tea", value }] });
    const put = (value: string) => client.call("PUT", `${path}/context/framework`, { value, source: "tool" });
    await ops(1);
    takeRows();
    await ops(2);
    expect(takeRows()).toEqual({ memory: 1, spaces: 1 });
    await put("Hono");
    takeRows();
    await put("Express");
    expect(takeRows()).toEqual({ context: 1, access_log: 1 });
    await post("thread", { entries: [{ kind: "note", payload: "Tea" }] });
    expect(takeRows()).toEqual({ thread: 1 });
  });

  it("for a use of the session nothing, but the time of it after a minute", async () => {
    const use = async (at: number) => {
      await runInDurableObject<SessionObject, void>(stub, (instance) => {
        instance.now = () => at;
      });
      await client.call("PUT", `${path}/context/framework`, { value: "Hono", source: "tool" });
      return takeRows().session ?? 0;
    };
    const now = Date.now();
    expect(await use(now + 30_000)).toBe(0);
    expect(await use(now + 90_000)).toBe(1);
    expect(await use(now + 120_000)).toBe(0);
    expect((await client.call("GET", path)).body.updated_at).toBe(new Date(now + 120_000).toISOString());
  });
});
