// Which rows a query is of, exactly, before any vector is looked at: so a narrow scope costs little, and its best
// are the best within it.
import type { VectorFilter } from "../vector-index";
import type { Columns } from "./filter-columns";
import type { Tokens } from "./filter-tokens";

/** Writes the slots of the rows that pass into `list`, and says how many they are. */
export function select(
  filter: VectorFilter,
  columns: Columns,
  tokens: Tokens,
  count: number,
  list: Uint32Array,
): number {
  const { scope, types, live: onlyLive = false } = filter;
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = filter;
  const scoped = scope === undefined ? null : columns[scope.kind];
  const wanted = scope === undefined ? undefined : tokens.find(scope.token);
  const other = scope?.or === undefined ? undefined : tokens.find(scope.or);
  // Tokens that nothing here ever had.
  if (scope !== undefined && wanted === undefined && other === undefined) return 0;
  const wantedTypes = types === undefined ? null : flags(types, tokens);

  let passed = 0;
  for (let slot = 0; slot < count; slot += 1) {
    if (scoped !== null && scoped[slot] !== wanted && (other === undefined || scoped[slot] !== other))
      continue;
    if (wantedTypes !== null && wantedTypes[columns.type[slot] ?? 0] !== 1) continue;
    if (onlyLive && columns.live[slot] !== 1) continue;
    const at = columns.timestamp[slot] ?? 0;
    if (at < since || at > until) continue;
    list[passed] = slot;
    passed += 1;
  }
  return passed;
}

/** 1 at the number of each type that is asked for: one look-up for each row, however many types. */
function flags(types: readonly string[], tokens: Tokens): Uint8Array {
  const wanted = new Uint8Array(tokens.size);
  for (const type of types) {
    const number = tokens.find(type);
    if (number !== undefined) wanted[number] = 1;
  }
  return wanted;
}
