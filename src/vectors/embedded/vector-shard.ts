// One shard of the embedded index: what its object answers with. The copy in memory is read on first use, and
// read anew when a write fails.
import { LIMITS } from "../../limits";
import type { VectorMatch } from "../vector-index";
import { select } from "./filter-rows";
import { strideOf } from "./quantise";
import type { ShardAnswer, ShardBatch, ShardQuery } from "./shard-rpc";
import { newShard, readShard, type Shard, writeShard } from "./shard-storage";

export class VectorShard {
  readonly #storage: DurableObjectStorage;
  /** Undefined until it is read; null when nothing is stored. */
  #copy: Shard | null | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  upsert(batch: ShardBatch, capacity: number): ShardAnswer<{ refused: number[] }> {
    const { dimensions, records, rows, scales } = batch;
    const stride = strideOf(dimensions);
    const shard = this.#read() ?? newShard(dimensions);
    if (shard.dimensions !== dimensions) return wrongDimensions(shard);
    const room = Math.min(capacity, Math.floor(LIMITS.vectorBytesPerShard / stride));
    return this.#write(shard, () => {
      const refused: number[] = [];
      const slots: number[] = [];
      for (const [i, { id, session, agent, project, type, live, timestamp }] of records.entries()) {
        if (!shard.rows.has(id) && (shard.full || shard.rows.count >= room)) {
          shard.full = true;
          refused.push(i);
          continue;
        }
        const slot = shard.rows.put({
          id,
          session: shard.tokens.intern(session),
          agent: shard.tokens.intern(agent),
          project: shard.tokens.intern(project),
          type: shard.tokens.intern(type),
          live,
          timestamp,
          scale: scales[i] ?? 0,
          vector: rows.subarray(i * stride, (i + 1) * stride),
        });
        slots.push(slot);
      }
      return { slots, answer: { status: "ok", full: shard.full, refused } };
    });
  }

  known(ids: readonly string[], dimensions: number): ShardAnswer<{ places: number[] }> {
    const shard = this.#read();
    if (shard === null) return { status: "ok", full: false, places: [] };
    if (shard.dimensions !== dimensions) return wrongDimensions(shard);
    const places = ids.flatMap((id, i) => (shard.rows.has(id) ? [i] : []));
    return { status: "ok", full: shard.full, places };
  }

  query({ dimensions, query, limit, filter }: ShardQuery): ShardAnswer<{ matches: VectorMatch[] }> {
    const shard = this.#read();
    if (shard === null) return { status: "ok", full: false, matches: [] };
    if (shard.dimensions !== dimensions) return wrongDimensions(shard);
    const { rows, tokens, full } = shard;
    const matches = rows.best(query, limit, (list) => select(filter, rows.columns, tokens, rows.count, list));
    return { status: "ok", full, matches };
  }

  remove(ids: readonly string[]): ShardAnswer<{ removed: number }> {
    const shard = this.#read();
    if (shard === null) return { status: "ok", full: false, removed: 0 };
    return this.#write(shard, () => {
      const slots: number[] = [];
      let removed = 0;
      for (const id of ids) {
        const slot = shard.rows.remove(id);
        if (slot === undefined) continue;
        removed += 1;
        // Its own place, and that of the row that moved into it.
        slots.push(slot, shard.rows.count);
      }
      return { slots, answer: { status: "ok", full: shard.full, removed } };
    });
  }

  async wipe(): Promise<void> {
    this.#copy = undefined;
    await this.#storage.deleteAll();
    this.#copy = undefined;
  }

  #read(): Shard | null {
    if (this.#copy === undefined) this.#copy = readShard(this.#storage);
    return this.#copy;
  }

  /** Changes the copy, then stores the changed slots. There is no await in between: no one sees half of it. */
  #write<T>(shard: Shard, change: () => { slots: number[]; answer: T }): T {
    const wasFull = shard.full;
    this.#copy = undefined;
    const { slots, answer } = change();
    if (slots.length > 0 || shard.full !== wasFull) writeShard(this.#storage, shard, slots);
    this.#copy = shard;
    return answer;
  }
}

function wrongDimensions({ dimensions }: Shard): { status: "wrong_dimensions"; dimensions: number } {
  return { status: "wrong_dimensions", dimensions };
}
