// Reading a request: validated by its schema, or refused with errors that name the field and the fix.
import type { z } from "@hono/zod-openapi";
import { FailureError, fail } from "../errors";
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
    return { raw, value: JSON.parse(raw) };
  } catch {
    throw new FailureError(
      fail("invalid_request", "The body is not valid JSON. Send one JSON object.", {
        errors: [{ path: "", message: "must be valid JSON" }],
      }).failure,
    );
  }
}
