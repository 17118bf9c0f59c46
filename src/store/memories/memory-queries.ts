// Reads of the long-term store: by id, by filter, by pattern, by chain. All of them for one tenant.
import { and, desc, eq, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import { listSubtypes } from "../../ontology/classes";
import { type Database, readAll, sanitiseErrors } from "../../platform/d1";
import type { Memory } from "../../schemas/memory";
import type { MemoryType } from "../../schemas/session";
import { hasPrefix } from "../statements";
import { memories } from "../tables";
import { BACKLOG_SEARCH_WINDOW } from "../vectors/vector-queue";
import { getMemoryScope } from "./memory-id";
import { fromMemoryRow, type MemoryRow } from "./memory-mapping";
import { read } from "./pattern-repository";

export async function findMemory(db: Database, tenant: string, id: string): Promise<Memory | null> {
  const [row] = await sanitiseErrors(() =>
    db.orm
      .select()
      .from(memories)
      .where(and(eq(memories.tenant, tenant), eq(memories.id, id))),
  );
  return row === undefined ? null : fromMemoryRow(row);
}

export async function findMemories(db: Database, tenant: string, ids: readonly string[]): Promise<Memory[]> {
  const rows = await readAll<MemoryRow>(
    db,
    sql`SELECT * FROM memories WHERE tenant = ${tenant} AND id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
  );
  return rows.map(fromMemoryRow);
}

/** Live memories that the vector index does not show as they are now, newest first. */
export async function listUnindexed(
  db: Database,
  tenant: string,
  sessionId: string,
  limit: number,
): Promise<Memory[]> {
  const rows = await readAll<MemoryRow>(
    db,
    sql`SELECT m.* FROM (
        SELECT id, seq FROM vector_queue WHERE tenant = ${tenant} AND kind = 'memory'
        ORDER BY seq DESC LIMIT ${BACKLOG_SEARCH_WINDOW}
      ) q CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = q.id
      WHERE m.session_id = ${sessionId} AND m.live = 1 ORDER BY q.seq DESC LIMIT ${limit}`,
  );
  return rows.map(fromMemoryRow);
}

export type MemoryFilter = {
  type: MemoryType | null;
  session_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  include_superseded: boolean;
  /** Of one scope, which is the narrowest of the ids given: a key is the name of a topic there. */
  key?: string | undefined;
  key_prefix?: string | undefined;
};

/** A place in the order newest first. */
export type TimeCursor = { timestamp: string; id: string };

export async function selectMemories(
  db: Database,
  tenant: string,
  filter: MemoryFilter,
  page: { limit: number; after: TimeCursor | null },
): Promise<Memory[]> {
  const conditions: (SQL | undefined)[] = [eq(memories.tenant, tenant)];
  if (filter.type !== null) conditions.push(inArray(memories.type, listSubtypes(filter.type)));
  if (filter.session_id !== null) conditions.push(eq(memories.session_id, filter.session_id));
  if (filter.agent_id !== null) conditions.push(eq(memories.agent_id, filter.agent_id));
  if (filter.project_id !== null) conditions.push(eq(memories.project_id, filter.project_id));
  if (!filter.include_superseded) conditions.push(eq(memories.live, 1));
  if (filter.key !== undefined) conditions.push(eq(memories.topic_key, filter.key));
  if (filter.key_prefix !== undefined)
    conditions.push(hasPrefix(sql`${memories.topic_key}`, filter.key_prefix));
  if (filter.key !== undefined || filter.key_prefix !== undefined)
    conditions.push(eq(memories.scope, getMemoryScope({ ...filter, properties: {} })));
  if (page.after !== null) {
    const { timestamp, id } = page.after;
    conditions.push(
      or(lt(memories.timestamp, timestamp), and(eq(memories.timestamp, timestamp), lt(memories.id, id))),
    );
  }
  const rows = await sanitiseErrors(() =>
    db.orm
      .select()
      .from(memories)
      .where(and(...conditions))
      .orderBy(desc(memories.timestamp), desc(memories.id))
      .limit(page.limit),
  );
  return rows.map(fromMemoryRow);
}

export async function countLive(db: Database, tenant: string, sessionId: string): Promise<number> {
  const rows = await readAll<{ live: number }>(
    db,
    sql`SELECT count(*) AS live FROM memories WHERE tenant = ${tenant} AND session_id = ${sessionId} AND live = 1`,
  );
  return rows[0]?.live ?? 0;
}

/** The whole chain of supersession that a memory is part of, oldest first. */
export async function listHistory(db: Database, tenant: string, id: string): Promise<Memory[]> {
  const rows = await readAll<MemoryRow>(
    db,
    sql`
      WITH RECURSIVE
        later (id) AS (
          SELECT ${id}
          UNION SELECT m.superseded_by FROM later CROSS JOIN memories m
            ON m.tenant = ${tenant} AND m.id = later.id WHERE m.superseded_by IS NOT NULL
        ),
        chain (id, steps) AS (
          SELECT m.id, 0 FROM later CROSS JOIN memories m
            ON m.tenant = ${tenant} AND m.id = later.id WHERE m.superseded_by IS NULL
          UNION ALL SELECT m.id, steps + 1 FROM chain CROSS JOIN memories m
            ON m.tenant = ${tenant} AND m.superseded_by = chain.id
        )
      SELECT m.* FROM chain CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = chain.id
      ORDER BY steps DESC, m.timestamp, m.id`,
  );
  return rows.map(fromMemoryRow);
}
/** The live memories that say what any of these identities says. */

export async function findByIdentity(
  db: Database,
  tenant: string,
  identities: readonly string[],
): Promise<Memory[]> {
  const wanted = sql`SELECT value FROM json_each(${JSON.stringify(identities)})`;
  return read(
    db,
    [sql`tenant = ${tenant}`, sql`identity IN (${wanted})`, sql`live = 1`],
    sql`ORDER BY timestamp DESC, id DESC`,
  );
}
/** The live memory of a topic. */

export async function findByTopic(
  db: Database,
  tenant: string,
  scope: string,
  topicKey: string,
): Promise<Memory | null> {
  const conditions = [
    sql`tenant = ${tenant}`,
    sql`scope = ${scope}`,
    sql`topic_key = ${topicKey}`,
    sql`live = 1`,
  ];
  const [memory] = await read(db, conditions, sql`ORDER BY timestamp DESC, id DESC LIMIT 1`);
  return memory ?? null;
}
