// Which memories a namespace holds: as a condition on a row `m` of the read model, and as a list.
import { type SQL, sql } from "drizzle-orm";
import type { ResolvedNamespace } from "../../domain/policy/namespace";
import { type Database, readAll } from "../../platform/d1";
import type { Memory } from "../../schemas/memory";
import type { TimeCursor } from "./memory-queries";
import { fromRow, type MemoryRow } from "./memory-rows";

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
