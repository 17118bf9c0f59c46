// One shard of the embedded index. The copy in memory is loaded on first use, and loaded again after a failed write.

import { selectRows } from "./filter-columns";
import { computeStride } from "./quantise";
import type { ShardBatch, ShardQuery, ShardResult } from "./shard-rpc";
import { createShard, loadShard, type Shard, saveShard } from "./shard-storage";
import type { VectorMatch } from "./vector-index";

/** Bytes of the vectors of a shard: 100,000 of 512 dimensions, within the 128 MB of an isolate. */
const MAX_SHARD_BYTES = 51_200_000;

export class VectorShard {
  readonly #storage: DurableObjectStorage;
  /** Undefined until loaded; null when none is stored. */
  #copy: Shard | null | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  upsert(batch: ShardBatch, capacity: number): ShardResult<{ refused: number[] }> {
    const { dimensions, records, rows, scales } = batch;
    const stride = computeStride(dimensions);
    const shard = this.#load() ?? createShard(dimensions);
    if (shard.dimensions !== dimensions) return toDimensionMismatch(shard);
    const maxRows = Math.min(capacity, Math.floor(MAX_SHARD_BYTES / stride));
    return this.#write(shard, () => {
      const refused: number[] = [];
      const slots: number[] = [];
      for (const [i, { id, session, user, agent, project, type, live, timestamp }] of records.entries()) {
        if (!shard.rows.has(id) && (shard.full || shard.rows.count >= maxRows)) {
          shard.full = true;
          refused.push(i);
          continue;
        }
        const slot = shard.rows.put({
          id,
          session: shard.tokens.intern(session),
          user: shard.tokens.intern(user),
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
      return { slots, result: { status: "ok", full: shard.full, refused } };
    });
  }

  findHeld(ids: readonly string[], dimensions: number): ShardResult<{ places: number[] }> {
    const shard = this.#load();
    if (shard === null) return { status: "ok", full: false, places: [] };
    if (shard.dimensions !== dimensions) return toDimensionMismatch(shard);
    const places = ids.flatMap((id, i) => (shard.rows.has(id) ? [i] : []));
    return { status: "ok", full: shard.full, places };
  }

  query({ dimensions, query, limit, filter }: ShardQuery): ShardResult<{ matches: VectorMatch[] }> {
    const shard = this.#load();
    if (shard === null) return { status: "ok", full: false, matches: [] };
    if (shard.dimensions !== dimensions) return toDimensionMismatch(shard);
    const { rows, tokens, full } = shard;
    const matches = rows.findTopK(query, limit, (list) =>
      selectRows(filter, rows.columns, tokens, rows.count, list),
    );
    return { status: "ok", full, matches };
  }

  remove(ids: readonly string[]): ShardResult<{ removed: number }> {
    const shard = this.#load();
    if (shard === null) return { status: "ok", full: false, removed: 0 };
    return this.#write(shard, () => {
      const slots: number[] = [];
      let removed = 0;
      for (const id of ids) {
        const slot = shard.rows.remove(id);
        if (slot === undefined) continue;
        removed += 1;
        // Its own slot, and the former slot of the row that moved into it.
        slots.push(slot, shard.rows.count);
      }
      return { slots, result: { status: "ok", full: shard.full, removed } };
    });
  }

  async wipe(): Promise<void> {
    this.#copy = undefined;
    await this.#storage.deleteAll();
    this.#copy = undefined;
  }

  #load(): Shard | null {
    if (this.#copy === undefined) this.#copy = loadShard(this.#storage);
    return this.#copy;
  }

  /** Changes the copy, then stores the changed slots. Without an await in between, no other call sees a partial write. */
  #write<T>(shard: Shard, change: () => { slots: number[]; result: T }): T {
    const wasFull = shard.full;
    this.#copy = undefined;
    const { slots, result } = change();
    if (slots.length > 0 || shard.full !== wasFull) saveShard(this.#storage, shard, slots);
    this.#copy = shard;
    return result;
  }
}

function toDimensionMismatch({ dimensions }: Shard): { status: "wrong_dimensions"; dimensions: number } {
  return { status: "wrong_dimensions", dimensions };
}
