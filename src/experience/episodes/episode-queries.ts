// Reads episodes of one tenant by id, by filter and in order of time.
import { type SQL, sql } from "drizzle-orm";
import { DEFAULT_PROJECT } from "../../kernel/access";
import { readAll } from "../../kernel/databases/d1";
import type { Page, StoreContext, TimeCursor } from "../../kernel/store-context";
import { selectEpisodeRow } from "../../memories/usage/usage-counts";
import { hasIriObject, listResourceKeys, toEvidenceIri } from "../../ontology/triples";
import { type EpisodeRow, fromEpisodeRow } from "./episode-mapping";
import type { Episode } from "./episode-schemas";

export async function findEpisode({ db, tenant }: StoreContext, id: string): Promise<Episode | null> {
  const [row] = await readAll<EpisodeRow>(
    db,
    sql`SELECT ${selectEpisodeRow("e")} FROM episodes e WHERE tenant = ${tenant} AND id = ${id}`,
  );
  return row === undefined ? null : fromEpisodeRow(row);
}

/** Returns episodes in the order of the ids. */
export async function findEpisodes({ db, tenant }: StoreContext, ids: readonly string[]): Promise<Episode[]> {
  const rows = await readAll<EpisodeRow>(
    db,
    sql`SELECT ${selectEpisodeRow("e")} FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN episodes e
      ON e.tenant = ${tenant} AND e.id = j.value ORDER BY j.key`,
  );
  return rows.map(fromEpisodeRow);
}

export type EpisodeFilter = {
  project_id: string | null;
  /** Includes the episodes without a project. */
  unassigned?: boolean;
  user_id: string | null;
  outcome: Episode["outcome"] | null;
  agent: string | null;
  since: string | null;
  until: string | null;
  archived: boolean;
};

/** Returns the episodes that pass a filter, newest first. */
export async function selectEpisodes(
  { db, tenant }: StoreContext,
  { project_id, unassigned = false, user_id, outcome, agent, since, until, archived }: EpisodeFilter,
  { limit, after }: Page,
): Promise<Episode[]> {
  const conditions = [sql`tenant = ${tenant}`];
  if (project_id !== null)
    conditions.push(
      unassigned ? sql`(project_id = ${project_id} OR project_id IS NULL)` : sql`project_id = ${project_id}`,
    );
  if (user_id !== null) conditions.push(sql`user_id = ${user_id}`);
  if (outcome !== null) conditions.push(sql`outcome = ${outcome}`);
  if (agent !== null) conditions.push(sql`agent_id = ${agent}`);
  if (since !== null) conditions.push(sql`timestamp >= ${since}`);
  if (until !== null) conditions.push(sql`timestamp <= ${until}`);
  if (!archived) conditions.push(sql`live = 1`);
  if (after !== null) conditions.push(sql`(timestamp, id) < (${after.timestamp}, ${after.id})`);
  const rows = await readAll<EpisodeRow>(
    db,
    sql`SELECT ${selectEpisodeRow("e")} FROM episodes e WHERE ${sql.join(conditions, sql` AND `)}
      ORDER BY timestamp DESC, id DESC LIMIT ${limit}`,
  );
  return rows.map(fromEpisodeRow);
}

export type EpisodeWindow = {
  since: string;
  until: string;
  /** The last episode of the page before. */
  after: TimeCursor | null;
  limit: number;
};

/** Returns a page of a project's episodes that are not archived, oldest first. */
export async function listEpisodesInOrder(
  { db, tenant }: StoreContext,
  projectId: string,
  { since, until, after, limit }: EpisodeWindow,
): Promise<Episode[]> {
  const start = after ?? { timestamp: since, id: "" };
  const order = sql`ORDER BY timestamp, id LIMIT ${limit}`;
  const select = (
    owner: SQL,
  ) => sql`SELECT ${selectEpisodeRow("e")} FROM episodes e WHERE tenant = ${tenant} AND ${owner} AND live = 1
    AND (timestamp, id) > (${start.timestamp}, ${start.id}) AND timestamp <= ${until}`;
  const own = select(sql`project_id = ${projectId}`);
  const rows = await readAll<EpisodeRow>(
    db,
    projectId === DEFAULT_PROJECT
      ? sql`SELECT * FROM (${own} ${order}) UNION ALL SELECT * FROM (${select(sql`project_id IS NULL`)} ${order}) ${order}`
      : sql`${own} ${order}`,
  );
  return rows.map(fromEpisodeRow);
}

/** Returns those of the ids that a memory cites as evidence. */
export async function findReferencedEpisodes(
  { db, tenant }: StoreContext,
  ids: readonly string[],
): Promise<Set<string>> {
  const keys = ids.flatMap((id) => listResourceKeys(toEvidenceIri(id)).map((key) => ({ id, key })));
  const rows = await readAll<{ id: string }>(
    db,
    sql`SELECT j.value ->> '$.id' AS id FROM json_each(${JSON.stringify(keys)}) j WHERE EXISTS (
      SELECT 1 FROM triples t WHERE t.tenant = ${tenant} AND t.object_key = j.value ->> '$.key'
        AND ${hasIriObject("t")} AND t.predicate = 'jido:derivedFrom')`,
  );
  return new Set(rows.map(({ id }) => id));
}
