// The rules of idempotency keys. An answer is stored with the effect of its call: in D1 (src/kernel/operation-log.ts), in
// the session's object (src/sessions/idempotent-calls.ts) or in the project's (src/experience/consolidation/project-runner.ts).
import { idempotencyKeyReused, ok, type Result } from "./errors";
import { parseJson } from "./json";

/** `op` is the key bound to its method and path, `fingerprint` a digest of the body and the query. */
export type Operation = { op: string; fingerprint: string };

/** Null for a call without a key. */
export type Idempotency = Operation | null;

/** The stored answer of a key; `response` is null while the call is in flight. */
export type StoredAnswer = { fingerprint: string; response: string | null };

/** Returns the key of one step of a call. */
export function deriveStep(idempotency: Idempotency, name: string): Idempotency {
  return idempotency === null ? null : { ...idempotency, op: `${idempotency.op}:${name}` };
}

/** Returns the bounds, both exclusive, of the keys of all steps of a call. */
export function getStepRange(op: string): { from: string; to: string } {
  return { from: `${op}:`, to: `${op};` };
}

/**
 * Returns the answer to a call that repeats a key: the first answer, or a failure if the first call had another body or
 * query. Null if there is no answer yet.
 */
export function replayAnswer<T>(
  first: StoredAnswer | null | undefined,
  { fingerprint }: Operation,
): Result<T> | null {
  if (first === null || first === undefined) return null;
  if (first.fingerprint !== fingerprint) return idempotencyKeyReused();
  return first.response === null ? null : ok(parseJson<T>(first.response));
}
