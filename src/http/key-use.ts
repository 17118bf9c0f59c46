// Records about when each key was last used: after the response, and at most once in five minutes per key, so that no
// call waits for it and a busy key costs one row now and then.
import { openDatabase } from "../platform/d1";
import { logDefect } from "../platform/errors";
import { MINUTE_MS } from "../platform/time";
import { recordKeyUse } from "../store/key-repository";
import type { AppContext } from "./app-context";

const PRECISION_MS = 5 * MINUTE_MS;
/** Keys that one isolate remembers having recorded. */
const REMEMBERED_KEYS = 10_000;

/** When this isolate last recorded the use of a key: concurrent calls read the same old time from D1. */
const recordedAt = new Map<string, number>();

export function noteKeyUse(c: AppContext, key: { id: string; last_used_at: string | null }): void {
  const now = Date.now();
  const known = Math.max(Date.parse(key.last_used_at ?? "") || 0, recordedAt.get(key.id) ?? 0);
  // A clock that was set back records again.
  if (Math.abs(now - known) < PRECISION_MS) return;
  if (recordedAt.size >= REMEMBERED_KEYS) recordedAt.clear();
  recordedAt.set(key.id, now);
  const recording = recordKeyUse(openDatabase(c.env.DB), key.id, new Date(now).toISOString());
  c.executionCtx.waitUntil(
    recording.catch((error: unknown) => {
      recordedAt.delete(key.id);
      logDefect("key.error", error);
    }),
  );
}
