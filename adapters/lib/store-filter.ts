// The filters of LangGraph's stores: a value, or operators, for each field.

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
  const operators = isObject(wanted) ? Object.entries(wanted) : [];
  if (!isObject(wanted) || !operators.every(([name]) => Object.hasOwn(OPERATORS, name)))
    return value === wanted;
  return operators.every(([name, operand]) => OPERATORS[name]?.(value, operand));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
