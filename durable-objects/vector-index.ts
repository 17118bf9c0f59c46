// One shard of a tenant's embedded vector index: the RPC interface of src/recall/vectors/vector-shard.ts.
import { DurableObject } from "cloudflare:workers";
import type { Bindings } from "../src/kernel/env";
import { type CompactibleObject, compactObjectFile } from "../src/kernel/file-compactor";
import type { ShardBatch, ShardQuery, ShardResult, ShardRpc } from "../src/recall/vectors/shard-rpc";
import type { VectorMatch } from "../src/recall/vectors/vector-index";
import { VectorShard } from "../src/recall/vectors/vector-shard";

export class VectorIndexObject extends DurableObject<Bindings> implements ShardRpc, CompactibleObject {
  readonly #shard: VectorShard;

  constructor(state: DurableObjectState, env: Bindings) {
    super(state, env);
    this.#shard = new VectorShard(state.storage);
  }

  async upsert(batch: ShardBatch, capacity: number): Promise<ShardResult<{ refused: number[] }>> {
    return this.#shard.upsert(batch, capacity);
  }

  async known(ids: string[], dimensions: number): Promise<ShardResult<{ places: number[] }>> {
    return this.#shard.findHeld(ids, dimensions);
  }

  async query(query: ShardQuery): Promise<ShardResult<{ matches: VectorMatch[] }>> {
    return this.#shard.query(query);
  }

  async remove(ids: string[]): Promise<ShardResult<{ removed: number }>> {
    return this.#shard.remove(ids);
  }

  wipe(): Promise<void> {
    return this.#shard.wipe();
  }

  compactFile(): Promise<boolean> {
    return compactObjectFile(this.ctx, this.env.FILE_COMPACTOR, "VectorIndexObject");
  }
}
