// Refuses queries whose work is out of proportion, before they run: D1 does not interrupt a statement.
//
// A join is estimated from the number of triples that match each of its patterns, counted up to a bound.
import { Algebra } from "sparqlalgebrajs";
import type { CompileInput } from "../compile/compile-context";
import { type CompiledStatement, compileStatement } from "../compile/compile-statement";
import { QueryRefused, type SparqlLimits } from "../sparql-answer";
import { type JoinGroup, type JoinPart, listJoins } from "./join-parts";
import { orderParts, sizePart } from "./order-parts";
import { runStatements } from "./run-statements";

/** Products of unconnected parts are refused beyond this, even though a small one costs little. */
const MAX_PRODUCT = 2_500;
/** The number of edges of a closure whose two ends are free. */
const MAX_FREE_EDGES = 500;
/** The patterns of a group, and of all groups of a query: their order is searched for. */
export const MAX_PARTS = 64;
const MAX_ALL_PARTS = 400;
/** The patterns without a constant subject that are counted: each count may read many rows. */
const MAX_COUNTED = 32;

/** Throws QueryRefused if a join of the operation is too much work. */
export async function refuseExcessiveWork(
  operation: Algebra.Operation,
  scope: CompileInput,
  limits: SparqlLimits,
): Promise<void> {
  refuseService(operation);
  const joins = listJoins(operation);
  refuseManyParts(joins);
  const suspicious = joins.filter(isSuspicious);
  const count = await countMatches(suspicious, scope);
  for (const join of suspicious) {
    refuseFreeClosures(join, count);
    refuseProducts(join, count, limits.work);
  }
}

function refuseService(operation: Algebra.Operation): void {
  visitOperations(operation, (inner) => {
    if (inner.type === Algebra.types.SERVICE)
      throw new QueryRefused("SERVICE is not offered: a query reads the tenant's own graph alone.");
  });
}

function visitOperations(operation: Algebra.Operation, visit: (operation: Algebra.Operation) => void): void {
  visit(operation);
  for (const value of Object.values(operation) as unknown[])
    for (const child of Array.isArray(value) ? value : [value])
      if (isOperation(child)) visitOperations(child, visit);
}

function isOperation(value: unknown): value is Algebra.Operation {
  return typeof value === "object" && value !== null && "type" in value && !("termType" in value);
}

function refuseManyParts(joins: readonly JoinGroup[]): void {
  const sizes = joins.map(({ parts }) => parts.length);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  if (Math.max(...sizes) > MAX_PARTS)
    throw new QueryRefused(
      `A group of the query has more than ${MAX_PARTS} patterns. Split the query, or use VALUES for the terms that differ.`,
    );
  if (all > MAX_ALL_PARTS)
    throw new QueryRefused(
      `The query has more than ${MAX_ALL_PARTS} patterns. Split it, or use VALUES for the terms that differ.`,
    );
}

/** Returns whether a join can be large although no part is larger than the graph. */
function isSuspicious(join: JoinGroup): boolean {
  const { parts, outer } = join;
  if (parts.some((part) => isFreeClosure(part, join))) return true;
  const sized = parts.map((part) => sizePart(part, () => 2));
  return parts.length + outer.size > 1 && orderParts(sized, outer).rows > 2;
}

/** Returns whether nothing binds an end of a closure. */
function isFreeClosure(part: JoinPart, { parts, outer }: JoinGroup): boolean {
  const isBoundElsewhere = (name: string) =>
    outer.has(name) || parts.some((other) => other !== part && other.names.includes(name));
  return part.isClosure && part.names.length === 2 && !part.names.some(isBoundElsewhere);
}

type MatchCount = (pattern: Algebra.Bgp) => number;

function refuseFreeClosures(join: JoinGroup, count: MatchCount): void {
  for (const part of join.parts) {
    const triples = part.counted.reduce((sum, pattern) => sum + count(pattern), 0);
    if (!isFreeClosure(part, join) || triples <= MAX_FREE_EDGES) continue;
    const [from, to] = part.names;
    throw new QueryRefused(
      `A path of any length connects ?${from} with ?${to}, and nothing binds either. Bind ?${from} or ?${to}.`,
    );
  }
}

function refuseProducts({ parts, outer }: JoinGroup, count: MatchCount, work: number): void {
  const sized = parts.map((part) => sizePart(part, count));
  const { rows, multiplied, isProduct } = orderParts(sized, outer);
  if (rows <= (isProduct ? MAX_PRODUCT : work)) return;
  const names = (multiplied ?? []).map((name) => `?${name}`).join(", ");
  throw new QueryRefused(
    isProduct
      ? `Two parts of the query share no variable, so that each solution of one is combined with each of the other: about ${rows} combinations. Connect ${names} with the other variables, or bind one of them.`
      : `The query combines about ${rows} triples, more than the ${work} that a query may. Bind ${names} to a term, or add a pattern that restricts them.`,
  );
}

/** No estimate needs to tell larger numbers apart. */
const COUNT_BOUND = 100_000;

/** Counts the matches of all patterns of some joins; those of equal patterns once. */
async function countMatches(joins: readonly JoinGroup[], scope: CompileInput): Promise<MatchCount> {
  const patterns = new Map(
    joins.flatMap(({ parts }) => listCounted(parts)).map((pattern) => [writeShape(pattern), pattern]),
  );
  const open = [...patterns.values()].filter(
    ({ patterns: [pattern] }) => pattern?.subject.termType === "Variable",
  );
  if (open.length > MAX_COUNTED)
    throw new QueryRefused(
      `The query combines more than ${MAX_COUNTED} patterns that their subjects do not connect. Split it, or bind more of its variables.`,
    );
  const answer = await runStatements(
    scope.source.db,
    [...patterns.values()].map((pattern) => compileCount(pattern, scope)),
  );
  const found = "solutions" in answer ? answer.solutions : [];
  const counts = new Map(
    [...patterns.keys()].map((shape, i) => [shape, Number(found[i]?.[0]?.get("n")?.value ?? COUNT_BOUND)]),
  );
  return (pattern) => counts.get(writeShape(pattern)) ?? 0;
}

function listCounted(parts: readonly JoinPart[]): Algebra.Bgp[] {
  return parts.flatMap(({ counted, branches }) => [...counted, ...branches.flatMap(listCounted)]);
}

/** Writes a pattern so that patterns with the same matches, up to the names of variables, give the same text. */
function writeShape({ patterns }: Algebra.Bgp): string {
  const names: string[] = [];
  return patterns
    .flatMap(({ subject, predicate, object }) => [subject, predicate, object])
    .map((term) => {
      if (term.termType !== "Variable") return (term as unknown as { id: string }).id;
      if (!names.includes(term.value)) names.push(term.value);
      return `?${names.indexOf(term.value)}`;
    })
    .join(" ");
}

function compileCount(pattern: Algebra.Bgp, scope: CompileInput): CompiledStatement {
  const { types } = Algebra;
  const input: Algebra.Slice = { type: types.SLICE, input: pattern, start: 0, length: COUNT_BOUND };
  return compileStatement({ type: types.GROUP, input, variables: [], aggregates: [COUNT_ALL] }, scope, 1);
}

const COUNT_ALL = {
  type: Algebra.types.EXPRESSION,
  expressionType: Algebra.expressionTypes.AGGREGATE,
  aggregator: "count",
  distinct: false,
  expression: {
    type: Algebra.types.EXPRESSION,
    expressionType: Algebra.expressionTypes.WILDCARD,
    wildcard: { type: "wildcard" },
  },
  variable: { termType: "Variable", value: "n" },
} as unknown as Algebra.BoundAggregate;
