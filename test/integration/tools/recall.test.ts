// What recall promises, line by line.
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { NewMemory } from "../../../src/memories/memory-schemas";
import { createLongTermMemory } from "../../../src/services/long-term-memory";
import { newMemory } from "../../fakes/records";
import { type Client, eventsIn, freshId, newClient } from "../support";

let client: Client;
beforeAll(async () => {
  client = await newClient();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A session that holds these memories, committed at their own times. */
async function sessionWith(memories: readonly (Partial<NewMemory> & { content: string })[]): Promise<string> {
  const session = freshId("session");
  await client.call("POST", "/v1/sessions", { id: session });
  const { store } = createLongTermMemory(env, client.tenant, { now: Date.now });
  const results = await store.memories.commit(
    memories.map((memory) => ({
      op: freshId("op"),
      fingerprint: "",
      memory: newMemory({ session_id: session, ...memory }),
    })),
  );
  expect(results.map(({ ok }) => ok)).toEqual(memories.map(() => true));
  return session;
}

async function recall(session: string, input: object) {
  const { status, body } = await client.call("POST", `/v1/sessions/${session}/recall`, input);
  expect(status).toBe(200);
  return body;
}

async function recalled(session: string, input: object): Promise<string[]> {
  return (await recall(session, input)).memories.map(({ content }: { content: string }) => content);
}

const KINDS = [
  "fact",
  "assumption",
  "hypothesis",
  "discovery",
  "risk",
  "unknown",
  "decision",
  "convention",
  "lesson_learned",
] as const;

describe("recall", () => {
  it("returns memories matching the type filter", async () => {
    const session = await sessionWith(KINDS.map((type) => ({ content: `One ${type}`, type })));
    for (const type of KINDS) expect(await recalled(session, { type })).toEqual([`One ${type}`]);
    const { status, body } = await client.call("POST", `/v1/sessions/${session}/recall`, { type: "opinion" });
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { path: "type", message: expect.stringMatching(/^must be .*\ball, .*\bfact\b/) },
    ]);
  });

  it("returns all memory types with type all, and by default", async () => {
    const session = await sessionWith(KINDS.map((type) => ({ content: `One ${type}`, type })));
    const all = KINDS.map((type) => `One ${type}`).sort();
    expect((await recalled(session, { type: "all" })).sort()).toEqual(all);
    expect((await recalled(session, {})).sort()).toEqual(all);
  });

  it("filters by min_confidence correctly, 0.5 by default, the bound itself included", async () => {
    const levels = [0, 0.3, 0.49, 0.5, 0.7, 1];
    const session = await sessionWith(
      levels.map((confidence) => ({ content: `Level ${confidence}`, confidence })),
    );
    const found = async (input: object) =>
      (await recall(session, input)).memories.map(({ confidence }: NewMemory) => confidence).sort();
    expect(await found({})).toEqual([0.5, 0.7, 1]);
    for (const min_confidence of levels) {
      const expected = levels.filter((level) => level >= min_confidence);
      expect(await found({ min_confidence })).toEqual(expected);
      expect(await found({ min_confidence, query: "level" })).toEqual(expected);
    }
    for (const min_confidence of [-0.1, 1.1, "high"]) {
      const { status, body } = await client.call("POST", `/v1/sessions/${session}/recall`, {
        min_confidence,
      });
      expect(status).toBe(400);
      expect(body.errors[0].path).toBe("min_confidence");
    }
  });

  it("respects the limit parameter, 10 by default", async () => {
    const session = await sessionWith(Array.from({ length: 60 }, (_, i) => ({ content: `Item ${i}` })));
    for (const query of [undefined, "item"]) {
      expect((await recall(session, { query })).count).toBe(10);
      for (const limit of [1, 7, 50]) {
        const { count, memories } = await recall(session, { query, limit });
        expect(count).toBe(limit);
        expect(new Set(memories.map(({ id }: { id: string }) => id)).size).toBe(limit);
      }
    }
  });

  it.each([0, 51, -1, 1.5, "10", null])("validates the limit range of 1 to 50: refuses %j", async (limit) => {
    const session = await sessionWith([{ content: "Something" }]);
    const { status, body } = await client.call("POST", `/v1/sessions/${session}/recall`, { limit });
    expect(status).toBe(400);
    expect(body.code).toBe("invalid_request");
    expect(body.errors[0]).toEqual({ path: "limit", message: expect.stringMatching(/^must be /) });
  });

  it.each([
    "postgresql",
    "POSTGRESQL",
    "which PostgreSql port?",
    "Öffnet",
    "öffnet",
    "ÖFFNET",
  ])("performs a case-insensitive text search with a query: %s", async (query) => {
    const session = await sessionWith([
      { content: "PostgreSQL öffnet Port 5433" },
      { content: "The mail server is Postfix" },
    ]);
    const { memories } = await recall(session, { query, mode: "text" });
    expect(memories.map(({ content }: NewMemory) => content)).toEqual(["PostgreSQL öffnet Port 5433"]);
    expect(memories[0].signals.lexical).toBeGreaterThan(0);
  });

  it("takes a query of 1000 characters, counted as code points, and no longer one", async () => {
    const session = await sessionWith([{ content: "The brain is an organ" }]);
    expect(await recalled(session, { query: `brain ${"🧠".repeat(994)}` })).toEqual([
      "The brain is an organ",
    ]);
    const { status, body } = await client.call("POST", `/v1/sessions/${session}/recall`, {
      query: "🧠".repeat(1001),
    });
    expect(status).toBe(400);
    expect(body.errors[0]).toEqual({ path: "query", message: expect.stringContaining("at most 1000") });
  });

  it("applies type and confidence before the query's best matches are counted", async () => {
    const better = "Cache cache cache: the cache";
    const session = await sessionWith([
      ...Array.from({ length: 60 }, (_, i) => ({ content: `${better} ${i}`, type: "risk" as const })),
      ...Array.from({ length: 60 }, (_, i) => ({ content: `${better}, perhaps ${i}`, confidence: 0.2 })),
      { content: "A long remark in which, after many other words about many things, a cache is named" },
    ]);
    const filtered = await recalled(session, { query: "cache", type: "fact", min_confidence: 0.5, limit: 1 });
    expect(filtered).toEqual([expect.stringContaining("A long remark")]);
    expect(await recalled(session, { query: "cache", min_confidence: 0, limit: 1 })).not.toEqual(filtered);
    expect(await recalled(session, { query: "elephants", type: "fact" })).toEqual([]);
  });

  it("records an access for all returned memories, and only for them", async () => {
    const session = await sessionWith([
      { content: "The lighthouse is red" },
      { content: "The lighthouse is tall" },
      { content: "The harbour is small" },
    ]);
    const before = Date.now();
    const lighthouse = { query: "lighthouse", mode: "text" };
    const { memories } = await recall(session, lighthouse);
    expect(memories.map(({ access_count }: { access_count: number }) => access_count)).toEqual([0, 0]);
    await recall(session, { ...lighthouse, limit: 2 });
    await vi.waitFor(async () => {
      for (const { id } of memories) {
        const { body } = await client.call("GET", `/v1/memories/${id}`);
        expect(body.access_count).toBe(2);
        expect(Date.parse(body.last_accessed)).toBeGreaterThanOrEqual(before);
      }
    });
    const [harbour] = (await recall(session, { query: "harbour", mode: "text" })).memories;
    expect(harbour.access_count).toBe(0);
  });

  it("returns an empty list when nothing matches", async () => {
    const session = await sessionWith([{ content: "The harbour is small" }]);
    for (const input of [{ query: "elephant" }, { query: "?!" }, { type: "bug" }])
      expect(await recall(session, input)).toMatchObject({ count: 0, memories: [] });
    expect(await recall(await sessionWith([]), {})).toMatchObject({ count: 0, memories: [] });
  });

  it("formats results with the count and the list of memories", async () => {
    const timestamp = "2026-01-31T12:00:00.000Z";
    const rationale = "It was measured";
    const session = await sessionWith([{ content: "It takes 3 ms", confidence: 0.83, rationale, timestamp }]);
    expect(await recall(session, { query: "takes" })).toEqual({
      count: 1,
      confidence: "good",
      memories: [
        {
          id: expect.stringMatching(/^[A-Za-z0-9_-]{1,128}$/),
          kind: "memory",
          content: "It takes 3 ms",
          type: "fact",
          confidence: 0.83,
          status: "live",
          timestamp,
          session_id: session,
          user_id: null,
          agent_id: null,
          project_id: null,
          source_type: "agent",
          rationale,
          score: expect.any(Number),
          signals: expect.objectContaining({ lexical: 1, importance: 1, recency: expect.any(Number) }),
          superseded_by: null,
          access_count: 0,
          metadata: {},
          tags: [],
        },
      ],
    });
  });

  it("answers a missing session id with a clear error, and a session that does not exist yet as an empty one", async () => {
    const call = { type: "tool_use", id: "toolu_1", name: "recall", input: {} };
    const executed = await client.call("POST", "/v1/tools/execute", { call });
    expect(executed.status).toBe(400);
    expect(executed.body.errors).toEqual([
      { path: "session_id", message: expect.stringContaining("required") },
    ]);
    const scoped = await client.call("POST", "/v1/recall", { scope: "session" });
    expect(scoped.status).toBe(400);
    expect(scoped.body.detail).toContain("session_id");
    const unknown = freshId("session");
    const { status, body } = await client.call("POST", `/v1/sessions/${unknown}/recall`, {});
    expect(status).toBe(200);
    expect(body.memories).toEqual([]);
    expect((await client.call("GET", `/v1/sessions/${unknown}`)).status).toBe(404);
  });

  it("emits a telemetry event with its parameters and the result count", async () => {
    const session = await sessionWith([{ content: "The tide is low" }, { content: "The tide is high" }]);
    const log = vi.spyOn(console, "log");
    await recall(session, { query: "tide", type: "fact", min_confidence: 0.25, limit: 5, mode: "text" });
    expect(eventsIn(log, "recall")).toEqual([
      {
        event: "recall",
        status: "ok",
        tenant: client.tenant,
        session_id: session,
        duration_ms: expect.any(Number),
        memory_type: "fact",
        scope: "session",
        mode: "text",
        has_query: true,
        min_confidence: 0.25,
        limit: 5,
        result_count: 2,
        degraded: false,
      },
    ]);
  });

  it("returns memories sorted by relevance to the query, and by recency where that is equal", async () => {
    const at = (day: number) => ({ timestamp: `2026-02-0${day}T00:00:00.000Z` });
    const session = await sessionWith([
      { content: "The invoice service sends invoices by mail", ...at(1) },
      { content: "The mail room is on the second floor of the old building", ...at(5) },
      { content: "Green paint", type: "fact", ...at(2) },
      { content: "Green paint", type: "risk", ...at(4) },
      { content: "Green paint", type: "unknown", ...at(3) },
    ]);
    const { memories } = await recall(session, { query: "invoice service mail" });
    expect(memories.map(({ content }: NewMemory) => content.slice(0, 12))).toEqual([
      "The invoice ",
      "The mail roo",
    ]);
    expect(memories[0].score).toBeGreaterThan(memories[1].score);
    const equal = await recall(session, { query: "green paint" });
    expect(equal.memories.map(({ type }: NewMemory) => type)).toEqual(["risk", "unknown", "fact"]);
    const newest = (await recall(session, {})).memories.map(({ timestamp }: NewMemory) => timestamp);
    expect(newest).toEqual([5, 4, 3, 2, 1].map((day) => at(day).timestamp));
  });
});
