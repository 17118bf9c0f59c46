// Reading a request: validated by its schema, or refused with errors that name the field and the fix.
import type { z } from "@hono/zod-openapi";
import { FailureError, type FieldError, failure } from "../errors";
import { invalid } from "../schemas/invalid";
import type { AppContext } from "./http";

export function validate<T extends z.ZodType>(schema: T, value: unknown, where: string): z.output<T> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new FailureError(invalid(parsed.error, where).failure);
}

/** The JSON body; none at all counts as an empty object. */
export async function readBody(c: AppContext): Promise<{ raw: string; value: unknown }> {
  const raw = await c.req.text();
  if (raw.trim() === "") return { raw, value: {} };
  try {
    return { raw, value: JSON.parse(raw, raw.includes("__proto__") ? refuseProto : undefined) };
  } catch (error) {
    if (error instanceof FailureError) throw error;
    throw badBody("The body is not valid JSON. Send one JSON object.", {
      path: "",
      message: "must be valid JSON",
    });
  }
}

/** Objects would lose such a member without a word on their way through the service. */
function refuseProto(key: string, value: unknown): unknown {
  if (key !== "__proto__") return value;
  throw badBody("The body has a member named __proto__, which cannot be kept. Rename it.", {
    path: "__proto__",
    message: "is not a possible name: rename it",
  });
}

function badBody(detail: string, error: FieldError): FailureError {
  return failure("invalid_request", detail, { errors: [error] });
}
