// Splits lists into chunks that fit one JSON parameter of D1.
import { LIMITS } from "../limits";

/** Returns how many leading items fit into one batch: at least one, since a single item is bounded elsewhere. */
export function countFitting(items: readonly object[]): number {
  let chars = 0;
  for (const [count, item] of items.entries()) {
    chars += JSON.stringify(item).length;
    if (count > 0 && chars > LIMITS.batchChars) return count;
  }
  return items.length;
}

export function splitIntoChunks<T extends object>(items: readonly T[]): T[][] {
  const pieces: T[][] = [];
  for (let rest = items; rest.length > 0; rest = rest.slice(pieces.at(-1)?.length)) {
    pieces.push(rest.slice(0, countFitting(rest)));
  }
  return pieces;
}
