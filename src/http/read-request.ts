// Reads and validates requests. Errors name the field and the fix.

import type { z } from "@hono/zod-openapi";
import { accepts } from "hono/accepts";
import { LIMITS } from "../limits";
import { FailureError, type FieldError, failure, type Result, unwrap } from "../platform/errors";
import { describeInvalidInput } from "../schemas/validation-message";
import type { AppContext } from "./app-context";

export function validate<T extends z.ZodType>(schema: T, value: unknown, where: string): z.output<T> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new FailureError(describeInvalidInput(parsed.error, where).failure);
}

/** Reads the JSON body. A missing body counts as an empty object. */
export async function readBody(c: AppContext): Promise<{ raw: string; value: unknown }> {
  const raw = await c.req.text();
  if (raw.trim() === "") return { raw, value: {} };
  if (raw.length > 2 * LIMITS.jsonDepth && isTooDeep(raw))
    throw badBody(`The body is nested more than ${LIMITS.jsonDepth} levels deep. Flatten it.`, {
      path: "",
      message: `must be nested at most ${LIMITS.jsonDepth} levels deep`,
    });
  try {
    return { raw, value: JSON.parse(raw, mayBeUnrepresentable(raw) ? rejectUnrepresentable : undefined) };
  } catch (error) {
    if (error instanceof FailureError) throw error;
    throw badBody("The body is not valid JSON. Send one JSON object.", {
      path: "",
      message: "must be valid JSON",
    });
  }
}

/** Returns whether the JSON exceeds the nesting limit, which bounds the depth of all recursive functions. */
function isTooDeep(raw: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < raw.length; at += 1) {
    const char = raw[at];
    if (quoted) {
      if (char === "\\") at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "[" || char === "{") depth += 1;
    else if (char === "]" || char === "}") depth -= 1;
    if (depth > LIMITS.jsonDepth) return true;
  }
  return false;
}

/** Returns whether the body may have an unrepresentable member. Only then is it parsed with the slower reviver. */
function mayBeUnrepresentable(raw: string): boolean {
  return raw.includes("__proto__") || /\d{309}|\de\+?\d{3}/i.test(raw);
}

/** Rejects members that JSON.parse would silently drop or change. */
function rejectUnrepresentable(key: string, value: unknown): unknown {
  if (key === "__proto__")
    throw badBody("The body has a member named __proto__, which cannot be kept. Rename it.", {
      path: "__proto__",
      message: "is not a possible name: rename it",
    });
  if (typeof value === "number" && !Number.isFinite(value))
    throw badBody("The body has a number that is too large to be kept. Send it as a string.", {
      path: key,
      message: "is too large for a number: send it as a string",
    });
  return value;
}

function badBody(detail: string, error: FieldError): FailureError {
  return failure("invalid_request", detail, { errors: [error] });
}

const JSON_TYPE = "application/json";

export type BodyTypes = ReadonlyMap<string, (text: string) => Result<unknown>>;

/** Reads the body by its Content-Type. Without parsers for other types, every body is read as JSON. */
export async function readBodyAs(
  c: AppContext,
  types: BodyTypes | undefined,
): Promise<{ raw: string; value: unknown }> {
  if (types === undefined) return readBody(c);
  const [value = ""] = (c.req.header("Content-Type") ?? JSON_TYPE).split(";");
  const type = value.trim().toLowerCase();
  if (type === JSON_TYPE) return readBody(c);
  const read = types.get(type);
  if (read === undefined) {
    const message = `must be ${[JSON_TYPE, ...types.keys()].join(" or ")}`;
    throw failure("invalid_request", `Content-Type: ${message}.`, {
      errors: [{ path: "Content-Type", message }],
    });
  }
  const raw = await c.req.text();
  return { raw, value: unwrap(read(raw)) };
}

/** Returns whether the Accept header prefers this type to JSON. */
export function prefers(c: AppContext, type: string): boolean {
  c.header("Vary", "Accept");
  return accepts(c, { header: "Accept", supports: [JSON_TYPE, type], default: JSON_TYPE }) === type;
}
