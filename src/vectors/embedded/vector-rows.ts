// A shard's vectors in memory: one slot each, without gaps, in columns of numbers. Only ids are objects.
import type { VectorMatch } from "../vector-index";
import { bytesOf, type Columns, grown, newColumns, viewOf } from "./filter-columns";
import { Scanner } from "./scan-memory";
import { topMatches } from "./top-matches";

/** A vector's properties, its scopes and type as numbers. */
export type Row = {
  id: string;
  session: number;
  agent: number;
  project: number;
  type: number;
  live: boolean;
  timestamp: number;
  scale: number;
  vector: Int8Array;
};

export class Rows {
  readonly #ids: string[] = [];
  /** Made by the first write: a query needs none, and the first one after an eviction should not wait for it. */
  #index: Map<string, number> | null = null;
  readonly #scanner: Scanner;
  #columns: Columns;

  constructor(stride: number, capacity: number) {
    this.#scanner = new Scanner(stride, capacity);
    this.#columns = newColumns(this.#scanner.capacity);
  }

  get #slots(): Map<string, number> {
    this.#index ??= new Map(this.#ids.map((id, slot) => [id, slot]));
    return this.#index;
  }

  get count(): number {
    return this.#ids.length;
  }

  get columns(): Columns {
    return this.#columns;
  }

  has(id: string): boolean {
    return this.#slots.has(id);
  }

  ids(slot: number, count: number): string[] {
    return this.#ids.slice(slot, slot + count);
  }

  /** Appends ids; what belongs to them is then copied into `parts`. Gives the first one's slot. */
  append(ids: readonly string[]): number {
    const slot = this.count;
    this.#scanner.reserve(slot + ids.length);
    if (this.#scanner.capacity > this.#columns.live.length)
      this.#columns = grown(this.#columns, this.#scanner.capacity);
    for (const id of ids) {
      this.#index?.set(id, this.#ids.length);
      this.#ids.push(id);
    }
    return slot;
  }

  /** Everything about some slots, as views of the memory it is in: what is copied to and from disk. */
  parts(slot: number, count: number): Uint8Array[] {
    return [
      ...bytesOf(this.#columns, slot, count),
      viewOf(this.#scanner.scales(slot, count), 0, count),
      viewOf(this.#scanner.rows(slot, count), 0, count * this.#scanner.stride),
    ];
  }

  /** Puts a row in, in place of the one with its id. Gives its slot. */
  put({ id, session, agent, project, type, live, timestamp, scale, vector }: Row): number {
    const slot = this.#slots.get(id) ?? this.append([id]);
    const columns = this.#columns;
    columns.session[slot] = session;
    columns.agent[slot] = agent;
    columns.project[slot] = project;
    columns.type[slot] = type;
    columns.live[slot] = live ? 1 : 0;
    columns.timestamp[slot] = timestamp;
    this.#scanner.scales(slot, 1)[0] = scale;
    this.#scanner.rows(slot, 1).set(vector);
    return slot;
  }

  /** Takes a row out; the last one moves into its slot. Gives the slot, or undefined when there was none. */
  remove(id: string): number | undefined {
    const slot = this.#slots.get(id);
    if (slot === undefined) return undefined;
    const last = this.count - 1;
    const from = this.parts(last, 1);
    for (const [i, part] of this.parts(slot, 1).entries()) part.set(from[i] ?? []);
    this.#slots.delete(id);
    const moved = this.#ids.pop();
    if (moved !== undefined && moved !== id) {
      this.#ids[slot] = moved;
      this.#slots.set(moved, slot);
    }
    return slot;
  }

  /** The best of those that `select` writes into the list it is given; it says how many these are. */
  best(query: Int16Array, limit: number, select: (list: Uint32Array) => number): VectorMatch[] {
    const list = this.#scanner.list();
    const scores = this.#scanner.scan(query, select(list));
    return topMatches(list, scores, this.#ids, limit);
  }
}
