// The vector index on Vectorize. One Vectorize index serves all tenants: a namespace for each tenant and embedder,
// the rest in metadata, which must be indexed before the first write: kind, session, agent, project, type (string),
// live (boolean), timestamp (number). Writes are visible seconds later; deletions too.

import { LIMITS, VECTORIZE } from "../../limits";
import { sha256Hex } from "../../platform/hash";
import { byScore, checkedRecords, checkVector, pieces, wrongDimensions } from "../validate-records";
import { type VectorIndex, VectorIndexError, type VectorKind, type VectorRecord } from "../vector-index";
import { attempt, type Patience, VectorizeRefusal } from "./vectorize-calls";
import { filtersOf } from "./vectorize-filter";

export type VectorizeOptions = {
  tenant: string;
  embedder: string;
  now?: () => number;
  patience?: Patience;
};

export function createVectorizeIndex(
  binding: Vectorize,
  { tenant, embedder, now = Date.now, patience = VECTORIZE }: VectorizeOptions,
): VectorIndex {
  const namespaceOf = () => halfOfSha256([tenant, embedder]);
  const ownerOf = () => halfOfSha256([tenant]);

  const call = <T>(work: () => Promise<T>) => attempt(work, patience);

  /** A call with a vector: when it is refused, the likeliest reason is one that can be told. */
  const callWith = async <T>(vector: Float32Array | undefined, work: () => Promise<T>): Promise<T> => {
    try {
      return await call(work);
    } catch (error) {
      if (!(error instanceof VectorizeRefusal) || vector === undefined) throw error;
      const { dimensions } = await call(() => binding.describe());
      throw dimensions === vector.length ? error : wrongDimensions(dimensions, vector.length);
    }
  };

  return {
    name: "vectorize",
    maxMatches: VECTORIZE.topK,

    async upsert(kind, records) {
      const [namespace, owner] = await Promise.all([namespaceOf(), ownerOf()]);
      let visibleAfter: string | null = null;
      for (const piece of pieces(checkedRecords(records), LIMITS.vectorsPerCall)) {
        const vectors = piece.map((record) => toVector(namespace, owner, kind, record));
        const { mutationId } = await callWith(piece[0]?.vector, () => binding.upsert(vectors));
        // Mutations are processed in order: the last one stands for all.
        visibleAfter = JSON.stringify([mutationId, now()]);
      }
      return { visibleAfter };
    },

    async isVisible(visibleAfter) {
      const [mutationId, written]: [string, number] = JSON.parse(visibleAfter);
      // Declared as numbers, these are a UUID and an ISO date.
      const { processedUpToMutation, processedUpToDatetime } = await call(() => binding.describe());
      if (String(processedUpToMutation) === mutationId) return true;
      // Whether the date is that of the last mutation or of its processing is not documented: the margin covers both.
      return new Date(processedUpToDatetime).getTime() > written + VECTORIZE.visibleMarginMs;
    },

    async query(kind, vector, { limit, filter }) {
      checkVector(vector);
      const topK = Math.min(limit, VECTORIZE.topK);
      if (topK <= 0) return [];
      const namespace = await namespaceOf();
      const answers = await Promise.all(
        filtersOf(kind, filter).map((part) =>
          callWith(vector, () =>
            binding.query(vector, { topK, namespace, filter: part, returnMetadata: "none" }),
          ),
        ),
      );
      return answers
        .flatMap(({ matches }) => matches.map(({ id, score }) => ({ id, score })))
        .sort(byScore)
        .slice(0, topK);
    },

    /** Counts those that were visible; what was written a moment ago is deleted, but not counted. */
    async remove(kind, ids) {
      const owner = await ownerOf();
      const asked = [...new Set(ids)];
      const found: VectorizeVector[] = [];
      for (const piece of pieces(asked, VECTORIZE.getIds))
        found.push(...(await call(() => binding.getByIds(piece))));
      const foreign = new Set(
        found
          // Whatever the embedder: what another one left must not outlive its memory.
          .filter(({ metadata }) => metadata?.owner !== owner || metadata?.kind !== kind)
          .map(({ id }) => id),
      );
      const mine = asked.filter((id) => !foreign.has(id));
      for (const piece of pieces(mine, VECTORIZE.deleteIds)) await call(() => binding.deleteByIds(piece));
      return found.length - foreign.size;
    },

    async clear() {
      throw new VectorIndexError(
        "Vectorize cannot list or clear a namespace from a Worker: remove a tenant's vectors by their ids, which D1 has.",
      );
    },
  };
}

/** 128 bits that no two lists of names share. */
async function halfOfSha256(names: readonly string[]): Promise<string> {
  return (await sha256Hex(JSON.stringify(names))).slice(0, 32);
}

/** Scopes that it has none of are left out: a missing field passes no filter. */
function toVector(namespace: string, owner: string, kind: VectorKind, record: VectorRecord): VectorizeVector {
  const { id, vector, session, agent, project, type, live, timestamp } = record;
  return {
    id,
    values: vector,
    namespace,
    metadata: {
      owner,
      kind,
      ...(session !== null && { session }),
      ...(agent !== null && { agent }),
      ...(project !== null && { project }),
      type,
      live,
      timestamp,
    },
  };
}
