// Deterministic random numbers, so that every run generates the same data.
import { getItem } from "../get-item.ts";

/** Returns the next number from 0 to 1. */
export type Random = () => number;

/** mulberry32: small, and good enough to choose words with. Each index has a sequence of its own. */
export function createRandom(index: number, seed = 0): Random {
  let state = (seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function pick<T>(random: Random, items: readonly T[]): T {
  return getItem(items, Math.floor(random() * items.length));
}
