// Which embedder the vectors were made with. The first to index anything decides; a change is made by re-embedding.
import { sql } from "drizzle-orm";
import { parseJson } from "../json";
import { batch, type Database, readAll } from "./database";

export type Model = { name: string; dimensions: number };

/** Where an embedding of everything anew has come to. */
export type Progress = { kind: "memory" | "message"; after: number; done: number };

export type VectorState = Model & { progress: Progress | null };

type StateRow = { embedder: string; dimensions: number; progress: string | null };

const SELECT = sql`SELECT embedder, dimensions, progress FROM vector_state`;

/** For a batch of reads. */
export const selectVectorState = SELECT;

export function toVectorState(row: unknown): VectorState | null {
  if (row === undefined) return null;
  const { embedder, dimensions, progress } = row as StateRow;
  return { name: embedder, dimensions, progress: progress === null ? null : parseJson<Progress>(progress) };
}

export async function readVectorState(db: Database): Promise<VectorState | null> {
  const [row] = await readAll<StateRow>(db, SELECT);
  return toVectorState(row);
}

/** The state, with this model if there is none yet. */
export async function claimVectorState(db: Database, { name, dimensions }: Model): Promise<VectorState> {
  const [, rows] = await batch(db, [
    sql`INSERT OR IGNORE INTO vector_state (id, embedder, dimensions) VALUES (1, ${name}, ${dimensions})`,
    SELECT,
  ]);
  const state = toVectorState(rows?.[0]);
  if (state === null) throw new Error("The state of the vectors was written and cannot be read");
  return state;
}

export async function saveVectorState(
  db: Database,
  { name, dimensions, progress }: VectorState,
): Promise<void> {
  await batch(db, [
    sql`INSERT OR REPLACE INTO vector_state (id, embedder, dimensions, progress)
      VALUES (1, ${name}, ${dimensions}, ${progress === null ? null : JSON.stringify(progress)})`,
  ]);
}

export function sameModel(a: Model, b: Model): boolean {
  return a.name === b.name && a.dimensions === b.dimensions;
}
