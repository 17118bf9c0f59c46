// The error of an expression (SPARQL 1.1, section 17.2): an unbound variable or a type error.

/** FILTER takes it as false, BIND and aggregates leave their variable unbound. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
}

/** Errors by their messages: one is thrown for each solution, and a stack trace takes longer than the expression. */
const errors = new Map<string, ExpressionError>();
const MAX_ERRORS = 100;

export function raiseTypeError(message = "An operand has the wrong type"): never {
  const error = errors.get(message) ?? new ExpressionError(message);
  if (errors.size >= MAX_ERRORS) errors.clear();
  errors.set(message, error);
  throw error;
}
