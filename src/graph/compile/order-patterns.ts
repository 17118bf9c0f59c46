// The order in which the patterns of a group are joined.
//
// SQLite has no statistics here, and expects a few rows of a tenant's statements: it may combine two patterns that share
// no variable before the one that connects them, which never ends in a large tenant. The order of a group with such
// patterns is fixed. Any other group is left to SQLite.
import type { Term } from "n3";
import type { PatternTerms } from "./pattern-tables";

/** Roughly how many rows are read for each row before: by the primary key, by the index of objects, or the whole tenant. */
const READS = { bySubject: 1, byObject: 10, whole: 1_000_000 } as const;

/** Returns the patterns in the order to join them in; null if every order is good. */
export function orderPatterns(patterns: readonly PatternTerms[]): PatternTerms[] | null {
  const areConnected = patterns.every((a) => patterns.every((b) => a === b || shareVariable(a, b)));
  if (areConnected) return null;

  const rest = new Set(patterns);
  const bound = new Set<string>();
  const subjects = new Set<string>();
  const isBound = (term: Term) => !isVariable(term) || bound.has(term.value);
  const isResource = (term: Term) => (isVariable(term) ? subjects.has(term.value) : isIri(term));

  const estimateReads = ({ subject, object }: PatternTerms) =>
    isBound(subject) ? READS.bySubject : isResource(object) ? READS.byObject : READS.whole;
  const countFree = (pattern: PatternTerms) =>
    listVariables(pattern).filter((name) => !bound.has(name)).length;
  const countNeighbours = (pattern: PatternTerms) =>
    patterns.filter((other) => shareVariable(pattern, other)).length;

  const ordered: PatternTerms[] = [];
  while (rest.size > 0) {
    const [next] = [...rest].toSorted(
      (a, b) =>
        estimateReads(a) - estimateReads(b) ||
        countFree(a) - countFree(b) ||
        countNeighbours(b) - countNeighbours(a),
    );
    if (next === undefined) break;
    rest.delete(next);
    ordered.push(next);
    if (isVariable(next.subject)) subjects.add(next.subject.value);
    for (const name of listVariables(next)) bound.add(name);
  }
  return ordered;
}

function listVariables({ subject, predicate, object }: PatternTerms): string[] {
  return [subject, predicate, object].filter(isVariable).map(({ value }) => value);
}

function shareVariable(a: PatternTerms, b: PatternTerms): boolean {
  const names = listVariables(b);
  return listVariables(a).some((name) => names.includes(name));
}

function isVariable(term: Term): boolean {
  return term.termType === "Variable";
}

function isIri(term: Term): boolean {
  return term.termType === "NamedNode";
}
