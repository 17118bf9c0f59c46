// Compiles an operation to one SQL statement with bound parameters, and reads its rows as solutions.
import type { Algebra } from "sparqlalgebrajs";
import type { RdfTerm, Solution } from "../sparql-answer";
import { decodeTerm } from "../stored-terms";
import type { CompileContext, CompileInput } from "./compile-context";
import { compileOperation } from "./compile-operation";
import { writePast } from "./past-statements";
import { NotCompilable, UNBOUND_COLUMN, uniteRelations, writeFrom } from "./select-block";

export type CompiledStatement = {
  readonly sql: string;
  readonly parameters: readonly string[];
  readonly variables: readonly string[];
};

/** The limits of D1. */
const MAX_PARAMETERS = 100;
const MAX_SQL_CHARS = 90_000;
const MAX_COLUMNS = 100;
/** The parts that are written for a statement, some of which contain others. */
const MAX_WRITTEN_CHARS = 4 * MAX_SQL_CHARS;
/** Each closure repeats the tables that it starts from. */
const MAX_CLOSURES = 4;

/** Throws NotCompilable for an operation that SQL does not express. Returns at most `rows` solutions. */
export function compileStatement(
  operation: Algebra.Operation,
  scope: CompileInput,
  rows: number,
): CompiledStatement {
  const values: string[] = [];
  let aliases = 0;
  let written = 0;
  let closures = 0;
  const context: CompileContext = {
    ...scope,
    bind: (value) => {
      const known = values.indexOf(value);
      return `«${known < 0 ? values.push(value) - 1 : known}»`;
    },
    nextAlias: (letter) => {
      aliases += 1;
      return `${letter}${aliases}`;
    },
    write: (text) => {
      written += text.length;
      if (written > MAX_WRITTEN_CHARS) throw new NotCompilable("A statement that is too long");
      return text;
    },
    addClosure: () => {
      closures += 1;
      if (closures > MAX_CLOSURES) throw new NotCompilable("A statement with many closures");
    },
    readPredicates: new Set(),
    outer: new Map(),
    compile: compileOperation,
  };
  const relation = uniteRelations(compileOperation(operation, context), context);
  // A space begins the names of variables that the compiler made.
  const variables = [...relation.columns.keys()].filter((name) => !name.startsWith(" "));
  const selected = variables.map((name, i) => {
    const { value, kind } = relation.columns.get(name) ?? UNBOUND_COLUMN;
    return `${value} AS v${i}, ${kind} AS k${i}`;
  });
  if (selected.length * 2 > MAX_COLUMNS) throw new NotCompilable("Too many variables");
  const order = relation.order.length === 0 ? "" : ` ORDER BY ${relation.order.join(", ")}`;
  const list = selected.length === 0 ? "1" : selected.join(", ");
  return {
    ...numberParameters(
      `${writePast(context)}SELECT ${list}${writeFrom(relation)}${order} LIMIT ${rows}`,
      values,
    ),
    variables,
  };
}

/** Replaces the placeholders. More values than D1 binds are bound as one JSON array. */
function numberParameters(text: string, values: readonly string[]): { sql: string; parameters: string[] } {
  const used = [...new Set([...text.matchAll(/«(\d+)»/g)].map(([, index]) => Number(index)))];
  const isArray = used.length > MAX_PARAMETERS;
  const sql = text.replace(/«(\d+)»/g, (_, index) => {
    const at = used.indexOf(Number(index));
    return isArray ? `(?1 ->> ${at})` : `?${at + 1}`;
  });
  if (sql.length > MAX_SQL_CHARS) throw new NotCompilable("A statement that is too long");
  const parameters = used.map((index) => values[index] ?? "");
  return { sql, parameters: isArray ? [JSON.stringify(parameters)] : parameters };
}

/** Reads a row: the values and kinds of the variables in turn. */
export function readSolution(
  row: readonly unknown[],
  variables: readonly string[],
  terms: TermCache,
): Solution {
  const solution = new Map<string, RdfTerm>();
  variables.forEach((name, i) => {
    const [value, kind] = [row[2 * i], row[2 * i + 1]];
    if (value === null || value === undefined || kind === null || kind === undefined) return;
    solution.set(name, terms(String(value), String(kind)));
  });
  return solution;
}

type TermCache = (value: string, kind: string) => RdfTerm;

/** Decodes terms; IRIs, which repeat, once. */
export function createTermCache(): TermCache {
  const iris = new Map<string, RdfTerm>();
  return (value, kind) => {
    if (kind !== "") return decodeTerm({ value, kind });
    const known = iris.get(value);
    if (known !== undefined) return known;
    const term = decodeTerm({ value, kind });
    iris.set(value, term);
    return term;
  };
}
