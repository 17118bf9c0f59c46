// Idempotency keys of calls that no single object or D1 batch can store with their work: the response is stored in D1.
// The steps are repeatable, so a crash between work and response only repeats them.

import { LIMITS } from "../limits";
import { type Result, unwrap } from "../platform/errors";
import type { Idempotency } from "../platform/idempotency";
import type { Repositories } from "../store/repositories";

/** A reply to store. `passing` marks a transient one, which is not stored. */
export type Reply<T> = { status: number; body: T; passing?: boolean };

export async function runIdempotent<T>(
  store: Repositories,
  idempotency: Idempotency,
  work: () => Promise<Reply<T>>,
): Promise<Reply<T>> {
  if (idempotency === null) return work();
  const earlier: Result<Reply<T>> | null = await store.operations.find<Reply<T>>(idempotency);
  if (earlier !== null) return unwrap(earlier);
  const reply = await work();
  // A reply too large for a row is not stored: repeating the call gives it again.
  const isLarge = JSON.stringify(reply).length > LIMITS.bodyBytes / 2;
  if (reply.passing !== true && !isLarge) await store.operations.save({ ...idempotency, response: reply });
  return reply;
}

/** Derives the key of one step of a call. */
export function deriveStep(idempotency: Idempotency, name: string): Idempotency {
  return idempotency === null ? null : { ...idempotency, op: `${idempotency.op}:${name}` };
}
