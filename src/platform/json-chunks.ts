// Cuts long lists into pieces that D1 takes as one JSON parameter.
import { LIMITS } from "../limits";

/** How many of the first items fit into one batch; at least one, which the limits of a memory keep small enough. */
export function fitting(items: readonly object[]): number {
  let chars = 0;
  for (const [count, item] of items.entries()) {
    chars += JSON.stringify(item).length;
    if (count > 0 && chars > LIMITS.batchChars) return count;
  }
  return items.length;
}

export function chunks<T extends object>(items: readonly T[]): T[][] {
  const pieces: T[][] = [];
  for (let rest = items; rest.length > 0; rest = rest.slice(pieces.at(-1)?.length)) {
    pieces.push(rest.slice(0, fitting(rest)));
  }
  return pieces;
}
