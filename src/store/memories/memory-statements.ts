// The SQL that writes memories. Many rows go in as one JSON parameter: D1 binds at most 100 parameters, and
// this is about ten times faster than single inserts. Every statement names its tenant.
import { type SQL, sql } from "drizzle-orm";
import type { Triple } from "../triples/memory-triples";
import { queueVectors } from "../vectors/vector-queue";
import type { NewRow } from "./memory-rows";
import { toTripleRow } from "./memory-rows";

const ROW_COLUMNS = [
  "id",
  "identity",
  "type",
  "content",
  "confidence",
  "importance",
  "source_type",
  "rationale",
  "scope",
  "session_id",
  "agent_id",
  "project_id",
  "topic_key",
  "timestamp",
  "valid_from",
  "valid_until",
  "superseded_by",
  "invalidated_by",
  "forgotten_at",
  "forget_reason",
  "live",
  "access_count",
  "last_accessed",
  "evidence",
  "properties",
] as const satisfies readonly (keyof NewRow)[];

const columns = sql.raw(ROW_COLUMNS.join(", "));
const extracted = sql.raw(ROW_COLUMNS.map((column) => `value ->> '$.${column}'`).join(", "));

export function insertTriples(tenant: string, triples: readonly Triple[]): SQL {
  return sql`INSERT INTO triples (tenant, subject, predicate, object, datatype, digest)
    SELECT ${tenant}, value ->> '$.subject', value ->> '$.predicate', value ->> '$.object', value ->> '$.datatype', value ->> '$.digest'
    FROM json_each(${JSON.stringify(triples.map(toTripleRow))}) WHERE true
    ON CONFLICT DO NOTHING`;
}

/** The read model's rows and their entries in the text index. */
export function insertRows(tenant: string, rows: readonly NewRow[]): SQL[] {
  return [
    ensureTenant(tenant),
    sql`INSERT INTO memories (seq, tenant, ${columns})
      SELECT ${nextSeq(tenant, "memories")} + key, ${tenant}, ${extracted} FROM json_each(${JSON.stringify(rows)})`,
    indexRows(tenant, rows),
  ];
}

/** Gives a tenant its number, if it has none. */
export function ensureTenant(tenant: string): SQL {
  return sql`INSERT INTO tenants (tenant, number) SELECT ${tenant}, coalesce(max(number), 0) + 1 FROM tenants
    HAVING NOT EXISTS (SELECT 1 FROM tenants WHERE tenant = ${tenant})`;
}

/** The first free `seq` of a tenant. */
export function nextSeq(tenant: string, table: "memories" | "messages" | "items" | "episodes"): SQL {
  const { from, to } = rangeOf(tenant);
  return sql`(coalesce((SELECT seq FROM ${sql.raw(table)} WHERE seq > ${from} AND seq < ${to} ORDER BY seq DESC LIMIT 1), ${from}) + 1)`;
}

/** The range of `seq` in which a tenant's memories lie, both ends outside it. */
export function rangeOf(tenant: string): { from: SQL; to: SQL } {
  const number = sql`(SELECT number FROM tenants WHERE tenant = ${tenant})`;
  return { from: sql`(${number} << 33)`, to: sql`((${number} + 1) << 33)` };
}

/** Puts rows into the text index, in place of what stood there for them. */
export function indexRows(tenant: string, rows: readonly NewRow[]): SQL {
  const json = JSON.stringify(rows.map(({ id, fts }) => ({ id, ...fts })));
  return sql`INSERT OR REPLACE INTO memories_fts (rowid, scope, content, rationale)
    SELECT m.seq, value ->> '$.scope', value ->> '$.content', value ->> '$.rationale'
    FROM json_each(${json}) CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = value ->> '$.id'`;
}

/** One more access for each memory, in the read model and in its triples. */
export function recordAccess(tenant: string, ids: readonly string[], at: string): SQL[] {
  const json = JSON.stringify(ids);
  // The subjects are looked up one by one in their index: a join could begin with all the tenant's triples.
  const follow = (property: string, column: string) => sql`UPDATE triples
    SET object = (SELECT m.${sql.raw(column)} FROM memories m
      WHERE m.tenant = ${tenant} AND m.id = substr(triples.subject, ${"jido:memory_".length + 1}))
    WHERE tenant = ${tenant} AND predicate = ${property}
      AND subject IN (SELECT 'jido:memory_' || value FROM json_each(${json}))`;
  return [
    sql`UPDATE memories SET access_count = access_count + 1, last_accessed = max(last_accessed, ${at})
      WHERE tenant = ${tenant} AND id IN (SELECT value FROM json_each(${json}))`,
    follow("jido:accessCount", "access_count"),
    follow("jido:lastAccessed", "last_accessed"),
  ];
}

/** A memory that takes a topic over: the live ones with the same key in the same scope are superseded by it. */
export type TopicTaker = { id: string; scope: string; key: string; valid_from: string };

export function supersedeTopics(tenant: string, takers: readonly TopicTaker[]): SQL[] {
  return supersede(
    tenant,
    takers,
    sql`m.scope = j.value ->> '$.scope' AND m.topic_key = j.value ->> '$.key'`,
    sql`m.id <> j.value ->> '$.id'`,
  );
}

/** A memory that takes another's place. */
export type Successor = { id: string; old: string; valid_from: string };

export function supersedeMemories(tenant: string, successors: readonly Successor[]): SQL[] {
  return supersede(tenant, successors, sql`m.id = j.value ->> '$.old'`, sql`true`);
}

/** Whatever is live and matches gives way to `id`: in its triples, in its row, and soon in the vector index. */
function supersede(
  tenant: string,
  by: readonly { id: string; valid_from: string }[],
  matches: SQL,
  unless: SQL,
): SQL[] {
  const json = JSON.stringify(by);
  const superseded = sql`FROM json_each(${json}) j CROSS JOIN memories m
    ON m.tenant = ${tenant} AND ${matches} WHERE m.live AND ${unless}`;
  return [
    sql`INSERT INTO triples (tenant, subject, predicate, object, datatype)
      SELECT ${tenant}, 'jido:memory_' || m.id, 'jido:validUntil', j.value ->> '$.valid_from', 'xsd:dateTime' ${superseded}`,
    sql`INSERT INTO triples (tenant, subject, predicate, object, datatype)
      SELECT ${tenant}, 'jido:memory_' || m.id, 'jido:supersededBy', 'jido:memory_' || (j.value ->> '$.id'), '' ${superseded}`,
    queueVectors(tenant, "memory", sql`SELECT m.id ${superseded}`),
    sql`UPDATE memories AS m SET live = 0, (superseded_by, valid_until) = (
        SELECT j.value ->> '$.id', j.value ->> '$.valid_from' FROM json_each(${json}) j WHERE ${matches})
      WHERE seq IN (SELECT m.seq ${superseded})`,
  ];
}

/** Aborts the batch unless the condition holds. */
export function assertThat(condition: SQL): SQL {
  return sql`INSERT INTO assertion (holds) SELECT ${condition}`;
}

/** Records what was applied, with its answer; a second application violates the primary key and aborts. */
export function recordOperations(
  tenant: string,
  applied: readonly { op: string; fingerprint: string; response: string }[],
  at: string,
): SQL {
  return sql`INSERT INTO operations (tenant, op, fingerprint, response, created_at)
    SELECT ${tenant}, value ->> '$.op', value ->> '$.fingerprint', value ->> '$.response', ${at}
    FROM json_each(${JSON.stringify(applied)})`;
}
