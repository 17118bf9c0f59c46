// The searchable corpora (memories, messages, episodes): table, FTS5 table and columns of each, and the SQL condition
// that a candidate must meet.

import { type SQL, sql } from "drizzle-orm";
import { type Binding, isBound, type Owner } from "../../kernel/access";
import type { Scope } from "../../kernel/common";
import { hasPrefix } from "../../kernel/databases/statements";
import { fieldFailure } from "../../kernel/errors";
import { matchOwner } from "../../kernel/match-owner";
import type { VectorKind } from "../../kernel/tables";
import { buildClockConditions, selectMemoryTable } from "../../memories/history/memory-history";
import type { MetadataFilter } from "../../memories/memory-fields";
import type { RecallInput, RecallSource } from "../../memories/memory-schemas";
import { computeScopeToken, SHARED_SCOPE } from "../../memories/store/memory-id";
import { buildEntryConditions, buildMetadataConditions } from "../../memories/store/memory-queries";
import type { SearchTarget } from "../../memories/store/namespace";
import { matchNamespace, OUTSIDE_OTHER_NAMESPACES } from "../../memories/store/namespace-repository";
import { selectUsage } from "../../memories/usage/usage-counts";
import { listSubtypes } from "../../ontology/classes";
import type { MemoryType } from "../../ontology/generated/terms.generated";
import type { TokenFilter, VectorFilter } from "../vectors/vector-index";

/** Returns the scope with the id that it selects by. */
export function resolveTarget(ids: Required<Owner>, kind: Scope): SearchTarget {
  if (kind === "tenant") return { kind };
  const id = ids[`${kind}_id`];
  if (id === null) {
    throw fieldFailure("scope", `"${kind}" needs ${kind}_id, and neither the call nor its session has one`);
  }
  return { kind, id };
}

/**
 * Returns the narrower of a scope and a binding, so that the index looks only where the caller may see, and the binding
 * with the owner of the scope: both hold.
 */
export function narrowScope(scope: SearchTarget, binding: Binding): { scope: SearchTarget; within: Binding } {
  const { user_id, agent_id, project_id } = binding;
  if (!isBound(binding) || scope.kind === "session" || scope.kind === "namespace")
    return { scope, within: binding };
  const within =
    scope.kind === "tenant" || isShared(scope) ? binding : { [`${scope.kind}_id`]: scope.id, ...binding };
  if (user_id !== undefined) return { scope: { kind: "user", id: user_id }, within };
  if (agent_id !== undefined && scope.kind !== "user")
    return { scope: { kind: "agent", id: agent_id }, within };
  if (project_id !== undefined && scope.kind === "tenant")
    return { scope: { kind: "project", id: project_id }, within };
  return { scope, within };
}

function isShared(scope: SearchTarget): boolean {
  return scope.kind === "project" && scope.shared === true;
}

/** Resolves a scope relative to a session. */
export function resolveSessionTarget(
  { id, user_id, agent_id, project_id }: Owner & { id: string },
  requested: Scope,
): SearchTarget {
  return resolveTarget({ session_id: id, user_id, agent_id, project_id }, requested);
}

export type RecallFilter = Pick<
  RecallInput,
  | "type"
  | "min_confidence"
  | "include_superseded"
  | "since"
  | "until"
  | "as_of"
  | "valid_at"
  | "key_prefix"
  | "filter"
> & {
  /** Restricts memories to these types; overrides `type`. */
  types?: readonly MemoryType[];
  /** Restricts memories by source and metadata as entries of a namespace. */
  entryFilter?: MetadataFilter | undefined;
  /** The owner that the caller is limited to. */
  within?: Binding;
  /** Leaves out what belongs to a user. */
  without_user?: boolean;
  /** Leaves out messages whose extracted memories no longer hold. */
  withoutOutdated?: boolean;
  /** The messages that the asking session has in its window; they are left out. */
  window?: MessageWindow | null;
};

/** The messages of a session from a position on. */
type MessageWindow = { session_id: string; from: number };

export type CorpusKind = Extract<VectorKind, "memory" | "message" | "episode">;

export type Corpus = {
  kind: CorpusKind;
  table: "memories" | "messages" | "episodes";
  ftsTable: "memories_fts" | "messages_fts" | "episodes_fts";
  /** The searched columns, as an FTS5 column filter. */
  ftsColumns: string;
  /** The column with the id in the vector index. */
  vectorId: "id" | "vector_id";
  /** The columns of a row `m` that the ranking reads, and its type. */
  rankingColumns: SQL;
  /** The columns of a row `m` that are embedded: speaker and text. */
  embeddedColumns: SQL;
  /** The text of a row `m` in which parts of words are looked for. */
  ownText: SQL;
  /** Returns the conditions on a row `m` other than tenant, scope and time. */
  conditions(filter: RecallFilter): SQL[];
};

/** The beginning of a text in which the ranking looks for signals, in characters. */
const RANKED_CHARS = 1_000;

function selectText(text: SQL): SQL {
  return sql`substr(${text}, 1, ${sql.raw(`${RANKED_CHARS}`)}) AS text`;
}

export const CORPORA: Record<RecallSource, Corpus> = {
  memories: {
    kind: "memory",
    table: "memories",
    ftsTable: "memories_fts",
    ftsColumns: "{content rationale}",
    vectorId: "id",
    rankingColumns: sql`m.seq, m.timestamp, coalesce(m.valid_from, m.timestamp) AS day, m.user_id AS name, NULL AS role, m.session_id, ${selectText(sql`m.content`)}, m.importance, m.confidence, m.access_count, m.type, ${selectUsage("memory", "m")} AS usage`,
    embeddedColumns: sql`NULL AS name, NULL AS role, m.content`,
    ownText: sql`m.content || ' ' || coalesce(m.rationale, '')`,
    conditions: ({ min_confidence, key_prefix, filter: metadata = {}, ...filter }) => {
      const { entryFilter = {} } = filter;
      const types = selectTypes(filter);
      return [
        sql`m.confidence >= ${min_confidence}`,
        ...(key_prefix === undefined ? [] : [hasPrefix(sql`m.topic_key`, key_prefix)]),
        ...buildClockConditions(filter, sql`m`),
        ...buildMetadataConditions(metadata, sql`m`),
        ...buildEntryConditions(entryFilter, sql`m`),
        ...(types === undefined
          ? []
          : [sql`m.type IN (SELECT value FROM json_each(${JSON.stringify(types)}))`]),
      ];
    },
  },
  messages: {
    kind: "message",
    table: "messages",
    ftsTable: "messages_fts",
    ftsColumns: "{content who date before after near far}",
    vectorId: "vector_id",
    rankingColumns: sql`m.seq, m.timestamp, m.timestamp AS day, m.name, m.role, m.session_id, ${selectText(sql`m.content`)}, NULL AS importance, NULL AS confidence, NULL AS access_count, NULL AS type`,
    embeddedColumns: sql`m.name, m.role, m.content`,
    ownText: sql`m.content`,
    conditions: ({ window = null, withoutOutdated = false, as_of, ...filter }) => [
      ...(matchesOnlyMemories(filter) ? [sql`false`] : []),
      ...(as_of === undefined ? [] : [sql`m.timestamp <= ${as_of}`]),
      ...(withoutOutdated ? [sql`m.outdated = 0`] : []),
      ...(window === null
        ? []
        : [sql`NOT (m.session_id = ${window.session_id} AND m.position >= ${window.from})`]),
    ],
  },
  episodes: {
    kind: "episode",
    table: "episodes",
    ftsTable: "episodes_fts",
    ftsColumns: "{goal detail}",
    vectorId: "vector_id",
    rankingColumns: sql`m.seq, m.timestamp, m.timestamp AS day, NULL AS name, NULL AS role, NULL AS session_id, NULL AS text, m.importance, 1 AS confidence, NULL AS access_count, m.outcome AS type, ${selectUsage("episode", "m")} AS usage`,
    embeddedColumns: sql`NULL AS name, NULL AS role, m.goal AS content`,
    ownText: sql`m.goal`,
    conditions: ({ include_superseded, as_of, ...filter }) => [
      ...(include_superseded ? [] : [wasUnarchived(as_of)]),
      ...(as_of === undefined ? [] : [sql`m.timestamp <= ${as_of}`]),
      ...(matchesOnlyMemories(filter) ? [sql`false`] : []),
    ],
  },
};

/** Whether an episode `m` was not archived yet. */
function wasUnarchived(asOf: string | undefined): SQL {
  return asOf === undefined ? sql`m.live = 1` : sql`(m.live = 1 OR m.archived_at > ${asOf})`;
}

/**
 * Messages and episodes have no memory type, no key, no metadata and no validity: a filter on one of them matches only
 * memories.
 */
function matchesOnlyMemories({
  type,
  key_prefix,
  valid_at,
  filter = {},
}: Pick<RecallFilter, "type" | "key_prefix" | "valid_at" | "filter">): boolean {
  return type !== "all" || key_prefix !== undefined || valid_at !== undefined || hasConditions(filter);
}

/** Returns the table of a corpus for a FROM clause; for memories at a time, a subquery in its place. */
export function selectCorpusTable(
  { kind, table }: Pick<Corpus, "kind" | "table">,
  filter: RecallFilter,
): SQL {
  return kind === "memory" ? selectMemoryTable(filter) : sql.raw(table);
}

/** Whether a filter has conditions on memories that the vector index does not know. */
export function hasUnindexedConditions({ filter, entryFilter, as_of, valid_at }: RecallFilter): boolean {
  return as_of !== undefined || valid_at !== undefined || hasConditions({ ...filter, ...entryFilter });
}

function hasConditions(filter: MetadataFilter | undefined): boolean {
  return filter !== undefined && Object.keys(filter).length > 0;
}

/** Returns the memory types that match a filter, undefined for all types. */
function selectTypes({
  type,
  types,
}: Pick<RecallFilter, "type" | "types">): readonly MemoryType[] | undefined {
  if (types !== undefined) return types;
  return type === "all" ? undefined : listSubtypes(type);
}

/** Builds the whole WHERE condition on a row `m` of a corpus. */
export function buildRowCondition(
  tenant: string,
  scope: SearchTarget,
  corpus: Corpus,
  filter: RecallFilter,
): SQL {
  const { since, until } = filter;
  const conditions = [sql`m.tenant = ${tenant}`, ...corpus.conditions(filter)];
  if (filter.within !== undefined && isBound(filter.within)) conditions.push(matchOwner(filter.within, "m"));
  if (scope.kind === "namespace")
    conditions.push(corpus.kind === "memory" ? matchNamespace(scope) : sql`false`);
  // An episode belongs to a project and an agent, not to a session.
  else if (scope.kind === "session" && corpus.kind === "episode") conditions.push(sql`false`);
  else if (scope.kind === "project" && scope.shared === true && corpus.kind === "memory")
    conditions.push(sql`(m.project_id = ${scope.id} OR m.scope = ${SHARED_SCOPE})`);
  else if (scope.kind !== "tenant") conditions.push(sql`m.${sql.raw(`${scope.kind}_id`)} = ${scope.id}`);
  // Namespaces may separate the customers of one agent: a scope of several people excludes their memories.
  const isPersonal = scope.kind === "session" || scope.kind === "user";
  if (corpus.kind === "memory" && scope.kind !== "namespace" && !isPersonal)
    conditions.push(OUTSIDE_OTHER_NAMESPACES);
  if (filter.without_user === true) conditions.push(sql`m.user_id IS NULL`);
  if (since !== undefined) conditions.push(sql`m.timestamp >= ${since}`);
  if (until !== undefined) conditions.push(sql`m.timestamp <= ${until}`);
  return sql.join(conditions, sql` AND `);
}

/**
 * Returns the token that all rows of a scope have in both indexes. A namespace shares the token of its owner; the row
 * condition excludes the other rows.
 */
export function toTokenFilter(tenant: string, scope: Exclude<SearchTarget, { kind: "tenant" }>): TokenFilter {
  if (scope.kind === "project" && scope.shared === true)
    return {
      kind: "project",
      token: computeScopeToken(tenant, "project", scope.id),
      or: computeScopeToken(tenant, "project", ""),
    };
  if (scope.kind !== "namespace")
    return { kind: scope.kind, token: computeScopeToken(tenant, scope.kind, scope.id) };
  const { base, session_id, agent_id } = scope;
  if (session_id !== null)
    return { kind: "session", token: computeScopeToken(tenant, "session", session_id) };
  if (agent_id !== null) return { kind: "agent", token: computeScopeToken(tenant, "agent", agent_id) };
  return { kind: "project", token: computeScopeToken(tenant, "namespace", base) };
}

/** Builds the part of the row condition that the vector index supports. */
export function toVectorFilter(
  tenant: string,
  scope: SearchTarget,
  { kind }: Corpus,
  { include_superseded, since, until, as_of, valid_at, ...filter }: RecallFilter,
): VectorFilter {
  const types = kind === "memory" ? selectTypes(filter) : undefined;
  // The index knows what is live now.
  const isNow = as_of === undefined && valid_at === undefined;
  return {
    ...(scope.kind === "tenant" ? {} : { scope: toTokenFilter(tenant, scope) }),
    ...(types === undefined ? {} : { types }),
    ...(kind === "memory" && !include_superseded && isNow ? { live: true } : {}),
    ...(since === undefined ? {} : { since: Date.parse(since) }),
    ...(until === undefined ? {} : { until: Date.parse(until) }),
  };
}
