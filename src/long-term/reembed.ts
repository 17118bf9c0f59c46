// Embeds everything anew, a page a call: after a change of embedder, or when an index was lost. How far it has come
// is kept in the store, so that it goes on where it was left; recall answers throughout, by text where it must.
import { sql } from "drizzle-orm";
import { INDEXING } from "../limits";
import type { VectorKind } from "../vectors/vector-index";
import { batch, type Database, readAll } from "./database";
import { idList, queueVectors } from "./vector-queue";
import { type Model, type Progress, readVectorState, sameModel, saveVectorState } from "./vector-state";

export type ReembedPorts = {
  /** Takes out what another model put into the index of a tenant. */
  clear: (tenant: string, model: Model) => Promise<void>;
  /** Has a tenant's list worked off. */
  drain: (tenant: string) => Promise<unknown>;
};

export type ReembedPage = { done: number; total: number; finished: boolean };

const TABLES = {
  memory: { table: "memories", id: "id" },
  message: { table: "messages", id: "vector_id" },
} as const satisfies Record<VectorKind, { table: string; id: string }>;

export async function reembedPage(db: Database, model: Model, ports: ReembedPorts): Promise<ReembedPage> {
  const progress = await begunWith(db, model, ports);
  const { table, id } = TABLES[progress.kind];
  const rows = await readAll<{ seq: number; tenant: string; id: string }>(
    db,
    sql`SELECT seq, tenant, ${sql.raw(id)} AS id FROM ${sql.raw(table)}
      WHERE seq > ${progress.after} ORDER BY seq LIMIT ${INDEXING.reembedPage}`,
  );
  for (const [tenant, mine] of Map.groupBy(rows, (row) => row.tenant)) {
    const ids = idList(mine.map((row) => row.id));
    await batch(db, [queueVectors(tenant, progress.kind, ids)]);
    await ports.drain(tenant);
  }
  const next = after(progress, rows);
  await saveVectorState(db, { ...model, progress: next });
  const done = progress.done + rows.length;
  return { done, total: Math.max(done, await total(db)), finished: next === null };
}

/** Where to go on, or the beginning. */
async function begunWith(db: Database, model: Model, { clear }: ReembedPorts): Promise<Progress> {
  const state = await readVectorState(db);
  if (state?.progress && sameModel(state, model)) return state.progress;
  if (state !== null && !sameModel(state, model)) {
    const tenants = await readAll<{ tenant: string }>(db, sql`SELECT tenant FROM tenants`);
    for (const { tenant } of tenants) await clear(tenant, state);
  }
  const progress: Progress = { kind: "memory", after: 0, done: 0 };
  await saveVectorState(db, { ...model, progress });
  return progress;
}

function after({ kind, done }: Progress, rows: readonly { seq: number }[]): Progress | null {
  const last = rows.at(-1);
  if (last !== undefined) return { kind, after: last.seq, done: done + rows.length };
  return kind === "memory" ? { kind: "message", after: 0, done } : null;
}

async function total(db: Database): Promise<number> {
  const [row] = await readAll<{ total: number }>(
    db,
    sql`SELECT (SELECT count(*) FROM memories) + (SELECT count(*) FROM messages) AS total`,
  );
  return row?.total ?? 0;
}
