// The expiry of entries in a space: keys of a map that were put with a time to live, and completed tasks of a projector.
// Reads omit expired entries; the session's alarm removes them.
import { isJsonObject, type Json } from "../../kernel/json";
import { DAY_MS } from "../../kernel/time";
import type { Expiries, SpaceContents } from "./space-data";

/** The time for which a completed task of a projector stays in the list. */
export const DONE_TASK_MS = 1 * DAY_MS;

/** The author of projected items, in their `source`. */
export const PROJECTOR_SOURCE = "projector";

/** Returns the earliest time, null if nothing expires. */
export function findEarliestExpiry(expires: Expiries): number | null {
  const times = Object.values(expires);
  return times.length === 0 ? null : Math.min(...times);
}

/** Returns the data and expiries without the entries that have expired; the same objects if none has. */
export function dropExpired(contents: SpaceContents, now: number): SpaceContents {
  const entries = Object.entries(contents.expires);
  const expired = new Set(entries.filter(([, at]) => at <= now).map(([key]) => key));
  if (expired.size === 0) return contents;
  const { data } = contents;
  return {
    data: Array.isArray(data)
      ? data.filter((item) => !(isJsonObject(item) && expired.has(String(item.id))))
      : Object.fromEntries(Object.entries(data).filter(([key]) => !expired.has(key))),
    expires: Object.fromEntries(entries.filter(([key]) => !expired.has(key))),
  };
}

/** Returns the expiries of a task list. A task keeps the expiry that it has since it was completed. */
export function computeTaskExpiries(tasks: readonly Json[], before: Expiries, now: number): Expiries {
  const ids = tasks.flatMap((task) =>
    isJsonObject(task) && task.source === PROJECTOR_SOURCE && task.status === "done" ? [String(task.id)] : [],
  );
  return Object.fromEntries(
    ids.map((id) => [id, (Object.hasOwn(before, id) ? before[id] : undefined) ?? now + DONE_TASK_MS]),
  );
}
