// Substitutes the terms of a solution for variables in a pattern: the definition of EXISTS (SPARQL 1.1, section 18.6).
import { Algebra, Factory, Util } from "sparqlalgebrajs";
import { makeBoolean } from "../rdf-terms";
import type { Solution } from "../sparql-answer";

const factory = new Factory();

/** Returns the operation with the terms of a solution in place of its variables. */
export function substitute(operation: Algebra.Operation, solution: Solution): Algebra.Operation {
  const replace = <T extends { termType: string; value: string }>(term: T): T =>
    // A solution's terms may stand wherever the algebra has a variable.
    term.termType === "Variable" ? ((solution.get(term.value) as unknown as T | undefined) ?? term) : term;
  return Util.mapOperation(
    operation,
    {
      pattern: (op) => ({
        result: factory.createPattern(
          replace(op.subject),
          replace(op.predicate),
          replace(op.object),
          op.graph,
        ),
        recurse: false,
      }),
      path: (op) => ({
        result: factory.createPath(replace(op.subject), op.predicate, replace(op.object), op.graph),
        recurse: false,
      }),
      graph: (op) => ({ result: factory.createGraph(op.input, replace(op.name)), recurse: true }),
      values: (op) => ({ result: restrictTable(op, solution), recurse: false }),
      project: (op) => ({
        // Inside of a subquery, only the variables that it projects are those of the solution.
        result: factory.createProject(
          substitute(
            op.input,
            keepProjected(
              solution,
              op.variables.map(({ value }) => value),
            ),
          ),
          op.variables,
        ),
        recurse: false,
      }),
      term: (expression) => ({
        result: factory.createTermExpression(replace(expression.term)),
        recurse: false,
      }),
      operator: (expression) =>
        isBoundTest(expression, solution)
          ? { result: factory.createTermExpression(makeBoolean(true)), recurse: false }
          : { result: expression, recurse: true },
    },
    factory,
  );
}

/** Returns whether an expression is BOUND of a variable that the solution binds. */
function isBoundTest(
  { operator, args: [argument] }: Algebra.OperatorExpression,
  solution: Solution,
): boolean {
  if (operator !== "bound" || argument?.expressionType !== Algebra.expressionTypes.TERM) return false;
  return argument.term.termType === "Variable" && solution.has(argument.term.value);
}

function keepProjected(solution: Solution, names: readonly string[]): Solution {
  return new Map([...solution].filter(([name]) => names.includes(name)));
}

/** Keeps the rows of VALUES that are compatible with the solution. */
function restrictTable(table: Algebra.Values, solution: Solution): Algebra.Values {
  const bindings = table.bindings.filter((binding) =>
    table.variables.every(({ value }) => {
      const [own, bound] = [binding[`?${value}`], solution.get(value)];
      return own === undefined || bound === undefined || bound.equals(own as never);
    }),
  );
  return factory.createValues(table.variables, bindings);
}
