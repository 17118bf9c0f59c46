// What the vector index cannot tell: what waits on its list, and whether its vectors are the embedder's at all.
import { type SQL, sql } from "drizzle-orm";
import type { VectorState } from "../store/vectors/vector-state";
import type { Semantic } from "../vectors/semantic-services";
import type { VectorKind } from "../vectors/vector-index";
import { type VectorModel, isSameModel } from "../vectors/vector-index";

type Waiting = {
  kind: VectorKind;
  table: "memories" | "messages" | "items" | "episodes";
  /** The column that holds the id in the vector index. */
  vectorId: "id" | "vector_id";
  /** Of a row `m`: what is wanted of it, and the condition on it. */
  columns: SQL;
  where: SQL;
  limit: number;
  /** Entries at the end of the list that are looked through; all, if it is not given. */
  newest?: number;
};

export type WaitingRow = {
  id: string;
  /** It could not be embedded the last time. */
  failed: 0 | 1;
  /** The index has taken it and does not show it yet. */
  sent: 0 | 1;
};

/** A SELECT of what waits and meets the condition, the newest first. */
export function waitingQuery(
  tenant: string,
  { kind, table, vectorId, columns, where, limit, newest = -1 }: Waiting,
): SQL {
  return sql`SELECT q.id, q.attempts > 0 AND q.visible_after IS NULL AS failed, q.visible_after IS NOT NULL AS sent, ${columns}
    FROM (
      SELECT id, seq, attempts, visible_after FROM vector_queue
      WHERE tenant = ${tenant} AND kind = ${kind} ORDER BY seq DESC LIMIT ${newest}
    ) q CROSS JOIN ${sql.raw(table)} m ON m.tenant = ${tenant} AND m.${sql.raw(vectorId)} = q.id
    WHERE ${where} ORDER BY q.seq DESC LIMIT ${limit}`;
}

/** Why the index's vectors cannot be compared with the embedder's; null when they can. */
export function modelMismatch(state: VectorState | null, { embedder, index }: Semantic): string | null {
  const model = { name: embedder.name, dimensions: embedder.dimensions, index: index.name };
  if (state === null || isSameModel(state, model)) return null;
  return `The vectors were made with ${describe(state)}, the service is set to ${describe(model)}. Run: npm run reembed`;
}

function describe({ name, dimensions, index }: VectorModel): string {
  return `${name} (${dimensions} dimensions, ${index} index)`;
}
