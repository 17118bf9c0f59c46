// Reading a request: validated by its schema, or refused with errors that name the field and the fix.

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

/** The JSON body; none at all counts as an empty object. */
export async function readBody(c: AppContext): Promise<{ raw: string; value: unknown }> {
  const raw = await c.req.text();
  if (raw.trim() === "") return { raw, value: {} };
  if (raw.length > 2 * LIMITS.jsonDepth && isDeep(raw))
    throw badBody(`The body is nested more than ${LIMITS.jsonDepth} levels deep. Flatten it.`, {
      path: "",
      message: `must be nested at most ${LIMITS.jsonDepth} levels deep`,
    });
  try {
    return { raw, value: JSON.parse(raw, mayHoldUnkeepable(raw) ? refuseUnkeepable : undefined) };
  } catch (error) {
    if (error instanceof FailureError) throw error;
    throw badBody("The body is not valid JSON. Send one JSON object.", {
      path: "",
      message: "must be valid JSON",
    });
  }
}

/** Whatever walks through a value calls itself for each level, and so must stop somewhere. */
function isDeep(raw: string): boolean {
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

/** Only such a body is looked through member by member, which takes time. */
function mayHoldUnkeepable(raw: string): boolean {
  return raw.includes("__proto__") || /\d{309}|\de\+?\d{3}/i.test(raw);
}

/** What would be lost or changed without a word on its way through the service. */
function refuseUnkeepable(key: string, value: unknown): unknown {
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

/** The body as it was sent and as a value. Where nothing but JSON is taken, Content-Type does not matter. */
export async function readBodyAs(
  c: AppContext,
  types: BodyTypes | undefined,
): Promise<{ raw: string; value: unknown }> {
  if (types === undefined) return readBody(c);
  const [given = ""] = (c.req.header("Content-Type") ?? JSON_TYPE).split(";");
  const type = given.trim().toLowerCase();
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

/** Whether the caller would rather have this type than JSON. */
export function prefers(c: AppContext, type: string): boolean {
  c.header("Vary", "Accept");
  return accepts(c, { header: "Accept", supports: [JSON_TYPE, type], default: JSON_TYPE }) === type;
}
