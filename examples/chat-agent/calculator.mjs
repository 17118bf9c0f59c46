// Evaluates arithmetic without eval: numbers, + - * / and brackets.

/** Returns the value of an expression; throws if it is invalid. */
export function calculate(expression) {
  const tokens = expression.match(/\d+(\.\d+)?|\S/g) ?? [];
  let at = 0;

  function parseSum() {
    let value = parseProduct();
    while (tokens[at] === "+" || tokens[at] === "-") {
      value = tokens[at++] === "+" ? value + parseProduct() : value - parseProduct();
    }
    return value;
  }

  function parseProduct() {
    let value = parseFactor();
    while (tokens[at] === "*" || tokens[at] === "/") {
      value = tokens[at++] === "*" ? value * parseFactor() : value / parseFactor();
    }
    return value;
  }

  function parseFactor() {
    const token = tokens[at++];
    if (token === "-") return -parseFactor();
    if (token === "(") {
      const value = parseSum();
      if (tokens[at++] !== ")") throw new Error("a bracket is not closed");
      return value;
    }
    if (token === undefined || Number.isNaN(Number(token))) {
      throw new Error(`a number was expected in place of ${token ?? "the end"}`);
    }
    return Number(token);
  }

  const value = parseSum();
  if (at < tokens.length) throw new Error(`${tokens[at]} was not expected`);
  return value;
}
