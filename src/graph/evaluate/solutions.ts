// The operators of the algebra on multisets of solutions (SPARQL 1.1, section 18.5).
import type { Algebra } from "sparqlalgebrajs";
import type { RdfTerm, Solution } from "../sparql-answer";

export const EMPTY_SOLUTION: Solution = new Map();

/** Returns the union of two compatible solutions; null if they bind a variable to different terms. */
export function mergeSolutions(a: Solution, b: Solution): Solution | null {
  for (const [name, term] of b) {
    const other = a.get(name);
    if (other !== undefined && other.id !== term.id) return null;
  }
  return new Map([...a, ...b]);
}

/** Returns a function that finds the solutions that may be compatible with one, by what all of both lists bind. */
export function indexSolutions(
  solutions: readonly Solution[],
  partners: readonly Solution[],
): (partner: Solution) => readonly Solution[] {
  const names = listCommon(solutions, partners);
  if (names.length === 0) return () => solutions;
  const groups = Map.groupBy(solutions, (solution) => writeKey(solution, names));
  return (partner) => groups.get(writeKey(partner, names)) ?? [];
}

/** Lists the variables that every solution of both lists binds. */
function listCommon(a: readonly Solution[], b: readonly Solution[]): string[] {
  const [first] = a;
  if (first === undefined || b.length === 0) return [];
  return [...first.keys()].filter(
    (name) => a.every((solution) => solution.has(name)) && b.every((solution) => solution.has(name)),
  );
}

/** Writes the terms of some variables so that different terms give different texts. */
export function writeKey(solution: Solution, names: readonly string[]): string {
  return names.map((name) => solution.get(name)?.id ?? "").join("\u0000");
}

/**
 * Called while there are more and more solutions, with their number and that of the pairs that were compared; throws if
 * there are too many.
 */
export type SizeCheck = (size: number, compared?: number) => void;

export function joinSolutions(a: readonly Solution[], b: readonly Solution[], check: SizeCheck): Solution[] {
  const find = indexSolutions(b, a);
  const joined: Solution[] = [];
  let compared = 0;
  for (const left of a) {
    const candidates = find(left);
    compared += candidates.length;
    for (const right of candidates) {
      const merged = mergeSolutions(left, right);
      if (merged !== null) joined.push(merged);
    }
    check(joined.length, compared);
  }
  return joined;
}

export function leftJoinSolutions(
  a: readonly Solution[],
  b: readonly Solution[],
  condition: (merged: Solution) => boolean,
  check: SizeCheck,
): Solution[] {
  const find = indexSolutions(b, a);
  const joined: Solution[] = [];
  let compared = 0;
  for (const left of a) {
    const before = joined.length;
    const candidates = find(left);
    compared += candidates.length;
    for (const right of candidates) {
      const merged = mergeSolutions(left, right);
      if (merged !== null && condition(merged)) joined.push(merged);
    }
    if (joined.length === before) joined.push(left);
    check(joined.length, compared);
  }
  return joined;
}

export function subtractSolutions(
  a: readonly Solution[],
  b: readonly Solution[],
  check: SizeCheck,
): Solution[] {
  const find = indexSolutions(b, a);
  let compared = 0;
  const isRemoved = (left: Solution) => {
    const candidates = find(left);
    compared += candidates.length;
    check(0, compared);
    return candidates.some(
      (right) => [...right.keys()].some((name) => left.has(name)) && mergeSolutions(left, right) !== null,
    );
  };
  return a.filter((left) => !isRemoved(left));
}

export function projectSolution(solution: Solution, names: readonly string[]): Solution {
  const kept = new Map<string, RdfTerm>();
  for (const name of names) {
    const term = solution.get(name);
    if (term !== undefined) kept.set(name, term);
  }
  return kept;
}

export function removeDuplicates(solutions: readonly Solution[]): Solution[] {
  const names = [...new Set(solutions.flatMap((solution) => [...solution.keys()]))];
  return [
    ...new Map(solutions.toReversed().map((solution) => [writeKey(solution, names), solution])).values(),
  ].reverse();
}

/** Writes a whole solution so that different ones give different texts. */
export function writeSolution(solution: Solution): string {
  return [...solution]
    .map(([name, { id }]) => `${name}\u0000${id}`)
    .toSorted()
    .join("\u0001");
}

/** Returns the solutions of VALUES. */
export function readTable({ variables, bindings }: Algebra.Values): Solution[] {
  return bindings.map((binding) => {
    const solution = new Map<string, RdfTerm>();
    for (const { value } of variables) {
      const term = binding[`?${value}`];
      if (term !== undefined) solution.set(value, term as RdfTerm);
    }
    return solution;
  });
}
