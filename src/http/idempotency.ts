// Idempotency keys of calls whose work is not in one place that could keep the key itself: the answer is kept
// in D1. The work underneath is repeatable, so a crash between the two only means that it is asked again.

import { LIMITS } from "../limits";
import { type Result, unwrap } from "../platform/errors";
import type { Idempotency } from "../platform/idempotency";
import type { LongTermStore } from "../store/store";

/** `passing` marks an answer that may be another one next time: it is not kept. */
export type Reply<T> = { status: number; body: T; passing?: boolean };

export async function once<T>(
  store: LongTermStore,
  idempotency: Idempotency,
  work: () => Promise<Reply<T>>,
): Promise<Reply<T>> {
  if (idempotency === null) return work();
  const earlier: Result<Reply<T>> | null = await store.readOperation<Reply<T>>(idempotency);
  if (earlier !== null) return unwrap(earlier);
  const reply = await work();
  // An answer larger than a row takes is made again: what it took to make it can be repeated.
  const isLarge = JSON.stringify(reply).length > LIMITS.bodyBytes / 2;
  if (reply.passing !== true && !isLarge) await store.saveOperation({ ...idempotency, response: reply });
  return reply;
}

/** The key of a step within a keyed call. */
export function step(idempotency: Idempotency, name: string): Idempotency {
  return idempotency === null ? null : { ...idempotency, op: `${idempotency.op}:${name}` };
}
