// ORDER BY on solutions (SPARQL 1.1, section 15.1).
import { Algebra } from "sparqlalgebrajs";
import { orderTerms } from "../functions/comparison";
import { type ExpressionContext, tryExpression } from "../functions/evaluate-expression";
import type { Solution } from "../sparql-answer";

export function orderSolutions(
  { expressions }: Algebra.OrderBy,
  solutions: readonly Solution[],
  context: ExpressionContext,
): Solution[] {
  const keys = expressions.map((expression) => {
    const isDescending =
      expression.expressionType === Algebra.expressionTypes.OPERATOR && expression.operator === "desc";
    const [argument = expression] = isDescending ? (expression.args as Algebra.Expression[]) : [expression];
    return { argument, sign: isDescending ? -1 : 1 };
  });
  return solutions
    .map((solution) => ({
      solution,
      values: keys.map(({ argument }) => tryExpression(argument, solution, context)),
    }))
    .sort((a, b) => {
      for (const [i, { sign }] of keys.entries()) {
        const order = orderTerms(a.values[i], b.values[i]);
        if (order !== 0) return sign * order;
      }
      return 0;
    })
    .map(({ solution }) => solution);
}
