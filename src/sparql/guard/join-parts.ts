// The joins of a query: which patterns, paths, tables and subqueries are combined with each other.
import { Algebra, Util } from "sparqlalgebrajs";
import { isClosing } from "../compile/compile-path";
import { listExistence, listPathPatterns } from "../evaluate/plan";

/** A part of a join, with the variables that it binds. */
export type JoinPart = {
  readonly names: readonly string[];
  /** The subject of a pattern or path, if it is a variable. */
  readonly subject: string | null;
  /** The patterns whose matches are counted. */
  readonly counted: readonly Algebra.Bgp[];
  /** The joins whose solutions it is the union of, for a subquery or a union. */
  readonly branches: readonly (readonly JoinPart[])[];
  /** The most rows that it has, as far as the query tells. */
  readonly most: number;
  readonly isClosure: boolean;
};

/** Lists the parts of each join: all patterns of a group that are combined with each other. */
export function listJoins(operation: Algebra.Operation): JoinPart[][] {
  const parts: JoinPart[] = [];
  const joins: JoinPart[][] = [parts];
  collectParts(operation, parts, joins);
  return joins.filter(({ length }) => length > 0);
}

/** Adds the parts of an operation to a join, and the joins inside of them to the list of joins. */
function collectParts(operation: Algebra.Operation, parts: JoinPart[], joins: JoinPart[][]): void {
  const { types } = Algebra;
  switch (operation.type) {
    case types.BGP:
      parts.push(...operation.patterns.map(toPatternPart));
      return;
    case types.PATH:
      parts.push(toPathPart(operation));
      return;
    case types.JOIN:
    case types.LEFT_JOIN:
      for (const operand of operation.input) collectParts(operand, parts, joins);
      return;
    case types.FILTER:
    case types.EXTEND:
      // The patterns of EXISTS are joins of their own.
      for (const { input } of listExistence(operation.expression)) joins.push(...listJoins(input));
      collectParts(operation.input, parts, joins);
      return;
    case types.GRAPH:
      collectParts(operation.input, parts, joins);
      return;
    default: {
      const inner = listChildren(operation).map(listJoins);
      for (const branch of inner) joins.push(...branch);
      parts.push(
        toOtherPart(
          operation,
          inner.map(([branch = []]) => branch),
        ),
      );
    }
  }
}

function listChildren(operation: Algebra.Operation): Algebra.Operation[] {
  if (!("input" in operation)) return [];
  const children = [operation.input].flat() as Algebra.Operation[];
  // MINUS only removes solutions of its first operand.
  return operation.type === Algebra.types.MINUS ? children.slice(0, 1) : children;
}

function readNames(...terms: { termType: string; value: string }[]): string[] {
  return terms.filter(({ termType }) => termType === "Variable").map(({ value }) => value);
}

function toPatternPart(pattern: Algebra.Pattern): JoinPart {
  return {
    names: readNames(pattern.subject, pattern.predicate, pattern.object),
    subject: readNames(pattern.subject)[0] ?? null,
    counted: [{ type: Algebra.types.BGP, patterns: [pattern] }],
    branches: [],
    most: Number.POSITIVE_INFINITY,
    isClosure: false,
  };
}

function toPathPart(path: Algebra.Path): JoinPart {
  return {
    names: readNames(path.subject, path.object),
    subject: readNames(path.subject)[0] ?? null,
    counted: listPathPatterns(path),
    branches: [],
    most: Number.POSITIVE_INFINITY,
    isClosure: isClosing(path.predicate),
  };
}

function toOtherPart(operation: Algebra.Operation, branches: readonly (readonly JoinPart[])[]): JoinPart {
  return {
    names: Util.inScopeVariables(operation).map(({ value }) => value),
    subject: null,
    counted: [],
    branches,
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
