// The chain of shards of one index. All but the last are full. The number of shards is not stored: each isolate caches
// the last known length, and every result corrects it.

import type { ShardResult, ShardRpc } from "./shard-rpc";
import { VectorIndexError } from "./vector-index";

type ShardCall<T> = (shard: ShardRpc) => Promise<ShardResult<T>>;

export type ShardChain = {
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

export function openShardChain(namespace: DurableObjectNamespace, name: string): ShardChain {
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
