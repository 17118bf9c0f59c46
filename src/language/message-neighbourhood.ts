// Adds neighbouring messages to the index text and vector of a message. A short message ("Yes, since May!") means
// little alone; a long one needs no context, which would dilute its own words.
import { separateCharacters } from "./words/unspaced-scripts";

/** The longest message that receives neighbours, and the longest neighbour that is added. */
export const MAX_OWN_WORDS = 120;
export const MAX_NEIGHBOUR_WORDS = 60;

/** The number of neighbours on each side, for the text index and for vectors. */
export const TEXT_REACH = 3;
export const VECTOR_REACH = 2;

/** The weight of a neighbour's vector, by distance. */
const VECTOR_WEIGHTS = [1, 0.4, 0.2] as const;

export type Positioned = { position: number; content: string };

/** Returns the neighbour at a distance, unless one of the two messages is too long. */
export function findNeighbour<T extends Positioned>(
  around: ReadonlyMap<number, T>,
  message: T,
  distance: number,
): T | null {
  const other = around.get(message.position + distance);
  if (other === undefined || countWords(message.content) > MAX_OWN_WORDS) return null;
  return countWords(other.content) > MAX_NEIGHBOUR_WORDS ? null : other;
}

export function indexByPosition<T extends Positioned>(messages: readonly T[]): Map<number, T> {
  return new Map(messages.map((message) => [message.position, message]));
}

/** Returns the weighted mean of a message's vector and its neighbours', normalised to length 1. */
export function smoothVector(
  own: Float32Array,
  neighbours: readonly { distance: number; vector: Float32Array }[],
) {
  const sum = Float32Array.from(own);
  for (const { distance, vector } of neighbours) {
    const weight = VECTOR_WEIGHTS[Math.abs(distance)] ?? 0;
    for (let i = 0; i < sum.length; i += 1) sum[i] = (sum[i] ?? 0) + weight * (vector[i] ?? 0);
  }
  const length = Math.hypot(...sum);
  return length === 0 ? own : sum.map((value) => value / length);
}

/** Returns distances, nearest first and before after: -1, 1, -2, 2, … */
export function listDistances(reach: number): number[] {
  return Array.from({ length: reach }, (_, i) => [-(i + 1), i + 1]).flat();
}

function countWords(text: string): number {
  return separateCharacters(text).trim().split(/\s+/).length;
}
