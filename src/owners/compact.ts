// Compacts text indexes and local files after erasures. The cron job does it every minute, an administrator at once.

import {
  type CompactionState,
  finishDatabaseFile,
  finishObjectFiles,
  finishTextIndexes,
  mergeTextIndexes,
  readCompaction,
} from "../kernel/databases/compaction";
import { type Database, openDatabase, runWhilePaused } from "../kernel/databases/d1";
import { listShards } from "../kernel/databases/shard-bindings";
import { openTenantDatabase } from "../kernel/databases/tenant-database";
import type { Bindings } from "../kernel/env";
import { logDefect } from "../kernel/errors";
import {
  type CompactibleObject,
  compactDatabaseFile,
  type FileCompactor,
  listChangedObjects,
  type ObjectFile,
} from "../kernel/file-compactor";
import { redactQuotationsOfAll } from "../memories/redact-quotations";
import { createRedactionQueue } from "../memories/store/quotation-repository";
import { openSession } from "../sessions/session-client";

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
 * a local service. `atOnce` compacts a large database even if the last time was recent.
 */
export async function compact(env: Bindings, { atOnce = false } = {}): Promise<Compaction> {
  let whole: Compaction = { requested: false, finished: true };
  for (const { d1 } of listShards(env)) {
    const one = await compactShard(env, openDatabase(d1), atOnce);
    whole = { requested: whole.requested || one.requested, finished: whole.finished && one.finished };
  }
  return whole;
}

async function compactShard(env: Bindings, db: Database, atOnce: boolean): Promise<Compaction> {
  await redactQuotationsOfAll(
    db,
    (tenant) => createRedactionQueue(openTenantDatabase(env, tenant), tenant),
    (tenant, id) => openSession(env, tenant, id),
  );
  const state = await readCompaction(db);
  const isTextRequested = state.requested > state.done;
  if (isTextRequested) {
    if (!(await mergeTextIndexes(db))) return { requested: true, finished: false };
    await finishTextIndexes(db, state);
  }
  const compactor = env.FILE_COMPACTOR;
  if (compactor === undefined) return { requested: isTextRequested, finished: true };
  const objects = await compactObjects(env, compactor, db, state);
  const database = await compactDatabase(compactor, db, state, atOnce);
  return {
    requested: isTextRequested || objects.requested || database.requested,
    finished: objects.finished && database.finished,
  };
}

async function compactObjects(
  env: Bindings,
  compactor: FileCompactor,
  db: Database,
  state: CompactionState,
): Promise<Compaction> {
  const sessionsOnly = state.requested === state.objects_done;
  if (sessionsOnly && state.sessions_requested === state.sessions_done)
    return { requested: false, finished: true };
  const changed = (await listChangedObjects(compactor)).filter(
    ({ class_name }) => !sessionsOnly || class_name === "SessionObject",
  );
  let finished = changed.length <= OBJECTS_PER_RUN;
  for (const file of changed.slice(0, OBJECTS_PER_RUN)) {
    // An object that fails must not hold up the others.
    try {
      if (!(await openObject(env, file).compactFile())) finished = false;
    } catch (error) {
      logDefect("compaction.error", error);
      finished = false;
    }
  }
  if (finished) await finishObjectFiles(db, state, { sessionsOnly });
  return { requested: true, finished };
}

async function compactDatabase(
  compactor: FileCompactor,
  db: Database,
  state: CompactionState,
  atOnce: boolean,
): Promise<Compaction> {
  if (state.requested === state.database_done) return { requested: false, finished: true };
  const finished = await runWhilePaused(() => compactDatabaseFile(compactor, { atOnce }));
  if (finished) await finishDatabaseFile(db, state);
  return { requested: true, finished };
}

function openObject(env: Bindings, { class_name, id }: ObjectFile): CompactibleObject {
  const namespaces: Record<string, DurableObjectNamespace> = {
    SessionObject: env.SESSIONS,
    VectorIndexObject: env.VECTOR_INDEX,
    IndexerObject: env.INDEXER,
    ProjectObject: env.PROJECTS,
    WebhookObject: env.WEBHOOKS,
    UsageObject: env.USAGE,
  };
  const namespace = namespaces[class_name];
  if (namespace === undefined) throw new Error(`No binding for objects of class ${class_name}.`);
  return namespace.get(namespace.idFromString(id)) as unknown as CompactibleObject;
}
