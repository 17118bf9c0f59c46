// Vector filters as Vectorize metadata filters. Vectorize has no OR and limits a filter's size, so a long list of types
// becomes several filters with disjoint matches.
import type { VectorFilter, VectorKind } from "../vector-index";

/** Vectorize rejects a filter whose JSON has this many bytes or more. */
const FILTER_BYTES = 2_048;

const encoder = new TextEncoder();

/** Returns filters whose matches together are those of the input; none when no vector can match. */
export function toVectorizeFilters(kind: VectorKind, filter: VectorFilter): VectorizeVectorMetadataFilter[] {
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
