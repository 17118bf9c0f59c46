// Episodes in D1: written with their triples in one batch, read by id, by filter and by window, changed, erased.
import { sql } from "drizzle-orm";
import { type Database, readAll } from "../../platform/d1";
import type { Episode } from "../../schemas/episode";
import type { TimeCursor } from "../memories/memory-queries";
import { toEvidenceIri, computeObjectKey } from "../triples/triples";
import { type EpisodeRow, fromEpisodeRow } from "./episode-mapping";

export async function findEpisode(db: Database, tenant: string, id: string): Promise<Episode | null> {
  const [row] = await readAll<EpisodeRow>(
    db,
    sql`SELECT * FROM episodes WHERE tenant = ${tenant} AND id = ${id}`,
  );
  return row === undefined ? null : fromEpisodeRow(row);
}

export async function findEpisodes(db: Database, tenant: string, ids: readonly string[]): Promise<Episode[]> {
  const rows = await readAll<EpisodeRow>(
    db,
    sql`SELECT e.* FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN episodes e
      ON e.tenant = ${tenant} AND e.id = j.value ORDER BY j.key`,
  );
  return rows.map(fromEpisodeRow);
}

export type EpisodeFilter = {
  project_id: string | null;
  outcome: Episode["outcome"] | null;
  agent: string | null;
  since: string | null;
  until: string | null;
  archived: boolean;
};

/** Newest first. */
export async function listEpisodes(
  db: Database,
  tenant: string,
  { project_id, outcome, agent, since, until, archived }: EpisodeFilter,
  { limit, after }: { limit: number; after: TimeCursor | null },
): Promise<Episode[]> {
  const conditions = [sql`tenant = ${tenant}`];
  if (project_id !== null) conditions.push(sql`project_id = ${project_id}`);
  if (outcome !== null) conditions.push(sql`outcome = ${outcome}`);
  if (agent !== null) conditions.push(sql`agent_id = ${agent}`);
  if (since !== null) conditions.push(sql`timestamp >= ${since}`);
  if (until !== null) conditions.push(sql`timestamp <= ${until}`);
  if (!archived) conditions.push(sql`live = 1`);
  if (after !== null) conditions.push(sql`(timestamp, id) < (${after.timestamp}, ${after.id})`);
  const rows = await readAll<EpisodeRow>(
    db,
    sql`SELECT * FROM episodes WHERE ${sql.join(conditions, sql` AND `)}
      ORDER BY timestamp DESC, id DESC LIMIT ${limit}`,
  );
  return rows.map(fromEpisodeRow);
}

export type EpisodeWindow = {
  since: string;
  until: string;
  /** The last one that was read. */
  after: TimeCursor | null;
  limit: number;
};

/** A project's episodes that are not archived, oldest first, a page at a time. */
export async function listEpisodesInOrder(
  db: Database,
  tenant: string,
  projectId: string,
  window: EpisodeWindow,
): Promise<Episode[]> {
  const { since, until, after, limit } = window;
  const start = after ?? { timestamp: since, id: "" };
  const rows = await readAll<EpisodeRow>(
    db,
    sql`SELECT * FROM episodes WHERE tenant = ${tenant} AND project_id = ${projectId} AND live = 1
        AND (timestamp, id) > (${start.timestamp}, ${start.id}) AND timestamp <= ${until}
      ORDER BY timestamp, id LIMIT ${limit}`,
  );
  return rows.map(fromEpisodeRow);
}

/** Those of the ids that some memory is derived from. */
export async function findReferencedEpisodes(db: Database, tenant: string, ids: readonly string[]): Promise<Set<string>> {
  const keys = ids.map((id) => ({ id, key: computeObjectKey(toEvidenceIri(id)) }));
  const rows = await readAll<{ id: string }>(
    db,
    sql`SELECT j.value ->> '$.id' AS id FROM json_each(${JSON.stringify(keys)}) j WHERE EXISTS (
      SELECT 1 FROM triples t WHERE t.tenant = ${tenant} AND t.object_key = j.value ->> '$.key'
        AND t.predicate = 'jido:derivedFrom')`,
  );
  return new Set(rows.map(({ id }) => id));
}
