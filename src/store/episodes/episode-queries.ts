// Episodes in D1: written with their triples in one batch, read by id, by filter and by window, changed, erased.
import { type SQL, sql } from "drizzle-orm";
import { type Database, readAll, runBatch, WriteConflict, writeOptimistically } from "../../platform/d1";
import { fail, ok, type Result } from "../../platform/errors";
import { sha256Hex } from "../../platform/hash";
import { parseJson } from "../../platform/json";
import { splitIntoChunks } from "../../platform/json-chunks";
import type { Episode } from "../../schemas/episode";
import { canonicalJson } from "../../text/json-text";
import { toIndexText } from "../../text/query-terms";
import { type Operation, readOperation } from "../applied-operations";
import { eraseVectors } from "../memories/erase-vectors";
import type { TimeCursor } from "../memories/memory-queries";
import { objectKey, scopeTokens } from "../memories/memory-rows";
import {
  assertThat,
  ensureTenant,
  insertTriples,
  nextSeq,
  recordOperations,
} from "../memories/memory-statements";
import { deleteTriples } from "../memories/update-memory";
import type { Page, StoreContext } from "../store-context";
import { evidenceIri } from "../triples/iri";
import { idList, queueVectors } from "../vectors/vector-queue";
import { assemble, episodeTriples, type Trace, traceOf } from "./episode-triples";

export type EpisodeRow = {
  seq: number;
  tenant: string;
  id: string;
  vector_id: string;
  project_id: string | null;
  agent_id: string | null;
  task_id: string | null;
  timestamp: string;
  duration_seconds: number | null;
  phase: string | null;
  goal: string;
  outcome: string;
  importance: number;
  tokens_used: number | null;
  trace: string;
  summary: string | null;
  usage_count: number;
  last_used: string | null;
  decayed_at: string | null;
  archived_at: string | null;
  live: number;
};

const COLUMNS = [
  "id",
  "vector_id",
  "project_id",
  "agent_id",
  "task_id",
  "timestamp",
  "duration_seconds",
  "phase",
  "goal",
  "outcome",
  "importance",
  "tokens_used",
  "trace",
  "summary",
  "usage_count",
  "last_used",
  "decayed_at",
  "archived_at",
  "live",
] as const satisfies readonly (keyof EpisodeRow)[];

/** A row as it goes into a batch, with what the text index takes. */
export type NewEpisodeRow = Omit<EpisodeRow, "seq" | "tenant"> & {
  fts: { scope: string; goal: string; detail: string };
};

/** An episode's id in the vector index. */
async function vectorIdOf(tenant: string, id: string): Promise<string> {
  return (await sha256Hex(`episode\n${tenant}\n${id}`)).slice(0, 32);
}

export async function toEpisodeRow(tenant: string, episode: Episode): Promise<NewEpisodeRow> {
  const { id, project_id, agent, task_id, timestamp, duration_seconds, outcome, importance } = episode;
  const { tokens_used, summary, usage_count, last_used, decayed_at, archived_at, context } = episode;
  const belongs = { session_id: null, agent_id: agent, project_id };
  return {
    id,
    vector_id: await vectorIdOf(tenant, id),
    project_id,
    agent_id: agent,
    task_id,
    timestamp,
    duration_seconds,
    phase: context.phase,
    goal: context.goal,
    outcome,
    importance,
    tokens_used,
    trace: JSON.stringify(traceOf(episode)),
    summary,
    usage_count,
    last_used,
    decayed_at,
    archived_at,
    live: archived_at === null ? 1 : 0,
    fts: {
      scope: scopeTokens(tenant, belongs).join(" "),
      goal: toIndexText(context.goal),
      detail: toIndexText(detailOf(episode)),
    },
  };
}

/** What an episode is found by besides its goal: what it met, and where. */
function detailOf({ context, errors_encountered, artifacts_produced }: Episode): string {
  return [
    context.phase ?? "",
    ...context.constraints,
    ...context.files_involved,
    ...artifacts_produced,
    ...errors_encountered.flatMap(({ type, message, resolution }) => [type, message, resolution ?? ""]),
  ].join("\n");
}

export function fromEpisodeRow(row: EpisodeRow): Episode {
  const { seq: _seq, tenant: _tenant, vector_id: _vector, live: _live, agent_id, trace, ...fields } = row;
  return assemble({
    ...fields,
    agent: agent_id,
    outcome: row.outcome as Episode["outcome"],
    trace: parseJson<Trace>(trace),
  });
}

/** The rows of episodes and their entries in the text index. */
export function insertEpisodeRows(tenant: string, rows: readonly NewEpisodeRow[]): SQL[] {
  const json = JSON.stringify(rows);
  const names = sql.raw(COLUMNS.join(", "));
  const values = sql.raw(COLUMNS.map((column) => `value ->> '$.${column}'`).join(", "));
  return [
    ensureTenant(tenant),
    sql`INSERT INTO episodes (seq, tenant, ${names})
      SELECT ${nextSeq(tenant, "episodes")} + key, ${tenant}, ${values} FROM json_each(${json})`,
    sql`INSERT OR REPLACE INTO episodes_fts (rowid, scope, goal, detail)
      SELECT e.seq, value ->> '$.fts.scope', value ->> '$.fts.goal', value ->> '$.fts.detail'
      FROM json_each(${json}) CROSS JOIN episodes e ON e.tenant = ${tenant} AND e.id = value ->> '$.id'`,
  ];
}

export type Written = { episode: Episode; created: boolean };

/**
 * Writes an episode. The same one again is the one that stands; another one under its id is refused. A time that the
 * caller did not give is not compared. Whoever repeats the operation that wrote it is told that it is new.
 */
export async function writeEpisode(
  db: Database,
  tenant: string,
  episode: Episode,
  { dated, operation, now }: { dated: boolean; operation: Operation | null; now: string },
): Promise<Result<Written>> {
  const row = await toEpisodeRow(tenant, episode);
  try {
    await runBatch(db, [
      assertThat(sql`NOT EXISTS (SELECT 1 FROM episodes WHERE tenant = ${tenant} AND id = ${episode.id})`),
      insertTriples(tenant, episodeTriples(episode)),
      ...insertEpisodeRows(tenant, [row]),
      queueVectors(tenant, "episode", idList([row.vector_id])),
      ...(operation === null ? [] : [recordOperations(tenant, [{ ...operation, response: "{}" }], now)]),
    ]);
    return ok({ episode, created: true });
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
  }
  const standing = await findEpisode(db, tenant, episode.id);
  if (standing !== null && isSame(standing, episode, dated)) {
    const mine = operation === null ? null : await readOperation(db, tenant, operation);
    return ok({ episode: standing, created: mine !== null });
  }
  return fail(
    "conflict",
    `There is another episode ${episode.id}. Give a new id, or none: what happened is not changed afterwards.`,
  );
}

/** Whether both tell the same. Of one that is no longer kept whole, what is left of it must agree. */
function isSame(standing: Episode, again: Episode, dated: boolean): boolean {
  const told = (episode: Episode) => {
    const { timestamp, duration_seconds, outcome, project_id, agent, task_id, tokens_used } = episode;
    const { action_log, ...trace } = traceOf(episode);
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
function isUntouched({ decayed_at, usage_count }: Episode): boolean {
  return decayed_at === null && usage_count === 0;
}

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
export async function episodesInOrder(
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
export async function referredTo(db: Database, tenant: string, ids: readonly string[]): Promise<Set<string>> {
  const keys = ids.map((id) => ({ id, key: objectKey(evidenceIri(id)) }));
  const rows = await readAll<{ id: string }>(
    db,
    sql`SELECT j.value ->> '$.id' AS id FROM json_each(${JSON.stringify(keys)}) j WHERE EXISTS (
      SELECT 1 FROM triples t WHERE t.tenant = ${tenant} AND t.object_key = j.value ->> '$.key'
        AND t.predicate = 'jido:derivedFrom')`,
  );
  return new Set(rows.map(({ id }) => id));
}

type EpisodeChange = { before: Episode; after: Episode };

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
    await runBatch(db, await changeStatements(tenant, changes));
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
async function changeStatements(tenant: string, changes: readonly EpisodeChange[]): Promise<SQL[]> {
  if (changes.length === 0) return [];
  const before = changes.flatMap((change) => episodeTriples(change.before));
  const after = changes.flatMap((change) => episodeTriples(change.after));
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
    queueVectors(tenant, "episode", idList(moved)),
  ];
}

export type ErasedEpisode = { episodes: number; triples: number; links: number };

/** Takes an episode out of triples, row and text index, with what others say of it. Its vector is erased first. */
export async function eraseEpisode(db: Database, tenant: string, id: string): Promise<ErasedEpisode> {
  const subject = evidenceIri(id);
  const key = objectKey(subject);
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
    listInOrder: (projectId: string, window: EpisodeWindow) => episodesInOrder(db, tenant, projectId, window),
    /** Returns those of the ids that a memory cites as evidence. */
    findReferenced: (ids: readonly string[]) => referredTo(db, tenant, ids),
    changeMany: (ids: readonly string[], change: (episode: Episode) => Episode | null) =>
      changeEpisodes(db, tenant, ids, change),
    async erase(id: string) {
      const which = sql`SELECT vector_id AS id FROM episodes WHERE tenant = ${tenant} AND id = ${id}`;
      const vectors = await eraseVectors(context, "episode", which);
      return { ...(await eraseEpisode(db, tenant, id)), vectors };
    },
  };
}
