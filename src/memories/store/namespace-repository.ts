// Memories by namespace: as a condition on a row `m` of the read model, as lists, and filtered by their metadata.

import { type SQL, sql } from "drizzle-orm";
import { type Binding, type Owner, UNBOUND } from "../../kernel/access";
import { readAll, runBatch } from "../../kernel/databases/d1";
import { declareMethods } from "../../kernel/declare-methods";
import type { Json } from "../../kernel/json";
import { matchOwner } from "../../kernel/match-owner";
import type { Page, StoreContext } from "../../kernel/store-context";
import type { NamespaceSummary } from "../../policy/entry-schemas";
import type { MetadataFilter } from "../memory-fields";
import type { Memory } from "../memory-schemas";
import { selectMemoryRow } from "../usage/usage-counts";
import { type ErasedMemories, eraseMemories } from "./erase-memories";
import { fromMemoryRow, type MemoryRow } from "./memory-mapping";
import { IS_FIRST_PART } from "./memory-parts";
import { buildEntryConditions } from "./memory-queries";
import { createNamespace, type ResolvedNamespace, SESSION_SEPARATOR, type SearchTarget } from "./namespace";

const PREFIX = "namespace:";

/** The expression is that of the partial index `memories_by_namespace`: SQLite uses it only for the same text. */
const IS_IN_NAMESPACE = sql.raw(`substr(m.scope, 1, ${PREFIX.length}) = '${PREFIX}'`);

/** Excludes memories in a namespace other than an agent's: only requests that name the namespace see them. */
export const OUTSIDE_OTHER_NAMESPACES = sql`NOT (${IS_IN_NAMESPACE} AND substr(m.scope, ${PREFIX.length + 1}, 6) <> 'agent:')`;

function isWrittenTo(name: string): SQL {
  return sql`m.scope = ${PREFIX + name}`;
}

function isWrittenToSession(name: string): SQL {
  return sql`(m.scope >= ${`${PREFIX}${name}:session:`} AND m.scope < ${`${PREFIX}${name}:session;`})`;
}

/**
 * Matches the memories of a namespace. Without a session it includes the memories written under any session, and an
 * agent's namespace includes the agent's other memories.
 */
export function matchNamespace({ name, session_id, agent_id }: ResolvedNamespace): SQL {
  const written =
    session_id === null ? sql`(${isWrittenTo(name)} OR ${isWrittenToSession(name)})` : isWrittenTo(name);
  if (agent_id === null) return written;
  const byAgent =
    session_id === null
      ? sql`m.agent_id = ${agent_id}`
      : sql`m.agent_id = ${agent_id} AND m.session_id = ${session_id}`;
  return sql`(${written} OR (${byAgent} AND NOT ${IS_IN_NAMESPACE}))`;
}

type IndexedPart = { index: string; where: SQL };

/** The entries of all namespaces, with what their agents remember, and the entries in none. */
export const ALL_ENTRIES = { kind: "entries" } as const;

/**
 * Splits a scope into parts, each with an index that has it in order of time: left to choose, SQLite would read the
 * whole tenant. As in a search, only the memories of a session or a user include those in a namespace with a name.
 */
function splitByIndex(scope: SearchTarget | typeof ALL_ENTRIES): IndexedPart[] {
  switch (scope.kind) {
    case "namespace":
      return splitNamespaceByIndex(scope);
    case "session":
      return [{ index: "memories_by_session", where: sql`m.session_id = ${scope.id}` }];
    case "user":
      return [{ index: "memories_by_user", where: sql`m.user_id = ${scope.id}` }];
    case "agent":
      return [
        { index: "memories_by_agent", where: sql`m.agent_id = ${scope.id} AND ${OUTSIDE_OTHER_NAMESPACES}` },
      ];
    case "project":
      return [
        {
          index: "memories_by_project",
          where: sql`m.project_id = ${scope.id} AND ${OUTSIDE_OTHER_NAMESPACES}`,
        },
      ];
    case "tenant":
      return [{ index: "memories_by_time", where: OUTSIDE_OTHER_NAMESPACES }];
    case "entries":
      return [
        {
          index: "memories_by_time",
          where: sql`(${IS_IN_NAMESPACE} OR m.agent_id IS NOT NULL OR m.properties ->> '$.entrySource[0]' IS NOT NULL)`,
        },
      ];
  }
}

function splitNamespaceByIndex(namespace: ResolvedNamespace): IndexedPart[] {
  const { name, session_id, agent_id } = namespace;
  if (agent_id !== null) {
    const matches = matchNamespace(namespace);
    return session_id === null
      ? [{ index: "memories_by_agent", where: sql`m.agent_id = ${agent_id} AND ${matches}` }]
      : [{ index: "memories_by_session", where: sql`m.session_id = ${session_id} AND ${matches}` }];
  }
  const conditions =
    session_id === null ? [isWrittenTo(name), isWrittenToSession(name)] : [isWrittenTo(name)];
  return conditions.map((condition) => ({
    index: "memories_by_namespace",
    where: sql`${IS_IN_NAMESPACE} AND ${condition}`,
  }));
}

/** The namespace of a row with its session, if it is limited to one. */
const FULL_NAME = sql.raw(
  `CASE WHEN substr(m.scope, 1, ${PREFIX.length}) <> '${PREFIX}'
      THEN 'agent:' || m.agent_id || coalesce('${SESSION_SEPARATOR}' || m.session_id, '')
    ELSE substr(m.scope, ${PREFIX.length + 1}) END`,
);

/** The namespace of a row without its session; a memory of an agent outside of namespaces is in the agent's. */
const BASE_NAME = sql.raw(
  `CASE WHEN substr(m.scope, 1, ${PREFIX.length}) <> '${PREFIX}' THEN 'agent:' || m.agent_id
    WHEN instr(m.scope, '${SESSION_SEPARATOR}') = 0 THEN substr(m.scope, ${PREFIX.length + 1})
    ELSE substr(m.scope, ${PREFIX.length + 1}, instr(m.scope, '${SESSION_SEPARATOR}') - ${PREFIX.length + 1}) END`,
);

/** A namespace with all its sessions, narrowed by metadata. */
export type NamespaceFilter = {
  base: string;
  /** Members of the entry's metadata. */
  labels: Readonly<Record<string, string>>;
  /** Members of the object `metadata` within the entry's metadata. */
  metadata: Readonly<Record<string, Json>>;
};

const ENTRY_METADATA = sql.raw("(m.properties ->> '$.entryMetadata[0]')");

function matchFilter({ base, labels, metadata }: NamespaceFilter): SQL {
  const conditions = [
    IS_IN_NAMESPACE,
    matchNamespace(createNamespace(base, null, null)),
    hasMembers(ENTRY_METADATA, labels),
  ];
  if (Object.keys(metadata).length > 0)
    conditions.push(hasMembers(sql`${ENTRY_METADATA} -> '$.metadata'`, metadata));
  return sql.join(conditions, sql` AND `);
}

function hasMembers(object: SQL, members: Readonly<Record<string, Json>>): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(members)}) w WHERE NOT EXISTS (
    SELECT 1 FROM json_each(${object}) e WHERE e.key = w.key AND e.type = w.type AND e.value IS w.value))`;
}

type NamespaceCount = { base: string; memories: number; first: string; last: string };

type OffsetPage = { limit: number; offset: number };

export function createNamespaceRepository(context: StoreContext) {
  const { db, tenant } = context;
  const { reads, removes } = declareMethods(context);

  /** Selects the ids of all memories that match any of the filters, including those that are no longer live. */
  const selectMatchingIds = (filters: readonly NamespaceFilter[]): SQL => {
    const matches = filters.map((filter) => sql`(${matchFilter(filter)})`);
    const isMatch = matches.length === 0 ? sql`0` : sql.join(matches, sql` OR `);
    return sql`SELECT m.id FROM memories m WHERE m.tenant = ${tenant} AND (${isMatch})`;
  };

  return {
    /** Returns the namespaces whose names begin with a prefix, with the number of their live memories, by name. */
    list: reads(
      async (
        prefix: string,
        { limit, offset }: OffsetPage,
      ): Promise<{ count: number; namespaces: NamespaceCount[] }> => {
        const start = PREFIX + prefix;
        const end = start.slice(0, -1) + String.fromCharCode(start.charCodeAt(start.length - 1) + 1);
        const name = sql`substr(m.scope, ${PREFIX.length + 1})`;
        const rows = await readAll<NamespaceCount & { count: number }>(
          db,
          sql`SELECT iif(instr(${name}, ${SESSION_SEPARATOR}) > 0, substr(${name}, 1, instr(${name}, ${SESSION_SEPARATOR}) - 1), ${name}) AS base,
            count(*) AS memories, min(m.timestamp) AS first, max(m.timestamp) AS last, count(*) OVER () AS count
          FROM memories m WHERE m.tenant = ${tenant} AND m.live = 1 AND ${IS_IN_NAMESPACE}
            AND m.scope >= ${start} AND m.scope < ${end}
          GROUP BY base ORDER BY base LIMIT ${limit} OFFSET ${offset}`,
        );
        return {
          count: rows[0]?.count ?? 0,
          namespaces: rows.map(({ base, memories, first, last }) => ({ base, memories, first, last })),
        };
      },
    ),

    /**
     * Returns the live memories of a scope that pass a filter, newest first; with `owner` or `within`, those of one
     * owner. Of a turn in parts it returns the first.
     */
    listMemories: reads(
      async (
        scope: SearchTarget | typeof ALL_ENTRIES,
        {
          limit,
          after,
          owner = {},
          filter = {},
          within = UNBOUND,
        }: Page & { owner?: Partial<Owner>; filter?: MetadataFilter; within?: Binding },
      ): Promise<Memory[]> => {
        const passes = buildEntryConditions(filter, sql`m`).map((condition) => sql`AND ${condition}`);
        const beyond =
          after === null ? sql`` : sql`AND (m.timestamp, m.id) < (${after.timestamp}, ${after.id})`;
        const parts = splitByIndex(scope).map(
          ({ index, where }) => sql`SELECT * FROM (
          SELECT m.seq, m.timestamp, m.id FROM memories m INDEXED BY ${sql.raw(index)}
          WHERE m.tenant = ${tenant} AND ${where} AND m.live = 1 AND ${IS_FIRST_PART} AND ${matchOwner(owner, "m")} AND ${matchOwner(within, "m")} ${sql.join(passes, sql` `)} ${beyond}
          ORDER BY m.timestamp DESC, m.id DESC LIMIT ${limit})`,
        );
        const rows = await readAll<MemoryRow>(
          db,
          sql`SELECT ${selectMemoryRow("m")} FROM (${sql.join(parts, sql` UNION ALL `)} ORDER BY timestamp DESC, id DESC LIMIT ${limit}) n
          CROSS JOIN memories m ON m.seq = n.seq ORDER BY n.timestamp DESC, n.id DESC`,
        );
        return rows.map(fromMemoryRow);
      },
    ),

    /** Returns namespaces by name, each with the entries that a list of it has; those of sessions if the prefix says so. */
    listSummaries: reads(
      (
        { prefix, after, limit }: { prefix: string; after: string; limit: number },
        within: Binding = UNBOUND,
      ): Promise<NamespaceSummary[]> => {
        const name = prefix.includes(SESSION_SEPARATOR) ? FULL_NAME : BASE_NAME;
        return readAll<NamespaceSummary>(
          db,
          sql`SELECT ${name} AS namespace, count(*) AS entries, min(m.timestamp) AS first_entry, max(m.timestamp) AS last_entry
          FROM memories m WHERE m.tenant = ${tenant} AND m.live = 1 AND ${IS_FIRST_PART} AND ${matchOwner(within, "m")}
          GROUP BY namespace HAVING namespace > ${after} AND substr(namespace, 1, ${prefix.length}) = ${prefix}
          ORDER BY namespace LIMIT ${limit}`,
        );
      },
    ),

    /** Erases up to `limit` memories of a namespace, also those that are no longer live. */
    eraseNamespace: removes(
      async (
        namespace: ResolvedNamespace,
        { limit, within }: { limit: number; within: Binding },
      ): Promise<ErasedMemories> => {
        const parts = splitNamespaceByIndex(namespace).map(
          ({ index, where }) => sql`SELECT * FROM (SELECT m.id FROM memories m INDEXED BY ${sql.raw(index)}
          WHERE m.tenant = ${tenant} AND ${where} AND ${matchOwner(within, "m")} LIMIT ${limit})`,
        );
        // Listed first: a SELECT with a limit could select other rows in each statement of the erasure.
        const rows = await readAll<{ id: string }>(
          db,
          sql`SELECT id FROM (${sql.join(parts, sql` UNION ALL `)}) LIMIT ${limit}`,
        );
        return eraseMemories(
          context,
          sql`SELECT id FROM memories WHERE tenant = ${tenant}
          AND id IN (SELECT value FROM json_each(${JSON.stringify(rows.map(({ id }) => id))}))`,
        );
      },
    ),

    /** Returns the live memories that match any of the filters, newest first, and their total number. */
    filterMemories: reads(
      async (
        filters: readonly NamespaceFilter[],
        { limit, offset }: OffsetPage,
      ): Promise<{ count: number; memories: Memory[] }> => {
        const which = sql`FROM memories m WHERE m.tenant = ${tenant} AND m.live = 1 AND m.id IN (${selectMatchingIds(filters)})`;
        const [counted, rows] = (await runBatch(db, [
          sql`SELECT count(*) AS count ${which}`,
          sql`SELECT ${selectMemoryRow("m")} ${which} ORDER BY m.timestamp DESC, m.id DESC LIMIT ${limit} OFFSET ${offset}`,
        ])) as [{ count: number }[], MemoryRow[]];
        return { count: counted[0]?.count ?? 0, memories: rows.map(fromMemoryRow) };
      },
    ),

    eraseMemories: removes(async (filters: readonly NamespaceFilter[]): Promise<void> => {
      await eraseMemories(context, selectMatchingIds(filters));
    }),
  };
}
