// SQL conditions of a metadata filter. Every value is a bound parameter, a list of values one JSON parameter.
import { type SQL, sql } from "drizzle-orm";
import { listSubtypes } from "../../ontology/classes";
import type { MemoryType } from "../../ontology/terms.generated";
import {
  type FilterCondition,
  type FilterScalar,
  METADATA_PREFIX,
  type MetadataFilter,
  RANGE_OPERATORS,
  type RangeOperator,
} from "../../schemas/memories/metadata-filter";

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
  return Object.entries(filter).flatMap(([key, condition]) =>
    listComparisons(condition).map((comparison) => buildCondition(row, key, comparison)),
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
  if (key === "type" || key === "source_type") return compareColumn(row, key, comparison);
  const values = key === "tags" ? selectTags(row) : selectMetadata(row, key.slice(METADATA_PREFIX.length));
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
function compareColumn(row: SQL, key: "type" | "source_type", comparison: Comparison): SQL {
  const values = "values" in comparison ? comparison.values : [];
  const listed = key === "type" ? values.flatMap((type) => listSubtypes(type as MemoryType)) : values;
  const equals = sql`${row}.${sql.raw(key)} IN (SELECT value FROM json_each(${JSON.stringify(listed)}))`;
  return comparison.operator === "$nin" ? sql`NOT ${equals}` : equals;
}

function selectTags(row: SQL): SQL {
  return sql`SELECT 1 FROM json_each(${row}.tags) v WHERE true`;
}

/** Selects the values of a key: the elements of a list, or the one value. */
function selectMetadata(row: SQL, name: string): SQL {
  return sql`SELECT 1 FROM json_each(${row}.metadata) k CROSS JOIN json_each(CASE k.type
      WHEN 'array' THEN k.value WHEN 'true' THEN '[true]' WHEN 'false' THEN '[false]' ELSE json_array(k.value) END) v
    WHERE k.key = ${name}`;
}
