// Read replicas: which calls a replica that lags may answer, and that no caller misses what it has written.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BookmarkTracker, formatBookmark } from "../../../src/kernel/databases/bookmark-tracker";
import { unwrap } from "../../../src/kernel/errors";
import { RecallInput } from "../../../src/memories/memory-schemas";
import { beginMove } from "../../../src/owners/shards/move-tenant";
import { createLongTermMemory } from "../../../src/services/long-term-memory";
import type { SessionResult } from "../../../src/sessions/session-client";
import type { SessionRpc } from "../../../src/sessions/session-rpc";
import { LaggingReplica } from "../../fakes/lagging-d1";
import { newMemory } from "../../fakes/records";
import { kill } from "../../faults/support";
import { buildWrite, finishMove, openStore, prepareSecondDatabase, TWO } from "../shards/support";
import { type Answer, type Client, freshId, newClient, sessionStub } from "../support";

const HEADER = "X-Kioku-Bookmark";

const replica = new LaggingReplica();
let client: Client;

beforeAll(async () => {
  await replica.install();
});
afterAll(() => replica.remove());
beforeEach(async () => {
  client = await newClient();
  await replica.catchUp();
  replica.reads.length = 0;
});

function readBookmark({ headers }: Answer): string {
  const token = headers.get(HEADER);
  if (token === null) throw new Error("The answer has no bookmark");
  return token;
}

async function send(method: string, path: string, body?: unknown, bookmark?: string): Promise<Answer> {
  const answer = await client.call(method, path, body, bookmark === undefined ? {} : { [HEADER]: bookmark });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer;
}

const remember = (content: string) => send("POST", "/v1/remember", { agent_id: "ada", content });

/** Returns the texts that a recall of the agent finds. */
async function recall(query: string, bookmark?: string): Promise<string[]> {
  const request = { agent_id: "ada", query, mode: "text" };
  const { body } = await send("POST", "/v1/recall", request, bookmark);
  return body.memories.map(({ content }: { content: string }) => content).toSorted();
}

/** Returns what a recall finds, and whether it has read the replica. */
async function recallFrom(query: string, bookmark?: string) {
  replica.reads.length = 0;
  const found = await recall(query, bookmark);
  return { found, from: replica.reads.length > 0 ? "replica" : "primary" };
}

describe("a recall right after a write", () => {
  it("finds it with the bookmark of the write, and without any", async () => {
    const bookmark = readBookmark(await remember("The lamp is blue"));
    expect(await recallFrom("lamp", bookmark)).toEqual({ found: ["The lamp is blue"], from: "primary" });
    expect(await recallFrom("lamp")).toEqual({ found: ["The lamp is blue"], from: "primary" });
  });

  it("is answered by a replica as soon as that has it, and no newer write is missed by its writer", async () => {
    const first = readBookmark(await remember("The lamp is blue"));
    await replica.catchUp();
    const second = readBookmark(await remember("The other lamp is red"));
    // The replica is behind, and whoever has only the first bookmark has no right to more.
    expect(await recallFrom("lamp", first)).toEqual({ found: ["The lamp is blue"], from: "replica" });
    const both = ["The lamp is blue", "The other lamp is red"];
    expect(await recallFrom("lamp", second)).toEqual({ found: both, from: "primary" });
    expect(await recallFrom("lamp")).toEqual({ found: both, from: "primary" });
    await replica.catchUp();
    expect(await recallFrom("lamp", second)).toEqual({ found: both, from: "replica" });
  });

  it("from another region, with another key, sees it with the bookmark", async () => {
    const elsewhere = await newClient(["read", "write"], client.tenant);
    const early = readBookmark(await remember("The first door is open"));
    await replica.catchUp();
    const bookmark = readBookmark(await remember("The second door is open"));
    client = elsewhere;
    expect(await recall("door", bookmark)).toHaveLength(2);
    expect(await recallFrom("door", early)).toEqual({ found: ["The first door is open"], from: "replica" });
  });

  it("gives a bookmark itself, so that the next one is no older", async () => {
    await remember("The lamp is blue");
    const seen = readBookmark(
      await send("POST", "/v1/recall", { agent_id: "ada", query: "lamp", mode: "text" }),
    );
    expect(await recallFrom("lamp", seen)).toMatchObject({ found: ["The lamp is blue"] });
    await replica.catchUp();
    const { headers } = await send("POST", "/v1/recall", { agent_id: "ada", query: "lamp" }, seen);
    expect(headers.get(HEADER)).toEqual(expect.any(String));
    expect(String(headers.get(HEADER)) >= seen).toBe(true);
  });

  it("is found by a hybrid search on the replica, whose backlog is as old as its rows", async () => {
    const bookmark = readBookmark(await remember("Her automobile is red"));
    await replica.catchUp();
    replica.reads.length = 0;
    const { body } = await send("POST", "/v1/recall", { agent_id: "ada", query: "automobile" }, bookmark);
    expect(body.memories[0].content).toBe("Her automobile is red");
    expect(replica.reads.join()).toContain("vector_queue");
  });
});

describe("what is forgotten or erased", () => {
  it("is gone for whoever has the bookmark of it, and for others when the replica has caught up", async () => {
    const { body, ...written } = await remember("The safe is open");
    const before = readBookmark({ body, ...written });
    await replica.catchUp();
    const after = readBookmark(await send("POST", "/v1/forget", { memory_id: body.memory_id }));
    expect(await recallFrom("safe", after)).toEqual({ found: [], from: "primary" });
    expect(await recallFrom("safe")).toEqual({ found: [], from: "primary" });
    expect(await recallFrom("safe", before)).toEqual({ found: ["The safe is open"], from: "replica" });
    await replica.catchUp();
    expect(await recallFrom("safe", before)).toEqual({ found: [], from: "replica" });
  });

  it("is not read by its id with the bookmark of its erasure", async () => {
    const { body, ...written } = await remember("The safe is open");
    const before = readBookmark({ body, ...written });
    await replica.catchUp();
    const path = `/v1/memories/${body.memory_id}`;
    const after = readBookmark(await send("DELETE", path));
    const read = (bookmark: string) => client.call("GET", path, undefined, { [HEADER]: bookmark });
    expect((await read(after)).status).toBe(404);
    expect((await read(before)).status).toBe(200);
    await replica.catchUp();
    expect((await read(before)).status).toBe(404);
  });

  it("with a whole session is gone for whoever has the bookmark of it", async () => {
    const session = freshId("session");
    await send("POST", `/v1/sessions/${session}/remember`, { content: "The safe is open" });
    await replica.catchUp();
    const after = readBookmark(await send("DELETE", `/v1/sessions/${session}?memories=true`));
    const request = { scope: "tenant", query: "safe", mode: "text" };
    expect((await send("POST", "/v1/recall", request, after)).body.memories).toEqual([]);
  });
});

describe("a session", () => {
  let session: string;
  let path: string;
  beforeEach(() => {
    session = freshId("session");
    path = `/v1/sessions/${session}`;
  });
  const readObjectBookmark = async (): Promise<string | undefined> => {
    const { tenant } = client;
    const object = sessionStub(tenant, session) as unknown as SessionRpc;
    const answer: SessionResult<unknown> = await object.getSettings({ tenant, id: session });
    return answer.bookmark;
  };

  it("answers with the bookmark of its last write, also after it was evicted", async () => {
    const written = readBookmark(await send("POST", `${path}/remember`, { content: "The boat is white" }));
    expect(await readObjectBookmark()).toBe(written);
    await kill(sessionStub(client.tenant, session));
    expect(await readObjectBookmark()).toBe(written);
    // The row that has the bookmark is the one of the next entry, which keeps it until it is sent.
    const again = readBookmark(await send("POST", `${path}/remember`, { content: "The boat is small" }));
    expect(again > written).toBe(true);
    const rows = await runInDurableObject(sessionStub(client.tenant, session), (_session, state) =>
      state.storage.sql.exec("SELECT op, entry FROM outbox").toArray(),
    );
    expect(rows).toEqual([{ op: "", entry: JSON.stringify({ bookmark: again }) }]);
    await kill(sessionStub(client.tenant, session));
    expect(await readObjectBookmark()).toBe(again);
  });

  it("keeps the bookmark of messages that it has sent, newer than that of its memories", async () => {
    const written = readBookmark(await send("POST", `${path}/remember`, { content: "The boat is white" }));
    await send("POST", `${path}/messages`, {
      messages: [{ role: "user", content: "Where is the harbour?" }],
    });
    await send("POST", "/v1/recall", { session_id: session, query: "harbour", sources: ["messages"] });
    const sent = await readObjectBookmark();
    expect(String(sent) > written).toBe(true);
    await kill(sessionStub(client.tenant, session));
    expect(await readObjectBookmark()).toBe(sent);
  });

  it("has the bookmark of a promotion", async () => {
    await send("POST", "/v1/sessions", { id: session, agent_id: "ada" });
    await send("POST", `${path}/pending`, {
      content: "Deployments go out on Fridays",
      memory_type: "decision",
      confidence: "high",
      suggested_by: "agent",
    });
    await replica.catchUp();
    const promoted = await send("POST", `${path}/promote`);
    expect(promoted.body.promoted).toHaveLength(1);
    expect(await recallFrom("deployments", readBookmark(promoted))).toEqual({
      found: ["Deployments go out on Fridays"],
      from: "primary",
    });
  });

  it("assembles from a replica that has the caller's bookmark and its own writes", async () => {
    const assemble = async (bookmark?: string) => {
      replica.reads.length = 0;
      const { body } = await send("POST", `${path}/assemble`, { query: "boat" }, bookmark);
      const found = body.memories.map(({ content }: { content: string }) => content);
      return { found, from: replica.reads.length > 0 ? "replica" : "primary" };
    };
    const early = readBookmark(await remember("The mast is high"));
    await replica.catchUp();
    const { body } = await send("POST", `${path}/remember`, { content: "The boat is white" });
    // The caller's bookmark is older than what the session has written.
    expect(await assemble(early)).toEqual({ found: ["The boat is white"], from: "primary" });
    await replica.catchUp();
    expect(await assemble(early)).toEqual({ found: ["The boat is white"], from: "replica" });
    // Written past the session: the caller's bookmark tells of it.
    const forgotten = readBookmark(await send("POST", "/v1/forget", { memory_id: body.memory_id }));
    expect(await assemble(forgotten)).toEqual({ found: [], from: "primary" });
    expect(await assemble()).toEqual({ found: [], from: "primary" });
    // A bookmark that the caller has made up concerns no other caller.
    const { tenant } = client;
    const own = await readObjectBookmark();
    await assemble(formatBookmark({ tenant, shard: "DB", epoch: 0, position: "99999999" }) ?? "");
    expect(await readObjectBookmark()).toBe(own);
  });

  it("is recalled in with the messages that it sends for the recall, whatever the caller's bookmark", async () => {
    const early = readBookmark(await send("POST", `${path}/remember`, { content: "The boat is white" }));
    await replica.catchUp();
    const request = { session_id: session, query: "harbour", sources: ["messages"], mode: "text" };
    await send("POST", "/v1/recall", request, early);
    await send("POST", `${path}/messages`, {
      messages: [{ role: "user", content: "Where is the harbour?" }],
    });
    const { body } = await send("POST", "/v1/recall", request, early);
    expect(body.memories).toHaveLength(1);
  });

  it("is preflighted on a replica that has its writes, and again if that turns out to lack some", async () => {
    const preflight = async (bookmark?: string) => {
      replica.reads.length = 0;
      const { body } = await send("POST", `${path}/preflight`, { input: "Is the boat white?" }, bookmark);
      const found = body.memory.entries.map(({ content }: { content: string }) => content).toSorted();
      return { found, from: replica.reads.length > 0 ? "replica" : "primary" };
    };
    const early = readBookmark(await send("POST", `${path}/remember`, { content: "The boat is white" }));
    await replica.catchUp();
    const first = await preflight(early);
    expect(first).toMatchObject({ from: "replica", found: [expect.stringContaining("The boat is white")] });
    // Another isolate writes in the session: this one learns of it while it reads the replica.
    const { tenant } = client;
    const object = sessionStub(tenant, session) as unknown as SessionRpc;
    const before = await readObjectBookmark();
    const memory = newMemory({ session_id: session, content: "The boat is 9 metres long" });
    const write = { op: freshId("op"), fingerprint: "", memory };
    const [written] = unwrap(await object.remember({ tenant, id: session }, [write]));
    if (!written?.ok) throw new Error("The session has not written");
    expect(String(await readObjectBookmark()) > String(before)).toBe(true);
    const second = await preflight(early);
    expect(second).toMatchObject({ from: "replica", found: [expect.any(String), expect.any(String)] });
    // Without a bookmark of the caller, what it has written past the session is not known.
    await replica.catchUp();
    await send("POST", "/v1/forget", { memory_id: written.value.memory_id });
    expect(await preflight()).toEqual({ from: "primary", found: first.found });
  });
});

describe("a write", () => {
  it("and what it is based on go to the primary, whatever bookmark it has", async () => {
    const early = readBookmark(await remember("The fence is green"));
    await replica.catchUp();
    const { body } = await remember("The gate is brown");
    replica.reads.length = 0;
    const patched = await send("PATCH", `/v1/memories/${body.memory_id}`, { confidence: 0.9 }, early);
    expect(patched.body.memory_id ?? patched.body.id).toBe(body.memory_id);
    expect(replica.reads).toEqual([]);
  });

  it("of a tool call goes to the primary, and so does a recall by MCP, which has no way to give a bookmark", async () => {
    const early = readBookmark(await remember("The fence is green"));
    await replica.catchUp();
    await remember("The other fence is blue");
    replica.reads.length = 0;
    const { body } = await client.call(
      "POST",
      "/mcp",
      {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "recall", arguments: { agent_id: "ada", query: "fence" } },
      },
      {
        [HEADER]: early,
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
      },
    );
    expect(JSON.stringify(body)).toContain("The other fence is blue");
    expect(replica.reads).toEqual([]);
  });
});

describe("a bookmark", () => {
  it.each([
    "x",
    "first-unconstrained",
    "000000.first-unconstrained.DB.0123456789abcdef",
    "000000.00000001.XX.0123456789abcdef",
    "000000.00000001.DB.0123456789abcdef ; DROP",
  ])("that is none is refused: %j", async (token) => {
    const answer = await client.call("POST", "/v1/recall", { query: "x" }, { [HEADER]: token });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: "invalid_request", errors: [{ path: HEADER }] });
  });

  it("of another tenant, database or epoch is ignored: the primary answers", async () => {
    const own = readBookmark(await remember("The kite is yellow"));
    await replica.catchUp();
    expect((await recallFrom("kite", own)).from).toBe("replica");
    const position = replica.reached;
    const { tenant } = client;
    const bookmarks = [
      { tenant: freshId("tenant"), shard: "DB", epoch: 0, position },
      { tenant, shard: "DB_1", epoch: 0, position },
      { tenant, shard: "DB", epoch: 1, position },
    ] as const;
    for (const bookmark of bookmarks)
      expect(await recallFrom("kite", formatBookmark(bookmark) ?? "")).toEqual({
        found: ["The kite is yellow"],
        from: "primary",
      });
  });

  it("that D1 refuses leads to the primary", async () => {
    const bookmark = readBookmark(await remember("The kite is yellow"));
    await replica.catchUp();
    replica.refuses = true;
    try {
      expect(await recallFrom("kite", bookmark)).toEqual({ found: ["The kite is yellow"], from: "primary" });
    } finally {
      replica.refuses = false;
    }
  });
});

describe("a key", () => {
  it("that the replica does not know yet is not refused", async () => {
    const early = readBookmark(await remember("The key is new"));
    await replica.catchUp();
    client = await newClient(["read", "write"], client.tenant);
    const later = "The other key is newer";
    await remember(later);
    // The replica answers that it has no such key, and the primary is asked.
    expect(await recallFrom("key", early)).toEqual({ found: ["The key is new", later], from: "replica" });
    await replica.catchUp();
    await remember("A third key is the newest");
    expect(await recallFrom("key", early)).toEqual({ found: ["The key is new", later], from: "replica" });
  });

  it("that was deleted stops at the primary at once, and within seconds where a replica still has it", async () => {
    const { id } = (await client.call("GET", "/v1/keys/self")).body;
    const early = readBookmark(await remember("The key is old"));
    await replica.catchUp();
    // Another isolate deletes the key: this one still remembers it.
    await env.DB.prepare("DELETE FROM api_keys WHERE id = ?").bind(id).run();
    expect(await recall("key", early)).toHaveLength(1);
    const refused = await client.call("POST", "/v1/recall", { query: "key" });
    expect(refused.status).toBe(401);
    expect((await client.call("POST", "/v1/recall", { query: "key" }, { [HEADER]: early })).status).toBe(401);
  });
});

describe("a tenant that has moved", () => {
  beforeAll(prepareSecondDatabase);

  const findTexts = async (bindings: typeof TWO, tenant: string, bookmark: string | null) => {
    const bookmarks = new BookmarkTracker(tenant);
    bookmarks.allowReplicas();
    bookmarks.accept(bookmark);
    replica.reads.length = 0;
    const { search } = createLongTermMemory(bindings, tenant, { now: Date.now, bookmarks });
    const request = RecallInput.parse({ query: "piano", mode: "text", sources: ["memories"] });
    const { hits } = await search.recall({ kind: "tenant" }, request);
    const from = replica.reads.length > 0 ? "replica" : "primary";
    return { found: hits.map(({ content }) => content).toSorted(), from, newest: bookmarks.newest };
  };

  it("is not read where a replica still has it by whoever has written since", async () => {
    const tenant = freshId("tenant");
    // Another isolate, which does not learn of the move.
    const other = { ...TWO, DB: Object.create(env.DB) as D1Database };
    const { store } = openStore(TWO, tenant);
    await store.memories.commit([buildWrite("The piano is in tune")]);
    const before = (await findTexts(other, tenant, null)).newest;
    await replica.catchUp();
    await beginMove(TWO, tenant, "DB_1", new Date().toISOString());
    await finishMove(TWO, tenant);
    await store.memories.commit([buildWrite("The piano was sold")]);
    const after = (await findTexts(TWO, tenant, null)).newest;
    const both = ["The piano is in tune", "The piano was sold"];
    // The replica has not heard of the move. It is as old as any replica may be for the first bookmark, not for the second.
    expect(await findTexts(other, tenant, before)).toMatchObject({
      found: ["The piano is in tune"],
      from: "replica",
    });
    expect(await findTexts(other, tenant, after)).toMatchObject({ found: both, from: "primary" });
    // The other isolate has learned of the move now.
    expect(await findTexts(other, tenant, before)).toMatchObject({ found: both, from: "primary" });
    expect(String(after) > String(before)).toBe(true);
  });
});
