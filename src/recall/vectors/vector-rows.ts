// A shard's vectors in memory: one slot per vector, without gaps, in typed arrays. Only ids are JavaScript objects.

import { createColumns, type FilterColumns, growColumns, viewBytes, viewColumns } from "./filter-columns";
import { Scanner } from "./scan-memory";
import type { VectorMatch } from "./vector-index";

/** A quantised vector and its metadata, with scopes and type as token numbers. */
type VectorRow = {
  id: string;
  session: number;
  user: number;
  agent: number;
  project: number;
  type: number;
  live: boolean;
  timestamp: number;
  scale: number;
  vector: Int8Array;
};

export class VectorRows {
  readonly #ids: string[] = [];
  /** Built by the first write: queries do not need it, and the first query after an eviction is faster without. */
  #slotsById: Map<string, number> | null = null;
  readonly #scanner: Scanner;
  #columns: FilterColumns;

  constructor(stride: number, capacity: number) {
    this.#scanner = new Scanner(stride, capacity);
    this.#columns = createColumns(this.#scanner.capacity);
  }

  get #slots(): Map<string, number> {
    this.#slotsById ??= new Map(this.#ids.map((id, slot) => [id, slot]));
    return this.#slotsById;
  }

  get count(): number {
    return this.#ids.length;
  }

  get columns(): FilterColumns {
    return this.#columns;
  }

  has(id: string): boolean {
    return this.#slots.has(id);
  }

  ids(slot: number, count: number): string[] {
    return this.#ids.slice(slot, slot + count);
  }

  /** Appends ids and returns the slot of the first; the caller then copies their data into `viewParts`. */
  append(ids: readonly string[]): number {
    const slot = this.count;
    this.#scanner.reserve(slot + ids.length);
    if (this.#scanner.capacity > this.#columns.live.length)
      this.#columns = growColumns(this.#columns, this.#scanner.capacity);
    for (const id of ids) {
      this.#slotsById?.set(id, this.#ids.length);
      this.#ids.push(id);
    }
    return slot;
  }

  /** Returns views of all data of some slots, in storage order. */
  viewParts(slot: number, count: number): Uint8Array[] {
    return [
      ...viewColumns(this.#columns, slot, count),
      viewBytes(this.#scanner.scales(slot, count), 0, count),
      viewBytes(this.#scanner.rows(slot, count), 0, count * this.#scanner.stride),
    ];
  }

  /** Inserts a row or replaces the one with the same id; returns its slot. */
  put({ id, session, user, agent, project, type, live, timestamp, scale, vector }: VectorRow): number {
    const slot = this.#slots.get(id) ?? this.append([id]);
    const columns = this.#columns;
    columns.session[slot] = session;
    columns.user[slot] = user;
    columns.agent[slot] = agent;
    columns.project[slot] = project;
    columns.type[slot] = type;
    columns.live[slot] = live ? 1 : 0;
    columns.timestamp[slot] = timestamp;
    this.#scanner.scales(slot, 1)[0] = scale;
    this.#scanner.rows(slot, 1).set(vector);
    return slot;
  }

  /** Removes a row and moves the last one into its slot; returns the slot, or undefined for an unknown id. */
  remove(id: string): number | undefined {
    const slot = this.#slots.get(id);
    if (slot === undefined) return undefined;
    const last = this.count - 1;
    const from = this.viewParts(last, 1);
    for (const [i, part] of this.viewParts(slot, 1).entries()) part.set(from[i] ?? []);
    this.#slots.delete(id);
    const moved = this.#ids.pop();
    if (moved !== undefined && moved !== id) {
      this.#ids[slot] = moved;
      this.#slots.set(moved, slot);
    }
    return slot;
  }

  /** Scores the slots that `select` writes to its list and returns the best; `select` returns their number. */
  findTopK(query: Int16Array, limit: number, select: (list: Uint32Array) => number): VectorMatch[] {
    const list = this.#scanner.list();
    const scores = this.#scanner.scan(query, select(list));
    return selectTopK(list, scores, this.#ids, limit);
  }
}

/** Returns the `limit` best of the scored slots, best first; equal scores are ordered by id. */
function selectTopK(
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
