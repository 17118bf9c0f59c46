// The embedded vector index, sharded over a chain of Durable Objects. A shard takes vectors until it is full and stays
// full for good, so that an id is in exactly one shard: an id unknown to a full shard can only be in a later one.
import { VECTOR_KINDS, type VectorKind } from "../../kernel/tables";
import { quantiseQuery, quantiseRows, validateDimensions } from "./quantise";
import type { ShardBatch, ShardResult, ShardRpc } from "./shard-rpc";
import {
  compareMatches,
  createDimensionError,
  splitIntoPages,
  VECTORS_PER_CALL,
  type VectorIndex,
  VectorIndexError,
  type VectorRecord,
  validateRecords,
  validateVector,
} from "./vector-index";

// The chain of shards of one index. All but the last are full. The number of shards is not stored: each isolate caches
// the last known length, and every result corrects it.

type ShardCall<T> = (shard: ShardRpc) => Promise<ShardResult<T>>;

type ShardChain = {
  /** Whether more than one shard is known to exist. */
  readonly hasSeveralShards: boolean;
  call<T>(n: number, work: ShardCall<T>): Promise<ShardResult<T>>;
  /** Returns the result of every shard, in order. */
  callAll<T>(work: ShardCall<T>): Promise<ShardResult<T>[]>;
  wipe(): Promise<void>;
};

/** By binding and name, only for chains of more than one shard: few tenants have that many vectors. */
const lengths = new WeakMap<DurableObjectNamespace, Map<string, number>>();

function getKnownLengths(namespace: DurableObjectNamespace): Map<string, number> {
  const known = lengths.get(namespace) ?? new Map<string, number>();
  lengths.set(namespace, known);
  return known;
}

function openShardChain(namespace: DurableObjectNamespace, name: string): ShardChain {
  const known = getKnownLengths(namespace);
  const recordLength = (length: number) => {
    if (length > 1) known.set(name, length);
    else known.delete(name);
  };

  const call = <T>(n: number, work: (shard: ShardRpc) => Promise<T>) =>
    callWithOneRetry(() => work(namespace.getByName(`${name}/${n}`) as unknown as ShardRpc));

  const callAll = async <T>(work: ShardCall<T>): Promise<ShardResult<T>[]> => {
    const calls = Array.from({ length: known.get(name) ?? 1 }, (_, n) => call(n, work));
    const results: ShardResult<T>[] = await Promise.all(calls);
    let length = results.findIndex((result) => !isFull(result)) + 1;
    while (length === 0) {
      const next = await call(results.length, work);
      results.push(next);
      if (!isFull(next)) length = results.length;
    }
    recordLength(length);
    // Shards after one that is not full are remnants of an index that was cleared.
    return results.slice(0, length);
  };

  return {
    get hasSeveralShards() {
      return known.has(name);
    },
    call: async (n, work) => {
      const result = await call(n, work);
      if (isFull(result)) recordLength(Math.max(known.get(name) ?? 1, n + 2));
      return result;
    },
    callAll,
    async wipe() {
      const shards = await callAll((shard) => shard.remove([]));
      // From the last to the first: after an interruption the chain still reaches all remaining shards.
      for (let n = shards.length - 1; n >= 0; n -= 1) await call(n, (shard) => shard.wipe());
      recordLength(1);
    },
  };
}

function isFull(result: ShardResult<unknown>): boolean {
  return result.status === "ok" && result.full;
}

/** The properties that the platform sets on errors of Durable Object calls. */
type RpcError = Error & { retryable?: boolean; durableObjectReset?: boolean; overloaded?: boolean };

/** Retries once if the platform marks the error as retryable, as after an object has moved. All calls are idempotent. */
async function callWithOneRetry<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isRetryable(error)) throw toUnavailableError(error);
  }
  try {
    return await work();
  } catch (error) {
    throw toUnavailableError(error);
  }
}

function isRetryable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { retryable, durableObjectReset, overloaded }: RpcError = error;
  return (retryable === true || durableObjectReset === true) && overloaded !== true;
}

function toUnavailableError(cause: unknown): VectorIndexError {
  return new VectorIndexError("The vector index did not answer.", { cause });
}

/** A shard keeps its vectors in memory, and an isolate has 128 MB. */
export const VECTORS_PER_SHARD = 100_000;

/** Matches of one query: more candidates than any ranking considers. */
const MAX_MATCHES = 1_000;

type EmbeddedIndexOptions = {
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
