// Helpers of the long-term tests: a tenant of its own, seen over HTTP, through its store, and as rows of D1.
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { NewMemory } from "../../../src/memories/memory-schemas";
import type { MemoryWrite } from "../../../src/memories/store/commit-plan";
import { createLongTermMemory } from "../../../src/services/long-term-memory";
import { newMemory } from "../../fakes/records";
import { ADMIN_KEY, callWith, freshId, newClient } from "../support";

export const NOON = "2026-03-01T12:00:00.000Z";

export const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id);

/** What is in the first list and no longer in the second. */
export function lost<T>(before: readonly T[], after: readonly T[]): T[] {
  const kept = new Set(after.map((item) => JSON.stringify(item)));
  return before.filter((item) => !kept.has(JSON.stringify(item)));
}

/** Rebuilds page by page, all tenants or one; gives the size of each page. */
export async function rebuild(tenant?: string): Promise<number[]> {
  const pages: number[] = [];
  let cursor: string | null = null;
  do {
    const { status, body } = await callWith(ADMIN_KEY, "POST", "/v1/admin/rebuild", { tenant, cursor });
    expect(status).toBe(200);
    pages.push(body.rebuilt);
    cursor = body.next_cursor;
  } while (cursor !== null);
  return pages;
}

export type Tenant = Awaited<ReturnType<typeof newTenant>>;

export async function newTenant() {
  const client = await newClient();
  const session = freshId("session");

  async function rows<Row>(query: string): Promise<Row[]> {
    return (await env.DB.prepare(query).bind(client.tenant).all<Row>()).results;
  }

  return {
    ...client,
    session,
    /** The tenant's store, with the clock stopped at noon. */
    store: (memoriesPerSession = 10_000) =>
      createLongTermMemory(env, client.tenant, { now: () => Date.parse(NOON), memoriesPerSession }).store,
    search: () => createLongTermMemory(env, client.tenant, { now: () => Date.parse(NOON) }).search,

    /** Remembers in the tenant's first session, unless the input says where; gives the id. */
    async remember(input: object): Promise<string> {
      const { status, body } = await client.call("POST", "/v1/remember", { session_id: session, ...input });
      expect([200, 201]).toContain(status);
      return body.memory_id;
    },
    async forget(input: object): Promise<void> {
      expect((await client.call("POST", "/v1/forget", input)).status).toBe(200);
    },
    async memory(id: string) {
      const { status, body } = await client.call("GET", `/v1/memories/${id}`);
      expect(status).toBe(200);
      return body;
    },
    async history(id: string): Promise<string[]> {
      return ids((await client.call("GET", `/v1/memories/${id}/history`)).body.data);
    },
    async liveIds(): Promise<string[]> {
      return ids((await client.call("GET", "/v1/memories?limit=100")).body.data);
    },

    /** Everything the tenant has in D1: its triples, its read model without row numbers, its indexed rows. */
    async contents() {
      const triples = await rows<{ subject: string; predicate: string; object: string; datatype: string }>(
        "SELECT subject, predicate, object, datatype FROM triples WHERE tenant = ? ORDER BY subject, position",
      );
      const memories = await rows<{ seq: number; id: string } & Record<string, unknown>>(
        "SELECT * FROM memories WHERE tenant = ? ORDER BY id",
      );
      const index = await env.DB.prepare("SELECT rowid FROM memories_fts").all<{ rowid: number }>();
      const indexed = new Set(index.results.map(({ rowid }) => rowid));
      return {
        triples,
        // The operation and activity that created a memory are not part of the read model: no triple states them.
        memories: memories.map(
          ({
            seq: _seq,
            op: _op,
            activity: _activity,
            recorded_at: _recordedAt,
            ended_at: _endedAt,
            ...row
          }) => row,
        ),
        indexed: memories.filter(({ seq }) => indexed.has(seq)).map(({ id }) => id),
      };
    },

    /** A write for the store, of the tenant's first session unless it says otherwise. */
    write(memory: Partial<NewMemory> & { content: string }): MemoryWrite {
      const whole = newMemory({ session_id: session, timestamp: NOON, ...memory });
      return { op: freshId("op"), fingerprint: "", memory: whole };
    },
  };
}
