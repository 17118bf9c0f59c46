// Embeds everything anew, a page a call: after a change of embedder or index, or when an index was lost. How far it
// has come is kept in the store, so that it goes on where it was left; recall answers throughout, by text where it must.
import { sql } from "drizzle-orm";
import { INDEXING } from "../limits";
import { type Database, readAll, runBatch } from "../platform/d1";
import { idList, queueVectors } from "../store/vectors/vector-queue";
import {
  type Progress,
  readVectorState,
  saveVectorState,
  type VectorState,
} from "../store/vectors/vector-state";
import { type VectorModel, isSameModel, VECTOR_KINDS, type VectorKind } from "../vectors/vector-index";

export type ReembedPorts = {
  /** Takes out what another model put into the index of a tenant. */
  clear: (tenant: string, model: VectorModel) => Promise<void>;
  /** Has a tenant's list worked off. */
  drain: (tenant: string) => Promise<unknown>;
};

/** `done` counts what was given to the indexers. */
export type ReembedPage = { done: number; total: number; finished: boolean };

const TABLES = {
  memory: { table: "memories", id: "id" },
  episode: { table: "episodes", id: "vector_id" },
  item: { table: "items", id: "vector_id" },
  message: { table: "messages", id: "vector_id" },
} as const satisfies Record<VectorKind, { table: string; id: string }>;

export async function reembedPage(db: Database, model: VectorModel, ports: ReembedPorts): Promise<ReembedPage> {
  const progress = await begin(db, model);
  const next =
    progress.kind === "clear" ? await clear(db, progress, ports) : await embed(db, progress, ports);
  await saveVectorState(db, { ...model, progress: next });
  const all = await total(db);
  return next === null
    ? { done: all, total: all, finished: true }
    : { done: next.done, total: all, finished: false };
}

/** Where to go on, or the beginning. */
async function begin(db: Database, model: VectorModel): Promise<Progress> {
  const state = await readVectorState(db);
  if (state?.progress && isSameModel(state, model)) return state.progress;
  const left = leftBehind(state).filter((other) => !isSameModel(other, model));
  const progress: Progress =
    left.length === 0 ? { kind: "memory", after: 0, done: 0 } : { kind: "clear", left, after: "", done: 0 };
  await saveVectorState(db, { ...model, progress });
  return progress;
}

/** The models whose vectors may still be there: also of a change that was itself not finished. */
function leftBehind(state: VectorState | null): VectorModel[] {
  if (state === null) return [];
  const { name, dimensions, index, progress } = state;
  return [...(progress?.kind === "clear" ? progress.left : []), { name, dimensions, index }];
}

async function clear(
  db: Database,
  progress: Extract<Progress, { kind: "clear" }>,
  ports: ReembedPorts,
): Promise<Progress> {
  const tenants = await readAll<{ tenant: string }>(
    db,
    sql`SELECT tenant FROM tenants WHERE tenant > ${progress.after} ORDER BY tenant LIMIT ${INDEXING.clearPage}`,
  );
  for (const { tenant } of tenants) for (const model of progress.left) await ports.clear(tenant, model);
  const last = tenants.at(-1);
  return last === undefined ? { kind: "memory", after: 0, done: 0 } : { ...progress, after: last.tenant };
}

async function embed(
  db: Database,
  { kind, after, done }: Extract<Progress, { kind: VectorKind }>,
  ports: ReembedPorts,
): Promise<Progress | null> {
  const { table, id } = TABLES[kind];
  const rows = await readAll<{ seq: number; tenant: string; id: string }>(
    db,
    sql`SELECT seq, tenant, ${sql.raw(id)} AS id FROM ${sql.raw(table)}
      WHERE seq > ${after} AND ${sql.raw(id)} IS NOT NULL ORDER BY seq LIMIT ${INDEXING.reembedPage}`,
  );
  for (const [tenant, mine] of Map.groupBy(rows, (row) => row.tenant)) {
    await runBatch(db, [queueVectors(tenant, kind, idList(mine.map((row) => row.id)))]);
    await ports.drain(tenant);
  }
  const last = rows.at(-1);
  if (last !== undefined) return { kind, after: last.seq, done: done + rows.length };
  const next = VECTOR_KINDS[VECTOR_KINDS.indexOf(kind) + 1];
  return next === undefined ? null : { kind: next, after: 0, done };
}

async function total(db: Database): Promise<number> {
  const counts = Object.values(TABLES).map(({ table, id }) => sql.raw(`(SELECT count(${id}) FROM ${table})`));
  const [row] = await readAll<{ total: number }>(db, sql`SELECT ${sql.join(counts, sql` + `)} AS total`);
  return row?.total ?? 0;
}
