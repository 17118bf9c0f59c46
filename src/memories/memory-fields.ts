// Metadata filters, and the activities that make memories.
import { boundedText, SOURCE_TYPES, z } from "../kernel/common";
import { LIMITS } from "../kernel/limits";
import { MEMORY_TYPES } from "../ontology/generated/terms.generated";

/** The operators that compare sizes; texts are compared by their code points, as ISO 8601 times are. */
export const RANGE_OPERATORS = ["$lt", "$lte", "$gt", "$gte"] as const;
export type RangeOperator = (typeof RANGE_OPERATORS)[number];

const OPERATORS = ["$ne", "$in", "$nin", ...RANGE_OPERATORS] as const;

export const METADATA_PREFIX = "metadata.";

const FilterText = boundedText(0, LIMITS.filterChars);
export const FilterScalar = z.union([FilterText, z.number(), z.boolean()], {
  error: "must be a text, a number or a boolean",
});
const FilterList = z.array(FilterScalar).min(1).max(LIMITS.filterValues);
const FilterBound = z.union([FilterText, z.number()], { error: "must be a text or a number" });

const FilterOperators = z.strictObject(
  {
    $ne: FilterScalar.optional(),
    $in: FilterList.optional(),
    $nin: FilterList.optional(),
    $lt: FilterBound.optional(),
    $lte: FilterBound.optional(),
    $gt: FilterBound.optional(),
    $gte: FilterBound.optional(),
  },
  {
    error: ({ code }) =>
      code === "unrecognized_keys" ? `is not an operator: use ${OPERATORS.join(", ")}` : undefined,
  },
);

const FilterCondition = z.union([FilterText, z.number(), z.boolean(), FilterOperators], {
  error: "must be a text, a number, a boolean, or an object of operators; for one of several values use $in",
});
export type FilterCondition = z.infer<typeof FilterCondition>;
export type FilterScalar = z.infer<typeof FilterScalar>;

/** The keys beside those of the metadata, with their possible values; null for any text. */
type FixedKeys = ReadonlyMap<string, readonly string[] | null>;

/** Returns the schema of a filter by metadata and by these keys. All conditions must hold. */
export function createFilterSchema(fixedKeys: FixedKeys) {
  return z.record(z.string(), FilterCondition).superRefine((filter, ctx) => {
    const count = Object.values(filter).reduce<number>((sum, one) => sum + countOperators(one), 0);
    if (count > LIMITS.filterConditions)
      ctx.addIssue({
        code: "custom",
        message: `must have at most ${LIMITS.filterConditions} conditions, has ${count}: remove some`,
      });
    for (const [key, condition] of Object.entries(filter)) {
      const message = findConditionIssue(fixedKeys, key, condition);
      if (message !== null) ctx.addIssue({ code: "custom", path: [key], message });
    }
  });
}

export const MetadataFilter = createFilterSchema(
  new Map<string, readonly string[] | null>([
    ["tags", null],
    ["type", MEMORY_TYPES],
    ["source_type", SOURCE_TYPES],
  ]),
).openapi("MetadataFilter", {
  description:
    "Conditions by `metadata.<key>`, `tags`, `type` or `source_type`; all must hold. A value must be equal; an object " +
    "has operators: `$ne`, `$in`, `$nin`, `$lt`, `$lte`, `$gt`, `$gte`. A list, such as `tags`, meets a condition if " +
    "one of its values does. `$ne` and `$nin` hold where no value is equal, also where the key is missing. A type " +
    "includes its subclasses. A text never equals a number.",
});
export type MetadataFilter = z.infer<typeof MetadataFilter>;

function countOperators(condition: FilterCondition): number {
  return typeof condition === "object" ? Object.keys(condition).length : 1;
}

function findConditionIssue(fixedKeys: FixedKeys, key: string, condition: FilterCondition): string | null {
  if (countOperators(condition) === 0) return `needs an operator: ${OPERATORS.join(", ")}`;
  if (key.startsWith(METADATA_PREFIX)) {
    const chars = [...key].length - METADATA_PREFIX.length;
    return chars >= 1 && chars <= LIMITS.memoryMetadataKeyChars
      ? null
      : `must name a key of 1 to ${LIMITS.memoryMetadataKeyChars} characters after ${METADATA_PREFIX}`;
  }
  const known = fixedKeys.get(key);
  if (known === undefined)
    return `is not a filter key: use ${METADATA_PREFIX}<key>, ${[...fixedKeys.keys()].join(", ")}`;
  if (typeof condition === "object" && RANGE_OPERATORS.some((operator) => operator in condition))
    return "takes a value, $ne, $in or $nin: it has no order";
  const values = listFilterValues(condition);
  if (values.some((value) => typeof value !== "string")) return "takes texts";
  if (known !== null && values.some((value) => !known.includes(String(value))))
    return `must be one of: ${known.join(", ")}`;
  return null;
}

function listFilterValues(condition: FilterCondition): FilterScalar[] {
  if (typeof condition !== "object") return [condition];
  return Object.values(condition).flatMap((value) => value ?? []);
}

export const ACTIVITY_KINDS = [
  "remember",
  "promotion",
  "consolidation",
  "learning",
  "pattern",
  "skill",
  "turn",
  "entry",
  "graph",
  "change",
] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** The weighted parts of an importance score. They add up to it, unless the sum exceeds 1. */
export const ImportanceParts = z.object({
  recency: z.number(),
  frequency: z.number(),
  confidence: z.number(),
  salience: z.number(),
});
export type ImportanceParts = z.infer<typeof ImportanceParts>;

export type MemoryActivity = {
  kind: ActivityKind;
  /** The id of the key whose call it was. Work of an alarm has none. */
  key_id?: string;
  /** Of a promotion: how the importance was computed, unless the caller set it. */
  importance_parts?: ImportanceParts;
  /** Of a promotion: "rules", or the name of the language model that extracted the candidate from messages. */
  extracted_by?: string;
  /** Of a promotion from the working context: the key of the item. */
  context_key?: string;
  /** Of a consolidation: the id of the run. */
  run?: string;
};
