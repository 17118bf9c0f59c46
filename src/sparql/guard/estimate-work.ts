// Refuses queries whose work is out of proportion, before they run: D1 does not interrupt a statement.
//
// A join is estimated from the number of triples that match each of its patterns, counted up to a bound. Patterns are
// taken in the order that gives the smallest product: one whose subject is bound by the others adds few rows, one that is
// joined by its object or predicate can multiply the rows by all its matches, and so does one that shares no variable.
import { Algebra } from "sparqlalgebrajs";
import type { CompileScope } from "../compile/compile-context";
import { type CompiledStatement, compileStatement } from "../compile/compile-statement";
import { runStatements } from "../evaluate/run-statements";
import type { SparqlLimits } from "../sparql-answer";
import { QueryRefused } from "../sparql-errors";
import { type JoinPart, listJoins } from "./join-parts";

/** Products of unconnected parts are refused beyond this, even though a small one costs little. */
const MAX_PRODUCT = 2_500;
/** The number of edges of a closure whose two ends are free. */
const MAX_FREE_EDGES = 500;

/** Throws QueryRefused if a join of the operation is too much work. */
export async function refuseExcessiveWork(
  operation: Algebra.Operation,
  scope: CompileScope,
  limits: SparqlLimits,
): Promise<void> {
  refuseService(operation);
  for (const parts of listJoins(operation)) {
    if (!isSuspicious(parts)) continue;
    const sizes = await estimateParts(parts, scope);
    refuseFreeClosures(parts, sizes);
    refuseProducts(parts, sizes, limits.work);
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

/** Returns whether a join can be large although each part is no larger than the graph. */
function isSuspicious(parts: readonly JoinPart[]): boolean {
  if (parts.some((part) => isFreeClosure(part, parts))) return true;
  return (
    parts.length > 1 &&
    orderParts(
      parts,
      parts.map(() => 2),
    ).rows > 2
  );
}

/** Returns whether nothing binds an end of a closure. */
function isFreeClosure(part: JoinPart, parts: readonly JoinPart[]): boolean {
  const isBoundElsewhere = (name: string) =>
    parts.some((other) => other !== part && other.names.includes(name));
  return part.isClosure && part.names.length === 2 && !part.names.some(isBoundElsewhere);
}

function refuseFreeClosures(parts: readonly JoinPart[], sizes: readonly number[]): void {
  parts.forEach((part, i) => {
    if (!isFreeClosure(part, parts) || (sizes[i] ?? 0) <= MAX_FREE_EDGES) return;
    const [from, to] = part.names;
    throw new QueryRefused(
      `A path of any length connects ?${from} with ?${to}, and nothing binds either. Bind ?${from} or ?${to}.`,
    );
  });
}

function refuseProducts(parts: readonly JoinPart[], sizes: readonly number[], work: number): void {
  const { rows, multiplied, isProduct } = orderParts(parts, sizes);
  if (rows <= (isProduct ? MAX_PRODUCT : work)) return;
  const names = (multiplied ?? []).map((name) => `?${name}`).join(", ");
  throw new QueryRefused(
    isProduct
      ? `Two parts of the query share no variable, so that each solution of one is combined with each of the other: about ${rows} combinations. Connect ${names} with the other variables, or bind one of them.`
      : `The query combines about ${rows} triples, more than the ${work} that a query may. Bind ${names} to a term, or add a pattern that restricts them.`,
  );
}

/** The rows of a join in some order, and the variables of the first part that multiplies them. */
type Order = { rows: number; multiplied: readonly string[] | null; isProduct: boolean };

/** Takes the parts in the order with the smallest product of sizes. */
function orderParts(parts: readonly JoinPart[], sizes: readonly number[]): Order {
  return parts
    .map((_, start) => orderFrom(start, parts, sizes))
    .reduce((best, order) => (order.rows < best.rows ? order : best));
}

function orderFrom(start: number, parts: readonly JoinPart[], sizes: readonly number[]): Order {
  const rest = new Set(parts.keys());
  const bound = new Set<string>();
  const order: Order = { rows: Math.max(1, sizes[start] ?? 1), multiplied: null, isProduct: false };
  for (let next: number | undefined = start; next !== undefined; next = pickNext(rest, parts, sizes, bound)) {
    const part = parts[next];
    if (part === undefined) break;
    const factor = next === start ? 1 : computeFactor(part, sizes[next] ?? 1, bound);
    if (factor > 1) {
      order.rows *= factor;
      order.multiplied ??= part.names;
      order.isProduct ||= !part.names.some((name) => bound.has(name));
    }
    rest.delete(next);
    for (const name of part.names) bound.add(name);
  }
  return order;
}

function pickNext(
  rest: ReadonlySet<number>,
  parts: readonly JoinPart[],
  sizes: readonly number[],
  bound: ReadonlySet<string>,
): number | undefined {
  let best: { index: number; factor: number } | undefined;
  for (const index of rest) {
    const part = parts[index];
    if (part === undefined) continue;
    const factor = computeFactor(part, sizes[index] ?? 1, bound);
    if (best === undefined || factor < best.factor) best = { index, factor };
  }
  return best?.index;
}

/** By how much a part multiplies the rows of a join that binds some variables. */
function computeFactor(
  { names, subject, counted }: JoinPart,
  size: number,
  bound: ReadonlySet<string>,
): number {
  // A subject has few triples, and a part that binds nothing new adds none.
  if (subject !== null && bound.has(subject)) return 1;
  if (names.every((name) => bound.has(name))) return 1;
  // A subquery or a table restricts the variables that it shares.
  return counted.length === 0 && names.some((name) => bound.has(name)) ? 1 : size;
}

/** No estimate needs to tell larger numbers apart. */
const COUNT_BOUND = 100_000;

/** Returns the estimated rows of each part, from the counted matches of all patterns in them. */
async function estimateParts(parts: readonly JoinPart[], scope: CompileScope): Promise<number[]> {
  const patterns = listCounted(parts);
  const answer = await runStatements(
    scope.source.db,
    patterns.map((pattern) => compileCount(pattern, scope)),
  );
  const found = "solutions" in answer ? answer.solutions : [];
  const counts = new Map(
    patterns.map((pattern, i) => [pattern, Number(found[i]?.[0]?.get("n")?.value ?? COUNT_BOUND)]),
  );
  return parts.map((part) => estimatePart(part, counts));
}

function listCounted(parts: readonly JoinPart[]): Algebra.Bgp[] {
  return parts.flatMap(({ counted, branches }) => [...counted, ...branches.flatMap(listCounted)]);
}

function estimatePart(
  { counted, branches, most }: JoinPart,
  counts: ReadonlyMap<Algebra.Bgp, number>,
): number {
  const matches = counted.reduce((sum, pattern) => sum + (counts.get(pattern) ?? 0), 0);
  const solutions = branches
    .filter(({ length }) => length > 0)
    .map(
      (branch) =>
        orderParts(
          branch,
          branch.map((part) => estimatePart(part, counts)),
        ).rows,
    )
    .reduce((sum, rows) => sum + rows, 0);
  const isTable = counted.length === 0 && branches.length === 0;
  return Math.min(most, isTable ? most : matches + solutions);
}

function compileCount(pattern: Algebra.Bgp, scope: CompileScope): CompiledStatement {
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
