// Evaluates expressions: the functional forms of SPARQL 1.1 (section 17.4.1) here, all other functions in builtins.ts.
import { Algebra } from "sparqlalgebrajs";
import { blankNode, literal, makeBoolean, makeTyped, namedNode, XSD } from "../rdf-terms";
import { QueryRefused, type RdfTerm, type Solution } from "../sparql-answer";
import { BUILTINS } from "./builtins";
import { CASTS } from "./casts";
import { areEqual, computeEffectiveBoolean } from "./comparison";
import { ExpressionError, raiseTypeError, refuseLongText } from "./expression-error";
import { formatDouble } from "./numbers";
import { requireText } from "./strings";

/** The values that are the same in a whole query, and the answers of EXISTS. */
export type ExpressionContext = {
  /** The time of NOW. */
  readonly now: string;
  /** The base of IRI; null if there is none. */
  readonly base: string | null;
  /** Returns a label that no other blank node of the answer has. */
  readonly nextLabel: () => string;
  /** The blank nodes that BNODE made for the labels of a solution. */
  readonly labelled: WeakMap<Solution, Map<string, RdfTerm>>;
  /** Returns whether the pattern of an EXISTS matches a solution. */
  readonly exists: (expression: Algebra.ExistenceExpression, solution: Solution) => boolean;
};

/** Returns the value of an expression, or throws an ExpressionError. */
export function evaluateExpression(
  expression: Algebra.Expression,
  solution: Solution,
  context: ExpressionContext,
): RdfTerm {
  const { expressionTypes } = Algebra;
  switch (expression.expressionType) {
    case expressionTypes.TERM:
      return evaluateTerm(expression, solution);
    case expressionTypes.EXISTENCE:
      return makeBoolean(context.exists(expression, solution) !== expression.not);
    case expressionTypes.NAMED:
      return callNamed(expression, solution, context);
    case expressionTypes.OPERATOR:
      return callOperator(expression, solution, context);
    default:
      return raiseTypeError(`A ${expression.expressionType} has no value here`);
  }
}

/** Returns the value of an expression; undefined if it has an error. */
export function tryExpression(
  expression: Algebra.Expression,
  solution: Solution,
  context: ExpressionContext,
): RdfTerm | undefined {
  try {
    return evaluateExpression(expression, solution, context);
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}

/** Returns whether a condition holds: its effective boolean value, or false if it has an error. */
export function holds(
  condition: Algebra.Expression,
  solution: Solution,
  context: ExpressionContext,
): boolean {
  try {
    return computeEffectiveBoolean(evaluateExpression(condition, solution, context));
  } catch (error) {
    if (error instanceof ExpressionError) return false;
    throw error;
  }
}

function evaluateTerm({ term }: Algebra.TermExpression, solution: Solution): RdfTerm {
  if (term.termType === "Variable")
    return solution.get(term.value) ?? raiseTypeError(`?${term.value} is unbound`);
  // The parser makes no other terms.
  return term as RdfTerm;
}

function callNamed(
  { name, args }: Algebra.NamedExpression,
  solution: Solution,
  context: ExpressionContext,
): RdfTerm {
  const cast = CASTS.get(name.value);
  const [argument] = args;
  // An unknown function is an error of the expression, not of the query (section 17.6).
  if (cast === undefined || argument === undefined || args.length > 1)
    return raiseTypeError(`There is no function <${name.value}>`);
  return cast(evaluateExpression(argument, solution, context));
}

function callOperator(
  { operator, args }: Algebra.OperatorExpression,
  solution: Solution,
  context: ExpressionContext,
): RdfTerm {
  const evaluate = (argument: Algebra.Expression) => evaluateExpression(argument, solution, context);
  const [first, second, third] = args;
  switch (operator.toLowerCase()) {
    case "&&":
      return makeBoolean(!combine(args, false, evaluate));
    case "||":
      return makeBoolean(combine(args, true, evaluate));
    case "bound":
      return makeBoolean(isBoundVariable(first, solution));
    case "if":
      if (first === undefined || second === undefined || third === undefined) return raiseTypeError();
      return evaluate(computeEffectiveBoolean(evaluate(first)) ? second : third);
    case "coalesce":
      return coalesce(args, solution, context);
    case "in":
      return makeBoolean(isAmong(args, evaluate));
    case "notin":
      return makeBoolean(!isAmong(args, evaluate));
    case "iri":
    case "uri":
      return first === undefined ? raiseTypeError() : makeIri(evaluate(first), context.base);
    case "bnode":
      return makeBlankNode(first === undefined ? null : requireText(evaluate(first)), solution, context);
    case "now":
      return makeTyped(context.now, XSD.dateTime);
    case "rand":
      return makeTyped(formatDouble(Math.random()), XSD.double);
    case "uuid":
      return namedNode(`urn:uuid:${crypto.randomUUID()}`);
    case "struuid":
      return literal(crypto.randomUUID());
    default: {
      const builtin = BUILTINS.get(operator.toLowerCase());
      if (builtin === undefined) throw new QueryRefused(`There is no function ${operator}.`);
      // The algebra gives the sign of a number the name of the operator with two operands.
      if (operator === "-" && args.length === 1) return callUnary("uminus", args, evaluate);
      if (operator === "+" && args.length === 1) return callUnary("uplus", args, evaluate);
      const value = builtin(...args.map(evaluate));
      refuseLongText(value.value.length);
      return value;
    }
  }
}

function callUnary(
  name: string,
  args: readonly Algebra.Expression[],
  evaluate: (argument: Algebra.Expression) => RdfTerm,
): RdfTerm {
  return BUILTINS.get(name)?.(...args.map(evaluate)) ?? raiseTypeError();
}

/**
 * The logical connectives, whose error yields to an operand that decides. Returns whether an operand has the deciding
 * value.
 */
function combine(
  args: readonly Algebra.Expression[],
  deciding: boolean,
  evaluate: (argument: Algebra.Expression) => RdfTerm,
): boolean {
  let failed: ExpressionError | null = null;
  for (const argument of args) {
    try {
      if (computeEffectiveBoolean(evaluate(argument)) === deciding) return true;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      failed = error;
    }
  }
  if (failed !== null) throw failed;
  return false;
}

/** The operator IN: like a disjunction of equalities. */
function isAmong(
  [first, ...list]: readonly Algebra.Expression[],
  evaluate: (argument: Algebra.Expression) => RdfTerm,
): boolean {
  if (first === undefined) return raiseTypeError();
  const value = evaluate(first);
  let failed: ExpressionError | null = null;
  for (const item of list) {
    try {
      if (areEqual(value, evaluate(item))) return true;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      failed = error;
    }
  }
  if (failed !== null) throw failed;
  return false;
}

function isBoundVariable(argument: Algebra.Expression | undefined, solution: Solution): boolean {
  return (
    argument?.expressionType === Algebra.expressionTypes.TERM &&
    (argument.term.termType !== "Variable" || solution.has(argument.term.value))
  );
}

function coalesce(
  args: readonly Algebra.Expression[],
  solution: Solution,
  context: ExpressionContext,
): RdfTerm {
  for (const argument of args) {
    const value = tryExpression(argument, solution, context);
    if (value !== undefined) return value;
  }
  return raiseTypeError("No argument of COALESCE has a value");
}

function makeIri(term: RdfTerm, base: string | null): RdfTerm {
  if (term.termType === "NamedNode") return term;
  const text = requireText(term);
  const isRelative = !/^[a-z][a-z\d+.-]*:/i.test(text);
  if (!isRelative || base === null) return namedNode(text);
  if (!URL.canParse(text, base)) return raiseTypeError("The text is not an IRI");
  return namedNode(new URL(text, base).href);
}

/** The same label gives the same blank node within a solution. */
function makeBlankNode(label: string | null, solution: Solution, context: ExpressionContext): RdfTerm {
  if (label === null) return blankNode(context.nextLabel());
  let labels = context.labelled.get(solution);
  if (labels === undefined) {
    labels = new Map();
    context.labelled.set(solution, labels);
  }
  const known = labels.get(label);
  if (known !== undefined) return known;
  const made = blankNode(context.nextLabel());
  labels.set(label, made);
  return made;
}
