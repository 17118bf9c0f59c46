// Messages are sent to the long-term store together, and soon enough.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SEND_COUNT, SEND_DELAY_MS } from "../../../src/sessions/short-term/message-progress";
import { type Client, freshId, newClient } from "../support";
import { holdMessages } from "./held-messages";

let client: Client;
let path: string;
let release: () => void;

beforeEach(async () => {
  release = holdMessages();
  client = await newClient();
  path = `/v1/sessions/${freshId("session")}`;
});

afterEach(() => {
  vi.restoreAllMocks();
});

type Said = { role?: string; content?: string; id?: string; tool_calls?: object[] };

async function say(...messages: Said[]): Promise<void> {
  const sent = messages.map((message) => ({ role: "user", content: "The heron nests", ...message }));
  expect((await client.call("POST", `${path}/messages`, { messages: sent })).status).toBe(201);
}

/** The number of messages in D1. */
async function countSent(): Promise<number> {
  const count = env.DB.prepare("SELECT count(*) AS n FROM messages WHERE tenant = ?").bind(client.tenant);
  return (await count.first<number>("n")) ?? 0;
}

const untilSent = (count: number) =>
  vi.waitFor(async () => expect(await countSent()).toBe(count), { interval: 20 });

/** Counts the batches that write messages while `work` runs. */
async function countBatches(work: () => Promise<void>): Promise<number> {
  const database = Object.getPrototypeOf(env.DB.withSession()) as Pick<D1Database, "batch">;
  const { batch } = database;
  let count = 0;
  database.batch = function counted<T>(this: D1Database, list: D1PreparedStatement[]) {
    if (
      list.some((one) => /INSERT INTO messages \(/.test((one as unknown as { statement: string }).statement))
    )
      count += 1;
    return batch.call(this, list) as Promise<D1Result<T>[]>;
  };
  try {
    await work();
  } finally {
    database.batch = batch;
  }
  return count;
}

describe("messages are sent", () => {
  it("together, after a time well below the five seconds in which recalls elsewhere find them", async () => {
    expect(SEND_DELAY_MS).toBeLessThan(4_000);
    const batches = await countBatches(async () => {
      for (let n = 0; n < 3; n += 1) await say({});
      expect(await countSent()).toBe(0);
      release();
      await untilSent(3);
    });
    expect(batches).toBe(1);
  });

  it("by a recall in their session that covers messages, and by no other", async () => {
    await say({ id: "m1" });
    await client.call("POST", `${path}/recall`, { query: "heron", sources: ["memories"] });
    expect(await countSent()).toBe(0);
    const { body } = await client.call("POST", `${path}/recall`, { query: "heron", sources: ["messages"] });
    expect(body.memories).toMatchObject([{ id: "m1" }]);
    expect(await countSent()).toBe(1);
  });

  it("at once by the reply that ends a turn, with those before it", async () => {
    await say({});
    await say({ role: "assistant", content: "", tool_calls: [{ id: "c1", name: "look" }] });
    await say({ role: "tool", content: "A nest" });
    expect(await countSent()).toBe(0);
    const batches = await countBatches(async () => {
      await say({ role: "assistant", content: "It nests by the canal" });
      await untilSent(4);
    });
    expect(batches).toBe(1);
  });

  it("at once when many wait", async () => {
    for (let n = 1; n < SEND_COUNT; n += 1) await say({});
    expect(await countSent()).toBe(0);
    await say({});
    await untilSent(SEND_COUNT);
  });

  it("at once when several come in one call", async () => {
    await say({});
    await say({}, {});
    await untilSent(3);
  });

  it("at once when one of them has left the window", async () => {
    await client.call("POST", "/v1/sessions", {
      id: path.split("/").at(-1),
      token_budget: { total: 1_000, conversation: 200, context: 800 },
    });
    await say({ content: "and so on ".repeat(20) });
    expect(await countSent()).toBe(0);
    for (let n = 0; n < 3; n += 1) await say({ content: "and so on ".repeat(20) });
    await untilSent(4);
  });

  it("before a memory that rests on one of them, and not for one that does not", async () => {
    await say({ id: "m1" });
    const remember = (content: string, evidence: string[]) =>
      client.call("POST", `${path}/remember`, { content, evidence });
    expect((await remember("Herons are grey", [])).status).toBe(201);
    expect(await countSent()).toBe(0);
    expect((await remember("The heron has a nest", ["message:m1"])).status).toBe(201);
    expect(await countSent()).toBe(1);
  });
});
