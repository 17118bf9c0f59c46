// What every test says about an answer: its status and body, or the problem it reports.
import { expect } from "vitest";
import type { Answer } from "./client";
import { type Problem, type ProblemCode, STATUS } from "./contract";

/** The body of an answer that must have this status. */
export function bodyOf<T>(answer: Answer<T>, status: number): T {
  expect(answer.status, `${answer.method} ${answer.path}: ${answer.text.slice(0, 500)}`).toBe(status);
  return answer.body;
}

const INTERNALS = [
  /\bat \S+ \(.*:\d+:\d+\)/,
  /node_modules/,
  /\.[jt]s:\d+/,
  /SQLITE|D1_ERROR/,
  /\bSELECT\b.*\bFROM\b/,
];

/** Stacks and SQL must not reach a caller. */
export function expectNoInternals(text: string): void {
  for (const internal of INTERNALS) expect(text).not.toMatch(internal);
}

function names(path: string, field: string | RegExp): boolean {
  return field instanceof RegExp ? field.test(path) : path.split(/[.[\]/]+/).includes(field);
}

/** A problem document of this code; with `field`, one whose errors name that field. */
export function expectProblem(answer: Answer<unknown>, code: ProblemCode, field?: string | RegExp): Problem {
  const problem = bodyOf(answer, STATUS[code]) as Problem;
  expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
  expect(problem).toMatchObject({
    type: expect.any(String),
    title: expect.stringMatching(/\S/),
    status: STATUS[code],
    code,
    detail: expect.stringMatching(/\S/),
  });
  expectNoInternals(answer.text);
  if (field !== undefined) {
    const errors = problem.errors ?? [];
    expect(
      errors.some((error) => names(error.path, field)),
      `errors should name ${field}: ${JSON.stringify(errors)}`,
    ).toBe(true);
    for (const error of errors) expect(error.message).toMatch(/\S/);
  }
  return problem;
}
