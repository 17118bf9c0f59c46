// Which memories a namespace holds, as a condition on a row `m` of the read model.
import { type SQL, sql } from "drizzle-orm";
import type { ResolvedNamespace } from "../policy/namespace";

/** Every scope that begins so is a namespace. */
const FIRST = "namespace:";
const AFTER = "namespace;";

/** Agent scope sees what was written under session scope. An agent's own holds what it remembers otherwise, too. */
export function inNamespace({ name, session_id, agent_id }: ResolvedNamespace): SQL {
  const scope = FIRST + name;
  const written =
    session_id === null
      ? sql`(m.scope = ${scope} OR (m.scope >= ${`${scope}:session:`} AND m.scope < ${`${scope}:session;`}))`
      : sql`m.scope = ${scope}`;
  if (agent_id === null) return written;
  const mine =
    session_id === null
      ? sql`m.agent_id = ${agent_id}`
      : sql`m.agent_id = ${agent_id} AND m.session_id = ${session_id}`;
  return sql`(${written} OR (${mine} AND NOT (m.scope >= ${FIRST} AND m.scope < ${AFTER})))`;
}
