// The embedded index: the port's calls, spread over a chain of objects. The first takes vectors until it is full,
// which it then is for good, so that an id it does not know can only be in a later one: an id lives in one shard.
import { LIMITS } from "../../limits";
import { byScore, checkedRecords, checkVector, pieces, wrongDimensions } from "../validate-records";
import { VECTOR_KINDS, type VectorIndex, type VectorKind, type VectorRecord } from "../vector-index";
import { checkDimensions, quantiseQuery, quantiseRows } from "./quantise";
import { type Chain, openChain } from "./shard-chain";
import type { ShardAnswer, ShardBatch } from "./shard-rpc";

export type EmbeddedIndexOptions = {
  tenant: string;
  embedder: string;
  /** Vectors of one object. Fewer only where a test wants several objects. */
  shardVectors?: number;
};

export function createEmbeddedIndex(
  namespace: DurableObjectNamespace,
  { tenant, embedder, shardVectors = LIMITS.vectorsPerShard }: EmbeddedIndexOptions,
): VectorIndex {
  const chainOf = (kind: VectorKind) =>
    openChain(namespace, `${encodeURIComponent(tenant)}/${kind}/${embedder}`);

  return {
    name: "embedded",
    maxMatches: LIMITS.vectorMatches,

    async upsert(kind, records) {
      const chain = chainOf(kind);
      for (const piece of pieces(checkedRecords(records), LIMITS.vectorsPerCall)) {
        checkDimensions(piece[0]?.vector.length ?? 0);
        await put(chain, piece, shardVectors);
      }
      return { visibleAfter: null };
    },

    async isVisible() {
      return true;
    },

    async query(kind, vector, { limit, filter }) {
      checkVector(vector);
      checkDimensions(vector.length);
      const { query, scale } = quantiseQuery(vector);
      const most = Math.min(limit, LIMITS.vectorMatches);
      const answers = await chainOf(kind).askAll((shard) =>
        shard.query({ dimensions: vector.length, query, limit: most, filter }),
      );
      return answers
        .flatMap((answer) => unwrap(answer, vector.length).matches)
        .map(({ id, score }) => ({ id, score: score * scale }))
        .sort(byScore)
        .slice(0, Math.max(0, most));
    },

    async remove(kind, ids) {
      let removed = 0;
      for (const piece of pieces(ids, LIMITS.vectorsPerCall)) {
        const answers = await chainOf(kind).askAll((shard) => shard.remove(piece));
        for (const answer of answers) if (answer.status === "ok") removed += answer.removed;
      }
      return removed;
    },

    async clear() {
      for (const kind of VECTOR_KINDS) await chainOf(kind).wipe();
    },
  };
}

/** Writes at most one call's records: each where its id lives, new ones into the first shard that takes them. */
async function put(chain: Chain, records: readonly VectorRecord[], capacity: number): Promise<void> {
  const dimensions = records[0]?.vector.length ?? 0;

  /** Gives the records that the shard did not take. */
  const putInto = async (n: number, part: readonly VectorRecord[]): Promise<VectorRecord[]> => {
    const answer = await chain.ask(n, (shard) => shard.upsert(toBatch(part), capacity));
    return unwrap(answer, dimensions).refused.flatMap((place) => part[place] ?? []);
  };

  let rest: readonly VectorRecord[] = records;
  let n = 0;
  if (chain.isLong) {
    const ids = records.map(({ id }) => id);
    const homes = new Map<VectorRecord, number>();
    const answers = await chain.askAll((shard) => shard.known(ids, dimensions));
    for (const [home, answer] of answers.entries())
      for (const place of unwrap(answer, dimensions).places) {
        const record = records[place];
        if (record !== undefined) homes.set(record, home);
      }
    n = answers.length - 1;
    const parts = Map.groupBy(records, (record) => homes.get(record) ?? n);
    rest = (await Promise.all([...parts].map(([home, part]) => putInto(home, part)))).flat();
  }
  for (; rest.length > 0; n += 1) rest = await putInto(n, rest);
}

function toBatch(records: readonly VectorRecord[]): ShardBatch {
  return {
    dimensions: records[0]?.vector.length ?? 0,
    records: records.map(({ vector: _, ...record }) => record),
    ...quantiseRows(records.map(({ vector }) => vector)),
  };
}

function unwrap<T>(answer: ShardAnswer<T>, dimensions: number): T {
  if (answer.status === "wrong_dimensions") throw wrongDimensions(answer.dimensions, dimensions);
  return answer;
}
