// The embedder and index of all stored vectors, table `vector_state`. The first indexing run sets them; re-embedding
// changes them.
import { sql } from "drizzle-orm";
import { type Database, readAll, runBatch } from "../../kernel/databases/d1";
import { parseJson } from "../../kernel/json";
import type { VectorKind, vectorState } from "../../kernel/tables";
import type { IndexName, VectorModel } from "../vectors/vector-index";

/** The progress of re-embedding: first the vectors of earlier models are cleared, tenant by tenant. */
export type ReembedProgress =
  | { kind: "clear"; left: VectorModel[]; after: string; done: 0 }
  | { kind: VectorKind; after: number; done: number };

export type VectorState = VectorModel & { progress: ReembedProgress | null };

type StateRow = Omit<typeof vectorState.$inferSelect, "id">;

/** A statement, so that it can be part of a batch of reads. */
export const selectVectorState = sql`SELECT embedder, dimensions, index_name, progress FROM vector_state`;

export function toVectorState(row: unknown): VectorState | null {
  if (row === undefined) return null;
  const { embedder, dimensions, index_name, progress } = row as StateRow;
  return {
    name: embedder,
    dimensions,
    index: index_name as IndexName,
    progress: progress === null ? null : parseJson<ReembedProgress>(progress),
  };
}

export async function readVectorState(db: Database): Promise<VectorState | null> {
  const [row] = await readAll<StateRow>(db, selectVectorState);
  return toVectorState(row);
}

/** Returns the state, after setting it to this model if there is none. */
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
  if (state === null) throw new Error("The vector state was written and cannot be read");
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
