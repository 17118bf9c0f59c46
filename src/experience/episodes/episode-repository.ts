// The repository of episodes. Each write is one batch: triples, row, text-index entry and embedding backlog.

import { type SQL, sql } from "drizzle-orm";
import { DEFAULT_PROJECT } from "../../kernel/access";
import { requestCompaction } from "../../kernel/databases/compaction";
import {
  readAll,
  runBatch,
  splitIntoChunks,
  WriteConflict,
  writeOptimistically,
} from "../../kernel/databases/d1";
import { assertThat, fromJson } from "../../kernel/databases/statements";
import { declareMethods } from "../../kernel/declare-methods";
import { fail, ok, type Result } from "../../kernel/errors";
import type { Idempotency } from "../../kernel/idempotency";
import { findOperation, recordOperation } from "../../kernel/operation-log";
import { queueEvent, runEventBatch } from "../../kernel/queue-events";
import type { Page, StoreContext } from "../../kernel/store-context";
import { canonicalJson } from "../../language/json-text";
import { eraseEvidenceFromVersions } from "../../memories/history/record-versions";
import { eraseVectors } from "../../memories/store/erase-memories";
import { queueVectors, selectIds } from "../../memories/store/vector-queue";
import { deleteUsage, settleImportance } from "../../memories/usage/usage-counts";
import {
  deleteTriples,
  hasIriObject,
  insertTriples,
  listResourceKeys,
  type Triple,
  toEvidenceIri,
} from "../../ontology/triples";
import {
  insertEpisodeRows,
  type NewEpisodeRow,
  toEpisodeRow,
  toEpisodeTriples,
  toTrace,
} from "./episode-mapping";
import {
  type EpisodeFilter,
  type EpisodeWindow,
  findEpisode,
  findEpisodes,
  findReferencedEpisodes,
  listEpisodesInOrder,
  selectEpisodes,
} from "./episode-queries";
import type { Episode } from "./episode-schemas";

/** Maps an episode to its new state; null leaves it as it is. */
type EpisodeUpdate = (episode: Episode) => Episode | null;

export function createEpisodeRepository(context: StoreContext) {
  const { reads, removes, writes } = declareMethods(context);

  return {
    write: writes((episode: Episode, options: WriteOptions) => writeEpisode(context, episode, options)),
    find: reads((id: string) => findEpisode(context, id)),
    findMany: reads((ids: readonly string[]) => findEpisodes(context, ids)),
    list: reads((filter: EpisodeFilter, page: Page) => selectEpisodes(context, filter, page)),
    listInOrder: reads((projectId: string, window: EpisodeWindow) =>
      listEpisodesInOrder(context, projectId, window),
    ),
    findReferenced: reads((ids: readonly string[]) => findReferencedEpisodes(context, ids)),
    /** Changes episodes in place and returns those that changed. */
    changeMany: writes((ids: readonly string[], update: EpisodeUpdate) =>
      changeEpisodes(context, ids, update),
    ),
    /** Erases episodes for good and returns the number of rows, triples, links and vectors that were deleted. */
    erase: removes((ids: readonly string[]) => eraseEpisodes(context, ids)),
  };
}

type WriteOptions = {
  /** Whether the caller gave the timestamp: only then is it compared. */
  dated: boolean;
  operation: Idempotency;
};

/**
 * Writes an episode. An equal episode with the same id is returned, a different one is refused. A call that repeats
 * the operation that created the episode reports it as created again.
 */
async function writeEpisode(
  context: StoreContext,
  episode: Episode,
  { dated, operation }: WriteOptions,
): Promise<Result<{ episode: Episode; created: boolean }>> {
  context.requireQuota?.("episodes", "bytes");
  const { tenant, now } = context;
  const row = await toEpisodeRow(tenant, episode);
  try {
    await runEventBatch(context, [
      assertThat(sql`NOT EXISTS (SELECT 1 FROM episodes WHERE tenant = ${tenant} AND id = ${episode.id})`),
      insertTriples(tenant, toEpisodeTriples(episode)),
      ...insertEpisodeRows(tenant, [row]),
      queueVectors(tenant, "episode", selectIds([row.vector_id])),
      queueEvent(tenant, describeCreation(episode, now())),
      ...recordOperation(tenant, operation, {}, now()),
    ]);
    return ok({ episode, created: true });
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
  }
  const existing = await findEpisode(context, episode.id);
  if (existing !== null && isSameEpisode(existing, episode, dated)) {
    const applied = await findOperation(context, operation);
    return ok({ episode: existing, created: applied !== null });
  }
  return fail(
    "conflict",
    `There is another episode ${episode.id}. Give a new id, or none: what happened is not changed afterwards.`,
  );
}

function describeCreation({ id, outcome, user_id, agent, project_id }: Episode, at: string) {
  const data = { episode_id: id, outcome, user_id, agent_id: agent, project_id };
  return { type: "episode.created", subject: `episodes/${id}`, data, at } as const;
}

/** Compares the fields that both have: a summarised episode has no actions, a decayed one not its first importance. */
function isSameEpisode(existing: Episode, again: Episode, dated: boolean): boolean {
  const hasFirstImportance = existing.decayed_at === null && existing.usage_count === 0;
  const toComparable = (episode: Episode) => {
    const { timestamp, duration_seconds, outcome, project_id, user_id, agent, task_id, tokens_used } =
      episode;
    const { action_log, ...trace } = toTrace(episode);
    return canonicalJson([
      dated ? timestamp : null,
      episode.context,
      [duration_seconds, outcome, project_id ?? DEFAULT_PROJECT, user_id, agent, task_id, tokens_used],
      trace,
      existing.summarised ? null : action_log,
      hasFirstImportance ? episode.importance : null,
    ]);
  };
  return toComparable(existing) === toComparable(again);
}

async function changeEpisodes(
  context: StoreContext,
  ids: readonly string[],
  update: EpisodeUpdate,
): Promise<Episode[]> {
  const write = async (episodes: readonly Episode[]) => {
    const changes = episodes.flatMap((before) => {
      const after = update(before);
      return after === null ? [] : [{ before, after }];
    });
    await runBatch(context.db, await buildChanges(context.tenant, changes));
    return changes.map(({ after }) => after);
  };
  const changed: Episode[] = [];
  for (const chunk of splitIntoChunks(await findEpisodes(context, ids))) {
    const chunkIds = chunk.map(({ id }) => id);
    const readAgain = () => findEpisodes(context, chunkIds);
    changed.push(...(await writeOptimistically(chunk, readAgain, write)));
  }
  return changed;
}

type EpisodeChange = { before: Episode; after: Episode };

const CHANGED_COLUMNS = [
  "importance",
  "trace",
  "summary",
  "decayed_at",
  "archived_at",
  "live",
] as const satisfies readonly (keyof NewEpisodeRow)[];

/** Builds the statements of one batch, which aborts if an episode changed since it was read. */
async function buildChanges(tenant: string, changes: readonly EpisodeChange[]): Promise<SQL[]> {
  if (changes.length === 0) return [];
  const stored = changes.map(({ before }) => toStoredEpisode(before));
  const next = changes.map(({ before, after }) =>
    after.importance === before.importance ? toStoredEpisode(after) : after,
  );
  const oldTriples = stored.flatMap(toEpisodeTriples);
  const newTriples = next.flatMap(toEpisodeTriples);
  const getKey = ({ subject, predicate, object }: Triple) => `${subject} ${predicate} ${object}`;
  const oldKeys = new Set(oldTriples.map(getKey));
  const newKeys = new Set(newTriples.map(getKey));
  const rows = await Promise.all(next.map((episode) => toEpisodeRow(tenant, episode)));
  const json = JSON.stringify(rows);
  const read = JSON.stringify(
    stored.map(({ id, importance, archived_at, summary }) => ({ id, importance, archived_at, summary })),
  );
  const reindexed = changes.flatMap(({ before, after }, i) =>
    before.archived === after.archived ? [] : (rows[i]?.vector_id ?? []),
  );
  return [
    assertThat(sql`count(*) = ${changes.length} FROM json_each(${read}) j CROSS JOIN episodes e
      ON e.tenant = ${tenant} AND e.id = j.value ->> '$.id'
      WHERE e.importance = j.value ->> '$.importance'
        AND e.archived_at IS j.value ->> '$.archived_at' AND e.summary IS j.value ->> '$.summary'`),
    deleteTriples(
      tenant,
      oldTriples.filter((triple) => !newKeys.has(getKey(triple))),
    ),
    insertTriples(
      tenant,
      newTriples.filter((triple) => !oldKeys.has(getKey(triple))),
    ),
    sql`UPDATE episodes AS e SET (${sql.raw(CHANGED_COLUMNS.join(", "))}) = (
        SELECT ${fromJson(CHANGED_COLUMNS, "j")} FROM json_each(${json}) j WHERE j.value ->> '$.id' = e.id)
      WHERE tenant = ${tenant} AND id IN (SELECT value ->> '$.id' FROM json_each(${json}))`,
    settleImportance(
      tenant,
      "episode",
      changes.flatMap(({ before, after }) => (after.importance === before.importance ? [] : after.id)),
    ),
    queueVectors(tenant, "episode", selectIds(reindexed)),
  ];
}

/** Returns an episode as it is stored, without the importance that use added. */
function toStoredEpisode(episode: Episode): Episode {
  return { ...episode, importance: episode.base_importance ?? episode.importance };
}

export type ErasedEpisodes = { episodes: number; triples: number; links: number; vectors: number };

/** Deletes the vectors, then in one batch the rows, the text-index entries, the triples and the references of others. */
async function eraseEpisodes(context: StoreContext, ids: readonly string[]): Promise<ErasedEpisodes> {
  const { db, tenant } = context;
  const none = { episodes: 0, triples: 0, links: 0 };
  const which = sql`FROM episodes WHERE tenant = ${tenant} AND id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const vectors = await eraseVectors(context, "episode", sql`SELECT vector_id AS id ${which}`, () =>
    context.forgetUsage("episode", [...ids]),
  );
  // Evidence that is not an episode may have the same IRI.
  const found = await readAll<{ id: string }>(db, sql`SELECT id ${which}`);
  if (found.length === 0) return { ...none, vectors };
  const iris = found.map(({ id }) => toEvidenceIri(id));
  const subjects = sql`(SELECT value FROM json_each(${JSON.stringify(iris)}))`;
  const keys = sql`(SELECT value FROM json_each(${JSON.stringify(iris.flatMap(listResourceKeys))}))`;
  const isEnd = sql`predicate IN ('jido:linkFrom', 'jido:linkTo')`;
  const pointing = sql`FROM triples WHERE tenant = ${tenant} AND object_key IN ${keys} AND ${hasIriObject("triples")}`;
  const [rows] = await runBatch(db, [
    sql`SELECT (SELECT count(*) ${which}) AS episodes,
      (SELECT count(*) FROM triples WHERE tenant = ${tenant} AND subject IN ${subjects}) AS triples,
      (SELECT count(*) ${pointing} AND NOT ${isEnd}) AS links`,
    sql`UPDATE memories SET evidence = (SELECT json_group_array(value) FROM json_each(memories.evidence)
        WHERE value NOT IN (SELECT id ${which}))
      WHERE tenant = ${tenant} AND id IN (SELECT substr(subject, ${"jido:memory_".length + 1}) ${pointing}
        AND predicate = 'jido:derivedFrom')`,
    eraseEvidenceFromVersions(tenant, {
      ids: found.map(({ id }) => id),
      keys: iris.flatMap(listResourceKeys),
    }),
    sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject IN (SELECT subject ${pointing} AND ${isEnd})`,
    sql`DELETE ${pointing}`,
    sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject IN ${subjects}`,
    sql`DELETE FROM episodes_fts WHERE rowid IN (SELECT seq ${which})`,
    queueVectors(tenant, "episode", sql`SELECT vector_id AS id ${which}`),
    deleteUsage(tenant, "episode", sql`SELECT id ${which}`),
    sql`DELETE ${which}`,
    sql`DELETE FROM operations WHERE tenant = ${tenant} AND quotes = 1`,
    requestCompaction,
  ]);
  const [counts] = (rows ?? []) as Omit<ErasedEpisodes, "vectors">[];
  return { ...(counts ?? none), vectors };
}
