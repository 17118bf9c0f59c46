// Compares results: equal up to the labels of blank nodes and the order of rows. Numbers of the same datatype are equal if
// their values are; such a result is reported as equal by value, not exactly.
import type { Quad, Term } from "n3";
import type { Results, Row } from "./parse-results.ts";

export type Comparison = "exact" | "by value" | "different";

/** With `isLax`, duplicates do not count: REDUCED may remove any of them. */
export function compareResults(expected: Results, actual: Results, isLax = false): Comparison {
  if (expected.kind === "boolean" && actual.kind === "boolean")
    return expected.value === actual.value ? "exact" : "different";
  if (expected.kind === "solutions" && actual.kind === "solutions") {
    const names = (variables: readonly string[]) => variables.toSorted().join(" ");
    if (names(expected.variables) !== names(actual.variables)) return "different";
    return compareRows(expected.rows, actual.rows, isLax);
  }
  if (expected.kind !== "graph" || actual.kind !== "graph") return "different";
  return compareRows(expected.quads.map(toRow), actual.quads.map(toRow), true);
}

function toRow({ subject, predicate, object }: Quad): Row {
  return new Map<string, Term>([
    ["s", subject],
    ["p", predicate],
    ["o", object],
  ]);
}

function compareRows(expected: readonly Row[], actual: readonly Row[], isLax: boolean): Comparison {
  if (areIsomorphic(expected, actual, renderTerm, isLax)) return "exact";
  return areIsomorphic(expected, actual, renderValue, isLax) ? "by value" : "different";
}

type Render = (term: Term) => string;

/** Blank nodes are compared by the mapping between them. */
const BLANK = "_:";

function renderTerm(term: Term): string {
  if (term.termType === "BlankNode") return BLANK;
  if (term.termType !== "Literal") return `<${term.value}>`;
  // Language tags are compared without regard to case.
  return `${JSON.stringify(term.value)}@${term.language.toLowerCase()}^^${term.datatype.value}`;
}

const NUMERIC =
  /#(?:integer|decimal|double|float|(?:non)?(?:Positive|Negative|positive|negative)Integer|(?:unsigned)?(?:Long|Int|Short|Byte|long|int|short|byte))$/;

function renderValue(term: Term): string {
  if (term.termType !== "Literal" || !NUMERIC.test(term.datatype.value)) return renderTerm(term);
  const number = Number(term.value.replace(/^\+/, "").replace("INF", "Infinity"));
  return Number.isNaN(number) ? renderTerm(term) : `${number}^^${term.datatype.value}`;
}

/** The search for a mapping of blank nodes gives up after this many steps. */
const MAX_STEPS = 200_000;

/** Returns whether a one-to-one mapping of the blank nodes makes the rows equal, as multisets or as sets. */
function areIsomorphic(
  left: readonly Row[],
  right: readonly Row[],
  render: Render,
  asSets: boolean,
): boolean {
  const [a, b] = [prepareRows(left, render, asSets), prepareRows(right, render, asSets)];
  if (a.length !== b.length || a.some(({ signature }, i) => signature !== b[i]?.signature)) return false;
  let steps = 0;
  const match = (at: number, used: Set<number>, mapping: Map<string, string>): boolean => {
    const row = a[at];
    if (row === undefined) return true;
    for (const [index, candidate] of b.entries()) {
      if (candidate.signature !== row.signature || used.has(index)) continue;
      steps += 1;
      if (steps > MAX_STEPS) return false;
      const extended = extendMapping(mapping, row.blanks, candidate.blanks);
      if (extended === null) continue;
      used.add(index);
      if (match(at + 1, used, extended)) return true;
      used.delete(index);
    }
    return false;
  };
  return match(0, new Set(), new Map());
}

type PreparedRow = { signature: string; blanks: string[] };

/** Returns rows with their text without labels, and the labels in the order of the variables; those without labels first. */
function prepareRows(rows: readonly Row[], render: Render, asSets: boolean): PreparedRow[] {
  const prepared = rows.map((row) => {
    const terms = [...row].toSorted(([x], [y]) => (x < y ? -1 : 1));
    return {
      signature: terms.map(([name, term]) => `${name}=${render(term)}`).join("\n"),
      blanks: terms.flatMap(([, term]) => (term.termType === "BlankNode" ? [term.value] : [])),
    };
  });
  const unique = asSets
    ? [...new Map(prepared.map((row) => [JSON.stringify([row.signature, row.blanks]), row])).values()]
    : prepared;
  return unique.toSorted((x, y) => (x.signature === y.signature ? 0 : x.signature < y.signature ? -1 : 1));
}

/** Returns the mapping with these pairs; null if it would no longer be one-to-one. */
function extendMapping(
  mapping: ReadonlyMap<string, string>,
  from: readonly string[],
  to: readonly string[],
): Map<string, string> | null {
  const extended = new Map(mapping);
  for (const [i, label] of from.entries()) {
    const target = to[i] ?? "";
    const known = extended.get(label);
    if (known === undefined && ![...extended.values()].includes(target)) extended.set(label, target);
    else if (known !== target) return null;
  }
  return extended;
}
