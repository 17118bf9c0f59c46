// Sums as a model writes them, worked out without eval: numbers, + - * / and brackets.

/** The value of an expression; throws if it is none. */
export function calculate(expression) {
  const tokens = expression.match(/\d+(\.\d+)?|\S/g) ?? [];
  let at = 0;

  function sum() {
    let value = product();
    while (tokens[at] === "+" || tokens[at] === "-") {
      value = tokens[at++] === "+" ? value + product() : value - product();
    }
    return value;
  }

  function product() {
    let value = factor();
    while (tokens[at] === "*" || tokens[at] === "/") {
      value = tokens[at++] === "*" ? value * factor() : value / factor();
    }
    return value;
  }

  function factor() {
    const token = tokens[at++];
    if (token === "-") return -factor();
    if (token === "(") {
      const value = sum();
      if (tokens[at++] !== ")") throw new Error("a bracket is not closed");
      return value;
    }
    if (token === undefined || Number.isNaN(Number(token))) {
      throw new Error(`a number was expected in place of ${token ?? "the end"}`);
    }
    return Number(token);
  }

  const value = sum();
  if (at < tokens.length) throw new Error(`${tokens[at]} was not expected`);
  return value;
}
