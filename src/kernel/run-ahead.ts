// Work that begins with a remembered value while the current one is still being read.
import { SECOND_MS } from "./time";

const MAX_VALUES = 5_000;
const MAX_AGE_MS = 10 * SECOND_MS;

/** Values that this isolate has read in the last seconds, by key. The oldest goes first. */
export class RecentValues<T> {
  readonly #values = new Map<string, { value: T; at: number }>();

  find(key: string, now: number): T | undefined {
    const entry = this.#values.get(key);
    return entry === undefined || now < entry.at || now >= entry.at + MAX_AGE_MS ? undefined : entry.value;
  }

  set(key: string, value: T, now: number): void {
    if (this.#values.size >= MAX_VALUES)
      for (const oldest of this.#values.keys()) {
        this.#values.delete(oldest);
        break;
      }
    this.#values.delete(key);
    this.#values.set(key, { value, at: now });
  }

  /** Forgets the values whose keys begin with a prefix. */
  forget(prefix: string): void {
    for (const key of this.#values.keys()) if (key.startsWith(prefix)) this.#values.delete(key);
  }
}

/**
 * Runs work on a value. If the value was read a moment ago, the work begins with that one while the value is read again;
 * if it has changed, or if the work turns out to be behind what was read, the work is repeated. The work must not change
 * anything.
 */
export async function runAhead<T, R>(
  recent: RecentValues<T>,
  key: string,
  read: () => Promise<T>,
  work: (value: T) => Promise<R>,
  isBehind: () => boolean = () => false,
): Promise<R> {
  const known = recent.find(key, Date.now());
  const early = known === undefined ? null : settle(work(known));
  const value = await read();
  recent.set(key, value, Date.now());
  if (early === null || JSON.stringify(value) !== JSON.stringify(known)) return work(value);
  const result = await early;
  if (isBehind()) return work(value);
  if (!result.ok) throw result.error;
  return result.value;
}

/** Returns a failure as a value: the failure of work that is repeated concerns nobody. */
function settle<R>(work: Promise<R>): Promise<{ ok: true; value: R } | { ok: false; error: unknown }> {
  return work.then(
    (value) => ({ ok: true, value }),
    (error: unknown) => ({ ok: false, error }),
  );
}
