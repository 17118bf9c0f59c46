// Evaluates an operation over the graph of a tenant: runs the statements of its plan, then the other operators.
import { Algebra } from "sparqlalgebrajs";
import type { CompileInput } from "../compile/compile-context";
import { listGraphs } from "../compile/statement-access";
import { orderTerms } from "../functions/comparison";
import { type ExpressionContext, holds, tryExpression } from "../functions/evaluate-expression";
import { namedNode } from "../rdf-terms";
import {
  QueryRefused,
  QueryTooExpensive,
  type Solution,
  type SparqlExplanation,
  type SparqlLimits,
} from "../sparql-answer";
import { decodeIri } from "../stored-terms";
import { groupSolutions } from "./aggregate";
import { evaluatePath } from "./evaluate-path";
import {
  GraphsNeeded,
  listExistence,
  listPathPatterns,
  type Plan,
  type PlanOptions,
  planOperation,
  planOperator,
} from "./plan";
import { runStatements } from "./run-statements";
import {
  EMPTY_SOLUTION,
  indexSolutions,
  joinSolutions,
  leftJoinSolutions,
  mergeSolutions,
  projectSolution,
  readTable,
  removeDuplicates,
  type SizeCheck,
  subtractSolutions,
  writeSolution,
} from "./solutions";
import { substitute } from "./substitute";

// ORDER BY on solutions (SPARQL 1.1, section 15.1).

function orderSolutions(
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

type OperatorPlan = Extract<Plan, { kind: "operator" }>;
type StatementPlan = Extract<Plan, { kind: "statement" }>;

/** Bounds of work in JavaScript: time does not advance without a call to the database, so that it cannot be one. */
const MAX_COMPARED = 10_000_000;
const MAX_COMPUTED_CHARS = 32 * 1024 * 1024;
/** D1 answers a limited number of statements for one request. */
const MAX_STATEMENTS = 500;

export class Evaluation {
  readonly #limits: SparqlLimits;
  readonly #end: number;
  readonly #options: PlanOptions;
  #statements = 0;
  #hasOperators = false;
  #labels = 0;
  #computedChars = 0;
  readonly #context: Omit<ExpressionContext, "exists">;

  constructor(limits: SparqlLimits, { base, pushDown }: { base: string | null; pushDown: boolean }) {
    this.#limits = limits;
    this.#end = Date.now() + limits.milliseconds;
    this.#options = { rows: limits.rows + 1, pushDown, graphs: null };
    this.#context = {
      now: new Date().toISOString(),
      base,
      nextLabel: () => this.nextLabel(),
      labelled: new WeakMap(),
    };
  }

  get explanation(): SparqlExplanation {
    return { statements: this.#statements, whollyInSql: !this.#hasOperators && this.#statements <= 1 };
  }

  /** Returns a label for a blank node of the answer. */
  nextLabel(): string {
    this.#labels += 1;
    return `a${this.#labels}`;
  }

  async evaluate(operation: Algebra.Operation, scope: CompileInput): Promise<Solution[]> {
    return this.#execute(await this.#plan(operation, scope, planOperation));
  }

  /** Plans an operation, and reads the names of the graphs if the plan needs them. */
  async #plan(operation: Algebra.Operation, scope: CompileInput, plan: typeof planOperation): Promise<Plan> {
    try {
      return plan(operation, scope, this.#options);
    } catch (error) {
      if (!(error instanceof GraphsNeeded)) throw error;
      this.#options.graphs = await listGraphs(scope.source);
      return plan(operation, scope, this.#options);
    }
  }

  async #execute(plan: Plan): Promise<Solution[]> {
    const statements = listStatements(plan);
    const results = await this.#run(statements);
    return this.#combine(plan, results);
  }

  /** Runs the statements of a plan. Those that SQL does not answer are evaluated in JavaScript. */
  async #run(plans: readonly StatementPlan[]): Promise<ReadonlyMap<Plan, Solution[]>> {
    this.#checkTime();
    const [first] = plans;
    if (first === undefined) return new Map();
    const answer = await runStatements(
      first.scope.source.db,
      plans.map(({ statement }) => statement),
    );
    this.#statements += plans.length;
    if ("solutions" in answer) {
      for (const { length } of answer.solutions) this.checkSize(length);
      return new Map(plans.map((plan, i) => [plan, answer.solutions[i] ?? []]));
    }
    if (plans.length > 1) {
      const parts: [Plan, Solution[]][] = [];
      for (const plan of plans) parts.push(...(await this.#run([plan])));
      return new Map(parts);
    }
    const { operation, scope } = first;
    const isPattern = operation.type === Algebra.types.BGP && operation.patterns.length === 1;
    if (isPattern)
      throw new QueryRefused("A pattern is too large for the database. Use fewer or shorter terms.");
    return new Map([[first, await this.#execute(await this.#plan(operation, scope, planOperator))]]);
  }

  async #combine(plan: Plan, results: ReadonlyMap<Plan, Solution[]>): Promise<Solution[]> {
    if (plan.kind === "statement") return results.get(plan) ?? [];
    this.#hasOperators = true;
    this.#checkTime();
    const inputs: Solution[][] = [];
    for (const input of plan.inputs) inputs.push(await this.#combine(input, results));
    const existing = new Map<Algebra.ExistenceExpression, Solution[]>();
    for (const [expression, pattern] of plan.existence)
      existing.set(expression, await this.#combine(pattern, results));
    const solutions = await this.#apply(plan, inputs, existing);
    this.checkSize(solutions.length);
    return solutions;
  }

  async #apply(
    plan: OperatorPlan,
    inputs: readonly Solution[][],
    existing: ReadonlyMap<Algebra.ExistenceExpression, Solution[]>,
  ): Promise<Solution[]> {
    const { types } = Algebra;
    const { operation } = plan;
    const [input = [], second = []] = inputs;
    const check: SizeCheck = (size, compared) => this.checkSize(size, compared);
    const prepare = (solutions: readonly Solution[], expressions: readonly Algebra.Expression[]) =>
      this.#testExistence(plan, solutions, expressions, existing);
    switch (operation.type) {
      case types.BGP:
      case types.JOIN:
        return inputs.reduce((a, b) => joinSolutions(a, b, check), [EMPTY_SOLUTION] as Solution[]);
      case types.NOP:
        return [EMPTY_SOLUTION];
      case types.PATH:
        return this.#applyPath(operation, inputs, check);
      case types.LEFT_JOIN: {
        const { expression } = operation;
        if (expression === undefined) return leftJoinSolutions(input, second, () => true, check);
        const merged = joinSolutions(input, second, check);
        const context = await prepare(merged, [expression]);
        return leftJoinSolutions(input, second, (solution) => holds(expression, solution, context), check);
      }
      case types.UNION:
        return inputs.flat();
      case types.MINUS:
        return subtractSolutions(input, second, check);
      case types.FILTER: {
        const context = await prepare(input, [operation.expression]);
        return input.filter((solution) => holds(operation.expression, solution, context));
      }
      case types.EXTEND: {
        const context = await prepare(input, [operation.expression]);
        return input.map((solution) => this.#extend(operation, solution, context));
      }
      case types.ORDER_BY:
        return orderSolutions(operation, input, await prepare(input, operation.expressions));
      case types.GROUP:
        return this.#group(
          operation,
          input,
          await prepare(
            input,
            operation.aggregates.map(({ expression }) => expression),
          ),
        );
      case types.PROJECT: {
        const names = operation.variables.map(({ value }) => value);
        return input.map((solution) => projectSolution(solution, names));
      }
      case types.DISTINCT:
        return removeDuplicates(input);
      case types.REDUCED:
        return input;
      case types.SLICE:
        return input.slice(
          operation.start,
          operation.length === undefined ? undefined : operation.start + operation.length,
        );
      case types.VALUES:
        return readTable(operation);
      case types.GRAPH:
        return this.#applyGraph(operation, plan.graphs, inputs);
      default:
        throw new QueryRefused(`${operation.type} is not supported.`);
    }
  }

  #extend(
    { variable, expression }: Algebra.Extend,
    solution: Solution,
    context: ExpressionContext,
  ): Solution {
    const value = tryExpression(expression, solution, context);
    this.#addText(value?.value.length ?? 0);
    const extended = value === undefined ? new Map(solution) : new Map(solution).set(variable.value, value);
    // BNODE gives the same node for the same label in all expressions of a solution.
    const labels = context.labelled.get(solution);
    if (labels !== undefined) context.labelled.set(extended, labels);
    return extended;
  }

  #group(operation: Algebra.Group, input: readonly Solution[], context: ExpressionContext): Solution[] {
    const groups = groupSolutions(operation, input, context);
    for (const { variable } of operation.aggregates)
      for (const group of groups) this.#addText(group.get(variable.value)?.value.length ?? 0);
    return groups;
  }

  #applyPath(operation: Algebra.Path, inputs: readonly Solution[][], check: SizeCheck): Solution[] {
    const patterns = listPathPatterns(operation);
    const find = (test: (predicate: Algebra.Pattern["predicate"]) => boolean) =>
      inputs[
        patterns.findIndex(({ patterns: [pattern] }) => pattern !== undefined && test(pattern.predicate))
      ] ?? [];
    return evaluatePath(
      operation,
      {
        link: (iri) =>
          find(({ termType, value }) => termType === "NamedNode" && value === iri).flatMap((triple) => {
            const [s, o] = [triple.get("s"), triple.get("o")];
            return s === undefined || o === undefined ? [] : [[s, o] as const];
          }),
        triples: () => find(({ termType }) => termType === "Variable"),
      },
      check,
    );
  }

  #applyGraph({ name }: Algebra.Graph, graphs: readonly string[], inputs: readonly Solution[][]): Solution[] {
    if (name.termType !== "Variable") return inputs.flat();
    return graphs.flatMap((graph, i) => {
      const bound: Solution = new Map([[name.value, namedNode(decodeIri(graph))]]);
      return (inputs[i] ?? []).flatMap((solution) => mergeSolutions(solution, bound) ?? []);
    });
  }

  /** Answers the EXISTS of expressions for all solutions, so that expressions are evaluated without waiting. */
  async #testExistence(
    { scope }: OperatorPlan,
    solutions: readonly Solution[],
    expressions: readonly Algebra.Expression[],
    existing: ReadonlyMap<Algebra.ExistenceExpression, Solution[]>,
  ): Promise<ExpressionContext> {
    const operands = expressions.reduce((sum, expression) => sum + countOperands(expression), 0);
    this.checkSize(0, solutions.length * operands);
    const tests = new Map<Algebra.ExistenceExpression, (solution: Solution) => boolean>();
    for (const expression of expressions.flatMap(listExistence)) {
      const found = existing.get(expression);
      if (found === undefined) {
        const matched = await this.#matchEach(expression.input, solutions, scope);
        tests.set(expression, (solution) => matched.has(writeSolution(solution)));
      } else {
        const find = indexSolutions(found, solutions);
        let compared = 0;
        tests.set(expression, (solution) => {
          const candidates = find(solution);
          compared += candidates.length;
          this.checkSize(0, compared);
          return candidates.some((other) => mergeSolutions(solution, other) !== null);
        });
      }
    }
    return {
      ...this.#context,
      exists: (expression, solution) => tests.get(expression)?.(solution) ?? false,
    };
  }

  /** Evaluates a pattern with the terms of each solution. Returns those that have a match. */
  async #matchEach(
    pattern: Algebra.Operation,
    solutions: readonly Solution[],
    scope: CompileInput,
  ): Promise<ReadonlySet<string>> {
    const matched = new Set<string>();
    const distinct = new Map(solutions.map((one) => [writeSolution(one), one]));
    if (this.#statements + distinct.size > MAX_STATEMENTS)
      throw new QueryTooExpensive(
        `An EXISTS is tested with a statement for each of ${distinct.size} solutions, more than the ${MAX_STATEMENTS} statements of a query. Restrict the solutions before it, or use OPTIONAL or MINUS in its place.`,
      );
    for (const [key, solution] of distinct) {
      const first: Algebra.Slice = {
        type: Algebra.types.SLICE,
        input: substitute(pattern, solution),
        start: 0,
        length: 1,
      };
      if ((await this.evaluate(first, scope)).length > 0) matched.add(key);
    }
    return matched;
  }

  /** Throws QueryTooExpensive if there are too many solutions, or too many comparisons of and with them. */
  checkSize(size: number, compared = 0): void {
    if (size > this.#limits.rows)
      throw new QueryTooExpensive(
        `The query, or a part of it, has more than ${this.#limits.rows} solutions. Bind more of its variables, or use LIMIT or COUNT.`,
      );
    if (compared > MAX_COMPARED)
      throw new QueryTooExpensive(
        "The query combines too many solutions, or tests them with too many conditions. Bind more of its variables, or use fewer conditions.",
      );
    this.#checkTime();
  }

  /** Adds the text of values that expressions made. */
  #addText(length: number): void {
    this.#computedChars += length;
    if (this.#computedChars > MAX_COMPUTED_CHARS)
      throw new QueryTooExpensive(
        `The texts that the query computes have more than ${MAX_COMPUTED_CHARS} characters together. Compute fewer or shorter ones, or use LIMIT in a subquery.`,
      );
  }

  #checkTime(): void {
    if (Date.now() > this.#end)
      throw new QueryTooExpensive(
        `The query took more than ${this.#limits.milliseconds} ms. Bind more of its variables.`,
      );
  }
}

/** Counts the operands of an expression, those of its operands included. */
function countOperands(expression: Algebra.Expression): number {
  if (!("args" in expression)) return 1;
  return (expression.args as Algebra.Expression[]).reduce((sum, operand) => sum + countOperands(operand), 1);
}

function listStatements(plan: Plan): StatementPlan[] {
  if (plan.kind === "statement") return [plan];
  return [...plan.inputs, ...plan.existence.values()].flatMap(listStatements);
}
