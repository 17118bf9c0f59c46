// Validates input, and turns zod issues into field errors that name the field and the fix.
import type { z } from "@hono/zod-openapi";
import { type FieldError, fail, ok, REPORTED_ERRORS, type Result } from "../platform/errors";
import { findOverlongList } from "./input/overlong-list";

/** Returns the parsed value, or a failure that names the fields. The cost is bounded by the limits of the schema. */
export function parseInput<T extends z.ZodType>(
  schema: T,
  value: unknown,
  where: string,
): Result<z.output<T>> {
  const overlong = findOverlongList(schema, value);
  if (overlong !== null) return describeErrors([overlong], 1, where);
  try {
    const parsed = schema.safeParse(value, { reportInput: true });
    return parsed.success ? ok(parsed.data) : describeInvalidInput(parsed.error, where);
  } catch (error) {
    // zod passes issues as arguments, of which the engine takes about a hundred thousand.
    if (!(error instanceof RangeError)) throw error;
    return fail("invalid_request", `The ${where} has too many errors to list. Check its format.`);
  }
}

/** Describes invalid input: a field error for each of the first issues, the first of them in the detail. */
export function describeInvalidInput(error: z.ZodError, where: string) {
  const { issues } = error;
  const errors = issues.slice(0, REPORTED_ERRORS).flatMap(toFieldErrors);
  const count = issues.slice(REPORTED_ERRORS).reduce((sum, issue) => sum + countFields(issue), errors.length);
  return describeErrors(errors, count, where);
}

/** Describes the field errors that are given, of `count` in all. */
function describeErrors(errors: FieldError[], count: number, where: string) {
  const [first] = errors;
  const detail =
    first === undefined ? `The ${where} is not valid.` : `${first.path || where}: ${first.message}`;
  return fail("invalid_request", detail, { errors, more_errors: count - errors.length });
}

function countFields(issue: Issue): number {
  return issue.code === "unrecognized_keys" ? issue.keys.length : 1;
}

type Issue = z.core.$ZodIssue;

function toFieldErrors(issue: Issue): FieldError[] {
  const path = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: path === "" ? key : `${path}.${key}`,
      message: issue.message.startsWith("Unrecognized")
        ? "is not a known field: remove it or check its spelling"
        : issue.message,
    }));
  }
  if (issue.code === "invalid_key") return issue.issues.map((one) => ({ path, message: describeIssue(one) }));
  const meant = issue.code === "invalid_union" ? selectIntendedBranch(issue.errors) : undefined;
  if (meant !== undefined)
    return meant.flatMap((one) => toFieldErrors({ ...one, path: [...issue.path, ...one.path] }));
  return [{ path, message: describeIssue(issue) }];
}

/** Selects the union branch the caller intended, by its discriminator (such as `op`) or by its JSON type. */
function selectIntendedBranch(branches: readonly Issue[][]): Issue[] | undefined {
  const meant = branches.filter(
    (issues) => !issues.some((issue) => isDiscriminatorMismatch(issue) || isTypeMismatch(issue)),
  );
  if (meant.length === branches.length) return undefined;
  return meant.toSorted((a, b) => a.length - b.length)[0];
}

function isTypeMismatch({ code, path }: Issue): boolean {
  return path.length === 0 && (code === "invalid_type" || code === "invalid_value");
}

function isDiscriminatorMismatch(issue: Issue): boolean {
  return issue.code === "invalid_value" && issue.values.length === 1 && issue.path.length === 1;
}

function describeIssue(issue: Issue): string {
  // Messages of our own schemas are used as they are; zod's defaults are reworded.
  if (!/^(Invalid|Too |Expected)/.test(issue.message)) return issue.message;
  if (issue.code === "invalid_type" && issue.input === undefined) return "is required";
  if (issue.code === "too_small") return `must ${describeSize("at least", issue.minimum, issue.origin)}`;
  if (issue.code === "too_big") return `must ${describeSize("at most", issue.maximum, issue.origin)}`;
  if (issue.code === "invalid_value")
    return `must be ${issue.values.length === 1 ? "" : "one of: "}${issue.values.map(String).join(", ")}`;
  if (issue.code === "invalid_type") return `must be ${withArticle(issue.expected)}`;
  return issue.message;
}

function describeSize(limit: string, size: number | bigint, origin: string): string {
  const unit = { string: "character", array: "item" }[origin];
  if (unit === undefined) return `be ${limit} ${size}`;
  return `have ${limit} ${size} ${unit}${Number(size) === 1 ? "" : "s"}`;
}

function withArticle(expected: string): string {
  if (expected === "int") return "a whole number";
  if (expected === "record") return "an object";
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}
