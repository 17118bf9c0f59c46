// Turns zod issues into field errors that name the field and the fix.
import type { z } from "@hono/zod-openapi";
import { type FieldError, fail } from "../platform/errors";

/** Describes invalid input: one field error per issue, the first of them in the detail. */
export function invalid(error: z.ZodError, where: string) {
  const errors = error.issues.flatMap(fieldErrors);
  const [first] = errors;
  const detail =
    first === undefined ? `The ${where} is not valid.` : `${first.path || where}: ${first.message}`;
  return fail("invalid_request", detail, { errors });
}

type Issue = z.core.$ZodIssue;

function fieldErrors(issue: Issue): FieldError[] {
  const path = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: path === "" ? key : `${path}.${key}`,
      message: "is not a known field: remove it or check its spelling",
    }));
  }
  const meant = issue.code === "invalid_union" ? meantBranch(issue.errors) : undefined;
  if (meant !== undefined)
    return meant.flatMap((one) => fieldErrors({ ...one, path: [...issue.path, ...one.path] }));
  return [{ path, message: messageOf(issue) }];
}

/** Selects the union branch the caller intended, by its discriminator (such as `op`) or by its JSON type. */
function meantBranch(branches: readonly Issue[][]): Issue[] | undefined {
  const meant = branches.filter(
    (issues) => !issues.some((issue) => isOtherName(issue) || isOtherKind(issue)),
  );
  if (meant.length === branches.length) return undefined;
  return meant.toSorted((a, b) => a.length - b.length)[0];
}

function isOtherKind({ code, path }: Issue): boolean {
  return path.length === 0 && (code === "invalid_type" || code === "invalid_value");
}

function isOtherName(issue: Issue): boolean {
  return issue.code === "invalid_value" && issue.values.length === 1 && issue.path.length === 1;
}

function messageOf(issue: Issue): string {
  // Messages of our own schemas are used as they are; zod's defaults are reworded.
  if (!/^(Invalid|Too |Expected)/.test(issue.message)) return issue.message;
  if (issue.code === "invalid_type" && issue.input === undefined) return "is required";
  if (issue.code === "too_small") return `must be at least ${issue.minimum}${unit(issue.origin)}`;
  if (issue.code === "too_big") return `must be at most ${issue.maximum}${unit(issue.origin)}`;
  if (issue.code === "invalid_value")
    return `must be ${issue.values.length === 1 ? "" : "one of: "}${issue.values.map(String).join(", ")}`;
  if (issue.code === "invalid_type") return `must be ${article(issue.expected)}`;
  return issue.message;
}

function unit(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" ? " items" : "";
}

function article(expected: string): string {
  if (expected === "int") return "a whole number";
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}
