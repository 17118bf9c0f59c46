// The objects of one index, first to last. All but the last are full; only asking tells how many there are, so
// each isolate remembers what it last heard, and every answer corrects it.
import { VectorIndexError } from "../vector-index";
import type { ShardAnswer, ShardRpc } from "./shard-rpc";

type Ask<T> = (shard: ShardRpc) => Promise<ShardAnswer<T>>;

export type Chain = {
  /** Whether more than the first shard is known to be there. */
  readonly isLong: boolean;
  ask<T>(n: number, ask: Ask<T>): Promise<ShardAnswer<T>>;
  /** Every shard's answer, in order. */
  askAll<T>(ask: Ask<T>): Promise<ShardAnswer<T>[]>;
  wipe(): Promise<void>;
};

/** By binding and name; only of chains of more than one shard, since few tenants have that many vectors. */
const lengths = new WeakMap<DurableObjectNamespace, Map<string, number>>();

function lengthsOf(namespace: DurableObjectNamespace): Map<string, number> {
  const known = lengths.get(namespace) ?? new Map<string, number>();
  lengths.set(namespace, known);
  return known;
}

export function openChain(namespace: DurableObjectNamespace, name: string): Chain {
  const known = lengthsOf(namespace);
  const noteLength = (length: number) => {
    if (length > 1) known.set(name, length);
    else known.delete(name);
  };

  const call = <T>(n: number, work: (shard: ShardRpc) => Promise<T>) =>
    twice(() => work(namespace.getByName(`${name}/${n}`) as unknown as ShardRpc));

  const askAll = async <T>(ask: Ask<T>): Promise<ShardAnswer<T>[]> => {
    const calls = Array.from({ length: known.get(name) ?? 1 }, (_, n) => call(n, ask));
    const answers: ShardAnswer<T>[] = await Promise.all(calls);
    let length = answers.findIndex((answer) => !isFull(answer)) + 1;
    while (length === 0) {
      const next = await call(answers.length, ask);
      answers.push(next);
      if (!isFull(next)) length = answers.length;
    }
    noteLength(length);
    // What lies behind a shard with room was left there by an index that has been cleared since.
    return answers.slice(0, length);
  };

  return {
    get isLong() {
      return known.has(name);
    },
    ask: async (n, ask) => {
      const answer = await call(n, ask);
      if (isFull(answer)) noteLength(Math.max(known.get(name) ?? 1, n + 2));
      return answer;
    },
    askAll,
    async wipe() {
      const shards = await askAll((shard) => shard.remove([]));
      // From the last: an interrupted wipe leaves a chain that still leads to everything that is left.
      for (let n = shards.length - 1; n >= 0; n -= 1) await call(n, (shard) => shard.wipe());
      noteLength(1);
    },
  };
}

function isFull(answer: ShardAnswer<unknown>): boolean {
  return answer.status === "ok" && answer.full;
}

/** What the platform says of an object that could not answer. */
type RpcError = Error & { retryable?: boolean; durableObjectReset?: boolean; overloaded?: boolean };

/** Every call may be repeated; the platform says when it is worth it, as after an object has moved. */
async function twice<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isRetryable(error)) throw unavailable(error);
  }
  try {
    return await work();
  } catch (error) {
    throw unavailable(error);
  }
}

function isRetryable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { retryable, durableObjectReset, overloaded }: RpcError = error;
  return (retryable === true || durableObjectReset === true) && overloaded !== true;
}

function unavailable(cause: unknown): VectorIndexError {
  return new VectorIndexError("The vector index did not answer.", { cause });
}
