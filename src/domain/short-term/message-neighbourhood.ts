// What the messages around a message add to it. Pure. A short message ("Yes, since May!") says little alone; a long
// one speaks for itself, and its own words would drown among its neighbours'.
import { indexText } from "../../text/memory-text";

/** Words up to which a message takes its neighbours in, and up to which a neighbour is taken. */
const OWN_WORDS = 120;
const NEIGHBOUR_WORDS = 60;

/** How far neighbours reach: of the text index, and of the vectors. */
export const TEXT_REACH = 3;
export const VECTOR_REACH = 2;

/** What a neighbour's vector counts, by its distance. */
const VECTOR_WEIGHTS = [1, 0.4, 0.2] as const;

export type Positioned = { position: number; content: string };

/** The neighbour at a distance, if the two belong together. Messages by position. */
export function neighbour<T extends Positioned>(
  around: ReadonlyMap<number, T>,
  message: T,
  distance: number,
): T | null {
  const other = around.get(message.position + distance);
  if (other === undefined || words(message.content) > OWN_WORDS) return null;
  return words(other.content) > NEIGHBOUR_WORDS ? null : other;
}

export function byPosition<T extends Positioned>(messages: readonly T[]): Map<number, T> {
  return new Map(messages.map((message) => [message.position, message]));
}

/** A message's vector, drawn towards its neighbours' and of length 1 again. */
export function smooth(own: Float32Array, neighbours: readonly { distance: number; vector: Float32Array }[]) {
  const sum = Float32Array.from(own);
  for (const { distance, vector } of neighbours) {
    const weight = VECTOR_WEIGHTS[Math.abs(distance)] ?? 0;
    for (let i = 0; i < sum.length; i += 1) sum[i] = (sum[i] ?? 0) + weight * (vector[i] ?? 0);
  }
  const length = Math.hypot(...sum);
  return length === 0 ? own : sum.map((value) => value / length);
}

/** Distances in the order of nearness, before first: -1, 1, -2, 2, … */
export function distances(reach: number): number[] {
  return Array.from({ length: reach }, (_, i) => [-(i + 1), i + 1]).flat();
}

function words(text: string): number {
  return indexText(text).trim().split(/\s+/).length;
}
