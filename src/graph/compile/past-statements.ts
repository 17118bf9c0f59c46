// The statements of a tenant as they were at a time, as a common table expression in place of `statements`. A statement of
// SQL computes it once, with the predicates that it reads, for all subjects of the tenant.
import { type SQL, sql } from "drizzle-orm";
import { renderStatement } from "../../kernel/databases/d1";
import {
  buildClockConditions,
  type Clocks,
  joinVersions,
  selectPastMemories,
  wasKnown,
} from "../../memories/history/memory-history";
import { GENERIC_PREDICATES } from "../../memories/links/link-triples";
import type { CompileContext } from "./compile-context";

const TABLE = "past";

/** After every time: a query with a time of validity alone reads what is known now. */
const NOW = "9999-12-31T23:59:59.999Z";

/** The predicates that are stated when a memory ends. */
const ENDING_PREDICATES = ["supersededBy", "invalidatedBy", "forgottenAt", "forgetReason", "validUntil"].map(
  (name) => `jido:${name}`,
);

/** The predicates of the times from which links, episodes and sessions are known. */
const BEGINNING_PREDICATES = ["linkedAt", "occurredAt", "startedAt"].map((name) => `jido:${name}`);

function isPast({ as_of, valid_at }: Clocks): boolean {
  return as_of !== undefined || valid_at !== undefined;
}

/** Returns the name of the table of statements, to read those with these predicates, or all of them. */
export function nameStatements(
  { clocks, readPredicates }: CompileContext,
  predicates: readonly (string | null)[],
): string {
  for (const predicate of predicates) readPredicates.add(predicate);
  return isPast(clocks) ? TABLE : "statements";
}

/** Writes the WITH clause of a statement that is compiled otherwise; empty if it reads the present. */
export function writePast({ clocks, source, bind, readPredicates }: CompileContext): string {
  if (!isPast(clocks)) return "";
  const predicates = [...readPredicates].filter((predicate) => predicate !== null);
  const isRead = (number: SQL) =>
    readPredicates.has(null) ? sql`true` : sql`${number} IN ${selectNumbered(predicates)}`;
  const { sql: text, params } = renderStatement(selectPast(source.tenant, clocks, isRead));
  let next = 0;
  return `WITH ${TABLE} AS MATERIALIZED (${text.replaceAll("?", () => bind(String(params[next++])))}) `;
}

function selectPast(tenant: string, clocks: Clocks, isRead: (number: SQL) => SQL): SQL {
  const asOf = clocks.as_of ?? NOW;
  const columns = sql`s.tenant, s.subject, s.predicate, s.key, s.datatype, s.graph, s.literal, s.number`;
  const versions = joinVersions(asOf, sql`json_array(v.state ->> '$.live', json(v.triples))`);
  const [wasLive, hasVersion] = [sql`at.value ->> '$[0]'`, sql`at.value ->> '$[1]' IS NOT NULL`];
  const memory = sql`r.tenant = ${tenant} AND ${wasKnown(asOf)} AND ${isValid(tenant, asOf, clocks)}`;
  return sql`SELECT ${columns} FROM statements s
      WHERE s.tenant = ${tenant} AND ${isRead(sql`s.predicate`)} AND NOT (s.subject >= 'jido:memory_' AND s.subject < ${"jido:memory`"}) AND NOT ${beganLater(tenant, asOf)}
    UNION ALL SELECT ${columns} FROM ${versions} CROSS JOIN statements s ON s.tenant = r.tenant AND s.subject = 'jido:memory_' || r.id AND ${isRead(sql`s.predicate`)}
      WHERE ${memory} AND NOT (${hasVersion}) AND NOT (${wasLive} AND r.live = 0 AND s.predicate IN ${selectNumbered(ENDING_PREDICATES)})
        AND NOT ${wasLinkedLater(tenant, asOf, { subject: sql`s.subject`, predicate: sql`s.predicate`, key: sql`s.key` })}
    UNION ALL SELECT r.tenant, 'jido:memory_' || r.id, p.number, e.value ->> 1, e.value ->> 2, e.value ->> 3, e.value ->> 4,
        ${toNumber(sql`e.value ->> 1`, sql`e.value ->> 2`)}
      FROM ${versions} CROSS JOIN json_each(at.value, '$[1][1]') e CROSS JOIN predicates p ON p.iri = e.value ->> 0
      WHERE ${memory} AND ${isRead(sql`p.number`)} AND ${hasVersion} AND NOT (${wasLive} AND NOT at.value ->> '$[1][0]' AND p.number IN ${selectNumbered(ENDING_PREDICATES)})
        AND NOT ${wasLinkedLater(tenant, asOf, { subject: sql`'jido:memory_' || r.id`, predicate: sql`p.number`, key: sql`e.value ->> 1` })}`;
}

/** Whether a memory `r` was true at the time of validity. */
function isValid(tenant: string, asOf: string, { valid_at }: Clocks): SQL {
  if (valid_at === undefined) return sql`true`;
  const conditions = buildClockConditions({ include_superseded: false, valid_at }, sql`m`);
  return sql`r.id IN (SELECT m.id FROM (${selectPastMemories(asOf)}) m
    WHERE m.tenant = ${tenant} AND ${sql.join(conditions, sql` AND `)})`;
}

/** Whether the subject of a statement `s` is a link, an episode or a session of a later time. */
function beganLater(tenant: string, asOf: string): SQL {
  return sql`EXISTS (SELECT 1 FROM statements a WHERE a.tenant = ${tenant} AND a.subject = s.subject
    AND a.predicate IN ${selectNumbered(BEGINNING_PREDICATES)} AND a.number > unixepoch(${asOf}, 'subsec'))`;
}

/** Whether a triple is that of a link which was made later. Links that were deleted since are not known. */
function wasLinkedLater(
  tenant: string,
  asOf: string,
  { subject, predicate, key }: Record<"subject" | "predicate" | "key", SQL>,
): SQL {
  return sql`(${predicate} IN ${selectNumbered(GENERIC_PREDICATES)} AND EXISTS (
    SELECT 1 FROM statements l
      CROSS JOIN statements f ON f.tenant = ${tenant} AND f.subject = l.subject AND f.predicate IN ${selectNumbered(["jido:linkFrom"])} AND f.key = ${subject}
      CROSS JOIN statements a ON a.tenant = ${tenant} AND a.subject = l.subject AND a.predicate IN ${selectNumbered(["jido:linkedAt"])}
        AND a.number > unixepoch(${asOf}, 'subsec')
    WHERE l.tenant = ${tenant} AND l.key = ${key} AND l.predicate IN ${selectNumbered(["jido:linkTo"])} AND l.datatype = ''))`;
}

function selectNumbered(iris: readonly string[]): SQL {
  return sql`(SELECT number FROM predicates WHERE iri IN (SELECT value FROM json_each(${JSON.stringify(iris)})))`;
}

/** The value of a literal as the column `number` of `statements` has it (migrations/0001_schema.sql). */
function toNumber(key: SQL, datatype: SQL): SQL {
  return sql`CASE WHEN ${datatype} IN ('xsd:integer', 'xsd:decimal', 'xsd:double', 'xsd:float', 'xsd:nonNegativeInteger')
      THEN iif(${key} GLOB '*[0-9]*' AND ${key} NOT GLOB '*[^-+.0-9eE]*', CAST(${key} AS REAL), NULL)
    WHEN ${datatype} IN ('xsd:dateTime', 'xsd:date') THEN iif(${key} GLOB '[0-9]*', unixepoch(${key}, 'subsec'), NULL) END`;
}
