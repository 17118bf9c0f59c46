// Texts on their way to a service: cut to what a model reads, put into calls of what a service takes, and sent a
// few at a time.

export type CallLimits = {
  /** Texts in one call. */
  texts: number;
  /** UTF-8 bytes of all texts in one call. */
  callBytes: number;
  /** UTF-8 bytes of one text; the rest is cut off. */
  textBytes: number;
};

const encoder = new TextEncoder();

/** Services refuse an empty text; this has as little meaning. */
const EMPTY = ".";

/** The texts of each call, in order. */
export function batchesOf(texts: readonly string[], limits: CallLimits): string[][] {
  const batches: string[][] = [];
  let room = 0;
  for (const whole of texts) {
    const { text, bytes } = fitted(whole, limits.textBytes);
    const last = batches.at(-1);
    if (last === undefined || last.length >= limits.texts || bytes > room) {
      batches.push([text]);
      room = limits.callBytes - bytes;
    } else {
      last.push(text);
      room -= bytes;
    }
  }
  return batches;
}

function fitted(whole: string, max: number): { text: string; bytes: number } {
  // Encodes as many whole characters as there is room for.
  const { read, written } = encoder.encodeInto(whole, new Uint8Array(Math.min(max, whole.length * 3)));
  const text = whole.slice(0, read).toWellFormed();
  return text.trim() === "" ? { text: EMPTY, bytes: EMPTY.length } : { text, bytes: written };
}

/** The results in order, with at most `width` under way at once. After a failure no more begin. */
export async function inOrder<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = [...items.entries()].reverse();
  const lane = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [at, item] = next;
      try {
        results[at] = await work(item);
      } catch (error) {
        waiting.length = 0;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  return results;
}
