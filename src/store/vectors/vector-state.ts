// What the vectors were made with, and where they are. The first to index anything decides; a change is made by
// re-embedding.
import { sql } from "drizzle-orm";
import { type Database, readAll, runBatch } from "../../platform/d1";
import { parseJson } from "../../platform/json";
import type { IndexName, VectorKind, VectorModel } from "../../vectors/vector-index";

/** Where an embedding of everything anew has come to: first what others left is cleared, tenant by tenant. */
export type ReembedProgress =
  | { kind: "clear"; left: VectorModel[]; after: string; done: 0 }
  | { kind: VectorKind; after: number; done: number };

export type VectorState = VectorModel & { progress: ReembedProgress | null };

type StateRow = { embedder: string; dimensions: number; index_name: IndexName; progress: string | null };

/** For a batch of reads, too. */
export const selectVectorState = sql`SELECT embedder, dimensions, index_name, progress FROM vector_state`;

export function toVectorState(row: unknown): VectorState | null {
  if (row === undefined) return null;
  const { embedder, dimensions, index_name, progress } = row as StateRow;
  return {
    name: embedder,
    dimensions,
    index: index_name,
    progress: progress === null ? null : parseJson<ReembedProgress>(progress),
  };
}

export async function readVectorState(db: Database): Promise<VectorState | null> {
  const [row] = await readAll<StateRow>(db, selectVectorState);
  return toVectorState(row);
}

/** The state, with this model if there is none yet. */
export async function claimVectorState(
  db: Database,
  { name, dimensions, index }: VectorModel,
): Promise<VectorState> {
  const [, rows] = await runBatch(db, [
    sql`INSERT OR IGNORE INTO vector_state (id, embedder, dimensions, index_name)
      VALUES (1, ${name}, ${dimensions}, ${index})`,
    selectVectorState,
  ]);
  const state = toVectorState(rows?.[0]);
  if (state === null) throw new Error("The state of the vectors was written and cannot be read");
  return state;
}

export async function saveVectorState(
  db: Database,
  { name, dimensions, index, progress }: VectorState,
): Promise<void> {
  await runBatch(db, [
    sql`INSERT OR REPLACE INTO vector_state (id, embedder, dimensions, index_name, progress)
      VALUES (1, ${name}, ${dimensions}, ${index}, ${progress === null ? null : JSON.stringify(progress)})`,
  ]);
}
