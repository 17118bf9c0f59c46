// What recall searches, memories, messages and episodes: which table, which text index, which columns, and the
// conditions that a candidate must meet.
import { type SQL, sql } from "drizzle-orm";
import type { ResolvedNamespace } from "../domain/policy/namespace";
import { listSubtypes } from "../ontology/classes";
import type { RecallInput } from "../schemas/memory";
import type { MemoryType } from "../schemas/session";
import { keyBeginsWith } from "../store/memories/key-prefix";
import { SHARED } from "../store/memories/memory-id";
import { scopeToken } from "../store/memories/memory-rows";
import { inNamespace, UNDER_NO_OTHER } from "../store/memories/namespace-queries";
import type { VectorFilter, VectorKind, VectorScope } from "../vectors/vector-index";

/** Whose memories are searched. A namespace holds memories alone. */
export type RecallScope =
  | { kind: "session" | "agent"; id: string }
  /** `shared`: also what belongs to no project, and so holds for all. */
  | { kind: "project"; id: string; shared?: true }
  | { kind: "tenant" }
  | ({ kind: "namespace" } & ResolvedNamespace);

export type RecallFilter = Pick<
  RecallInput,
  "type" | "min_confidence" | "include_superseded" | "since" | "until" | "key_prefix"
> & {
  /** Of memories, only these types, in place of `type`. */
  types?: readonly MemoryType[];
};

export type CorpusKind = Extract<VectorKind, "memory" | "message" | "episode">;

export type Corpus = {
  kind: CorpusKind;
  table: "memories" | "messages" | "episodes";
  index: "memories_fts" | "messages_fts" | "episodes_fts";
  /** The columns of the text index that are searched, as FTS5 writes them. */
  columns: string;
  /** The column that holds the id in the vector index. */
  vectorId: "id" | "vector_id";
  /** What the ranking needs of a row `m`, and its type. */
  brief: SQL;
  /** The text of a row `m` that is embedded, with who said it. */
  text: SQL;
  /** The conditions on a row `m`, besides tenant, scope and time. */
  conditions(filter: RecallFilter): SQL[];
};

export const CORPORA: Record<RecallInput["sources"][number], Corpus> = {
  memories: {
    kind: "memory",
    table: "memories",
    index: "memories_fts",
    columns: "{content rationale}",
    vectorId: "id",
    brief: sql`m.seq, m.timestamp, coalesce(m.valid_from, m.timestamp) AS day, NULL AS name, NULL AS role, m.importance, m.confidence, m.type`,
    text: sql`NULL AS name, NULL AS role, m.content`,
    conditions: ({ min_confidence, include_superseded, key_prefix, ...filter }) => [
      sql`m.confidence >= ${min_confidence}`,
      ...(key_prefix === undefined ? [] : [keyBeginsWith(sql`m.topic_key`, key_prefix)]),
      ...(include_superseded ? [] : [sql`m.live = 1`]),
      ...onlyTypes(filter).map(
        (types) => sql`m.type IN (SELECT value FROM json_each(${JSON.stringify(types)}))`,
      ),
    ],
  },
  messages: {
    kind: "message",
    table: "messages",
    index: "messages_fts",
    columns: "{content who date before after near far}",
    vectorId: "vector_id",
    brief: sql`m.seq, m.timestamp, m.timestamp AS day, m.name, m.role, NULL AS importance, NULL AS confidence, NULL AS type`,
    text: sql`m.name, m.role, m.content`,
    // A message has no type and no key: asking for one asks for memories.
    conditions: ({ type, key_prefix }) => (type === "all" && key_prefix === undefined ? [] : [sql`false`]),
  },
  episodes: {
    kind: "episode",
    table: "episodes",
    index: "episodes_fts",
    columns: "{goal detail}",
    vectorId: "vector_id",
    brief: sql`m.seq, m.timestamp, m.timestamp AS day, NULL AS name, NULL AS role, m.importance, 1 AS confidence, m.outcome AS type`,
    text: sql`NULL AS name, NULL AS role, m.goal AS content`,
    conditions: ({ type, include_superseded, key_prefix }) => [
      ...(include_superseded ? [] : [sql`m.live = 1`]),
      ...(type === "all" && key_prefix === undefined ? [] : [sql`false`]),
    ],
  },
};

/** The types of memories that are asked for, as a list of one list; none for all. */
function onlyTypes({ type, types }: Pick<RecallFilter, "type" | "types">): (readonly MemoryType[])[] {
  if (types !== undefined) return [types];
  return type === "all" ? [] : [listSubtypes(type)];
}

/** The whole condition on a row `m` of a corpus. */
export function filters(tenant: string, scope: RecallScope, corpus: Corpus, filter: RecallFilter): SQL {
  const { since, until } = filter;
  const conditions = [sql`m.tenant = ${tenant}`, ...corpus.conditions(filter)];
  if (scope.kind === "namespace") conditions.push(corpus.kind === "memory" ? inNamespace(scope) : sql`false`);
  // An episode is its project's and its agent's, not a session's.
  else if (scope.kind === "session" && corpus.kind === "episode") conditions.push(sql`false`);
  else if (scope.kind === "project" && scope.shared === true && corpus.kind === "memory")
    conditions.push(sql`(m.project_id = ${scope.id} OR m.scope = ${SHARED})`);
  else if (scope.kind !== "tenant") conditions.push(sql`m.${sql.raw(`${scope.kind}_id`)} = ${scope.id}`);
  // Customers of one agent have one each: what is under them shows to nobody who asks more widely.
  if (corpus.kind === "memory" && scope.kind !== "namespace" && scope.kind !== "session")
    conditions.push(UNDER_NO_OTHER);
  if (since !== undefined) conditions.push(sql`m.timestamp >= ${since}`);
  if (until !== undefined) conditions.push(sql`m.timestamp <= ${until}`);
  return sql.join(conditions, sql` AND `);
}

/** The one token that everything in a scope has in both indexes; of a namespace, what else has it is filtered out. */
export function indexScope(tenant: string, scope: Exclude<RecallScope, { kind: "tenant" }>): VectorScope {
  if (scope.kind === "project" && scope.shared === true)
    return {
      kind: "project",
      token: scopeToken(tenant, "project", scope.id),
      or: scopeToken(tenant, "project", ""),
    };
  if (scope.kind !== "namespace")
    return { kind: scope.kind, token: scopeToken(tenant, scope.kind, scope.id) };
  const { base, session_id, agent_id } = scope;
  if (session_id !== null) return { kind: "session", token: scopeToken(tenant, "session", session_id) };
  if (agent_id !== null) return { kind: "agent", token: scopeToken(tenant, "agent", agent_id) };
  return { kind: "project", token: scopeToken(tenant, "namespace", base) };
}

/** As much of the same as the vector index knows. */
export function vectorFilter(
  tenant: string,
  scope: RecallScope,
  { kind }: Corpus,
  { include_superseded, since, until, ...filter }: RecallFilter,
): VectorFilter {
  const [types] = kind === "memory" ? onlyTypes(filter) : [];
  return {
    ...(scope.kind === "tenant" ? {} : { scope: indexScope(tenant, scope) }),
    ...(types === undefined ? {} : { types }),
    ...(kind === "memory" && !include_superseded ? { live: true } : {}),
    ...(since === undefined ? {} : { since: Date.parse(since) }),
    ...(until === undefined ? {} : { until: Date.parse(until) }),
  };
}
