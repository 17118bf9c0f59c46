// Conditions of FILTER in SQL: 1, 0, or NULL for an error.
import { Algebra } from "sparqlalgebrajs";
import { isSimple, isStringLiteral, XSD } from "../rdf-terms";
import type { RdfTerm } from "../sparql-answer";
import { encodeTerm } from "../stored-terms";
import {
  type ComparisonOperator,
  compareEqual,
  compareOrder,
  compareSameTerm,
  failUndecided,
} from "./compare-columns";
import type { CompileContext } from "./compile-context";
import { compileValue } from "./compile-values";
import { matchConstant } from "./pattern-tables";
import {
  type Column,
  type Columns,
  conjoin,
  disjoin,
  matchColumns,
  NotCompilable,
  uniteRelations,
  writeFrom,
} from "./select-block";

/** Splits a condition at its conjunctions. */
export function listConjuncts(condition: Algebra.Expression): Algebra.Expression[] {
  const isAnd = condition.expressionType === Algebra.expressionTypes.OPERATOR && condition.operator === "&&";
  return isAnd ? (condition.args as Algebra.Expression[]).flatMap(listConjuncts) : [condition];
}

/** Splits a condition at its disjunctions. */
function listDisjuncts(condition: Algebra.Expression): Algebra.Expression[] {
  const isOr = condition.expressionType === Algebra.expressionTypes.OPERATOR && condition.operator === "||";
  return isOr ? (condition.args as Algebra.Expression[]).flatMap(listDisjuncts) : [condition];
}

/** Returns the conditions of WHERE for a filter. There an error is the same as false. */
export function compileFilter(
  condition: Algebra.Expression,
  columns: Columns,
  context: CompileContext,
): string[] {
  return listConjuncts(condition).flatMap(
    (conjunct) =>
      compileEqualConstant(conjunct, columns, context) ?? [compileCondition(conjunct, columns, context)],
  );
}

/** Compiles `?x = constant` so that it can use an index; null if it is another condition. */
function compileEqualConstant(
  condition: Algebra.Expression,
  columns: Columns,
  context: CompileContext,
): string[] | null {
  if (condition.expressionType !== Algebra.expressionTypes.OPERATOR || condition.operator !== "=")
    return null;
  const [x, y] = condition.args;
  if (x === undefined || y === undefined) return null;
  const constant = readConstant(y) ?? readConstant(x);
  const other = readConstant(y) === null ? y : x;
  if (constant === null || readConstant(other) !== null) return null;
  const isTermEquality = constant.termType !== "Literal" || isStringLiteral(constant);
  return isTermEquality
    ? matchConstant(encodeTerm(constant), compileValue(other, columns, context), context)
    : null;
}

function readConstant(expression: Algebra.Expression): RdfTerm | null {
  const isConstant =
    expression.expressionType === Algebra.expressionTypes.TERM && expression.term.termType !== "Variable";
  return isConstant ? (expression.term as RdfTerm) : null;
}

export function compileCondition(
  condition: Algebra.Expression,
  columns: Columns,
  context: CompileContext,
): string {
  const { expressionTypes } = Algebra;
  if (condition.expressionType === expressionTypes.EXISTENCE)
    return `${condition.not ? "NOT " : ""}${compileExists(condition.input, columns, context)}`;
  const constant = readConstant(condition);
  if (constant !== null && constant.termType === "Literal" && constant.datatypeString === XSD.boolean)
    return constant.value === "true" || constant.value === "1" ? "1" : "0";
  if (condition.expressionType !== expressionTypes.OPERATOR)
    throw new NotCompilable(`The condition ${condition.expressionType}`);
  return context.write(compileOperator(condition, columns, context));
}

function compileOperator(
  { operator, args }: Algebra.OperatorExpression,
  columns: Columns,
  context: CompileContext,
): string {
  const test = (expression: Algebra.Expression) => compileCondition(expression, columns, context);
  const value = (i: number): Column => {
    const argument = args[i];
    if (argument === undefined) throw new NotCompilable(`${operator} without an argument`);
    return compileValue(argument, columns, context);
  };
  const name = operator.toLowerCase();
  switch (name) {
    case "&&":
      return conjoin(args.flatMap(listConjuncts).map(test));
    case "||":
      return disjoin(args.flatMap(listDisjuncts).map(test));
    case "!":
      return `(NOT ${args.map(test).join("")})`;
    case "bound":
      return `(${value(0).value} IS NOT NULL)`;
    case "=":
      return compareEqual(value(0), value(1));
    case "!=":
      return `(NOT ${compareEqual(value(0), value(1))})`;
    case "<":
    case ">":
    case "<=":
    case ">=":
      return compareOrder(name satisfies ComparisonOperator, value(0), value(1));
    case "in":
      return disjoin(args.slice(1).map((_, i) => context.write(compareEqual(value(0), value(i + 1)))));
    case "notin":
      return `(NOT ${disjoin(args.slice(1).map((_, i) => context.write(compareEqual(value(0), value(i + 1)))))})`;
    case "sameterm":
      return compareSameTerm(value(0), value(1));
    case "isiri":
    case "isuri":
      return testBound(value(0), ({ value: v, kind }) => `${kind} = '' AND ${v} NOT GLOB '_:*'`);
    case "isblank":
      return testBound(value(0), ({ value: v, kind }) => `${kind} = '' AND ${v} GLOB '_:*'`);
    case "isliteral":
      return testBound(value(0), ({ kind }) => `${kind} <> ''`);
    case "contains":
    case "strstarts":
    case "strends":
      return compileTextTest(name, args, columns, context);
    case "regex":
      return compileRegexTest(args, columns, context);
    case "langmatches":
      return matchLanguage(value(0), args[1], context);
    default:
      throw new NotCompilable(`The condition ${operator}`);
  }
}

function testBound(column: Column, test: (column: Column) => string): string {
  return `CASE WHEN ${column.value} IS NOT NULL THEN (${test(column)}) END`;
}

function matchLanguage(
  { value }: Column,
  range: Algebra.Expression | undefined,
  { bind }: CompileContext,
): string {
  const wanted = requireText(range).toLowerCase();
  if (wanted === "*") return `(${value} <> '')`;
  return `(lower(${value}) = ${bind(wanted)} OR substr(lower(${value}), 1, ${wanted.length + 1}) = ${bind(`${wanted}-`)})`;
}

/** Returns the text of a constant xsd:string. */
function requireText(expression: Algebra.Expression | undefined): string {
  const constant = expression === undefined ? null : readConstant(expression);
  if (constant === null || !isSimple(constant)) throw new NotCompilable("A text that is not constant");
  return constant.value;
}

type TextTest = "contains" | "strstarts" | "strends";

function compileTextTest(
  test: TextTest,
  [whole, part]: readonly Algebra.Expression[],
  columns: Columns,
  context: CompileContext,
): string {
  if (whole === undefined) throw new NotCompilable(test);
  const isFolded =
    whole.expressionType === Algebra.expressionTypes.OPERATOR && whole.operator.toLowerCase() === "lcase";
  const [inner] = isFolded ? (whole.args as Algebra.Expression[]) : [whole];
  if (inner === undefined) throw new NotCompilable(test);
  return testText(test, compileValue(inner, columns, context), requireText(part), isFolded, context);
}

/** SQLite folds the case of ASCII letters alone; these fold to ASCII letters too, or are folded from them. */
const FOLDED_TO_ASCII = "*[\u0130\u017f\u212a]*";
const ASCII = /^[\x20-\x7e]*$/;

function testText(
  test: TextTest,
  column: Column,
  part: string,
  isFolded: boolean,
  { bind }: CompileContext,
): string {
  if (isFolded && !ASCII.test(part)) throw new NotCompilable("A text beyond ASCII without regard to case");
  const { value, kind } = column;
  const text = isFolded ? `lower(${value})` : value;
  const length = [...part].length;
  const found = {
    contains: `instr(${text}, ${bind(part)}) > 0`,
    strstarts: `substr(${text}, 1, ${length}) = ${bind(part)}`,
    strends: length === 0 ? "1" : `substr(${text}, -${length}) = ${bind(part)}`,
  }[test];
  const undecided = isFolded ? `WHEN ${value} GLOB '${FOLDED_TO_ASCII}' THEN ${failUndecided(value)} ` : "";
  return `CASE WHEN ${kind} <> 'xsd:string' AND ${kind} NOT GLOB '@*' THEN NULL WHEN ${value} IS NULL THEN NULL ${undecided}ELSE ${found} END`;
}

/** A pattern without metacharacters is a search for a text. Others are left to JavaScript. */
function compileRegexTest(
  [whole, pattern, flags]: readonly Algebra.Expression[],
  columns: Columns,
  context: CompileContext,
): string {
  const source = requireText(pattern);
  const letters = flags === undefined ? "" : requireText(flags);
  const isAnchored = source.startsWith("^");
  const text = isAnchored ? source.slice(1) : source;
  if (whole === undefined || /[\\^$.*+?()[\]{}|]/.test(text) || (letters !== "" && letters !== "i"))
    throw new NotCompilable("A regular expression");
  const isFolded = letters === "i";
  const part = isFolded ? text.toLowerCase() : text;
  const column = compileValue(whole, columns, context);
  return testText(isAnchored ? "strstarts" : "contains", column, part, isFolded, context);
}

/** EXISTS of a pattern, with the columns of the solution in place of its variables. */
function compileExists(input: Algebra.Operation, columns: Columns, context: CompileContext): string {
  const outer = new Map([...context.outer, ...columns]);
  const relation = uniteRelations(context.compile(input, { ...context, outer }), context);
  const matching = [...relation.columns].flatMap(([name, column]) => {
    const own = outer.get(name);
    return own === undefined ? [] : matchColumns(own, column);
  });
  return context.write(
    `EXISTS (SELECT 1${writeFrom({ ...relation, where: [...relation.where, ...matching] })})`,
  );
}
