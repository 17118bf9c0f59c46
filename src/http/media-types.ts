// Bodies and answers in another form than JSON: by Content-Type and by Accept.
import { accepts } from "hono/accepts";
import { failure, type Outcome, unwrap } from "../platform/errors";
import type { AppContext } from "./context";
import { readBody } from "./validate-input";

const JSON_TYPE = "application/json";

export type BodyTypes = ReadonlyMap<string, (text: string) => Outcome<unknown>>;

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
