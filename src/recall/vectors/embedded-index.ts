// The embedded vector index, sharded over a chain of Durable Objects. A shard takes vectors until it is full and stays
// full for good, so that an id is in exactly one shard: an id unknown to a full shard can only be in a later one.

import { quantiseQuery, quantiseRows, validateDimensions } from "./quantise";
import { openShardChain, type ShardChain } from "./shard-chain";
import type { ShardBatch, ShardResult } from "./shard-rpc";
import {
  compareMatches,
  createDimensionError,
  splitIntoPages,
  VECTOR_KINDS,
  VECTORS_PER_CALL,
  type VectorIndex,
  type VectorKind,
  type VectorRecord,
  validateRecords,
  validateVector,
} from "./vector-index";

/** A shard keeps its vectors in memory, and an isolate has 128 MB. */
export const VECTORS_PER_SHARD = 100_000;

/** Matches of one query: more candidates than any ranking considers. */
const MAX_MATCHES = 1_000;

export type EmbeddedIndexOptions = {
  tenant: string;
  embedder: string;
  /** Smaller in tests that need several shards. */
  vectorsPerShard?: number;
};

export function createEmbeddedIndex(
  namespace: DurableObjectNamespace,
  { tenant, embedder, vectorsPerShard = VECTORS_PER_SHARD }: EmbeddedIndexOptions,
): VectorIndex {
  const openKind = (kind: VectorKind) =>
    openShardChain(namespace, `${encodeURIComponent(tenant)}/${kind}/${embedder}`);

  return {
    name: "embedded",
    maxMatches: MAX_MATCHES,

    async upsert(kind, records) {
      const chain = openKind(kind);
      for (const page of splitIntoPages(validateRecords(records), VECTORS_PER_CALL)) {
        validateDimensions(page[0]?.vector.length ?? 0);
        await upsertPage(chain, page, vectorsPerShard);
      }
      return { visibleAfter: null };
    },

    async isVisible() {
      return true;
    },

    async query(kind, vector, { limit, filter }) {
      validateVector(vector);
      validateDimensions(vector.length);
      const { query, scale } = quantiseQuery(vector);
      const topK = Math.min(limit, MAX_MATCHES);
      const results = await openKind(kind).callAll((shard) =>
        shard.query({ dimensions: vector.length, query, limit: topK, filter }),
      );
      return results
        .flatMap((result) => unwrap(result, vector.length).matches)
        .map(({ id, score }) => ({ id, score: score * scale }))
        .sort(compareMatches)
        .slice(0, Math.max(0, topK));
    },

    async remove(kind, ids) {
      let removed = 0;
      for (const page of splitIntoPages(ids, VECTORS_PER_CALL)) {
        const results = await openKind(kind).callAll((shard) => shard.remove(page));
        for (const result of results) if (result.status === "ok") removed += result.removed;
      }
      return removed;
    },

    async clear() {
      for (const kind of VECTOR_KINDS) await openKind(kind).wipe();
    },
  };
}

/** Writes one page: known ids to the shards that hold them, new ids to the first shard with room. */
async function upsertPage(
  chain: ShardChain,
  records: readonly VectorRecord[],
  capacity: number,
): Promise<void> {
  const dimensions = records[0]?.vector.length ?? 0;

  /** Returns the records that did not fit. */
  const upsertInto = async (n: number, part: readonly VectorRecord[]): Promise<VectorRecord[]> => {
    const result = await chain.call(n, (shard) => shard.upsert(toBatch(part), capacity));
    return unwrap(result, dimensions).refused.flatMap((position) => part[position] ?? []);
  };

  let rest: readonly VectorRecord[] = records;
  let n = 0;
  if (chain.hasSeveralShards) {
    const ids = records.map(({ id }) => id);
    const shardNumbers = new Map<VectorRecord, number>();
    const results = await chain.callAll((shard) => shard.known(ids, dimensions));
    for (const [number, result] of results.entries())
      for (const position of unwrap(result, dimensions).places) {
        const record = records[position];
        if (record !== undefined) shardNumbers.set(record, number);
      }
    n = results.length - 1;
    const parts = Map.groupBy(records, (record) => shardNumbers.get(record) ?? n);
    rest = (await Promise.all([...parts].map(([number, part]) => upsertInto(number, part)))).flat();
  }
  for (; rest.length > 0; n += 1) rest = await upsertInto(n, rest);
}

function toBatch(records: readonly VectorRecord[]): ShardBatch {
  return {
    dimensions: records[0]?.vector.length ?? 0,
    records: records.map(({ vector: _, isShared: _isShared, ...record }) => record),
    ...quantiseRows(records.map(({ vector }) => vector)),
  };
}

function unwrap<T>(result: ShardResult<T>, dimensions: number): T {
  if (result.status === "wrong_dimensions") throw createDimensionError(result.dimensions, dimensions);
  return result;
}
