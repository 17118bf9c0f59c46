// Parses a query to the algebra of SPARQL 1.1 (section 18), with sparqljs and sparqlalgebrajs.

import DataFactory from "n3/src/N3DataFactory.js";
import { Algebra, translate } from "sparqlalgebrajs";
import { Parser, type SparqlQuery } from "sparqljs";
import { LIMITS } from "../kernel/limits";
import { PREFIXES } from "../ontology/triples";
import { QueryRefused, SparqlSyntaxError, SparqlUpdateError } from "./sparql-answer";

/** The graphs that a query reads; null is the default dataset. */
export type QueryDataset = { default: readonly string[]; named: readonly string[] } | null;

export type ParsedQuery = {
  form: "select" | "ask" | "construct" | "describe";
  /** The operation that gives the solutions. */
  operation: Algebra.Operation;
  /** The variables of SELECT, in their order. */
  variables: string[];
  template: Algebra.Pattern[];
  described: Algebra.Describe["terms"];
  dataset: QueryDataset;
  base: string | null;
};

/** The characters of a query, and of the prefixes that are declared for it. */
const QUERY_CHARS = LIMITS.sparqlChars + 1_024;
/** Deeper queries would exhaust the stack. */
const MAX_NESTING = 200;
/** The levels of a syntax tree; an operator is two of them. */
const MAX_DEPTH = 1_600;

export function parseQuery(text: string, base: string | undefined): ParsedQuery {
  if (text.length > QUERY_CHARS)
    throw new QueryRefused(`The query has more than ${LIMITS.sparqlChars} characters. Shorten it.`);
  refuseDeepNesting(text);
  const syntax = parseSyntax(text, base);
  if (syntax.type === "update") throw new SparqlUpdateError("The request is a SPARQL update, not a query.");
  prepareSlices(syntax);
  const operation = locate(text, () =>
    translate(syntax, { dataFactory: DataFactory, quads: false, blankToVariable: true }),
  );
  restoreOperations(operation);
  const parsed = toParsedQuery(operation, syntax, base ?? null);
  return selectsAll(syntax) ? { ...parsed, variables: orderByAppearance(parsed.variables, text) } : parsed;
}

/** The fields of syntax trees and operations that are changed. */
type SyntaxObject = {
  type?: unknown;
  limit?: unknown;
  offset?: unknown;
  length?: unknown;
  operator?: unknown;
  args?: SyntaxObject[];
};

/** Stands for LIMIT 0, which the translation leaves out. */
const NO_ROWS = -1;

/** Changes LIMIT and OFFSET of a query and its subqueries to numbers that the translation and SQL take. */
function prepareSlices(syntax: unknown): void {
  visitObjects(syntax, (query) => {
    for (const key of ["limit", "offset"] as const)
      if (typeof query[key] === "number") query[key] = Math.min(query[key], Number.MAX_SAFE_INTEGER);
    if (query.limit === 0) query.limit = NO_ROWS;
  });
}

/** Restores LIMIT 0, and makes one operator of a chain of && or ||. */
function restoreOperations(operation: unknown): void {
  visitObjects(operation, (inner) => {
    if (inner.type === Algebra.types.SLICE && inner.length === NO_ROWS) inner.length = 0;
    if (inner.operator === "&&" || inner.operator === "||") inner.args = listChain(inner, inner.operator);
  });
}

function listChain({ args }: SyntaxObject, operator: string): SyntaxObject[] {
  const operands: SyntaxObject[] = [];
  const pending = (args ?? []).toReversed();
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    if (next.operator === operator) pending.push(...(next.args ?? []).toReversed());
    else operands.push(next);
  return operands;
}

/** Calls a function with each object of a tree, without those that are terms. */
function visitObjects(tree: unknown, visit: (object: SyntaxObject) => void): void {
  const pending = [{ node: tree, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, depth } = next;
    if (typeof node !== "object" || node === null || "termType" in node) continue;
    if (depth > MAX_DEPTH)
      throw new QueryRefused("The query has a very long chain of operators. Use IN, or split it.");
    visit(node);
    for (const child of Object.values(node)) pending.push({ node: child, depth: depth + 1 });
  }
}

function selectsAll(syntax: SparqlQuery): boolean {
  return (
    syntax.type === "query" &&
    syntax.queryType === "SELECT" &&
    syntax.variables.some((selected) => "termType" in selected && selected.termType === "Wildcard")
  );
}

/** The variables of SELECT * in the order in which they appear; the algebra has them in another one. */
function orderByAppearance(variables: readonly string[], text: string): string[] {
  const position = (name: string) => text.search(new RegExp(`[?$]${name}(?![\\p{L}\\p{N}_])`, "u"));
  return variables.toSorted((a, b) => position(a) - position(b));
}

function parseSyntax(text: string, base: string | undefined): SparqlQuery {
  return locate(text, () => {
    const parser = new Parser({
      factory: DataFactory,
      prefixes: { ...PREFIXES },
      ...(base === undefined ? {} : { baseIRI: base }),
    });
    const syntax = parser.parse(text);
    return syntax;
  });
}

/** Brackets inside of literals count as well: a bound need not be exact. */
function refuseDeepNesting(text: string): void {
  let depth = 0;
  for (const char of text) {
    if (char === "{" || char === "(" || char === "[") depth += 1;
    else if (char === "}" || char === ")" || char === "]") depth -= 1;
    if (depth > MAX_NESTING)
      throw new QueryRefused(`The query nests more than ${MAX_NESTING} brackets. Flatten it.`);
  }
}

/** Maximum number of characters of an unknown token that an error repeats. */
const MAX_QUOTED = 40;

type ParserError = Error & {
  hash?: { loc?: { first_line: number; first_column: number; last_column: number } };
};

/** Turns the parser's errors into one with line and column. */
function locate<T>(text: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof SparqlSyntaxError) throw error;
    throw describeSyntaxError(text, error);
  }
}

function describeSyntaxError(text: string, error: ParserError): SparqlSyntaxError {
  const location = error.hash?.loc;
  const [first = "", ...rest] = error.message.split("\n");
  if (location === undefined) return new SparqlSyntaxError(first, findMentioned(text, first));
  // The location is that of the token before the one that was not expected.
  const [line, column] = [location.first_line, location.last_column + 1];
  const expected = rest.find((part) => part.startsWith("Expecting")) ?? "";
  const [list = ""] = /^Expecting .*?(?=, got |$)/.exec(expected) ?? [];
  const names = list.replace(/^Expecting /, "").split(", ");
  const hint = names.length > 0 && names.length <= 8 ? `: expected ${names.join(", ")}` : "";
  const got = /, got (.*)$/.exec(expected)?.[1];
  const found = got === "'INVALID'" ? quoteWord(text, line, column) : got;
  return new SparqlSyntaxError(`Syntax error${found === undefined ? "" : ` at ${found}`}${hint}`, {
    line,
    column,
  });
}

/** Returns the word at or after a place: the parser has no name for a token that it does not know. */
function quoteWord(text: string, line: number, column: number): string | undefined {
  const rest = text
    .split("\n")
    .slice(line - 1)
    .join("\n")
    .slice(column - 1);
  const [word] = /\S+/.exec(rest) ?? [];
  return word === undefined ? undefined : `'${word.slice(0, MAX_QUOTED)}'`;
}

/** Finds the prefix or variable that a message names, to say where it is. */
function findMentioned(text: string, message: string): { line: number; column: number } {
  const name = /Unknown prefix: (\S+)/.exec(message)?.[1] ?? /\?\w+/.exec(message)?.[0];
  const at = name === undefined ? -1 : text.indexOf(name.startsWith("?") ? name : `${name}:`);
  const before = text.slice(0, Math.max(0, at)).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** The operations of the query forms but for SELECT. */
const FORMS: readonly string[] = [Algebra.types.ASK, Algebra.types.CONSTRUCT, Algebra.types.DESCRIBE];

function toParsedQuery(operation: Algebra.Operation, syntax: SparqlQuery, base: string | null): ParsedQuery {
  const parsed: ParsedQuery = {
    form: "select",
    operation,
    variables: [],
    template: [],
    described: [],
    dataset: null,
    base: ("base" in syntax && syntax.base !== undefined ? syntax.base : base) ?? null,
  };
  const { types } = Algebra;
  let slice: Algebra.Slice | undefined;
  for (;;) {
    const { operation: outer } = parsed;
    // LIMIT and OFFSET of these forms count solutions: the translation puts them around the form.
    if (outer.type === types.SLICE && FORMS.includes(outer.input.type)) slice = outer;
    else if (outer.type === types.FROM) {
      parsed.dataset = {
        default: outer.default.map(({ value }) => value),
        named: outer.named.map(({ value }) => value),
      };
    } else if (outer.type === types.ASK) parsed.form = "ask";
    else if (outer.type === types.CONSTRUCT) {
      parsed.form = "construct";
      parsed.template = outer.template;
    } else if (outer.type === types.DESCRIBE) {
      parsed.form = "describe";
      parsed.described = outer.terms;
    } else break;
    parsed.operation = outer.input;
  }
  if (slice !== undefined) parsed.operation = { ...slice, input: parsed.operation };
  if (parsed.form === "select") parsed.variables = listProjected(parsed.operation);
  return parsed;
}

function listProjected(operation: Algebra.Operation): string[] {
  let inner = operation;
  while (inner.type !== Algebra.types.PROJECT) {
    if (!("input" in inner) || Array.isArray(inner.input)) return [];
    inner = inner.input as Algebra.Operation;
  }
  return inner.variables.map(({ value }) => value);
}
