// Compacts text indexes and local files after erasures. The cron job does it every minute, an administrator at once.
import { type Database, openDatabase, runWhilePaused } from "../../platform/d1";
import type { Bindings } from "../../platform/env";
import { logDefect } from "../../platform/errors";
import {
  type CompactibleObject,
  compactDatabaseFile,
  type FileCompactor,
  listChangedObjects,
  type ObjectFile,
} from "../../platform/file-compactor";
import type { SessionRpc } from "../../session/session-rpc";
import {
  type CompactionState,
  finishFiles,
  finishTextIndexes,
  mergeTextIndexes,
  readCompaction,
} from "../../store/compaction";
import { redactQuotationsOfAll } from "./redact-quotations";

export type Compaction = {
  /** Whether an erasure had requested it. */
  requested: boolean;
  /** False if more is left than one run does: the cron job continues. */
  finished: boolean;
};

/** Objects whose files one run compacts; each is loaded for it. */
const OBJECTS_PER_RUN = 1_000;

/**
 * Removes the texts of erased memories from sessions, then from the segments of the text indexes, then from the files of
 * a local service. `atOnce` does not wait until a large database is due.
 */
export async function compact(env: Bindings, { atOnce = false } = {}): Promise<Compaction> {
  const db = openDatabase(env.DB);
  await redactQuotationsOfAll(
    db,
    (tenant, id) => env.SESSIONS.getByName(`${tenant}/${id}`) as unknown as SessionRpc,
  );
  const state = await readCompaction(db);
  const isTextRequested = state.requested > state.done;
  const areFilesRequested =
    env.FILE_COMPACTOR !== undefined &&
    (state.requested > state.files_done || state.objects_requested > state.objects_done);
  const requested = isTextRequested || areFilesRequested;
  if (isTextRequested) {
    if (!(await mergeTextIndexes(db))) return { requested, finished: false };
    await finishTextIndexes(db, state);
  }
  if (env.FILE_COMPACTOR === undefined || !areFilesRequested) return { requested, finished: true };
  const finished = await compactFiles(env, env.FILE_COMPACTOR, db, state, atOnce);
  if (finished) await finishFiles(db, state);
  return { requested, finished };
}

/** Compacts the changed files of objects, and that of the database. After deletions in sessions alone, only theirs. */
async function compactFiles(
  env: Bindings,
  compactor: FileCompactor,
  db: Database,
  state: CompactionState,
  atOnce: boolean,
): Promise<boolean> {
  const isDatabaseRequested = state.requested > state.files_done;
  const changed = (await listChangedObjects(compactor)).filter(
    ({ class_name }) => isDatabaseRequested || class_name === "SessionObject",
  );
  let isFinished = changed.length <= OBJECTS_PER_RUN;
  for (const file of changed.slice(0, OBJECTS_PER_RUN)) {
    // An object that fails must not hold up the others.
    try {
      if (!(await openObject(env, file).compactFile())) isFinished = false;
    } catch (error) {
      logDefect("compaction.error", error);
      isFinished = false;
    }
  }
  if (!isDatabaseRequested) return isFinished;
  const isCompacted = await runWhilePaused(db, () => compactDatabaseFile(compactor, { atOnce }));
  return isCompacted && isFinished;
}

function openObject(env: Bindings, { class_name, id }: ObjectFile): CompactibleObject {
  const namespaces: Record<string, DurableObjectNamespace> = {
    SessionObject: env.SESSIONS,
    VectorIndexObject: env.VECTOR_INDEX,
    IndexerObject: env.INDEXER,
    ProjectObject: env.PROJECTS,
    WebhookObject: env.WEBHOOKS,
  };
  const namespace = namespaces[class_name];
  if (namespace === undefined) throw new Error(`No binding for objects of class ${class_name}.`);
  return namespace.get(namespace.idFromString(id)) as unknown as CompactibleObject;
}
