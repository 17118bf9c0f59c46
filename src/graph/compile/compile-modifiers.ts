// Groups and solution modifiers in SQL: GROUP BY with COUNT, DISTINCT, ORDER BY, LIMIT and OFFSET.
import { Algebra } from "sparqlalgebrajs";
import { orderColumn } from "./compare-columns";
import { type CompileContext, refuseInExists } from "./compile-context";
import { compileValue } from "./compile-values";
import {
  makeDerived,
  NotCompilable,
  nestRelation,
  type SelectBlock,
  UNBOUND_COLUMN,
  uniteRelations,
  writeFrom,
} from "./select-block";

export function compileGroup(
  { input, variables, aggregates }: Algebra.Group,
  context: CompileContext,
): SelectBlock {
  refuseInExists(context);
  const relation = uniteRelations(context.compile(input, context), context);
  const keys = variables.map(({ value }) => ({
    name: value,
    column: relation.columns.get(value) ?? UNBOUND_COLUMN,
  }));
  const counts = aggregates.map((aggregate) => ({
    name: aggregate.variable.value,
    count: compileCount(aggregate, relation, context),
  }));
  const selected = [
    ...keys.map(
      ({ column: { value, kind, key, number } }, i) =>
        `${value} AS v${i}, ${kind} AS k${i}, ${key ?? "NULL"} AS j${i}, ${number} AS n${i}`,
    ),
    ...counts.map(({ count }, i) => {
      const at = keys.length + i;
      return `CAST(${count} AS TEXT) AS v${at}, 'xsd:integer' AS k${at}, CAST(${count} AS TEXT) AS j${at}, ${count} AS n${at}`;
    }),
  ];
  const by = keys.flatMap(({ column: { value, kind, isIri } }) => (isIri ? [value] : [value, kind]));
  const grouping = by.length === 0 ? "" : ` GROUP BY ${by.join(", ")}`;
  const names = [...keys, ...counts].map(({ name }) => name);
  const describe = (name: string) => {
    const column = keys.find((key) => key.name === name)?.column;
    return column === undefined
      ? { isOptional: false, isIri: false, hasKey: true }
      : { isOptional: column.isOptional, isIri: column.isIri, hasKey: column.key !== null };
  };
  const select = `SELECT ${selected.length === 0 ? "1 AS one" : selected.join(", ")}${writeFrom(relation)}${grouping}`;
  return makeDerived(select, names, describe, context);
}

/** Only COUNT is exact in SQL. */
function compileCount(
  { aggregator, distinct, expression }: Algebra.BoundAggregate,
  relation: SelectBlock,
  context: CompileContext,
): string {
  if (aggregator !== "count") throw new NotCompilable(`The aggregate ${aggregator}`);
  if (expression.expressionType === Algebra.expressionTypes.WILDCARD) {
    if (distinct) throw new NotCompilable("COUNT of distinct solutions");
    return "count(*)";
  }
  const { value, kind, isIri } = compileValue(expression, relation.columns, context);
  if (!distinct) return `count(${value})`;
  return `count(DISTINCT ${isIri ? value : `${kind} || ' ' || ${value}`})`;
}

export function compileDistinct({ input }: Algebra.Distinct, context: CompileContext): SelectBlock {
  const order = findOrder(input);
  const relation = uniteRelations(
    context.compile(order === null ? input : removeOrder(input), context),
    context,
  );
  const distinct = nestDistinct(relation, context);
  if (order === null) return distinct;
  const isKept = (name: string) => distinct.columns.has(name) || !relation.columns.has(name);
  if (!order.expressions.every((expression) => listVariables(expression).every(isKept)))
    throw new NotCompilable("An order by a variable that is not selected");
  return { ...distinct, order: compileOrderKeys(order.expressions, distinct, context) };
}

/** Returns the ORDER BY directly below a projection, and below nothing else. */
function findOrder(operation: Algebra.Operation): Algebra.OrderBy | null {
  if (operation.type !== Algebra.types.PROJECT) return null;
  return operation.input.type === Algebra.types.ORDER_BY ? operation.input : null;
}

function removeOrder(operation: Algebra.Operation): Algebra.Operation {
  const order = findOrder(operation);
  return order === null || operation.type !== Algebra.types.PROJECT
    ? operation
    : { type: operation.type, variables: operation.variables, input: order.input };
}

/** Lists the variables of an ORDER BY key: a variable itself, or its argument. */
function listVariables(expression: Algebra.Expression): string[] {
  if (expression.expressionType === Algebra.expressionTypes.TERM)
    return expression.term.termType === "Variable" ? [expression.term.value] : [];
  if (expression.expressionType === Algebra.expressionTypes.OPERATOR)
    return (expression.args as Algebra.Expression[]).flatMap(listVariables);
  throw new NotCompilable("An order by an expression");
}

/** Groups by the terms alone: the same term may have a key in one block and none in another. */
function nestDistinct(relation: SelectBlock, context: CompileContext): SelectBlock {
  const nested = nestRelation({ ...relation, order: [] }, context);
  const names = [...nested.columns.keys()];
  const columns = names.map((name) => nested.columns.get(name) ?? UNBOUND_COLUMN);
  const selected = columns.map(
    ({ value, kind, number }, i) =>
      `${value} AS v${i}, ${kind} AS k${i}, NULL AS j${i}, max(${number}) AS n${i}`,
  );
  const by = columns.flatMap(({ value, kind }) => (kind === "''" ? [value] : [value, kind]));
  const list = selected.length === 0 ? "1 AS one" : selected.join(", ");
  const grouping = by.length === 0 ? " LIMIT 1" : ` GROUP BY ${by.join(", ")}`;
  const describe = (name: string) => {
    const { isOptional, isIri } = nested.columns.get(name) ?? UNBOUND_COLUMN;
    return { isOptional, isIri, hasKey: false };
  };
  return makeDerived(`SELECT ${list}${writeFrom(nested)}${grouping}`, names, describe, context);
}

export function compileOrder({ input, expressions }: Algebra.OrderBy, context: CompileContext): SelectBlock {
  const relation = uniteRelations(context.compile(input, context), context);
  return { ...relation, order: compileOrderKeys(expressions, relation, context) };
}

function compileOrderKeys(
  expressions: readonly Algebra.Expression[],
  { columns }: SelectBlock,
  context: CompileContext,
): string[] {
  return expressions.flatMap((expression) => {
    const isDescending =
      expression.expressionType === Algebra.expressionTypes.OPERATOR && expression.operator === "desc";
    const [key] = isDescending ? (expression.args as Algebra.Expression[]) : [expression];
    if (key === undefined) throw new NotCompilable("An order without a key");
    return orderColumn(compileValue(key, columns, context), isDescending);
  });
}

export function compileSlice({ input, start, length }: Algebra.Slice, context: CompileContext): SelectBlock {
  refuseInExists(context);
  return nestRelation(uniteRelations(context.compile(input, context), context), context, {
    suffix: ` LIMIT ${length ?? -1} OFFSET ${start}`,
  });
}
