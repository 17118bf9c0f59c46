// The vector index on Vectorize. One Vectorize index serves all tenants of a database, with a namespace per tenant and embedder and
// the rest in metadata. Metadata indexes must exist before the first insert: kind, session, user, agent, project,
// type (string), live (boolean), timestamp (number). Upserts and deletions become visible seconds later.

import { sha256Hex } from "../../kernel/hash";
import { CallError, CallTimeoutError, type RetryPolicy, retryWithBackoff } from "../../kernel/retry";
import type { VectorKind } from "../../kernel/tables";
import { MINUTE_MS, SECOND_MS } from "../../kernel/time";
import {
  compareMatches,
  createDimensionError,
  splitIntoPages,
  VECTORS_PER_CALL,
  type VectorFilter,
  type VectorIndex,
  VectorIndexError,
  type VectorRecord,
  validateRecords,
  validateVector,
} from "./vector-index";

/** Limits of Vectorize for one call from a Worker. The top-k limit is that of queries without values and metadata. */
export const MAX_TOP_K = 100;
export const IDS_PER_GET = 20;
export const IDS_PER_DELETE = 100;

export const VECTORIZE_RETRY_POLICY: RetryPolicy = {
  attempts: 3,
  baseDelayMs: 200,
  timeoutMs: 10 * SECOND_MS,
};

/** A mutation processed this much later proves that a write is visible: clocks differ, and processing takes time. */
export const VISIBILITY_MARGIN_MS = 2 * MINUTE_MS;

export type VectorizeOptions = {
  tenant: string;
  embedder: string;
  now?: () => number;
  retryPolicy?: RetryPolicy;
};

export function createVectorizeIndex(
  binding: Vectorize,
  { tenant, embedder, now = Date.now, retryPolicy = VECTORIZE_RETRY_POLICY }: VectorizeOptions,
): VectorIndex {
  const computeNamespace = () => hashNames([tenant, embedder]);

  const call = <T>(work: () => Promise<T>) => callVectorize(work, retryPolicy);

  /** Calls with a vector: a rejection is reported as a dimension mismatch if that is the reason. */
  const callWithVector = async <T>(vector: Float32Array | undefined, work: () => Promise<T>): Promise<T> => {
    try {
      return await call(work);
    } catch (error) {
      if (!(error instanceof VectorizeRejection) || vector === undefined) throw error;
      const { dimensions } = await call(() => binding.describe());
      throw dimensions === vector.length ? error : createDimensionError(dimensions, vector.length);
    }
  };

  /** Returns the shared ids whose vectors are another tenant's, which keeps them: the copy is found by its text. */
  const findForeign = async (owner: string, records: readonly VectorRecord[]): Promise<Set<string>> => {
    const shared = records.flatMap(({ id, isShared }) => (isShared === true ? [id] : []));
    const found: VectorizeVector[] = [];
    for (const ids of splitIntoPages(shared, IDS_PER_GET))
      found.push(...(await call(() => binding.getByIds(ids))));
    return new Set(found.filter(({ metadata }) => metadata?.owner !== owner).map(({ id }) => id));
  };

  return {
    name: "vectorize",
    maxMatches: MAX_TOP_K,

    async upsert(kind, records) {
      const [namespace, owner] = await Promise.all([computeNamespace(), computeOwner(tenant)]);
      let visibleAfter: string | null = null;
      for (const page of splitIntoPages(validateRecords(records), VECTORS_PER_CALL)) {
        const foreign = await findForeign(owner, page);
        const vectors = page
          .filter(({ id }) => !foreign.has(id))
          .map((record) => toVectorizeVector(namespace, owner, kind, record));
        if (vectors.length === 0) continue;
        const { mutationId } = await callWithVector(page[0]?.vector, () => binding.upsert(vectors));
        // Mutations are processed in order: all are visible when the last one is.
        visibleAfter = JSON.stringify([mutationId, now()]);
      }
      return { visibleAfter };
    },

    async isVisible(visibleAfter) {
      const [mutationId, writtenAt]: [string, number] = JSON.parse(visibleAfter);
      // Typed as numbers, these are a UUID and an ISO date.
      const { processedUpToMutation, processedUpToDatetime } = await call(() => binding.describe());
      if (String(processedUpToMutation) === mutationId) return true;
      // Whether this is the time of the last mutation or of its processing is undocumented: the margin covers both.
      return new Date(processedUpToDatetime).getTime() > writtenAt + VISIBILITY_MARGIN_MS;
    },

    async query(kind, vector, { limit, filter }) {
      validateVector(vector);
      const topK = Math.min(limit, MAX_TOP_K);
      if (topK <= 0) return [];
      const namespace = await computeNamespace();
      const results = await Promise.all(
        toVectorizeFilters(kind, filter).map((part) =>
          callWithVector(vector, () =>
            binding.query(vector, { topK, namespace, filter: part, returnMetadata: "none" }),
          ),
        ),
      );
      return results
        .flatMap(({ matches }) => matches.map(({ id, score }) => ({ id, score })))
        .sort(compareMatches)
        .slice(0, topK);
    },

    /** Counts only visible vectors; those written a moment ago are deleted but not counted. */
    async remove(kind, ids) {
      const owner = await computeOwner(tenant);
      const uniqueIds = [...new Set(ids)];
      const found: VectorizeVector[] = [];
      for (const page of splitIntoPages(uniqueIds, IDS_PER_GET))
        found.push(...(await call(() => binding.getByIds(page))));
      const foreign = new Set(
        found
          // Vectors of another embedder are removed too: none may outlive its memory.
          .filter(({ metadata }) => metadata?.owner !== owner || metadata?.kind !== kind)
          .map(({ id }) => id),
      );
      const owned = uniqueIds.filter((id) => !foreign.has(id));
      for (const page of splitIntoPages(owned, IDS_PER_DELETE)) await call(() => binding.deleteByIds(page));
      return found.length - foreign.size;
    },

    async clear() {
      throw new VectorIndexError(
        "Vectorize cannot list or clear a namespace from a Worker: remove a tenant's vectors by their ids, which D1 has.",
      );
    },
  };
}

/** Returns the metadata that tells the vectors of a tenant from those of others. */
export function computeOwner(tenant: string): Promise<string> {
  return hashNames([tenant]);
}

/** Returns the first 128 bits of SHA-256. */
async function hashNames(names: readonly string[]): Promise<string> {
  return (await sha256Hex(JSON.stringify(names))).slice(0, 32);
}

/** Omits scopes that are null: a missing field matches no filter. */
function toVectorizeVector(
  namespace: string,
  owner: string,
  kind: VectorKind,
  record: VectorRecord,
): VectorizeVector {
  const { id, vector, session, user, agent, project, type, live, timestamp } = record;
  return {
    id,
    values: vector,
    namespace,
    metadata: {
      owner,
      kind,
      ...(session !== null && { session }),
      ...(user !== null && { user }),
      ...(agent !== null && { agent }),
      ...(project !== null && { project }),
      type,
      live,
      timestamp,
    },
  };
}

/** Vectorize rejects a filter whose JSON has this many bytes or more. */
const FILTER_BYTES = 2_048;

const encoder = new TextEncoder();

/** Returns filters whose matches together are those of the input; none when no vector can match. */
function toVectorizeFilters(kind: VectorKind, filter: VectorFilter): VectorizeVectorMetadataFilter[] {
  const { scope, types, live, since, until } = filter;
  const common: VectorizeVectorMetadataFilter = {
    kind: { $eq: kind },
    ...(scope !== undefined && {
      [scope.kind]: scope.or === undefined ? { $eq: scope.token } : { $in: [scope.token, scope.or] },
    }),
    ...(live && { live: { $eq: true } }),
    ...((since !== undefined || until !== undefined) && {
      timestamp: { ...(since !== undefined && { $gte: since }), ...(until !== undefined && { $lte: until }) },
    }),
  };
  if (since !== undefined && until !== undefined && since > until) return [];
  if (types === undefined) return [common];
  return splitByTypes([...new Set(types)], (part) => ({ ...common, type: { $in: part } }));
}

/** Returns the fewest filters that cover all types. */
function splitByTypes(
  types: readonly string[],
  toFilter: (types: string[]) => VectorizeVectorMetadataFilter,
): VectorizeVectorMetadataFilter[] {
  const filters: VectorizeVectorMetadataFilter[] = [];
  let part: string[] = [];
  for (const type of types) {
    if (part.length > 0 && countBytes(toFilter([...part, type])) >= FILTER_BYTES) {
      filters.push(toFilter(part));
      part = [];
    }
    part.push(type);
  }
  return part.length > 0 ? [...filters, toFilter(part)] : filters;
}

function countBytes(filter: VectorizeVectorMetadataFilter): number {
  return encoder.encode(JSON.stringify(filter)).length;
}

/** Vectorize answered and rejected the request. */
class VectorizeRejection extends VectorIndexError {}

/** Every call can be retried: upserts and deletions are idempotent. */
export async function callVectorize<T>(work: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  const call = async () => {
    try {
      return await work();
    } catch (error) {
      throw toCallError(error);
    }
  };
  try {
    return await retryWithBackoff(call, policy);
  } catch (error) {
    if (error instanceof CallTimeoutError) throw new VectorIndexError("Vectorize did not answer in time.");
    if (!(error instanceof CallError)) throw error;
    throw error.retryable ? new VectorIndexError(error.message) : new VectorizeRejection(error.message);
  }
}

/**
 * The binding reports an error only as a message: "VECTOR_QUERY_ERROR (code = 40006): …" with an explanation of the
 * service, "VECTOR_QUERY_ERROR: Status + 500" without one. 4xx is permanent, except for rate limiting.
 */
function toCallError(error: unknown): CallError {
  const message = error instanceof Error ? error.message : "";
  const [, operation, code, status] =
    /^([A-Z]+_[A-Z]+_ERROR)(?: \(code = (\d+)\))?: (?:Status \+ (\d{3})$)?/.exec(message) ?? [];
  const details = [operation, code && `code ${code}`, status && `status ${status}`]
    .filter(Boolean)
    .join(", ");
  return new CallError(`Vectorize failed${details && `: ${details}`}.`, {
    retryable: isRetryable(message, code, status),
  });
}

function isRetryable(message: string, code: string | undefined, status: string | undefined): boolean {
  if (/rate limit|too many requests/i.test(message)) return true;
  if (status !== undefined) return Number(status) >= 500 || status === "429" || status === "408";
  return !code?.startsWith("4");
}
