// Top-k selection with a bounded min-heap: the k best scores so far, the worst of them on top.
import type { VectorMatch } from "../vector-index";

/** Returns the `limit` best of the scored slots, best first; equal scores are ordered by id. */
export function selectTopK(
  list: Uint32Array,
  scores: Float32Array,
  ids: readonly string[],
  limit: number,
): VectorMatch[] {
  const heap: number[] = [];
  const idAt = (position: number) => ids[list[position] ?? -1] ?? "";
  const scoreAt = (position: number) => scores[position] ?? 0;

  const isWorse = (a: number, b: number) => {
    const difference = scoreAt(a) - scoreAt(b);
    return difference < 0 || (difference === 0 && idAt(a) > idAt(b));
  };

  const siftDown = (position: number) => {
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isWorse(heap[child + 1] ?? 0, heap[child] ?? 0)) child += 1;
      if (!isWorse(heap[child] ?? 0, position)) break;
      heap[hole] = heap[child] ?? 0;
      hole = child;
    }
    heap[hole] = position;
  };

  const siftUp = (position: number) => {
    let hole = heap.length;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (!isWorse(position, heap[parent] ?? 0)) break;
      heap[hole] = heap[parent] ?? 0;
      hole = parent;
    }
    heap[hole] = position;
  };

  for (let position = 0; position < scores.length; position += 1) {
    if (heap.length < limit) siftUp(position);
    else if (limit > 0 && isWorse(heap[0] ?? 0, position)) siftDown(position);
  }
  return heap
    .sort((a, b) => (isWorse(a, b) ? 1 : -1))
    .map((position) => ({ id: idAt(position), score: scoreAt(position) }));
}
