// Filters entries by source and metadata, with the conditions that D1 evaluates in SQL.
import type { Json } from "../kernel/json";
import {
  type FilterCondition,
  type FilterScalar,
  METADATA_PREFIX,
  type MetadataFilter,
  RANGE_OPERATORS,
  type RangeOperator,
} from "../memories/memory-fields";
import type { Entry, EntrySource } from "./policy-schemas";

type EntryConditions = {
  source?: EntrySource | undefined;
  metadata?: Readonly<Record<string, FilterScalar>> | undefined;
  filter?: MetadataFilter | undefined;
};

/** Combines the conditions of a call to one filter; a key that `metadata` or `source` names is taken from there. */
export function combineEntryFilter({ source, metadata = {}, filter = {} }: EntryConditions): MetadataFilter {
  const values = Object.entries(metadata).map(([key, value]) => [METADATA_PREFIX + key, value]);
  return { ...filter, ...Object.fromEntries(values), ...(source === undefined ? {} : { source }) };
}

/** Returns the metadata conditions of a query string. Its values are texts, and match numbers and booleans written so. */
export function readMetadataQuery(query: Readonly<Record<string, unknown>>): MetadataFilter {
  const conditions = Object.entries(query).flatMap(([key, value]) =>
    key.startsWith(METADATA_PREFIX) ? [[key, { $in: listReadings(String(value)) }] as const] : [],
  );
  return Object.fromEntries(conditions);
}

function listReadings(text: string): FilterScalar[] {
  if (text === "true" || text === "false") return [text, text === "true"];
  return text.trim() !== "" && Number.isFinite(Number(text)) ? [text, Number(text)] : [text];
}

/** Whether an entry meets all conditions. */
export function matchesEntryFilter({ source, metadata }: Entry, filter: MetadataFilter): boolean {
  return Object.entries(filter).every(([key, condition]) => {
    const name = key.slice(METADATA_PREFIX.length);
    const value = key === "source" ? source : Object.hasOwn(metadata, name) ? metadata[name] : undefined;
    return matchesCondition([value ?? []].flat(), condition);
  });
}

/** `$ne` and `$nin` hold where no value is equal; the others where one value meets them. */
function matchesCondition(values: readonly Json[], condition: FilterCondition): boolean {
  if (typeof condition !== "object") return values.includes(condition);
  const { $ne, $in, $nin } = condition;
  return (
    ($ne === undefined || !values.includes($ne)) &&
    ($in === undefined || $in.some((one) => values.includes(one))) &&
    !($nin ?? []).some((one) => values.includes(one)) &&
    RANGE_OPERATORS.every((operator) => {
      const bound = condition[operator];
      return bound === undefined || values.some((value) => isInRange(value, operator, bound));
    })
  );
}

function isInRange(value: Json, operator: RangeOperator, bound: string | number): boolean {
  if (typeof value !== typeof bound || value === null) return false;
  switch (operator) {
    case "$lt":
      return value < bound;
    case "$lte":
      return value <= bound;
    case "$gt":
      return value > bound;
    case "$gte":
      return value >= bound;
  }
}
