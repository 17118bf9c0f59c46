// SQL conditions of a metadata filter. Every value is a bound parameter, a list of values one JSON parameter.
import { type SQL, sql } from "drizzle-orm";
import { listSubtypes } from "../../ontology/classes";
import type { MemoryType } from "../../ontology/generated/terms.generated";
import {
  type FilterCondition,
  type FilterScalar,
  METADATA_PREFIX,
  type MetadataFilter,
  RANGE_OPERATORS,
  type RangeOperator,
} from "../memory-fields";

type Comparison =
  | { operator: "$in" | "$nin"; values: FilterScalar[] }
  | { operator: RangeOperator; bound: string | number };

const SQL_OPERATORS: Record<RangeOperator, SQL> = {
  $lt: sql.raw("<"),
  $lte: sql.raw("<="),
  $gt: sql.raw(">"),
  $gte: sql.raw(">="),
};

/** Builds the conditions on a row of `memories`, `row` being its table or alias. All of them must hold. */
export function buildMetadataConditions(filter: MetadataFilter, row: SQL): SQL[] {
  return mapComparisons(filter, (key, comparison) => buildCondition(row, key, comparison));
}

/** Builds the conditions of a filter on entries: by source, and by the metadata of the entry or else of its memory. */
export function buildEntryConditions(filter: MetadataFilter, row: SQL): SQL[] {
  const metadata = sql`coalesce(${row}.properties ->> '$.entryMetadata[0]', ${row}.metadata)`;
  return mapComparisons(filter, (key, comparison) =>
    key === "source"
      ? compareText(sql`coalesce(${row}.properties ->> '$.entrySource[0]', 'memory')`, comparison)
      : compareValues(selectMetadata(metadata, key.slice(METADATA_PREFIX.length)), comparison),
  );
}

function mapComparisons(filter: MetadataFilter, build: (key: string, comparison: Comparison) => SQL): SQL[] {
  return Object.entries(filter).flatMap(([key, condition]) =>
    listComparisons(condition).map((comparison) => build(key, comparison)),
  );
}

function listComparisons(condition: FilterCondition): Comparison[] {
  if (typeof condition !== "object") return [{ operator: "$in", values: [condition] }];
  const { $ne, $in, $nin } = condition;
  return [
    ...($ne === undefined ? [] : [{ operator: "$nin" as const, values: [$ne] }]),
    ...($in === undefined ? [] : [{ operator: "$in" as const, values: $in }]),
    ...($nin === undefined ? [] : [{ operator: "$nin" as const, values: $nin }]),
    ...RANGE_OPERATORS.flatMap((operator) => {
      const bound = condition[operator];
      return bound === undefined ? [] : [{ operator, bound }];
    }),
  ];
}

function buildCondition(row: SQL, key: string, comparison: Comparison): SQL {
  if (key === "type") return compareText(sql`${row}.type`, includeSubtypes(comparison));
  if (key === "source_type") return compareText(sql`${row}.source_type`, comparison);
  return compareValues(
    key === "tags"
      ? selectTags(row)
      : selectMetadata(sql`${row}.metadata`, key.slice(METADATA_PREFIX.length)),
    comparison,
  );
}

/** Compares the values that `values` selects as `v`: one of them has to meet the condition. */
function compareValues(values: SQL, comparison: Comparison): SQL {
  if ("bound" in comparison) {
    const { operator, bound } = comparison;
    const kinds = typeof bound === "number" ? sql`('integer', 'real')` : sql`('text')`;
    return sql`EXISTS (${values} AND v.type IN ${kinds} AND v.value ${SQL_OPERATORS[operator]} ${bound})`;
  }
  const list = JSON.stringify(comparison.values);
  // json_each returns booleans as 1 and 0: without their types, true would equal 1.
  const equals = sql`EXISTS (${values} AND EXISTS (SELECT 1 FROM json_each(${list}) w
    WHERE w.value = v.value AND replace(w.type, 'real', 'integer') = replace(v.type, 'real', 'integer')))`;
  return comparison.operator === "$in" ? equals : sql`NOT ${equals}`;
}

/** A type equals its subclasses, too. */
function includeSubtypes(comparison: Comparison): Comparison {
  if (!("values" in comparison)) return comparison;
  return { ...comparison, values: comparison.values.flatMap((type) => listSubtypes(type as MemoryType)) };
}

/** Compares a text without an order, which has no range operators. */
function compareText(text: SQL, comparison: Comparison): SQL {
  const values = "values" in comparison ? comparison.values : [];
  const equals = sql`${text} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
  return comparison.operator === "$nin" ? sql`NOT ${equals}` : equals;
}

function selectTags(row: SQL): SQL {
  return sql`SELECT 1 FROM json_each(${row}.tags) v WHERE true`;
}

/** Selects the values of a key: the elements of a list, or the one value. The metadata of an entry may hold objects. */
function selectMetadata(metadata: SQL, name: string): SQL {
  return sql`SELECT 1 FROM json_each(${metadata}) k CROSS JOIN json_each(CASE k.type WHEN 'array' THEN k.value
      WHEN 'true' THEN '[true]' WHEN 'false' THEN '[false]' WHEN 'object' THEN '[]' ELSE json_array(k.value) END) v
    WHERE k.key = ${name}`;
}
