// Reads memories of one tenant by id, filter, identity and topic.
import { and, desc, eq, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import { readAll } from "../../kernel/databases/d1";
import { hasPrefix } from "../../kernel/databases/statements";
import type { Page, StoreContext } from "../../kernel/store-context";
import { memories } from "../../kernel/tables";
import { listSubtypes } from "../../ontology/classes";
import type { MemoryType } from "../../ontology/generated/terms.generated";
import { listTypesBelow } from "../../ontology/tenant-ontology";
import { buildClockConditions, selectMemoryTable } from "../history/memory-history";
import {
  type FilterCondition,
  type FilterScalar,
  METADATA_PREFIX,
  type MetadataFilter,
  RANGE_OPERATORS,
  type RangeOperator,
} from "../memory-fields";
import type { Memory } from "../memory-schemas";
import { selectMemoryRow } from "../usage/usage-counts";
import { getMemoryScope } from "./memory-id";
import { fromMemoryRow, type MemoryRow, toStoredMemory } from "./memory-mapping";
import { BACKLOG_SEARCH_WINDOW, selectBacklog } from "./vector-queue";

// SQL conditions of a metadata filter. Every value is a bound parameter, a list of values one JSON parameter.

type Comparison =
  | { operator: "$in" | "$nin"; values: FilterScalar[] }
  | { operator: RangeOperator; bound: string | number };

const SQL_OPERATORS: Record<RangeOperator, SQL> = {
  $lt: sql.raw("<"),
  $lte: sql.raw("<="),
  $gt: sql.raw(">"),
  $gte: sql.raw(">="),
};

/** Builds the conditions on a row of `memories`, `row` being its table or alias. All of them must hold. */
export function buildMetadataConditions(filter: MetadataFilter, row: SQL): SQL[] {
  return mapComparisons(filter, (key, comparison) => buildCondition(row, key, comparison));
}

/** Builds the conditions of a filter on entries: by source, and by the metadata of the entry or else of its memory. */
export function buildEntryConditions(filter: MetadataFilter, row: SQL): SQL[] {
  const metadata = sql`coalesce(${row}.properties ->> '$.entryMetadata[0]', ${row}.metadata)`;
  return mapComparisons(filter, (key, comparison) =>
    key === "source"
      ? compareText(sql`coalesce(${row}.properties ->> '$.entrySource[0]', 'memory')`, comparison)
      : compareValues(selectMetadata(metadata, key.slice(METADATA_PREFIX.length)), comparison),
  );
}

function mapComparisons(filter: MetadataFilter, build: (key: string, comparison: Comparison) => SQL): SQL[] {
  return Object.entries(filter).flatMap(([key, condition]) =>
    listComparisons(condition).map((comparison) => build(key, comparison)),
  );
}

function listComparisons(condition: FilterCondition): Comparison[] {
  if (typeof condition !== "object") return [{ operator: "$in", values: [condition] }];
  const { $ne, $in, $nin } = condition;
  return [
    ...($ne === undefined ? [] : [{ operator: "$nin" as const, values: [$ne] }]),
    ...($in === undefined ? [] : [{ operator: "$in" as const, values: $in }]),
    ...($nin === undefined ? [] : [{ operator: "$nin" as const, values: $nin }]),
    ...RANGE_OPERATORS.flatMap((operator) => {
      const bound = condition[operator];
      return bound === undefined ? [] : [{ operator, bound }];
    }),
  ];
}

function buildCondition(row: SQL, key: string, comparison: Comparison): SQL {
  if (key === "type") return compareText(sql`${row}.type`, includeSubtypes(comparison));
  if (key === "source_type") return compareText(sql`${row}.source_type`, comparison);
  return compareValues(
    key === "tags"
      ? selectTags(row)
      : selectMetadata(sql`${row}.metadata`, key.slice(METADATA_PREFIX.length)),
    comparison,
  );
}

/** Compares the values that `values` selects as `v`: one of them has to meet the condition. */
function compareValues(values: SQL, comparison: Comparison): SQL {
  if ("bound" in comparison) {
    const { operator, bound } = comparison;
    const kinds = typeof bound === "number" ? sql`('integer', 'real')` : sql`('text')`;
    return sql`EXISTS (${values} AND v.type IN ${kinds} AND v.value ${SQL_OPERATORS[operator]} ${bound})`;
  }
  const list = JSON.stringify(comparison.values);
  // json_each returns booleans as 1 and 0: without their types, true would equal 1.
  const equals = sql`EXISTS (${values} AND EXISTS (SELECT 1 FROM json_each(${list}) w
    WHERE w.value = v.value AND replace(w.type, 'real', 'integer') = replace(v.type, 'real', 'integer')))`;
  return comparison.operator === "$in" ? equals : sql`NOT ${equals}`;
}

/** A type equals its subclasses, too. */
function includeSubtypes(comparison: Comparison): Comparison {
  if (!("values" in comparison)) return comparison;
  return { ...comparison, values: comparison.values.flatMap((type) => listSubtypes(type as MemoryType)) };
}

/** Compares a text without an order, which has no range operators. */
function compareText(text: SQL, comparison: Comparison): SQL {
  const values = "values" in comparison ? comparison.values : [];
  const equals = sql`${text} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
  return comparison.operator === "$nin" ? sql`NOT ${equals}` : equals;
}

function selectTags(row: SQL): SQL {
  return sql`SELECT 1 FROM json_each(${row}.tags) v WHERE true`;
}

/** Selects the values of a key: the elements of a list, or the one value. The metadata of an entry may hold objects. */
function selectMetadata(metadata: SQL, name: string): SQL {
  return sql`SELECT 1 FROM json_each(${metadata}) k CROSS JOIN json_each(CASE k.type WHEN 'array' THEN k.value
      WHEN 'true' THEN '[true]' WHEN 'false' THEN '[false]' WHEN 'object' THEN '[]' ELSE json_array(k.value) END) v
    WHERE k.key = ${name}`;
}

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
