// The joins of a query: which patterns, paths, tables and subqueries are combined with each other.
import { Algebra, Util } from "sparqlalgebrajs";
import { listExistence, listPathPatterns } from "./plan";

/** A part of a join, with the variables that it binds. */
export type JoinPart = {
  readonly names: readonly string[];
  /** The variable at the subject of its triples: once that is bound, the part adds few rows. Null if there is none. */
  readonly subject: string | null;
  /** The patterns whose matches are counted. */
  readonly counted: readonly Algebra.Bgp[];
  /** Those of them that a path of any length steps along. */
  readonly edges: readonly Algebra.Bgp[];
  /** The joins whose solutions it is the union of, for a subquery or a union. */
  readonly branches: readonly (readonly JoinPart[])[];
  /** The keys of a subquery with GROUP BY, which has one solution for each of their values. */
  readonly keys: readonly string[] | null;
  /** The most rows that it has, as far as the query tells. */
  readonly most: number;
  readonly isClosure: boolean;
};

/** The parts that are combined with each other. */
export type JoinGroup = {
  readonly parts: JoinPart[];
  /** The variables that are bound from outside: those of the solution that an EXISTS is tested for. */
  readonly outer: ReadonlySet<string>;
};

const NO_NAMES: ReadonlySet<string> = new Set();

/** Lists the parts of each join: all patterns of a group that are combined with each other. */
export function listJoins(
  operation: Algebra.Operation,
  outer: ReadonlySet<string> = NO_NAMES,
): [JoinGroup, ...JoinGroup[]] {
  const group: JoinGroup = { parts: [], outer };
  const joins: [JoinGroup, ...JoinGroup[]] = [group];
  collectParts(operation, group, joins);
  return joins;
}

/** Adds the parts of an operation to a join, and the joins inside of them to the list of joins. */
function collectParts(operation: Algebra.Operation, group: JoinGroup, joins: JoinGroup[]): void {
  const { types } = Algebra;
  const collect = (input: Algebra.Operation) => collectParts(input, group, joins);
  for (const { input } of listExpressions(operation).flatMap(listExistence))
    joins.push(...listJoins(input, new Set([...group.outer, ...listInputNames(operation)])));
  switch (operation.type) {
    case types.BGP:
      group.parts.push(...operation.patterns.map(toPatternPart));
      return;
    case types.PATH:
      group.parts.push(toPathPart(operation));
      return;
    case types.JOIN:
    case types.LEFT_JOIN:
      operation.input.forEach(collect);
      return;
    case types.MINUS: {
      // The removed solutions are a join of their own.
      const [kept, removed] = operation.input;
      collect(kept);
      joins.push(...listJoins(removed));
      return;
    }
    case types.FILTER:
    case types.EXTEND:
    case types.GRAPH:
      collect(operation.input);
      return;
    default: {
      const inner = listInputs(operation).map((input) => listJoins(input));
      joins.push(...inner.flat());
      group.parts.push(
        toOtherPart(
          operation,
          inner.map(([{ parts }]) => parts),
        ),
      );
    }
  }
}

function listInputs(operation: Algebra.Operation): Algebra.Operation[] {
  return "input" in operation ? ([operation.input].flat() as Algebra.Operation[]) : [];
}

function listExpressions(operation: Algebra.Operation): Algebra.Expression[] {
  const { types } = Algebra;
  switch (operation.type) {
    case types.FILTER:
    case types.EXTEND:
      return [operation.expression];
    case types.LEFT_JOIN:
      return operation.expression === undefined ? [] : [operation.expression];
    case types.ORDER_BY:
      return operation.expressions;
    case types.GROUP:
      return operation.aggregates.map(({ expression }) => expression);
    default:
      return [];
  }
}

function listInputNames(operation: Algebra.Operation): string[] {
  return listInputs(operation).flatMap((input) => Util.inScopeVariables(input).map(({ value }) => value));
}

function readNames(...terms: { termType: string; value: string }[]): string[] {
  return terms.filter(({ termType }) => termType === "Variable").map(({ value }) => value);
}

const PATTERN_PART = {
  edges: [],
  branches: [],
  keys: null,
  most: Number.POSITIVE_INFINITY,
  isClosure: false,
} as const;

function toPatternPart(pattern: Algebra.Pattern): JoinPart {
  return {
    ...PATTERN_PART,
    names: readNames(pattern.subject, pattern.predicate, pattern.object),
    subject: readNames(pattern.subject)[0] ?? null,
    counted: [{ type: Algebra.types.BGP, patterns: [pattern] }],
  };
}

function toPathPart(path: Algebra.Path): JoinPart {
  const direction = findDirection(path.predicate);
  const [start] = readNames(direction === "backward" ? path.object : path.subject);
  const counted = listPathPatterns(path);
  const steps = counted.filter(({ patterns: [step] }) => step?.predicate.termType === "NamedNode");
  return {
    ...PATTERN_PART,
    names: readNames(path.subject, path.object),
    subject: direction === null ? null : (start ?? null),
    counted,
    // The pattern of all triples finds the nodes of the graph, unless it is that of a negated property set.
    edges: hasNegation(path.predicate) ? counted : steps,
    isClosure: isUnbounded(path.predicate),
  };
}

/** Returns whether a path takes any number of steps from its start. */
function isUnbounded(path: Algebra.PropertyPathSymbol): boolean {
  switch (path.type) {
    case Algebra.types.LINK:
    case Algebra.types.NPS:
      return false;
    case Algebra.types.ALT:
      return path.input.some(isUnbounded);
    case Algebra.types.SEQ:
      return path.input.every(isUnbounded);
    case Algebra.types.INV:
    case Algebra.types.ZERO_OR_ONE_PATH:
      return isUnbounded(path.path);
    default:
      return true;
  }
}

function hasNegation(path: Algebra.PropertyPathSymbol): boolean {
  if (path.type === Algebra.types.NPS) return true;
  if (path.type === Algebra.types.LINK) return false;
  return "input" in path ? path.input.some(hasNegation) : hasNegation(path.path);
}

type Direction = "forward" | "backward";

/** Returns whether all steps of a path lead from subjects to objects, or all the other way; null for both. */
function findDirection(path: Algebra.PropertyPathSymbol): Direction | null {
  switch (path.type) {
    case Algebra.types.LINK:
      return "forward";
    case Algebra.types.NPS:
      return null;
    case Algebra.types.INV: {
      const inner = findDirection(path.path);
      return inner === null ? null : inner === "forward" ? "backward" : "forward";
    }
    case Algebra.types.ALT:
    case Algebra.types.SEQ: {
      const [first = null, ...others] = path.input.map(findDirection);
      return others.every((other) => other === first) ? first : null;
    }
    default:
      return findDirection(path.path);
  }
}

function toOtherPart(operation: Algebra.Operation, branches: readonly (readonly JoinPart[])[]): JoinPart {
  return {
    names: Util.inScopeVariables(operation).map(({ value }) => value),
    subject: null,
    counted: [],
    edges: [],
    branches,
    keys: findKeys(operation),
    most: findMost(operation),
    isClosure: false,
  };
}

function findMost(operation: Algebra.Operation): number {
  const { types } = Algebra;
  switch (operation.type) {
    case types.VALUES:
      return operation.bindings.length;
    case types.GROUP:
      return operation.variables.length === 0 ? 1 : Number.POSITIVE_INFINITY;
    case types.SLICE:
      return operation.length ?? Number.POSITIVE_INFINITY;
    case types.PROJECT:
    case types.DISTINCT:
    case types.ORDER_BY:
    case types.EXTEND:
    case types.FILTER:
      return findMost(operation.input);
    default:
      return Number.POSITIVE_INFINITY;
  }
}

function findKeys(operation: Algebra.Operation): string[] | null {
  const { types } = Algebra;
  switch (operation.type) {
    case types.GROUP:
      return operation.variables.map(({ value }) => value);
    case types.PROJECT:
    case types.DISTINCT:
    case types.ORDER_BY:
    case types.EXTEND:
    case types.FILTER:
      return findKeys(operation.input);
    default:
      return null;
  }
}
