// One shard of a tenant's embedded vector index. A thin shell over src/vectors/embedded.
import { DurableObject } from "cloudflare:workers";
import type { Bindings } from "../src/platform/env";
import type { ShardAnswer, ShardBatch, ShardQuery, ShardRpc } from "../src/vectors/embedded/shard-rpc";
import { VectorShard } from "../src/vectors/embedded/vector-shard";
import type { VectorMatch } from "../src/vectors/vector-index";

export class VectorIndexObject extends DurableObject<Bindings> implements ShardRpc {
  readonly #shard: VectorShard;

  constructor(state: DurableObjectState, env: Bindings) {
    super(state, env);
    this.#shard = new VectorShard(state.storage);
  }

  async upsert(batch: ShardBatch, capacity: number): Promise<ShardAnswer<{ refused: number[] }>> {
    return this.#shard.upsert(batch, capacity);
  }

  async known(ids: string[], dimensions: number): Promise<ShardAnswer<{ places: number[] }>> {
    return this.#shard.known(ids, dimensions);
  }

  async query(query: ShardQuery): Promise<ShardAnswer<{ matches: VectorMatch[] }>> {
    return this.#shard.query(query);
  }

  async remove(ids: string[]): Promise<ShardAnswer<{ removed: number }>> {
    return this.#shard.remove(ids);
  }

  wipe(): Promise<void> {
    return this.#shard.wipe();
  }
}
