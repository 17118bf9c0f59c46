// Reads memories of one tenant by id, filter, identity and topic.
import { and, desc, eq, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import { readAll } from "../../kernel/databases/d1";
import { hasPrefix } from "../../kernel/databases/statements";
import type { Page, StoreContext } from "../../kernel/store-context";
import { memories } from "../../kernel/tables";
import type { MemoryType } from "../../ontology/generated/terms.generated";
import { listTypesBelow } from "../../ontology/tenant-ontology";
import { buildClockConditions, selectMemoryTable } from "../history/memories-as-of";
import type { MetadataFilter } from "../memory-fields";
import type { Memory } from "../memory-schemas";
import { selectMemoryRow } from "../usage/usage-counts";
import { getMemoryScope } from "./memory-id";
import { fromMemoryRow, type MemoryRow, toStoredMemory } from "./memory-mapping";
import { buildMetadataConditions } from "./metadata-conditions";
import { BACKLOG_SEARCH_WINDOW, selectBacklog } from "./vector-queue";

export async function findMemory({ db, tenant }: StoreContext, id: string): Promise<Memory | null> {
  const [row] = await readAll<MemoryRow>(
    db,
    sql`SELECT ${selectMemoryRow("m")} FROM memories m WHERE tenant = ${tenant} AND id = ${id}`,
  );
  return row === undefined ? null : fromMemoryRow(row);
}

export async function findMemories({ db, tenant }: StoreContext, ids: readonly string[]): Promise<Memory[]> {
  const rows = await readAll<MemoryRow>(
    db,
    sql`SELECT ${selectMemoryRow("m")} FROM memories m WHERE tenant = ${tenant} AND id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
  );
  return rows.map(fromMemoryRow);
}

export async function findByIdentity(
  { db, tenant }: StoreContext,
  identities: readonly string[],
): Promise<Memory[]> {
  const rows = await readAll<MemoryRow>(
    db,
    sql`SELECT * FROM (${selectByIdentity(tenant, identities)}) WHERE live = 1 ORDER BY timestamp DESC, id DESC`,
  );
  return rows.map(fromMemoryRow);
}

/**
 * Builds a SELECT of the memories with an identity. Most have it as their id; only the others are in the index by
 * identity.
 */
export function selectByIdentity(tenant: string, identities: readonly string[]): SQL {
  const list = sql`(SELECT value FROM json_each(${JSON.stringify(identities)}))`;
  return sql`SELECT ${selectMemoryRow("m")} FROM memories m WHERE tenant = ${tenant} AND id IN ${list} AND identity = id
    UNION ALL SELECT ${selectMemoryRow("m")} FROM memories m WHERE tenant = ${tenant} AND id <> identity AND identity IN ${list}`;
}

export async function findByTopic(
  { db, tenant }: StoreContext,
  scope: string,
  topicKey: string,
): Promise<Memory | null> {
  const [row] = await readAll<MemoryRow>(
    db,
    sql`SELECT ${selectMemoryRow("m")} FROM memories m WHERE tenant = ${tenant} AND topic_scope = ${scope} AND topic_key = ${topicKey} AND live = 1
      ORDER BY timestamp DESC, id DESC LIMIT 1`,
  );
  return row === undefined ? null : fromMemoryRow(row);
}

export type MemoryFilter = {
  type: MemoryType | null;
  session_id: string | null;
  user_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  include_superseded: boolean;
  as_of?: string | undefined;
  valid_at?: string | undefined;
  /** The topic key. It is unique within a scope, here the narrowest of the given ids. */
  key?: string | undefined;
  key_prefix?: string | undefined;
  metadata?: MetadataFilter | undefined;
};

/** Returns the memories that pass a filter, newest first. */
export async function selectMemories(
  { db, tenant, ontology }: StoreContext,
  filter: MemoryFilter,
  page: Page,
): Promise<Memory[]> {
  const conditions: (SQL | undefined)[] = [eq(memories.tenant, tenant)];
  if (filter.type !== null) conditions.push(inArray(memories.type, listTypesBelow(ontology, filter.type)));
  if (filter.session_id !== null) conditions.push(eq(memories.session_id, filter.session_id));
  if (filter.user_id !== null) conditions.push(eq(memories.user_id, filter.user_id));
  if (filter.agent_id !== null) conditions.push(eq(memories.agent_id, filter.agent_id));
  if (filter.project_id !== null) conditions.push(eq(memories.project_id, filter.project_id));
  conditions.push(...buildClockConditions(filter, sql`memories`));
  if (filter.key !== undefined) conditions.push(eq(memories.topic_key, filter.key));
  if (filter.key_prefix !== undefined)
    conditions.push(hasPrefix(sql`${memories.topic_key}`, filter.key_prefix));
  const hasKey = filter.key !== undefined || filter.key_prefix !== undefined;
  if (hasKey) conditions.push(isTopicScope(filter));
  if (filter.metadata !== undefined)
    conditions.push(...buildMetadataConditions(filter.metadata, sql`memories`));
  if (page.after !== null) {
    const { timestamp, id } = page.after;
    conditions.push(
      or(lt(memories.timestamp, timestamp), and(eq(memories.timestamp, timestamp), lt(memories.id, id))),
    );
  }
  // Few memories have a key: sorting them is cheaper than reading the whole tenant in order of time.
  const time = hasKey ? sql`+${memories.timestamp} DESC` : desc(memories.timestamp);
  const rows = await readAll<MemoryRow>(
    db,
    sql`SELECT ${selectMemoryRow("memories")} FROM ${selectMemoryTable(filter)} AS memories
      WHERE ${and(...conditions)} ORDER BY ${time}, ${desc(memories.id)} LIMIT ${page.limit}`,
  );
  const found = rows.map(fromMemoryRow);
  return filter.as_of === undefined ? found : found.map(toStoredMemory);
}

/** A key is unique for the user of a memory; a filter by its session alone does not know the user. */
function isTopicScope(filter: MemoryFilter): SQL {
  const column = filter.session_id === null ? memories.topic_scope : memories.scope;
  return eq(column, getMemoryScope({ ...filter, properties: {} }));
}

/** Returns live memories of a session from the newest entries of the embedding backlog, newest first. */
export async function listUnindexed(
  { db, tenant }: StoreContext,
  sessionId: string,
  limit: number,
): Promise<Memory[]> {
  const rows = await readAll<MemoryRow>(
    db,
    sql`SELECT ${selectMemoryRow("m")} FROM (${selectBacklog(tenant, "memory", BACKLOG_SEARCH_WINDOW)}) q CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = q.id
      WHERE m.session_id = ${sessionId} AND m.live = 1 ORDER BY q.seq DESC LIMIT ${limit}`,
  );
  return rows.map(fromMemoryRow);
}

export async function countLive({ db, tenant }: StoreContext, sessionId: string): Promise<number> {
  const rows = await readAll<{ live: number }>(
    db,
    sql`SELECT count(*) AS live FROM memories WHERE tenant = ${tenant} AND session_id = ${sessionId} AND live = 1`,
  );
  return rows[0]?.live ?? 0;
}
