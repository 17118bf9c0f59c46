// Which patterns of REGEX are refused, before they take exponential time.
import { expect, it } from "vitest";
import { compileRegex } from "../../../src/graph/functions/regular-expressions";
import { literal } from "../../../src/graph/rdf-terms";
import { QueryRefused } from "../../../src/graph/sparql-answer";

const compile = (pattern: string, flags = "", length = 10) =>
  compileRegex(literal(pattern), literal(flags), length);

it.each([
  "^(a+)+$",
  "^((a+))+$",
  "^((a|a))*$",
  "^(?:(?:a|b)c)*$",
  "(a?){26}a{26}$",
  "((ab)*c){2,}",
  "(\\(a+)+",
  "([)]a+)+",
  "a*a*a*a*c",
  "(a*)(a*)(a*)c",
  "a{1,500}a{1,500}a{1,500}c",
  "a?".repeat(30),
  "(a|a)".repeat(30),
])("refuses %s", (pattern) => {
  expect(() => compile(pattern)).toThrow(QueryRefused);
});

it("refuses a nested repetition that whitespace hides", () => {
  expect(() => compile("(a +) +", "x")).toThrow(QueryRefused);
});

it.each([
  ["(ab)+c", "ababc"],
  ["^error.*timeout.*", "error: timeout"],
  ["(a+)?b", "b"],
  ["\\(a+\\)+", "(aa))"],
  ["[(a|b)*]+x", "(*x"],
  ["colou?r|gr[ae]y|black|white|red|green|blue", "grey"],
  ["^\\d{4}-\\d{2}-\\d{2}$", "2026-01-02"],
  ["a+?b", "aab"],
])("allows %s", (pattern, text) => {
  expect(compile(pattern).test(text)).toBe(true);
});

it("allows any repetition with the flag q", () => {
  expect(compile("(a+)+", "q").test("x(a+)+y")).toBe(true);
});

it("bounds the text by the number of repetitions", () => {
  expect(() => compile("a.*b", "", 60_000)).toThrow(/50000 characters/);
  expect(() => compile("a.*b.*c", "", 6_000)).toThrow(/5000 characters/);
  expect(compile("ab", "", 60_000)).toBeInstanceOf(RegExp);
});
