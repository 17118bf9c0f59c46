// Which memories a namespace holds: as a condition on a row `m` of the read model, and as a list.
import { type SQL, sql } from "drizzle-orm";
import { createNamespace, type ResolvedNamespace, SESSION_SEPARATOR } from "../../domain/policy/namespace";
import { type Database, readAll, runBatch } from "../../platform/d1";
import type { Json } from "../../platform/json";
import type { Memory } from "../../schemas/memory";
import type { Page, StoreContext } from "../store-context";
import { eraseMemories, eraseVectors } from "./erase-memories";
import { fromRow, type MemoryRow } from "./memory-mapping";
import type { TimeCursor } from "./memory-queries";

const PREFIX = "namespace:";
/** In the very words of the index `memories_by_namespace`: by them SQLite knows that it may use it. */
const UNDER_A_NAMESPACE = sql.raw(`substr(m.scope, 1, ${PREFIX.length}) = '${PREFIX}'`);

/** Not under a namespace of somebody's own, which only those see who name it. */
export const UNDER_NO_OTHER = sql`NOT (${UNDER_A_NAMESPACE} AND substr(m.scope, ${PREFIX.length + 1}, 6) <> 'agent:')`;

function writtenTo(name: string): SQL {
  return sql`m.scope = ${PREFIX + name}`;
}

function writtenToSessionsOf(name: string): SQL {
  return sql`(m.scope >= ${`${PREFIX}${name}:session:`} AND m.scope < ${`${PREFIX}${name}:session;`})`;
}

/** Agent scope sees what was written under session scope. An agent's own holds what it remembers otherwise, too. */
export function inNamespace({ name, session_id, agent_id }: ResolvedNamespace): SQL {
  const written =
    session_id === null ? sql`(${writtenTo(name)} OR ${writtenToSessionsOf(name)})` : writtenTo(name);
  if (agent_id === null) return written;
  const mine =
    session_id === null
      ? sql`m.agent_id = ${agent_id}`
      : sql`m.agent_id = ${agent_id} AND m.session_id = ${session_id}`;
  return sql`(${written} OR (${mine} AND NOT ${UNDER_A_NAMESPACE}))`;
}

type Part = { index: string; where: SQL };

/**
 * A namespace in parts, each with the index that has it in order of time: left to choose, SQLite would read the whole
 * tenant. What is in an agent's own namespace is the agent's, and what is in a session's is the session's.
 */
function partsOf(namespace: ResolvedNamespace): Part[] {
  const { name, session_id, agent_id } = namespace;
  if (agent_id !== null) {
    return session_id === null
      ? [{ index: "memories_by_agent", where: sql`m.agent_id = ${agent_id} AND ${inNamespace(namespace)}` }]
      : [
          {
            index: "memories_by_session",
            where: sql`m.session_id = ${session_id} AND ${inNamespace(namespace)}`,
          },
        ];
  }
  const conditions = session_id === null ? [writtenTo(name), writtenToSessionsOf(name)] : [writtenTo(name)];
  return conditions.map((condition) => ({
    index: "memories_by_namespace",
    where: sql`${UNDER_A_NAMESPACE} AND ${condition}`,
  }));
}

/** Live memories, newest first. */
export async function listNamespace(
  db: Database,
  tenant: string,
  namespace: ResolvedNamespace,
  { limit, after }: { limit: number; after: TimeCursor | null },
): Promise<Memory[]> {
  const beyond = after === null ? sql`` : sql`AND (m.timestamp, m.id) < (${after.timestamp}, ${after.id})`;
  const newest = partsOf(namespace).map(
    ({ index, where }) => sql`SELECT * FROM (
      SELECT m.seq, m.timestamp, m.id FROM memories m INDEXED BY ${sql.raw(index)}
      WHERE m.tenant = ${tenant} AND ${where} AND m.live = 1 ${beyond}
      ORDER BY m.timestamp DESC, m.id DESC LIMIT ${limit})`,
  );
  const rows = await readAll<MemoryRow>(
    db,
    sql`SELECT m.* FROM (${sql.join(newest, sql` UNION ALL `)} ORDER BY timestamp DESC, id DESC LIMIT ${limit}) n
      CROSS JOIN memories m ON m.seq = n.seq ORDER BY n.timestamp DESC, n.id DESC`,
  );
  return rows.map(fromRow);
}

/** A namespace with all its parts, and what a memory there must say of itself. */
export type Place = {
  base: string;
  /** Members of its metadata, which are texts. */
  labels: Readonly<Record<string, string>>;
  /** Members of the `metadata` in its metadata. */
  metadata: Readonly<Record<string, Json>>;
};

const TOLD = sql.raw("(m.properties ->> '$.entryMetadata[0]')");
const SCOPE = "namespace:";

/** The condition on a row `m`. */
function inPlace({ base, labels, metadata }: Place): SQL {
  // In the words of the index `memories_by_namespace`, so that SQLite may use it.
  const under = sql.raw(`substr(m.scope, 1, ${SCOPE.length}) = '${SCOPE}'`);
  const conditions = [under, inNamespace(createNamespace(base, null, null)), holds(TOLD, labels)];
  if (Object.keys(metadata).length > 0) conditions.push(holds(sql`${TOLD} -> '$.metadata'`, metadata));
  return sql.join(conditions, sql` AND `);
}

/** A JSON object has these members. */
function holds(object: SQL, members: Readonly<Record<string, Json>>): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(members)}) w WHERE NOT EXISTS (
    SELECT 1 FROM json_each(${object}) e WHERE e.key = w.key AND e.type = w.type AND e.value IS w.value))`;
}

/** A SELECT of the ids of all memories in some places, forgotten ones too. */
export function idsInPlaces(tenant: string, places: readonly Place[]): SQL {
  const each = places.map((place) => sql`(${inPlace(place)})`);
  return sql`SELECT m.id FROM memories m WHERE m.tenant = ${tenant} AND (${sql.join(each, sql` OR `)})`;
}

/** Live ones, newest first. */
export async function listPlaces(
  db: Database,
  tenant: string,
  places: readonly Place[],
  { limit, offset }: { limit: number; offset: number },
): Promise<{ count: number; memories: Memory[] }> {
  const which = sql`FROM memories m WHERE m.tenant = ${tenant} AND m.live = 1 AND m.id IN (${idsInPlaces(tenant, places)})`;
  const [counted, rows] = (await runBatch(db, [
    sql`SELECT count(*) AS count ${which}`,
    sql`SELECT m.* ${which} ORDER BY m.timestamp DESC, m.id DESC LIMIT ${limit} OFFSET ${offset}`,
  ])) as [{ count: number }[], MemoryRow[]];
  return { count: counted[0]?.count ?? 0, memories: rows.map(fromRow) };
}

export type NamespaceCount = { base: string; memories: number; first: string; last: string };

/** The namespaces that begin with a prefix, with what is live in them, by name. */
export async function listNamespaces(
  db: Database,
  tenant: string,
  prefix: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ count: number; namespaces: NamespaceCount[] }> {
  const start = SCOPE + prefix;
  const end = start.slice(0, -1) + String.fromCharCode(start.charCodeAt(start.length - 1) + 1);
  const name = sql`substr(m.scope, ${SCOPE.length + 1})`;
  const rows = await readAll<NamespaceCount & { count: number }>(
    db,
    sql`SELECT iif(instr(${name}, ${SESSION_SEPARATOR}) > 0, substr(${name}, 1, instr(${name}, ${SESSION_SEPARATOR}) - 1), ${name}) AS base,
        count(*) AS memories, min(m.timestamp) AS first, max(m.timestamp) AS last, count(*) OVER () AS count
      FROM memories m WHERE m.tenant = ${tenant} AND m.live = 1 AND ${sql.raw(`substr(m.scope, 1, ${SCOPE.length}) = '${SCOPE}'`)}
        AND m.scope >= ${start} AND m.scope < ${end}
      GROUP BY base ORDER BY base LIMIT ${limit} OFFSET ${offset}`,
  );
  return {
    count: rows[0]?.count ?? 0,
    namespaces: rows.map(({ base, memories, first, last }) => ({ base, memories, first, last })),
  };
}

export function createNamespaceRepository(context: StoreContext) {
  const { db, tenant, now } = context;
  return {
    list: (prefix: string, window: { limit: number; offset: number }) =>
      listNamespaces(db, tenant, prefix, window),
    /** Returns the live memories of a namespace, newest first. */
    listMemories: (namespace: ResolvedNamespace, page: Page) => listNamespace(db, tenant, namespace, page),
    /** Returns the live memories that match any of the filters, newest first, and how many there are. */
    filterMemories: (filters: readonly Place[], window: { limit: number; offset: number }) =>
      listPlaces(db, tenant, filters, window),
    async eraseMemories(filters: readonly Place[]): Promise<void> {
      const which = idsInPlaces(tenant, filters);
      await eraseVectors(context, "memory", which);
      await eraseMemories(db, tenant, which, { at: now() });
    },
  };
}
