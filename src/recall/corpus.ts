// The two things that recall searches, memories and messages: which table, which text index, which columns, and the
// conditions that a candidate must meet.
import { type SQL, sql } from "drizzle-orm";
import type { ResolvedNamespace } from "../long-term/namespace-name";
import { inNamespace, UNDER_NO_OTHER } from "../long-term/namespaces";
import { scopeToken } from "../long-term/rows";
import { typesUnder } from "../ontology/classes";
import type { RecallInput } from "../schemas/memory";
import type { VectorFilter, VectorKind } from "../vectors/vector-index";

/** Whose memories are searched. A namespace holds memories alone. */
export type RecallScope =
  | { kind: "session" | "agent" | "project"; id: string }
  | { kind: "tenant" }
  | ({ kind: "namespace" } & ResolvedNamespace);

export type RecallFilter = Pick<
  RecallInput,
  "type" | "min_confidence" | "include_superseded" | "since" | "until"
>;

export type CorpusKind = Extract<VectorKind, "memory" | "message">;

export type Corpus = {
  kind: CorpusKind;
  table: "memories" | "messages";
  index: "memories_fts" | "messages_fts";
  /** The columns of the text index that are searched, as FTS5 writes them. */
  columns: string;
  /** The column that holds the id in the vector index. */
  vectorId: "id" | "vector_id";
  /** What the ranking needs of a row `m`. */
  brief: SQL;
  /** The conditions on a row `m`, besides tenant, scope and time. */
  conditions(filter: RecallFilter): SQL[];
};

export const CORPORA: Record<"memories" | "messages", Corpus> = {
  memories: {
    kind: "memory",
    table: "memories",
    index: "memories_fts",
    columns: "{content rationale}",
    vectorId: "id",
    brief: sql`m.seq, m.timestamp, coalesce(m.valid_from, m.timestamp) AS day, NULL AS name, NULL AS role, m.importance, m.confidence`,
    conditions: ({ type, min_confidence, include_superseded }) => [
      sql`m.confidence >= ${min_confidence}`,
      ...(include_superseded ? [] : [sql`m.live = 1`]),
      ...(type === "all"
        ? []
        : [sql`m.type IN (SELECT value FROM json_each(${JSON.stringify(typesUnder(type))}))`]),
    ],
  },
  messages: {
    kind: "message",
    table: "messages",
    index: "messages_fts",
    columns: "{content who date before after near far}",
    vectorId: "vector_id",
    brief: sql`m.seq, m.timestamp, m.timestamp AS day, m.name, m.role, NULL AS importance, NULL AS confidence`,
    // A message has no type: asking for one asks for memories.
    conditions: ({ type }) => (type === "all" ? [] : [sql`false`]),
  },
};

/** The whole condition on a row `m` of a corpus. */
export function filters(tenant: string, scope: RecallScope, corpus: Corpus, filter: RecallFilter): SQL {
  const { since, until } = filter;
  const conditions = [sql`m.tenant = ${tenant}`, ...corpus.conditions(filter)];
  if (scope.kind === "namespace") conditions.push(corpus.kind === "memory" ? inNamespace(scope) : sql`false`);
  else if (scope.kind !== "tenant") conditions.push(sql`m.${sql.raw(`${scope.kind}_id`)} = ${scope.id}`);
  // Customers of one agent have one each: what is under them shows to nobody who asks more widely.
  if (corpus.kind === "memory" && scope.kind !== "namespace" && scope.kind !== "session")
    conditions.push(UNDER_NO_OTHER);
  if (since !== undefined) conditions.push(sql`m.timestamp >= ${since}`);
  if (until !== undefined) conditions.push(sql`m.timestamp <= ${until}`);
  return sql.join(conditions, sql` AND `);
}

/** The one token that everything in a scope has in both indexes; of a namespace, what else has it is filtered out. */
export function indexScope(
  tenant: string,
  scope: Exclude<RecallScope, { kind: "tenant" }>,
): { kind: "session" | "agent" | "project"; token: string } {
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
  { type, include_superseded, since, until }: RecallFilter,
): VectorFilter {
  return {
    ...(scope.kind === "tenant" ? {} : { scope: indexScope(tenant, scope) }),
    ...(kind === "memory" && type !== "all" ? { types: typesUnder(type) } : {}),
    ...(kind === "memory" && !include_superseded ? { live: true } : {}),
    ...(since === undefined ? {} : { since: Date.parse(since) }),
    ...(until === undefined ? {} : { until: Date.parse(until) }),
  };
}
