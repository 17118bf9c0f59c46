// Rebuilds the read models from the triples alone, a page of subjects at a time, while the service runs.
import { sql } from "drizzle-orm";
import { describeDefect } from "../errors";
import type { Memory } from "../schemas/memory";
import { chunks } from "./chunks";
import { batch, type Database, readAll, retryRaces } from "./database";
import { identityOf } from "./identity";
import { type NewRow, toRow } from "./rows";
import { assertThat, insertRows } from "./statements";
import { fromTriples, type Triple } from "./triples";

/** `skipped` counts subjects whose triples do not make a memory: they are left alone and logged. */
export type RebuildPage = { rebuilt: number; skipped: number; next: RebuildCursor | null };
/** The last subject that was rebuilt. */
export type RebuildCursor = { tenant: string; subject: string };

type TripleRow = Triple & { id: number; tenant: string };

/** `tenant` null rebuilds all tenants. The first page also drops rows that no triple stands for. */
export async function rebuildPage(
  db: Database,
  { tenant, after, limit }: { tenant: string | null; after: RebuildCursor | null; limit: number },
): Promise<RebuildPage> {
  return retryRaces(async () => {
    if (after === null) await dropUnfounded(db, tenant);
    const rows = await readAll<TripleRow>(db, pageOfTriples(tenant, after, limit));
    const subjects = [...Map.groupBy(rows, (row) => `${row.tenant} ${row.subject}`).values()];
    const byTenant = new Map<string, NewRow[]>();
    let skipped = 0;
    for (const triples of subjects) {
      const [{ tenant: owner } = { tenant: "" }] = triples;
      const memory = readMemory(triples);
      if (memory === null) {
        skipped += 1;
        continue;
      }
      const row = toRow(owner, await identityOf(owner, memory), memory);
      byTenant.set(owner, [...(byTenant.get(owner) ?? []), row]);
    }
    for (const [owner, newRows] of byTenant) {
      for (const chunk of chunks(newRows)) await replaceRows(db, owner, chunk, rows);
    }
    const last = subjects.length < limit ? undefined : subjects.at(-1)?.[0];
    return {
      rebuilt: subjects.length - skipped,
      skipped,
      next: last === undefined ? null : { tenant: last.tenant, subject: last.subject },
    };
  });
}

function readMemory(triples: readonly TripleRow[]): Memory | null {
  try {
    return fromTriples(triples);
  } catch (error) {
    const subject = triples[0]?.subject;
    console.error(JSON.stringify({ event: "rebuild.skipped", subject, ...describeDefect(error) }));
    return null;
  }
}

function pageOfTriples(tenant: string | null, after: RebuildCursor | null, limit: number) {
  const start = after ?? { tenant: tenant ?? "", subject: "" };
  return sql`SELECT t.id, t.tenant, t.subject, t.predicate, t.object, t.datatype FROM (
      SELECT DISTINCT tenant, subject FROM triples
      WHERE (tenant, subject) > (${start.tenant}, ${start.subject}) ${tenant === null ? sql`` : sql`AND tenant = ${tenant}`}
        AND subject >= 'jido:memory_' AND subject < 'jido:memory\`'
      ORDER BY tenant, subject LIMIT ${limit}
    ) s CROSS JOIN triples t ON t.tenant = s.tenant AND t.subject = s.subject
    ORDER BY t.tenant, t.subject, t.id`;
}

/** Replaces rows in one batch, which aborts when their triples changed since they were read. */
async function replaceRows(
  db: Database,
  tenant: string,
  rows: readonly NewRow[],
  read: readonly TripleRow[],
): Promise<void> {
  const ids = sql`(SELECT value FROM json_each(${JSON.stringify(rows.map(({ id }) => id))}))`;
  const replaced = new Set(rows.map(({ id }) => `jido:memory_${id}`));
  const mine = read.filter((triple) => triple.tenant === tenant && replaced.has(triple.subject));
  const checksum = mine.reduce((sum, { id }) => sum + id, 0);
  const counts = mine
    .filter(({ predicate }) => predicate === "jido:accessCount")
    .reduce((sum, { object }) => sum + Number(object), 0);
  await batch(db, [
    assertThat(sql`total(id) = ${checksum} AND total(CASE predicate WHEN 'jido:accessCount' THEN object END) = ${counts}
      FROM triples WHERE tenant = ${tenant} AND subject IN (SELECT value FROM json_each(${JSON.stringify([...replaced])}))`),
    sql`DELETE FROM memories_fts WHERE rowid IN (SELECT seq FROM memories WHERE tenant = ${tenant} AND id IN ${ids})`,
    sql`DELETE FROM memories WHERE tenant = ${tenant} AND id IN ${ids}`,
    ...insertRows(tenant, rows),
  ]);
}

async function dropUnfounded(db: Database, tenant: string | null): Promise<void> {
  const unfounded = sql`FROM memories m WHERE ${tenant === null ? sql`true` : sql`m.tenant = ${tenant}`}
    AND NOT EXISTS (SELECT 1 FROM triples t WHERE t.tenant = m.tenant AND t.subject = 'jido:memory_' || m.id)`;
  await batch(db, [
    sql`INSERT OR REPLACE INTO vector_queue (tenant, kind, id) SELECT m.tenant, 'memory', m.id ${unfounded}`,
    sql`DELETE FROM memories_fts WHERE rowid IN (SELECT m.seq ${unfounded})`,
    sql`DELETE FROM memories WHERE seq IN (SELECT m.seq ${unfounded})`,
    sql`DELETE FROM memories_fts WHERE rowid NOT IN (SELECT seq FROM memories)`,
  ]);
}
