// What takes a memory's place. Replacements make chains, and no chain may close.
import { type SQL, sql } from "drizzle-orm";
import { type Database, readAll } from "../../platform/d1";
import { fail } from "../../platform/errors";
import { assertThat } from "./memory-statements";

/** `by` takes the place of `old`. */
type Replacement = { old: string; by: string };

export async function refuseCycle(db: Database, tenant: string, { old, by }: Replacement) {
  const successors = await readAll<{ id: string }>(db, successorsOf(tenant, by));
  if (!successors.some(({ id }) => id === old)) return null;
  return fail(
    "conflict",
    `Memory ${by} is itself superseded by ${old}: that would be a cycle of replacements. Give a memory that does not lead back.`,
  );
}

/** Aborts the batch unless the memory is live. */
export function assertLive(tenant: string, id: string): SQL {
  return assertThat(sql`count(*) = 1 FROM memories WHERE tenant = ${tenant} AND id = ${id} AND live`);
}

/** Two calls at once could each look acyclic and together close a cycle: the batch itself looks again. */
export function assertReplaceable(tenant: string, { old, by }: Replacement): SQL[] {
  return [
    assertLive(tenant, old),
    assertThat(sql`EXISTS (SELECT 1 FROM memories WHERE tenant = ${tenant} AND id = ${by})`),
    assertThat(sql`${old} NOT IN (${successorsOf(tenant, by)})`),
  ];
}

/** Everything that a chain of replacements leads to from here. UNION stops at a repeated id. */
function successorsOf(tenant: string, id: string): SQL {
  return sql`WITH RECURSIVE chain (id) AS (
      SELECT superseded_by FROM memories WHERE tenant = ${tenant} AND id = ${id}
      UNION SELECT m.superseded_by FROM chain CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = chain.id
    ) SELECT id FROM chain WHERE id IS NOT NULL`;
}
