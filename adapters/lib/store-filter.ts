// Matches the filters of LangGraph's stores: a value or operators for each field.
import { isJsonObject } from "../../src/kernel/json";

const OPERATORS: Record<string, (value: unknown, wanted: unknown) => boolean> = {
  $eq: (value, wanted) => value === wanted,
  $ne: (value, wanted) => value !== wanted,
  $gt: (value, wanted) => Number(value) > Number(wanted),
  $gte: (value, wanted) => Number(value) >= Number(wanted),
  $lt: (value, wanted) => Number(value) < Number(wanted),
  $lte: (value, wanted) => Number(value) <= Number(wanted),
  $in: (value, wanted) => Array.isArray(wanted) && wanted.includes(value),
  $nin: (value, wanted) => !Array.isArray(wanted) || !wanted.includes(value),
};

export function matchesFilter(
  value: Readonly<Record<string, unknown>>,
  filter: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(filter).every(([field, wanted]) => matches(value[field], wanted));
}

function matches(value: unknown, wanted: unknown): boolean {
  const operators = isJsonObject(wanted) ? Object.entries(wanted) : [];
  if (!isJsonObject(wanted) || !operators.every(([name]) => Object.hasOwn(OPERATORS, name)))
    return value === wanted;
  return operators.every(([name, operand]) => OPERATORS[name]?.(value, operand));
}
