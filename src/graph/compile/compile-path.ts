// Property paths (SPARQL 1.1, section 18.4) in SQL. Closures are recursive queries from an end that is known.
import type { Term, Variable } from "n3";
import { Algebra } from "sparqlalgebrajs";
import { variable } from "../rdf-terms";
import { encodeIri, encodeTerm } from "../stored-terms";
import { failUndecided } from "./compare-columns";
import type { CompileContext } from "./compile-context";
import { compileConstant } from "./compile-values";
import { compilePattern, matchConstant } from "./pattern-tables";
import {
  addConditions,
  type Column,
  disjoin,
  joinRelations,
  keepColumns,
  matchColumns,
  NotCompilable,
  type SelectBlock,
  UNIT,
  writeFrom,
  writeSelect,
} from "./select-block";

/** More blocks than this are not written out. */
export const MAX_BLOCKS = 16;

type PathEnds = { subject: Term; object: Term };
type ClosingPath = Algebra.ZeroOrMorePath | Algebra.OneOrMorePath | Algebra.ZeroOrOnePath;

export function isClosing(path: Algebra.PropertyPathSymbol): path is ClosingPath {
  const { ZERO_OR_MORE_PATH, ONE_OR_MORE_PATH, ZERO_OR_ONE_PATH } = Algebra.types;
  return path.type === ZERO_OR_MORE_PATH || path.type === ONE_OR_MORE_PATH || path.type === ZERO_OR_ONE_PATH;
}

/** Returns the blocks of a path between two terms. */
export function compilePath(
  path: Algebra.PropertyPathSymbol,
  { subject, object }: PathEnds,
  context: CompileContext,
): SelectBlock[] {
  const { types } = Algebra;
  switch (path.type) {
    case types.LINK:
      return compilePattern({ subject, predicate: path.iri as Term, object }, context);
    case types.INV:
      return compilePath(path.path, { subject: object, object: subject }, context);
    case types.ALT:
      return path.input.flatMap((branch) => compilePath(branch, { subject, object }, context));
    case types.SEQ:
      return compileSequence(path.input, { subject, object }, context);
    case types.NPS:
      return compileNegated(path, { subject, object }, context);
    default:
      return [compileClosure(path, { subject, object }, context)];
  }
}

/** Names a variable that no query has. */
function makeHidden({ nextAlias }: CompileContext): Variable {
  return variable(` ${nextAlias("x")}`);
}

/** Removes the columns of hidden variables. */
function hideInner(relation: SelectBlock): SelectBlock {
  return keepColumns(
    relation,
    [...relation.columns.keys()].filter((name) => !name.startsWith(" ")),
  );
}

function compileSequence(
  steps: readonly Algebra.PropertyPathSymbol[],
  { subject, object }: PathEnds,
  context: CompileContext,
): SelectBlock[] {
  let blocks: SelectBlock[] = [UNIT];
  let from = subject;
  steps.forEach((step, i) => {
    const to = i === steps.length - 1 ? object : makeHidden(context);
    const ends = { subject: from, object: to };
    blocks = blocks.flatMap((block) => {
      if (!isClosing(step)) return compilePath(step, ends, context).map((next) => joinRelations(block, next));
      return [joinClosure(block, step, ends, true, context)];
    });
    if (blocks.length > MAX_BLOCKS) throw new NotCompilable("A path with many branches");
    from = to;
  });
  const isHidden = (term: Term) => term.termType === "Variable" && term.value.startsWith(" ");
  // The ends of an inner path are hidden variables, too.
  return isHidden(subject) || isHidden(object) ? blocks : blocks.map(hideInner);
}

function compileNegated({ iris }: Algebra.Nps, ends: PathEnds, context: CompileContext): SelectBlock[] {
  const predicate = makeHidden(context);
  const excluded = iris.map(({ value }) => context.bind(encodeIri(value))).join(", ");
  return compilePattern({ ...ends, predicate }, { ...context, inference: null }).map((block) => {
    const column = block.columns.get(predicate.value);
    const columns = new Map(block.columns);
    columns.delete(predicate.value);
    return addConditions(
      { ...block, columns },
      column === undefined ? [] : [`${column.value} NOT IN (${excluded})`],
    );
  });
}

/** Joins a closure with a block that binds one of its ends, if it does. `isNode` tells that it binds nodes of the graph. */
export function joinClosure(
  block: SelectBlock,
  path: ClosingPath,
  ends: PathEnds,
  isNode: boolean,
  context: CompileContext,
): SelectBlock {
  const find = (term: Term) => (term.termType === "Variable" ? block.columns.get(term.value) : undefined);
  const isStart = (column: Column | undefined) => column !== undefined && !column.isOptional;
  const [subject, object] = [find(ends.subject), find(ends.object)];
  if (!isStart(subject) && !isStart(object)) return joinRelations(block, compileClosure(path, ends, context));
  const isForward = isStart(subject);
  const start = isForward ? subject : object;
  const [from, to] = isForward ? [ends.subject, ends.object] : [ends.object, ends.subject];
  if (start === undefined || from.termType !== "Variable")
    throw new NotCompilable("A closure without a start");
  // A path of length zero connects nodes of the graph with themselves, and no other terms.
  const conditions = isNode ? [] : [testNode(start, context)];
  const seeds = addConditions({ ...block, columns: new Map([["start", start]]), order: [] }, conditions);
  const seed = context.write(writeSelect(seeds, ["start"], { isDistinct: true }));
  const literal = isForward ? "" : ` WHERE ${requireIri({ value: "v0", kind: "k0", isIri: start.isIri })}`;
  const closure = writeClosure(path, `SELECT v0, k0 FROM (${seed})${literal}`, isForward, context);
  return joinRelations(block, nameEnds(closure, from, to, context));
}

/** Tests whether a term is the subject or object of a triple. */
function testNode(column: Column, context: CompileContext): string {
  const [s, p, o] = [makeHidden(context), makeHidden(context), makeHidden(context)];
  const blocks = compilePattern({ subject: s, predicate: p, object: o }, context);
  const tests = blocks.flatMap((block) =>
    [s, o].map(({ value }) => {
      const node = block.columns.get(value);
      const match = node === undefined ? ["0"] : matchColumns(column, node);
      return `EXISTS (SELECT 1${writeFrom(addConditions(block, match))})`;
    }),
  );
  return disjoin(tests);
}

/** A closure from an end that is constant, or bound by the solution that an EXISTS is tested for. */
function compileClosure(
  path: ClosingPath,
  { subject, object }: PathEnds,
  context: CompileContext,
): SelectBlock {
  const isKnown = (term: Term) =>
    term.termType !== "Variable" || context.outer.get(term.value)?.isOptional === false;
  const isForward = isKnown(subject);
  const [from, to] = isForward ? [subject, object] : [object, subject];
  if (!isKnown(from)) throw new NotCompilable("A closure with two free ends");
  if (from.termType === "Literal") throw new NotCompilable("A closure from a literal");
  const outer = context.outer.get(from.value);
  const seed =
    from.termType === "Variable" && outer !== undefined
      ? `SELECT ${outer.value}, ${outer.kind} WHERE ${testNode(outer, context)}${isForward ? "" : ` AND ${requireIri(outer)}`}`
      : selectConstant(from, context);
  return nameEnds(writeClosure(path, seed, isForward, context), from, to, context);
}

function selectConstant(term: Term, context: CompileContext): string {
  const { value, kind } = compileConstant(term, context);
  return `SELECT ${value}, ${kind}`;
}

/** Steps back from a literal are left to JavaScript. */
function requireIri({ value, kind, isIri }: Pick<Column, "value" | "kind" | "isIri">): string {
  return isIri ? "1" : `iif(${kind} = '', 1, ${failUndecided(value)})`;
}

/** Writes pairs of a start and each node that is reached from it, as columns v0, k0, v1, k1. */
function writeClosure(path: ClosingPath, seed: string, isForward: boolean, context: CompileContext): string {
  if (context.graph.kind === "variable") throw new NotCompilable("A closure in any graph");
  context.addClosure();
  const [w, c] = [context.nextAlias("w"), context.nextAlias("c")];
  const { ZERO_OR_MORE_PATH, ONE_OR_MORE_PATH } = Algebra.types;
  // Starts, then what one step reaches from them, then more steps.
  const first = writeSteps(
    path.path,
    isForward,
    { table: w, start: `${w}.v0, ${w}.k0`, node: `${w}.v0`, kind: `${w}.k0` },
    context,
  );
  const next = writeSteps(
    path.path,
    isForward,
    { table: c, start: `${c}.v0, ${c}.k0`, node: `${c}.v1`, kind: `${c}.k1` },
    context,
  );
  const zero = path.type === ONE_OR_MORE_PATH ? [] : [`SELECT v0, k0, v0, k0 FROM ${w}`];
  const more = path.type === Algebra.types.ZERO_OR_ONE_PATH ? [] : next;
  const arms = path.type === ZERO_OR_MORE_PATH ? [...zero, ...next] : [...zero, ...first, ...more];
  if (arms.length > 5) throw new NotCompilable("A closure with many branches");
  const recursive = `${c}(v0, k0, v1, k1) AS (${arms.join(" UNION ")})`;
  return `WITH RECURSIVE ${w}(v0, k0) AS (${seed}), ${recursive} SELECT v0, k0, v1, k1 FROM ${c}`;
}

type StepStart = { table: string; start: string; node: string; kind: string };

function writeSteps(
  path: Algebra.PropertyPathSymbol,
  isForward: boolean,
  { table, start, node, kind }: StepStart,
  context: CompileContext,
): string[] {
  const [a, b] = [makeHidden(context), makeHidden(context)];
  const ends = isForward ? { subject: a, object: b } : { subject: b, object: a };
  return compilePath(path, ends, context).map((step) => {
    const [from, to] = [step.columns.get(a.value), step.columns.get(b.value)];
    if (from === undefined || to === undefined) throw new NotCompilable("A step without ends");
    // Nodes are compared as IRIs, which the index by object has; literal starts are refused above.
    const match = [
      `${from.key ?? from.value} = ${node}`,
      `${kind} = ''`,
      ...(from.isIri ? [] : [`${from.kind} = ''`]),
    ];
    const relation = { ...step, tables: [table, ...step.tables], where: [...step.where, ...match] };
    return `SELECT ${start}, ${to.value}, ${to.kind}${writeFrom(relation)}`;
  });
}

/** Makes a relation of a closure, whose start and end are named by terms. */
function nameEnds(closure: string, from: Term, to: Term, context: CompileContext): SelectBlock {
  const s = context.nextAlias("s");
  const column = (i: number): Column => ({
    value: `${s}.v${i}`,
    kind: `${s}.k${i}`,
    key: null,
    number: "NULL",
    isOptional: false,
    isIri: false,
  });
  const columns = new Map<string, Column>();
  const where: string[] = [];
  for (const [term, end] of [
    [from, column(0)],
    [to, column(1)],
  ] as const) {
    if (term.termType !== "Variable") where.push(...matchConstant(encodeTerm(term), end, context));
    else {
      const other = columns.get(term.value);
      if (other === undefined) columns.set(term.value, end);
      else where.push(...matchColumns(other, end));
    }
  }
  return { ...UNIT, tables: [`(${closure}) ${s}`], where, columns };
}
