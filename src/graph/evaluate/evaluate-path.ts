// Property paths in JavaScript: the pairs of nodes that a path connects (SPARQL 1.1, section 18.4).
import { Algebra } from "sparqlalgebrajs";
import type { RdfTerm, Solution } from "../sparql-answer";
import type { SizeCheck } from "./solutions";

type Pair = readonly [from: RdfTerm, to: RdfTerm];

/** The triples that a path is evaluated over. */
type PathGraph = {
  /** The pairs of a property. */
  readonly link: (iri: string) => readonly Pair[];
  /** All triples, for negated property sets and the nodes of the graph. */
  readonly triples: () => readonly Solution[];
};

export function evaluatePath(
  { subject, predicate, object }: Algebra.Path,
  graph: PathGraph,
  check: SizeCheck,
): Solution[] {
  const ends = { from: readConstant(subject), to: readConstant(object) };
  const isEnd = (term: RdfTerm, end: RdfTerm | null) => end === null || end.id === term.id;
  return listPairs(predicate, ends, graph, check)
    .filter(([from, to]) => isEnd(from, ends.from) && isEnd(to, ends.to))
    .flatMap(([from, to]) => {
      const solution = new Map<string, RdfTerm>();
      if (subject.termType === "Variable") solution.set(subject.value, from);
      if (object.termType !== "Variable") return [solution];
      const other = solution.get(object.value);
      if (other !== undefined && other.id !== to.id) return [];
      return [solution.set(object.value, to)];
    });
}

function readConstant(term: Algebra.Path["subject"]): RdfTerm | null {
  return term.termType === "Variable" ? null : (term as RdfTerm);
}

/** The ends that are constant. Pairs with other ends may be listed, too. */
type KnownEnds = { from: RdfTerm | null; to: RdfTerm | null };
const FREE: KnownEnds = { from: null, to: null };

function listPairs(
  path: Algebra.PropertyPathSymbol,
  ends: KnownEnds,
  graph: PathGraph,
  check: SizeCheck,
): readonly Pair[] {
  const { types } = Algebra;
  switch (path.type) {
    case types.LINK:
      return graph.link(path.iri.value);
    case types.INV:
      return invert(listPairs(path.path, { from: ends.to, to: ends.from }, graph, check));
    case types.ALT:
      return path.input.flatMap((branch) => listPairs(branch, ends, graph, check));
    case types.SEQ:
      return path.input
        .map((step, i) =>
          listPairs(
            step,
            { from: i === 0 ? ends.from : null, to: i === path.input.length - 1 ? ends.to : null },
            graph,
            check,
          ),
        )
        .reduce((a, b) => composePairs(a, b, check));
    case types.NPS: {
      const excluded = new Set(path.iris.map(({ value }) => value));
      return graph.triples().flatMap((triple) => {
        const [s, p, o] = [triple.get("s"), triple.get("p"), triple.get("o")];
        return s === undefined || p === undefined || o === undefined || excluded.has(p.value)
          ? []
          : [[s, o] as const];
      });
    }
    default:
      return closePairs(path, ends, graph, check);
  }
}

function invert(pairs: readonly Pair[]): Pair[] {
  return pairs.map(([from, to]) => [to, from]);
}

function composePairs(a: readonly Pair[], b: readonly Pair[], check: SizeCheck): Pair[] {
  const next = Map.groupBy(b, ([from]) => from.id);
  const composed: Pair[] = [];
  for (const [from, middle] of a) {
    for (const [, to] of next.get(middle.id) ?? []) composed.push([from, to]);
    check(composed.length);
  }
  return composed;
}

/** ZeroOrMorePath, OneOrMorePath and ZeroOrOnePath, whose pairs are distinct. */
function closePairs(
  path: Algebra.ZeroOrMorePath | Algebra.OneOrMorePath | Algebra.ZeroOrOnePath,
  ends: KnownEnds,
  graph: PathGraph,
  check: SizeCheck,
): Pair[] {
  const { ONE_OR_MORE_PATH, ZERO_OR_ONE_PATH } = Algebra.types;
  const steps = listPairs(path.path, FREE, graph, check);
  const isForward = ends.from !== null || ends.to === null;
  const next = Map.groupBy(isForward ? steps : invert(steps), ([from]) => from.id);
  const known = isForward ? ends.from : ends.to;
  const hasZero = path.type !== ONE_OR_MORE_PATH;
  const starts = known === null ? listStarts(steps, hasZero ? graph.triples() : []) : [known];
  const pairs: Pair[] = [];
  for (const start of starts) {
    const reached = new Map<string, RdfTerm>(hasZero ? [[start.id, start]] : []);
    const visit = (node: RdfTerm) => {
      for (const [, to] of next.get(node.id) ?? []) if (!reached.has(to.id)) reached.set(to.id, to);
    };
    visit(start);
    if (path.type !== ZERO_OR_ONE_PATH) for (const node of reached.values()) visit(node);
    for (const node of reached.values()) pairs.push([start, node]);
    check(pairs.length);
  }
  return isForward ? pairs : invert(pairs);
}

/** The nodes that a path with two free ends may start from. */
function listStarts(steps: readonly Pair[], triples: readonly Solution[]): RdfTerm[] {
  const starts = new Map<string, RdfTerm>(steps.map(([from]) => [from.id, from]));
  for (const triple of triples)
    for (const name of ["s", "o"]) {
      const term = triple.get(name);
      if (term !== undefined) starts.set(term.id, term);
    }
  return [...starts.values()];
}
