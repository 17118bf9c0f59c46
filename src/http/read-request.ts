// Reads and validates requests. Errors name the field and the fix.

import type { z } from "@hono/zod-openapi";
import { accepts } from "hono/accepts";
import { failure, type Result, unwrap } from "../platform/errors";
import { parseJsonText } from "../schemas/input/parse-json-text";
import { parseInput } from "../schemas/validation-message";
import type { AppContext } from "./app-context";

export function validate<T extends z.ZodType>(schema: T, value: unknown, where: string): z.output<T> {
  return unwrap(parseInput(schema, value, where));
}

/** Reads the JSON body. A missing body counts as an empty object. */
export async function readBody(c: AppContext): Promise<{ raw: string; value: unknown }> {
  const raw = await c.req.text();
  if (raw.trim() === "") return { raw, value: {} };
  return { raw, value: parseJsonText(raw, "body") };
}

const JSON_TYPE = "application/json";

export type BodyTypes = ReadonlyMap<string, (text: string) => Result<unknown>>;

/** Reads the body by its Content-Type. Without parsers for other types, every body is read as JSON. */
export async function readBodyAs(
  c: AppContext,
  types: BodyTypes | undefined,
): Promise<{ raw: string; value: unknown }> {
  if (types === undefined) return readBody(c);
  const header = c.req.header("Content-Type") ?? JSON_TYPE;
  const [value = ""] = header.split(";");
  const type = value.trim().toLowerCase();
  refuseOtherCharset(header);
  if (type === JSON_TYPE) return readBody(c);
  const read = types.get(type);
  if (read === undefined) {
    const message = `must be ${[JSON_TYPE, ...types.keys()].join(" or ")}`;
    throw failure("invalid_request", `Content-Type: ${message}.`, {
      errors: [{ path: "Content-Type", message }],
    });
  }
  // Not `text()`, which warns of media types that do not begin with `text/`.
  const raw = new TextDecoder().decode(await c.req.arrayBuffer());
  return { raw, value: unwrap(read(raw)) };
}

/** Bodies are read as UTF-8: in another encoding they would be other texts. */
function refuseOtherCharset(contentType: string): void {
  const [, charset = "utf-8"] = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType) ?? [];
  if (/^(?:utf-?8|us-ascii)$/i.test(charset)) return;
  const message = `must have the charset UTF-8, not ${charset}: encode the body as UTF-8`;
  throw failure("invalid_request", `Content-Type: ${message}.`, {
    errors: [{ path: "Content-Type", message }],
  });
}

/** Returns whether the Accept header prefers this type to JSON. */
export function prefers(c: AppContext, type: string): boolean {
  c.header("Vary", "Accept");
  return accepts(c, { header: "Accept", supports: [JSON_TYPE, type], default: JSON_TYPE }) === type;
}
