// Filters in Vectorize's terms. It has no OR, and a filter has a size: a long list of types becomes several filters,
// whose matches are apart and together are those of the whole list.
import { VECTORIZE } from "../../limits";
import type { VectorFilter, VectorKind } from "../vector-index";

const encoder = new TextEncoder();

/** The filters whose matches, together, are asked for; none when nothing can match. */
export function filtersOf(kind: VectorKind, filter: VectorFilter): VectorizeVectorMetadataFilter[] {
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
  return fitting([...new Set(types)], (part) => ({ ...common, type: { $in: part } }));
}

/** As few filters as hold all the types. */
function fitting(
  types: readonly string[],
  toFilter: (types: string[]) => VectorizeVectorMetadataFilter,
): VectorizeVectorMetadataFilter[] {
  const filters: VectorizeVectorMetadataFilter[] = [];
  let part: string[] = [];
  for (const type of types) {
    if (part.length > 0 && bytesOf(toFilter([...part, type])) >= VECTORIZE.filterBytes) {
      filters.push(toFilter(part));
      part = [];
    }
    part.push(type);
  }
  return part.length > 0 ? [...filters, toFilter(part)] : filters;
}

function bytesOf(filter: VectorizeVectorMetadataFilter): number {
  return encoder.encode(JSON.stringify(filter)).length;
}
