// The errors of the SPARQL parser: they name the token that was typed.
import { expect, it } from "vitest";
import { parseQuery } from "../../../src/graph/parse-query";

it.each([
  ["SELEC ?x WHERE { ?x ?y ?z }", "Syntax error at 'SELEC'"],
  ["PREFIX a: <https://a.example/> SELEC", "Syntax error at 'SELEC'"],
  ["SELECT ?x WHERE {\n  %% }", "Syntax error at '%%'"],
])("names an unknown token: %s", (query, message) => {
  expect(() => parseQuery(query, undefined)).toThrow(message);
});
