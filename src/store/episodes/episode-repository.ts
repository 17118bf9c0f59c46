import { type SQL, sql } from "drizzle-orm";
import { type Database, runBatch, WriteConflict, writeOptimistically } from "../../platform/d1";
import { fail, ok, type Result } from "../../platform/errors";
import { splitIntoChunks } from "../../platform/json-chunks";
import type { Episode } from "../../schemas/episode";
import { canonicalJson } from "../../text/json-text";
import { eraseVectors } from "../memories/erase-memories";
import { type Operation, findOperation, recordOperations } from "../operation-log";
import { assertThat } from "../statements";
import type { Page, StoreContext } from "../store-context";
import { deleteTriples, toEvidenceIri, insertTriples, computeObjectKey } from "../triples/triples";
import { selectIds, queueVectors } from "../vectors/vector-queue";
import { toEpisodeTriples, insertEpisodeRows, toEpisodeRow, toTrace } from "./episode-mapping";
import {
  type EpisodeFilter,
  type EpisodeWindow,
  listEpisodesInOrder,
  findEpisode,
  findEpisodes,
  listEpisodes,
  findReferencedEpisodes,
} from "./episode-queries";

export type WrittenEpisode = { episode: Episode; created: boolean };
/**
 * Writes an episode. The same one again is the one that stands; another one under its id is refused. A time that the
 * caller did not give is not compared. Whoever repeats the operation that wrote it is told that it is new.
 */

export async function writeEpisode(
  db: Database,
  tenant: string,
  episode: Episode,
  { dated, operation, now }: { dated: boolean; operation: Operation | null; now: string },
): Promise<Result<WrittenEpisode>> {
  const row = await toEpisodeRow(tenant, episode);
  try {
    await runBatch(db, [
      assertThat(sql`NOT EXISTS (SELECT 1 FROM episodes WHERE tenant = ${tenant} AND id = ${episode.id})`),
      insertTriples(tenant, toEpisodeTriples(episode)),
      ...insertEpisodeRows(tenant, [row]),
      queueVectors(tenant, "episode", selectIds([row.vector_id])),
      ...(operation === null ? [] : [recordOperations(tenant, [{ ...operation, response: "{}" }], now)]),
    ]);
    return ok({ episode, created: true });
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
  }
  const standing = await findEpisode(db, tenant, episode.id);
  if (standing !== null && isSameEpisode(standing, episode, dated)) {
    const mine = operation === null ? null : await findOperation(db, tenant, operation);
    return ok({ episode: standing, created: mine !== null });
  }
  return fail(
    "conflict",
    `There is another episode ${episode.id}. Give a new id, or none: what happened is not changed afterwards.`,
  );
}
/** Whether both tell the same. Of one that is no longer kept whole, what is left of it must agree. */

export function isSameEpisode(standing: Episode, again: Episode, dated: boolean): boolean {
  const told = (episode: Episode) => {
    const { timestamp, duration_seconds, outcome, project_id, agent, task_id, tokens_used } = episode;
    const { action_log, ...trace } = toTrace(episode);
    return canonicalJson([
      dated ? timestamp : null,
      episode.context,
      [duration_seconds, outcome, project_id, agent, task_id, tokens_used],
      trace,
      standing.summarised ? null : action_log,
      isUntouched(standing) ? episode.importance : null,
    ]);
  };
  return told(standing) === told(again);
}
/** Whether its importance is still what was told. */

export function isUntouched({ decayed_at, usage_count }: Episode): boolean {
  return decayed_at === null && usage_count === 0;
}
export type EpisodeChange = { before: Episode; after: Episode };
/** Changes episodes where they stand, those for which `change` does not give null. Gives them as they then are. */

export async function changeEpisodes(
  db: Database,
  tenant: string,
  ids: readonly string[],
  change: (episode: Episode) => Episode | null,
): Promise<Episode[]> {
  const write = async (episodes: readonly Episode[]) => {
    const changes = episodes.flatMap((before) => {
      const after = change(before);
      return after === null ? [] : [{ before, after }];
    });
    await runBatch(db, await buildEpisodeChanges(tenant, changes));
    return changes.map(({ after }) => after);
  };
  const changed: Episode[] = [];
  for (const piece of splitIntoChunks(await findEpisodes(db, tenant, ids))) {
    const again = () =>
      findEpisodes(
        db,
        tenant,
        piece.map(({ id }) => id),
      );
    changed.push(...(await writeOptimistically(piece, again, write)));
  }
  return changed;
}
/** For one batch, which aborts when one of the episodes changed since it was read. */

export async function buildEpisodeChanges(tenant: string, changes: readonly EpisodeChange[]): Promise<SQL[]> {
  if (changes.length === 0) return [];
  const before = changes.flatMap((change) => toEpisodeTriples(change.before));
  const after = changes.flatMap((change) => toEpisodeTriples(change.after));
  const keyOf = ({ subject, predicate, object }: (typeof before)[number]) =>
    `${subject} ${predicate} ${object}`;
  const had = new Set(before.map(keyOf));
  const has = new Set(after.map(keyOf));
  const gone = before.filter((triple) => !has.has(keyOf(triple)));
  const come = after.filter((triple) => !had.has(keyOf(triple)));
  const rows = await Promise.all(changes.map((change) => toEpisodeRow(tenant, change.after)));
  const json = JSON.stringify(rows);
  const was = JSON.stringify(
    changes.map(({ before: { id, usage_count, importance, archived_at, summary } }) => ({
      id,
      usage_count,
      importance,
      archived_at,
      summary,
    })),
  );
  const moved = changes.flatMap((change, i) =>
    change.before.archived === change.after.archived ? [] : (rows[i]?.vector_id ?? []),
  );
  const set = [
    "importance",
    "trace",
    "summary",
    "usage_count",
    "last_used",
    "decayed_at",
    "archived_at",
    "live",
  ];
  return [
    assertThat(sql`count(*) = ${changes.length} FROM json_each(${was}) j CROSS JOIN episodes e
      ON e.tenant = ${tenant} AND e.id = j.value ->> '$.id'
      WHERE e.usage_count = j.value ->> '$.usage_count' AND e.importance = j.value ->> '$.importance'
        AND e.archived_at IS j.value ->> '$.archived_at' AND e.summary IS j.value ->> '$.summary'`),
    deleteTriples(tenant, gone),
    insertTriples(tenant, come),
    sql`UPDATE episodes AS e SET (${sql.raw(set.join(", "))}) = (
        SELECT ${sql.raw(set.map((column) => `j.value ->> '$.${column}'`).join(", "))}
        FROM json_each(${json}) j WHERE j.value ->> '$.id' = e.id)
      WHERE tenant = ${tenant} AND id IN (SELECT value ->> '$.id' FROM json_each(${json}))`,
    queueVectors(tenant, "episode", selectIds(moved)),
  ];
}
export type ErasedEpisode = { episodes: number; triples: number; links: number };
/** Takes an episode out of triples, row and text index, with what others say of it. Its vector is erased first. */

export async function eraseEpisode(db: Database, tenant: string, id: string): Promise<ErasedEpisode> {
  const subject = toEvidenceIri(id);
  const key = computeObjectKey(subject);
  const mine = sql`FROM episodes WHERE tenant = ${tenant} AND id = ${id}`;
  const links = sql`SELECT subject FROM triples WHERE tenant = ${tenant} AND object_key = ${key}
    AND datatype = '' AND predicate IN ('jido:linkFrom', 'jido:linkTo')`;
  // Other evidence may go by the same name.
  if ((await findEpisode(db, tenant, id)) === null) return { episodes: 0, triples: 0, links: 0 };
  const [rows] = await runBatch(db, [
    sql`SELECT (SELECT count(*) ${mine}) AS episodes,
      (SELECT count(*) FROM triples WHERE tenant = ${tenant} AND subject = ${subject}) AS triples,
      (SELECT count(*) FROM triples WHERE tenant = ${tenant} AND object_key = ${key} AND datatype = ''
        AND predicate NOT IN ('jido:linkFrom', 'jido:linkTo')) AS links`,
    sql`UPDATE memories SET evidence = (SELECT json_group_array(value) FROM json_each(memories.evidence) WHERE value <> ${id})
      WHERE tenant = ${tenant} AND id IN (SELECT substr(subject, ${"jido:memory_".length + 1}) FROM triples
        WHERE tenant = ${tenant} AND object_key = ${key} AND predicate = 'jido:derivedFrom')`,
    sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject IN (${links})`,
    sql`DELETE FROM triples WHERE tenant = ${tenant} AND object_key = ${key} AND datatype = ''`,
    sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject = ${subject}`,
    sql`DELETE FROM episodes_fts WHERE rowid IN (SELECT seq ${mine})`,
    queueVectors(tenant, "episode", sql`SELECT vector_id AS id ${mine}`),
    sql`DELETE ${mine}`,
    sql`DELETE FROM operations WHERE tenant = ${tenant} AND quotes = 1`,
  ]);
  const [counts] = (rows ?? []) as ErasedEpisode[];
  return counts ?? { episodes: 0, triples: 0, links: 0 };
}
export function createEpisodeRepository(context: StoreContext) {
  const { db, tenant, now } = context;
  return {
    write: (episode: Episode, options: { dated: boolean; operation: Operation | null }) =>
      writeEpisode(db, tenant, episode, { ...options, now: now() }),
    find: (id: string) => findEpisode(db, tenant, id),
    findMany: (ids: readonly string[]) => findEpisodes(db, tenant, ids),
    list: (filter: EpisodeFilter, page: Page) => listEpisodes(db, tenant, filter, page),
    /** Returns a project's episodes that are not archived, oldest first, one page at a time. */
    listInOrder: (projectId: string, window: EpisodeWindow) => listEpisodesInOrder(db, tenant, projectId, window),
    /** Returns those of the ids that a memory cites as evidence. */
    findReferenced: (ids: readonly string[]) => findReferencedEpisodes(db, tenant, ids),
    changeMany: (ids: readonly string[], change: (episode: Episode) => Episode | null) =>
      changeEpisodes(db, tenant, ids, change),
    async erase(id: string) {
      const which = sql`SELECT vector_id AS id FROM episodes WHERE tenant = ${tenant} AND id = ${id}`;
      const vectors = await eraseVectors(context, "episode", which);
      return { ...(await eraseEpisode(db, tenant, id)), vectors };
    },
  };
}
