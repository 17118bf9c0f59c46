// Groups and aggregates (SPARQL 1.1, section 18.5.1), with exact sums.
import { Algebra } from "sparqlalgebrajs";
import { orderTerms } from "../functions/comparison";
import { type ExpressionContext, evaluateExpression } from "../functions/evaluate-expression";
import { ExpressionError, raiseTypeError, refuseLongText } from "../functions/expression-error";
import {
  calculate,
  makeExact,
  type NumericValue,
  requireNumber,
  toNumericLiteral,
} from "../functions/numbers";
import { literal, makeInteger } from "../rdf-terms";
import type { RdfTerm, Solution } from "../sparql-answer";
import { projectSolution, removeDuplicates, writeKey } from "./solutions";

/** Returns a solution per group; one for no solutions at all if there is no key to group by. */
export function groupSolutions(
  { variables, aggregates }: Algebra.Group,
  solutions: readonly Solution[],
  context: ExpressionContext,
): Solution[] {
  const names = variables.map(({ value }) => value);
  const groups = Map.groupBy(solutions, (solution) => writeKey(solution, names));
  if (names.length === 0 && groups.size === 0) groups.set("", []);
  return [...groups.values()].map((group) => {
    const [first] = group;
    const result = new Map(first === undefined ? [] : projectSolution(first, names));
    for (const aggregate of aggregates) {
      const value = tryAggregate(aggregate, group, context);
      if (value !== undefined) result.set(aggregate.variable.value, value);
    }
    return result;
  });
}

function tryAggregate(
  aggregate: Algebra.AggregateExpression,
  group: readonly Solution[],
  context: ExpressionContext,
): RdfTerm | undefined {
  try {
    return computeAggregate(aggregate, group, context);
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}

function computeAggregate(
  aggregate: Algebra.AggregateExpression,
  group: readonly Solution[],
  context: ExpressionContext,
): RdfTerm {
  const { aggregator, distinct, expression } = aggregate;
  if (expression.expressionType === Algebra.expressionTypes.WILDCARD)
    return makeInteger((distinct ? removeDuplicates(group) : group).length);
  const { values, error } = evaluateAll(expression, group, context);
  const terms = distinct ? [...new Map(values.map((term) => [term.id, term])).values()] : values;
  if (aggregator === "count") return makeInteger(terms.length);
  if (aggregator === "sample") return terms[0] ?? raiseTypeError("There is nothing to sample");
  // An error in one value is an error of the aggregate.
  if (error !== null) throw error;
  switch (aggregator) {
    case "sum":
      return toNumericLiteral(sum(terms));
    case "avg":
      if (terms.length === 0) return makeInteger(0);
      return toNumericLiteral(calculate("/", sum(terms), makeExact(BigInt(terms.length))));
    case "min":
      return pickExtreme(terms, -1);
    case "max":
      return pickExtreme(terms, 1);
    case "group_concat":
      return concatenateTerms(terms, aggregate.separator ?? " ");
  }
}

function concatenateTerms(terms: readonly RdfTerm[], separator: string): RdfTerm {
  const texts = terms.map(toText);
  refuseLongText(texts.reduce((length, text) => length + text.length + separator.length, 0));
  return literal(texts.join(separator));
}

function evaluateAll(
  expression: Algebra.Expression,
  group: readonly Solution[],
  context: ExpressionContext,
): { values: RdfTerm[]; error: ExpressionError | null } {
  const values: RdfTerm[] = [];
  let failed: ExpressionError | null = null;
  for (const solution of group) {
    try {
      values.push(evaluateExpression(expression, solution, context));
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      failed = error;
    }
  }
  return { values, error: failed };
}

function sum(terms: readonly RdfTerm[]): NumericValue {
  return terms.map(requireNumber).reduce((a, b) => calculate("+", a, b), makeExact(0n));
}

function pickExtreme(terms: readonly RdfTerm[], sign: 1 | -1): RdfTerm {
  const [first, ...rest] = terms;
  if (first === undefined) return raiseTypeError("There is no value to compare");
  return rest.reduce((best, term) => (sign * orderTerms(term, best) > 0 ? term : best), first);
}

function toText(term: RdfTerm): string {
  return term.termType === "BlankNode" ? raiseTypeError("A blank node has no text") : term.value;
}
