// Expressions as columns of SQL: variables, constants, and the functions of terms that SQL has.

import type { Term } from "n3";
import { Algebra } from "sparqlalgebrajs";
import { parseDate } from "../functions/dates";
import { isNumericDatatype, readNumericValue, toDouble } from "../functions/numbers";
import { isLiteral, XSD } from "../rdf-terms";
import type { RdfTerm } from "../sparql-answer";
import { encodeKey, encodeTerm } from "../stored-terms";
import { writeText } from "./compare-columns";
import type { CompileContext } from "./compile-context";
import { type Column, type Columns, NotCompilable, UNBOUND_COLUMN } from "./select-block";

/** Returns the column of a constant term. */
export function compileConstant(term: Term, { bind }: CompileContext): Column {
  const stored = encodeTerm(term);
  return {
    value: bind(stored.value),
    kind: stored.kind === "" ? "''" : bind(stored.kind),
    key: bind(encodeKey(stored)),
    number: writeNumber(term as RdfTerm),
    isOptional: false,
    isIri: stored.kind === "",
  };
}

/** Returns the value that the column `number` has for a literal. */
function writeNumber(term: RdfTerm): string {
  if (!isLiteral(term)) return "NULL";
  if (isNumericDatatype(term.datatypeString)) {
    const number = readNumericValue(term);
    const value = number === null ? Number.NaN : toDouble(number);
    return Number.isFinite(value) ? `${value}` : "NULL";
  }
  if (term.datatypeString !== XSD.dateTime) return "NULL";
  const date = parseDate(term.value, true);
  return date === null ? "NULL" : `${date.milliseconds / 1000}`;
}

/** Returns the column of an expression. */
export function compileValue(
  expression: Algebra.Expression,
  columns: Columns,
  context: CompileContext,
): Column {
  if (expression.expressionType === Algebra.expressionTypes.TERM) {
    const { term } = expression;
    if (term.termType !== "Variable") return compileConstant(term as Term, context);
    return columns.get(term.value) ?? context.outer.get(term.value) ?? UNBOUND_COLUMN;
  }
  if (expression.expressionType !== Algebra.expressionTypes.OPERATOR)
    throw new NotCompilable(`The value of ${expression.expressionType}`);
  const [argument] = expression.args;
  if (argument === undefined) throw new NotCompilable(`The value of ${expression.operator}`);
  const compute = () => compileValue(argument, columns, context);
  switch (expression.operator.toLowerCase()) {
    case "str":
      return makeText(context.write(writeText(compute())));
    case "lang": {
      const { kind } = compute();
      return makeText(
        context.write(`CASE WHEN ${kind} GLOB '@*' THEN substr(${kind}, 2) WHEN ${kind} <> '' THEN '' END`),
      );
    }
    case "datatype": {
      const { kind } = compute();
      const value = `CASE WHEN ${kind} GLOB '@*' THEN 'rdf:langString' WHEN ${kind} <> '' THEN ${kind} END`;
      return { ...makeText(context.write(value)), kind: `iif(${value} IS NULL, NULL, '')`, isIri: true };
    }
    default:
      throw new NotCompilable(`The value of ${expression.operator}`);
  }
}

/** Returns the column of a computed xsd:string, which is unbound if the value is NULL. */
function makeText(value: string): Column {
  return {
    value,
    kind: `iif(${value} IS NULL, NULL, 'xsd:string')`,
    key: null,
    number: "NULL",
    isOptional: true,
    isIri: false,
  };
}
