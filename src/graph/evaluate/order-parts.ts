// Estimates the rows of a join from the sizes of its parts.
//
// Parts are taken in the order that gives the smallest product: one whose subject is bound by the others adds few rows,
// one that is joined by its object or predicate can multiply the rows by all its matches, and so does one that shares no
// variable.
import type { Algebra } from "sparqlalgebrajs";
import type { JoinPart } from "./join-parts";

/** A part with the rows that it has by itself. */
type SizedPart = JoinPart & {
  readonly size: number;
  /** The number of triples that a path of any length steps along. */
  readonly edgeCount: number;
  readonly sizedBranches: readonly (readonly SizedPart[])[];
  /** The factors of its branches that were computed, by the variables that are bound. */
  readonly factors: Map<string, number>;
};

/** Returns a part with its size, from the number of matches of each pattern. */
export function sizePart(part: JoinPart, count: (pattern: Algebra.Bgp) => number): SizedPart {
  const sum = (patterns: readonly Algebra.Bgp[]) =>
    patterns.reduce((total, pattern) => total + count(pattern), 0);
  const sizedBranches = part.branches.map((branch) => branch.map((inner) => sizePart(inner, count)));
  const solutions = sizedBranches
    .filter(({ length }) => length > 0)
    .reduce((total, branch) => total + orderParts(branch).rows, 0);
  const isTable = part.counted.length === 0 && part.branches.length === 0;
  const edgeCount = sum(part.edges);
  const matches = part.isClosure ? countReached(part, edgeCount) : sum(part.counted);
  return {
    ...part,
    size: Math.min(part.most, isTable ? part.most : matches + solutions),
    edgeCount,
    sizedBranches,
    factors: new Map(),
  };
}

/** The pairs of a path of any length: from a constant it reaches each edge at most, and so it does from each start. */
function countReached({ names }: JoinPart, edgeCount: number): number {
  return names.length < 2 ? edgeCount : edgeCount ** 2;
}

/** The rows of a join in some order, and the variables of the first part that multiplies them. */
export type Order = { rows: number; multiplied: readonly string[] | null; isProduct: boolean };

/** The parts that an order may begin with: the smallest ones. */
const MAX_STARTS = 8;

const NO_NAMES: ReadonlySet<string> = new Set();

/** Takes the parts in the order with the smallest product of sizes, given the variables that are bound already. */
export function orderParts(parts: readonly SizedPart[], outer: ReadonlySet<string> = NO_NAMES): Order {
  if (outer.size > 0) return orderFrom(null, parts, outer);
  return parts
    .toSorted((a, b) => a.size - b.size)
    .slice(0, MAX_STARTS)
    .map((start) => orderFrom(start, parts, outer))
    .reduce((best, order) => (order.rows < best.rows ? order : best), orderFrom(null, parts, outer));
}

function orderFrom(start: SizedPart | null, parts: readonly SizedPart[], outer: ReadonlySet<string>): Order {
  const rest = new Set(parts);
  const bound = new Set(outer);
  const order: Order = { rows: 1, multiplied: null, isProduct: false };
  for (let next = start ?? pickNext(rest, bound); next !== undefined; next = pickNext(rest, bound)) {
    const isFirst = rest.size === parts.length;
    const factor = computeFactor(next, bound);
    order.rows *= Math.max(1, factor);
    if (factor > 1 && !isFirst) {
      order.multiplied ??= next.names;
      order.isProduct ||= !next.names.some((name) => bound.has(name));
    }
    rest.delete(next);
    for (const name of next.names) bound.add(name);
  }
  return order;
}

function pickNext(rest: ReadonlySet<SizedPart>, bound: ReadonlySet<string>): SizedPart | undefined {
  let best: { part: SizedPart; factor: number } | undefined;
  for (const part of rest) {
    const factor = computeFactor(part, bound);
    if (best === undefined || factor < best.factor) best = { part, factor };
  }
  return best?.part;
}

/** By how much a part multiplies the rows of a join that binds some variables. */
function computeFactor(part: SizedPart, bound: ReadonlySet<string>): number {
  const { names, subject, keys, size } = part;
  const shared = names.filter((name) => bound.has(name));
  if (shared.length === 0) return size;
  // A part that binds nothing new adds no rows.
  if (shared.length === names.length) return 1;
  // A path of any length may reach everything from each start.
  if (part.isClosure) return part.edgeCount;
  if (subject !== null && bound.has(subject)) return 1;
  if (keys?.every((key) => shared.includes(key))) return 1;
  if (part.branches.length > 0) return computeBranchFactor(part, shared);
  // A table restricts the variables that it shares.
  return part.counted.length === 0 ? 1 : size;
}

/** The rows of a union or subquery for each value of the variables that it shares. */
function computeBranchFactor({ sizedBranches, most, factors }: SizedPart, shared: readonly string[]): number {
  const key = shared.join(" ");
  const known = factors.get(key);
  if (known !== undefined) return known;
  const bound = new Set(shared);
  // A branch whose subject is bound adds few rows, like a pattern.
  const rows = sizedBranches
    .map((branch) => orderParts(branch, bound).rows)
    .filter((count) => count > 1)
    .reduce((total, count) => total + count, 0);
  const factor = Math.min(most, Math.max(1, rows));
  factors.set(key, factor);
  return factor;
}
