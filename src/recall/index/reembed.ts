// Re-embeds everything, one page per call: after a change of embedder or index, or after an index was lost. The progress
// is stored, so that an interrupted run continues; recall works throughout, with lexical search where vectors are missing.

import { sql } from "drizzle-orm";
import { type Database, readAll, runBatch } from "../../kernel/databases/d1";
import { isPlacedHere } from "../../kernel/databases/statements";
import { VECTOR_KINDS, type VectorKind } from "../../kernel/tables";
import { queueVectors, selectIds, VECTOR_TABLES } from "../../memories/store/vector-queue";
import { isSameModel, type VectorModel } from "../vectors/vector-index";
import { type ReembedProgress, readVectorState, saveVectorState, type VectorState } from "./vector-state";

/** Rows queued, and tenants cleared, by one call: a Worker is limited in its number of subrequests. */
export const ROWS_PER_PAGE = 200;
const TENANTS_PER_PAGE = 50;

type ReembedPorts = {
  /** Opens the database of a tenant, which may have been moved since its rows were read. */
  open: (tenant: string) => Database;
  /** Clears a tenant's index of another model. */
  clear: (tenant: string, model: VectorModel) => Promise<void>;
  /** Processes a tenant's embedding backlog. */
  drain: (tenant: string) => Promise<unknown>;
};

/** `done` counts the rows that were given to the indexers. */
export type ReembedPage = { done: number; total: number; finished: boolean };

/** Returns whether everything is being re-embedded with this model. */
export async function isReembedding(db: Database, model: VectorModel): Promise<boolean> {
  const state = await readVectorState(db);
  return state?.progress != null && isSameModel(state, model);
}

/** Re-embeds the next page, or starts from the beginning when nothing is in progress or the model has changed. */
export async function reembedPage(
  db: Database,
  model: VectorModel,
  ports: ReembedPorts,
): Promise<ReembedPage> {
  const progress = await loadProgress(db, model);
  const next =
    progress.kind === "clear" ? await clearPage(db, progress, ports) : await queuePage(db, progress, ports);
  await saveVectorState(db, { ...model, progress: next });
  const total = await countEmbeddedRows(db);
  return next === null ? { done: total, total, finished: true } : { done: next.done, total, finished: false };
}

/** Returns the progress; starts from the beginning if there is none. */
export async function loadProgress(db: Database, model: VectorModel): Promise<ReembedProgress> {
  const state = await readVectorState(db);
  if (state?.progress && isSameModel(state, model)) return state.progress;
  const left = listPreviousModels(state).filter((other) => !isSameModel(other, model));
  const progress: ReembedProgress =
    left.length === 0 ? { kind: "memory", after: 0, done: 0 } : { kind: "clear", left, after: "", done: 0 };
  await saveVectorState(db, { ...model, progress });
  return progress;
}

/** Returns the models that may still have vectors, including those of an unfinished change of model. */
function listPreviousModels(state: VectorState | null): VectorModel[] {
  if (state === null) return [];
  const { name, dimensions, index, progress } = state;
  return [...(progress?.kind === "clear" ? progress.left : []), { name, dimensions, index }];
}

async function clearPage(
  db: Database,
  progress: Extract<ReembedProgress, { kind: "clear" }>,
  ports: ReembedPorts,
): Promise<ReembedProgress> {
  const tenants = await readAll<{ tenant: string }>(
    db,
    sql`SELECT tenant FROM tenants WHERE tenant > ${progress.after} ORDER BY tenant LIMIT ${TENANTS_PER_PAGE}`,
  );
  for (const { tenant } of tenants) for (const model of progress.left) await ports.clear(tenant, model);
  const last = tenants.at(-1);
  return last === undefined ? { kind: "memory", after: 0, done: 0 } : { ...progress, after: last.tenant };
}

async function queuePage(
  db: Database,
  { kind, after, done }: Extract<ReembedProgress, { kind: VectorKind }>,
  ports: ReembedPorts,
): Promise<ReembedProgress | null> {
  const { table, id } = VECTOR_TABLES[kind];
  const rows = await readAll<{ seq: number; tenant: string; id: string }>(
    db,
    sql`SELECT seq, tenant, ${sql.raw(id)} AS id FROM ${sql.raw(table)} m
      WHERE seq > ${after} AND ${sql.raw(id)} IS NOT NULL AND ${isPlacedHere(sql`m.tenant`)}
      ORDER BY seq LIMIT ${ROWS_PER_PAGE}`,
  );
  for (const [tenant, tenantRows] of Map.groupBy(rows, (row) => row.tenant)) {
    await runBatch(ports.open(tenant), [
      queueVectors(tenant, kind, selectIds(tenantRows.map((row) => row.id))),
    ]);
    await ports.drain(tenant);
  }
  const last = rows.at(-1);
  if (last !== undefined) return { kind, after: last.seq, done: done + rows.length };
  const next = VECTOR_KINDS[VECTOR_KINDS.indexOf(kind) + 1];
  return next === undefined ? null : { kind: next, after: 0, done };
}

/** Returns the number of rows that have vectors. */
export async function countEmbeddedRows(db: Database): Promise<number> {
  const counts = Object.values(VECTOR_TABLES).map(({ table, id }) =>
    sql.raw(`(SELECT count(${id}) FROM ${table})`),
  );
  const [row] = await readAll<{ total: number }>(db, sql`SELECT ${sql.join(counts, sql` + `)} AS total`);
  return row?.total ?? 0;
}
