// Remembers for some seconds which keys were refused, so that a caller who repeats a wrong key costs no read of D1. Each
// isolate remembers its own.
//
// A new key is not refused because of an earlier guess: keys are remembered by the hash of a secret of 256 random bits,
// which nobody can guess before it is made. A secret that is derived from an Idempotency-Key may be made a second time
// after its key was deleted: the isolate that makes it admits it at once, and others after these seconds.
import { SECOND_MS } from "../../kernel/time";

const REMEMBERED_MS = 5 * SECOND_MS;
/** About a megabyte. */
const MAX_KEYS = 10_000;

/** By hash: until when the key is refused, and with which answer. */
const refused = new Map<string, { until: number; detail: string }>();

/** Returns the answer to a key that was refused just now. */
export function findRefusal(hash: string, now: number): string | null {
  const known = refused.get(hash);
  // A clock that was set back forgets the key, too.
  if (known === undefined || now >= known.until || now < known.until - REMEMBERED_MS) return null;
  return known.detail;
}

export function refuseKey(hash: string, detail: string, now: number): void {
  // The oldest goes first: a flood of keys does not grow the map.
  if (refused.size >= MAX_KEYS)
    for (const oldest of refused.keys()) {
      refused.delete(oldest);
      break;
    }
  refused.delete(hash);
  refused.set(hash, { until: now + REMEMBERED_MS, detail });
}

/** Forgets the refusal of a key that exists now. */
export function admitKey(hash: string): void {
  refused.delete(hash);
}
