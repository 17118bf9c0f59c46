// Lowers the source of a memory together with all that rests on it, directly or through others: a statement has the
// lowest rank of what it rests on.
import { type SQL, sql } from "drizzle-orm";
import { SOURCE_TYPES, type SourceType } from "../../kernel/common";
import { readAll } from "../../kernel/databases/d1";
import { assertThat } from "../../kernel/databases/statements";
import { fail, ok, type Result } from "../../kernel/errors";
import type { StoreContext } from "../../kernel/store-context";
import { hasIriObject, toEvidenceIri, toInstanceIri } from "../../ontology/triples";
import { outranks } from "../../trust/source-rank";
import { recordVersions } from "../history/record-versions";
import type { Memory } from "../memory-schemas";
import { MEMORY_PREFIX } from "./evidence-sources";
import { toSourceIri } from "./memory-mapping";

/** Memories that one link may lower: few enough that their batch stays far below the time limit of D1. */
export const MAX_LOWERED = 1_000;

/** Each way to rest on a memory, as the beginning of the object of `derivedFrom`: a link, and both forms of evidence. */
const EVIDENCE_PREFIXES = [toInstanceIri("memory", ""), toEvidenceIri(""), toEvidenceIri(MEMORY_PREFIX)];

/**
 * Builds the statements that give a memory a lower source, and each memory of a higher rank that rests on it. Fails if
 * there are more than MAX_LOWERED: lowering some of them would leave statements that claim more than they rest on.
 */
export async function planLowering(
  context: StoreContext,
  { id, source }: { id: string; source: SourceType },
  at: string,
): Promise<Result<SQL[]>> {
  const { db, tenant, ranks } = context;
  const higher = SOURCE_TYPES.filter((other) => outranks(ranks, other, source));
  const derived = selectDerived(tenant, id, higher);
  const found = await readAll<{ id: string }>(db, derived);
  if (found.length > MAX_LOWERED)
    return fail(
      "limit_exceeded",
      `Memory ${id} would take the source "${source}", and with it more than ${MAX_LOWERED - 1} memories that rest on it; that is the limit. ` +
        "Link some of those to the same origin first: those that have its source already do not count.",
    );
  const predicate = "jido:hasSourceType";
  return ok([
    assertThat(sql`count(*) <= ${MAX_LOWERED} FROM (${derived})`),
    recordVersions(tenant, derived, { at }),
    sql`DELETE FROM triples WHERE tenant = ${tenant} AND predicate = ${predicate}
      AND subject IN (SELECT 'jido:memory_' || id FROM (${derived}))`,
    sql`INSERT INTO triples (tenant, subject, predicate, object, datatype)
      SELECT ${tenant}, 'jido:memory_' || id, ${predicate}, ${toSourceIri(source)}, '' FROM (${derived})`,
    // The last one, because the selection depends on the sources in the rows.
    sql`UPDATE memories SET source_type = ${source} WHERE tenant = ${tenant} AND id IN (${derived})`,
  ]);
}

/**
 * Selects the memory and what rests on it, as far as their sources are among `sources`. UNION stops at a repeated id. The
 * ids of memories are short, so that the key of each object is the object itself.
 */
function selectDerived(tenant: string, id: string, sources: readonly SourceType[]): SQL {
  const isAmong = sql`m.source_type IN (SELECT value FROM json_each(${JSON.stringify(sources)}))`;
  return sql`WITH RECURSIVE derived (id) AS (
      SELECT m.id FROM memories m WHERE m.tenant = ${tenant} AND m.id = ${id} AND ${isAmong}
      UNION SELECT m.id FROM derived CROSS JOIN json_each(${JSON.stringify(EVIDENCE_PREFIXES)}) p
        CROSS JOIN triples t ON t.tenant = ${tenant} AND t.object_key = p.value || derived.id AND ${hasIriObject("t")} AND t.predicate = 'jido:derivedFrom'
        CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = replace(t.subject, 'jido:memory_', '')
        WHERE ${isAmong} LIMIT ${MAX_LOWERED + 1}
    ) SELECT id FROM derived`;
}

/** Aborts the batch if the memory has another source than when its rank was compared. */
export function assertSource(tenant: string, { id, source_type }: Pick<Memory, "id" | "source_type">): SQL {
  return assertThat(sql`EXISTS (SELECT 1 FROM memories
    WHERE tenant = ${tenant} AND id = ${id} AND source_type = ${source_type})`);
}
