// The error of an expression (SPARQL 1.1, section 17.2): an unbound variable or a type error.

/** FILTER takes it as false, BIND and aggregates leave their variable unbound. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
}

export function raiseTypeError(message = "An operand has the wrong type"): never {
  throw new ExpressionError(message);
}
