// The vectors of what is about to be erased. First the list says that they are no longer as they should be: if
// anything fails after that, the indexer brings the index back to whatever the store then holds.
import type { SQL } from "drizzle-orm";
import { INDEXING } from "../../limits";
import { runBatch } from "../../platform/d1";
import { describeDefect, FailureError } from "../../platform/errors";
import type { VectorKind } from "../../vectors/vector-index";
import type { StoreContext } from "../store-context";
import { queueVectors } from "../vectors/vector-queue";

/** Takes out the vectors of what `which` selects (a SELECT of ids in the vector index), and counts them. */
export async function eraseVectors(
  { db, tenant, now, removeVectors }: StoreContext,
  kind: VectorKind,
  which: SQL,
): Promise<number> {
  const dueAt = Date.parse(now()) + INDEXING.erasureMs;
  const [, rows] = await runBatch(db, [queueVectors(tenant, kind, which, dueAt), which]);
  const ids = ((rows ?? []) as { id: string }[]).map(({ id }) => id);
  if (ids.length === 0) return 0;
  try {
    return await removeVectors(kind, ids);
  } catch (error) {
    console.error(JSON.stringify({ event: "vectors.error", ...describeDefect(error) }));
    throw new FailureError({
      code: "unavailable",
      detail: "The vector index did not answer. Nothing was erased; send the same call again.",
      retryAfterSeconds: 1,
    });
  }
}
