// Plans an operation: the largest parts that SQL expresses are statements, and the operators above them are evaluated in
// JavaScript. All statements of a plan are known before the first is run, so that they are one batch.
import { Algebra, Util } from "sparqlalgebrajs";
import { listConjuncts } from "../compile/compile-conditions";
import type { CompileInput } from "../compile/compile-context";
import { type CompiledStatement, compileStatement } from "../compile/compile-statement";
import { NotCompilable } from "../compile/select-block";
import { variable } from "../rdf-terms";
import { encodeIri } from "../stored-terms";

export type Plan =
  | {
      readonly kind: "statement";
      readonly statement: CompiledStatement;
      readonly operation: Algebra.Operation;
      readonly scope: CompileInput;
    }
  | {
      readonly kind: "operator";
      readonly operation: Algebra.Operation;
      readonly inputs: readonly Plan[];
      /** The patterns of EXISTS whose solutions are the same for all solutions that they are tested for. */
      readonly existence: ReadonlyMap<Algebra.ExistenceExpression, Plan>;
      readonly scope: CompileInput;
      /** The names of the graphs that the inputs are evaluated in, for GRAPH with a variable. */
      readonly graphs: readonly string[];
    };

export type PlanOptions = {
  /** The number of rows that a statement returns at most. */
  rows: number;
  /** False if only single patterns are statements. */
  pushDown: boolean;
  /** The named graphs of the tenant; null if they are not known yet. */
  graphs: readonly string[] | null;
};

/** Thrown if a plan needs the names of the graphs. */
export class GraphsNeeded extends Error {
  override readonly name = "GraphsNeeded";
}

export function planOperation(operation: Algebra.Operation, scope: CompileInput, options: PlanOptions): Plan {
  const statement =
    options.pushDown || isSinglePattern(operation) ? tryCompile(operation, scope, options) : null;
  if (statement !== null) return { kind: "statement", statement, operation, scope };
  return planOperator(operation, scope, options);
}

function isSinglePattern(operation: Algebra.Operation): boolean {
  return operation.type === Algebra.types.BGP && operation.patterns.length === 1;
}

function tryCompile(
  operation: Algebra.Operation,
  scope: CompileInput,
  { rows }: PlanOptions,
): CompiledStatement | null {
  try {
    return compileStatement(operation, scope, rows);
  } catch (error) {
    if (error instanceof NotCompilable) return null;
    throw error;
  }
}

/** Plans an operator that is evaluated in JavaScript, with its inputs. */
export function planOperator(operation: Algebra.Operation, scope: CompileInput, options: PlanOptions): Plan {
  const { types } = Algebra;
  const plan = (input: Algebra.Operation) => planOperation(input, scope, options);
  const make = (inputs: Plan[], expressions: readonly Algebra.Expression[] = []): Plan => ({
    kind: "operator",
    operation,
    inputs,
    existence: planExistence(expressions, scope, options),
    scope,
    graphs: [],
  });
  switch (operation.type) {
    case types.BGP:
      return make(operation.patterns.map((pattern) => plan(toBgp(pattern))));
    case types.PATH:
      return make(listPathPatterns(operation).map(plan));
    case types.JOIN:
    case types.UNION:
    case types.MINUS:
      return make(operation.input.map(plan));
    case types.LEFT_JOIN:
      return make(
        operation.input.map(plan),
        operation.expression === undefined ? [] : [operation.expression],
      );
    case types.FILTER:
      return planFilter(operation, scope, options);
    case types.EXTEND:
      return make([plan(operation.input)], [operation.expression]);
    case types.ORDER_BY:
      return make([plan(operation.input)], operation.expressions);
    case types.GROUP:
      return make(
        [plan(operation.input)],
        operation.aggregates.map(({ expression }) => expression),
      );
    case types.PROJECT:
    case types.DISTINCT:
    case types.REDUCED:
    case types.SLICE:
      return make([plan(operation.input)]);
    case types.GRAPH:
      return planGraph(operation, scope, options);
    default:
      return make([]);
  }
}

function toBgp(pattern: Algebra.Pattern): Algebra.Bgp {
  return { type: Algebra.types.BGP, patterns: [pattern] };
}

/** Each condition is compiled with those before it. */
const MAX_PUSHED_CONDITIONS = 32;

/** Puts the conditions that SQL expresses below the others. */
function planFilter(operation: Algebra.Filter, scope: CompileInput, options: PlanOptions): Plan {
  const conjuncts = listConjuncts(operation.expression);
  const isPushedDown = options.pushDown && conjuncts.length > 1 && conjuncts.length <= MAX_PUSHED_CONDITIONS;
  let { input } = operation;
  const rest: Algebra.Expression[] = [];
  for (const conjunct of conjuncts) {
    const pushed: Algebra.Filter = { type: operation.type, input, expression: conjunct };
    if (isPushedDown && tryCompile(pushed, scope, options) !== null) input = pushed;
    else rest.push(conjunct);
  }
  const [first] = rest;
  const both: Algebra.OperatorExpression = {
    type: Algebra.types.EXPRESSION,
    expressionType: Algebra.expressionTypes.OPERATOR,
    operator: "&&",
    args: rest,
  };
  const expression = first === undefined ? operation.expression : rest.length === 1 ? first : both;
  return {
    kind: "operator",
    operation: { type: operation.type, input, expression },
    inputs: [planOperation(input, scope, options)],
    existence: planExistence([expression], scope, options),
    scope,
    graphs: [],
  };
}

/** Plans GRAPH around an operation that is evaluated once in each graph. */
function planGraph(operation: Algebra.Graph, scope: CompileInput, options: PlanOptions): Plan {
  const { name, input } = operation;
  const named = scope.named ?? options.graphs;
  if (name.termType === "Variable" && named === null) throw new GraphsNeeded();
  const isKnown = (graph: string) => scope.named === null || scope.named.includes(graph);
  const graphs =
    name.termType === "Variable" ? (named ?? []) : [encodeIri(name.value)].filter((graph) => isKnown(graph));
  return {
    kind: "operator",
    operation,
    inputs: graphs.map((graph) =>
      planOperation(input, { ...scope, graph: { kind: "named", name: graph } }, options),
    ),
    existence: new Map(),
    scope,
    graphs,
  };
}

/** The patterns of a path's evaluation: those of each property, of any property, or of all nodes. */
export function listPathPatterns({ predicate, graph }: Algebra.Path): Algebra.Bgp[] {
  const make = (property: Algebra.Pattern["predicate"]) =>
    ({
      type: Algebra.types.BGP,
      patterns: [
        {
          type: Algebra.types.PATTERN,
          subject: variable("s"),
          predicate: property,
          object: variable("o"),
          graph,
        },
      ],
    }) as unknown as Algebra.Bgp;
  const properties = new Map<string, Algebra.Pattern["predicate"]>();
  let needsAll = false;
  const visit = (path: Algebra.PropertyPathSymbol): void => {
    switch (path.type) {
      case Algebra.types.LINK:
        properties.set(path.iri.value, path.iri);
        return;
      case Algebra.types.NPS:
        needsAll = true;
        return;
      case Algebra.types.ALT:
      case Algebra.types.SEQ:
        path.input.forEach(visit);
        return;
      default:
        needsAll ||=
          path.type === Algebra.types.ZERO_OR_MORE_PATH || path.type === Algebra.types.ZERO_OR_ONE_PATH;
        visit(path.path);
    }
  };
  visit(predicate);
  return [...[...properties.values()].map(make), ...(needsAll ? [make(variable("p"))] : [])];
}

/** Plans the patterns of EXISTS in expressions, as far as their solutions do not depend on the tested solution. */
function planExistence(
  expressions: readonly Algebra.Expression[],
  scope: CompileInput,
  options: PlanOptions,
): Map<Algebra.ExistenceExpression, Plan> {
  return new Map(
    expressions
      .flatMap(listExistence)
      .filter(({ input }) => isIndependent(input))
      .map((expression) => [expression, planOperation(expression.input, scope, options)]),
  );
}

/** Lists the EXISTS of an expression, those inside of their patterns left out. */
export function listExistence(expression: Algebra.Expression): Algebra.ExistenceExpression[] {
  const { expressionTypes } = Algebra;
  switch (expression.expressionType) {
    case expressionTypes.EXISTENCE:
      return [expression];
    case expressionTypes.OPERATOR:
    case expressionTypes.NAMED:
      return (expression.args as Algebra.Expression[]).flatMap(listExistence);
    case expressionTypes.AGGREGATE:
      return listExistence(expression.expression);
    default:
      return [];
  }
}

/** Returns whether a pattern has the same solutions before and after substitution, up to compatibility. */
function isIndependent(operation: Algebra.Operation): boolean {
  const { types } = Algebra;
  switch (operation.type) {
    case types.BGP:
    case types.VALUES:
      return true;
    case types.JOIN:
    case types.UNION:
      return operation.input.every(isIndependent);
    case types.FILTER:
      return isIndependent(operation.input) && isDecidedWithin(operation);
    default:
      return false;
  }
}

/** Returns whether a filter tests variables of its own patterns alone, which they bind in every solution. */
function isDecidedWithin({ input, expression }: Algebra.Filter): boolean {
  const bound = new Set(listAlwaysBound(input));
  return (
    listExistence(expression).length === 0 && listTestedNames(expression).every((name) => bound.has(name))
  );
}

/** Lists variables that every solution of an operation binds. */
function listAlwaysBound(operation: Algebra.Operation): string[] {
  const { types } = Algebra;
  switch (operation.type) {
    case types.BGP:
      return Util.inScopeVariables(operation).map(({ value }) => value);
    case types.JOIN:
      return operation.input.flatMap(listAlwaysBound);
    case types.FILTER:
      return listAlwaysBound(operation.input);
    default:
      return [];
  }
}

function listTestedNames(expression: Algebra.Expression): string[] {
  if (expression.expressionType === Algebra.expressionTypes.TERM)
    return expression.term.termType === "Variable" ? [expression.term.value] : [];
  return "args" in expression ? (expression.args as Algebra.Expression[]).flatMap(listTestedNames) : [];
}
