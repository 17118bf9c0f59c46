// Reads and validates requests: path, query, body and Accept header. Errors name the field and the fix.

import type { MiddlewareHandler } from "hono";
import { MemoryTypeName, z } from "../kernel/common";
import { FailureError, failure, type Result, unwrap } from "../kernel/errors";
import { parseInput, parseJsonText } from "../kernel/validate-input";
import { RecallType } from "../memories/memory-schemas";
import { listMemoryTypes, type TenantOntology } from "../ontology/tenant-ontology";
import type { AppContext } from "./app-context";

// Reads and validates requests. Errors name the field and the fix.

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
  return selectType(c, [JSON_TYPE, type]) === type;
}

/** Selects the type of a response that has a default, the first: of types with the same quality the one that the header names first. */
export function selectType<T extends string>(c: AppContext, [first, ...others]: readonly [T, ...T[]]): T {
  c.header("Vary", "Accept");
  const accept = c.req.header("Accept");
  const named = accept?.split(",").map((range) => parseRange(range).type) ?? [];
  const rank = (type: string) => (named.includes(type) ? named.indexOf(type) : named.length);
  const ordered = [first, ...others].sort((a, b) => rank(a) - rank(b));
  return (negotiateType(accept, ordered) as T | null) ?? first;
}

// Validates the body of a request. Which memory types there are depends on the tenant: a body that has other faults, too,
// is answered with all of them.

export function validateBody<T extends z.ZodType>(
  schema: T,
  value: unknown,
  ontology: TenantOntology,
): z.output<T> {
  try {
    return validate(schema, value, "body");
  } catch (error) {
    if (!(error instanceof FailureError) || !namesUnknownType(schema, value, ontology)) throw error;
    const { code, detail, errors = [] } = error.failure;
    const message = `must be one of: ${listMemoryTypes(ontology).join(", ")}`;
    throw failure(code, `${detail}; type: ${message}`, { errors: [...errors, { path: "type", message }] });
  }
}

/** Whether a body has a memory type that has the right form, and that the tenant does not have. */
function namesUnknownType(schema: z.ZodType, value: unknown, ontology: TenantOntology): boolean {
  const field = schema instanceof z.ZodObject ? (schema.shape.type as z.ZodType | undefined) : undefined;
  const type = (value as { type?: unknown } | null)?.type;
  if (field === undefined || !isTypeField(field) || !field.safeParse(type).success) return false;
  return type !== undefined && type !== "all" && !listMemoryTypes(ontology).some((one) => one === type);
}

function isTypeField(field: z.ZodType): boolean {
  if (field instanceof z.ZodDefault || field instanceof z.ZodOptional)
    return isTypeField(field.unwrap() as z.ZodType);
  return field === (MemoryTypeName as z.ZodType) || field === (RecallType as z.ZodType);
}

// Content negotiation: selects the media type of a response by the Accept header (RFC 9110, section 12.5.1).

type MediaRange = { type: string; quality: number };

/** Ranges of a header beyond these are ignored: no client sends as many. */
const MAX_RANGES = 50;

/**
 * Returns the supported type that the header prefers; null if it accepts none. Of types with the same quality the first
 * supported one is selected.
 */
export function negotiateType(accept: string | undefined, supported: readonly string[]): string | null {
  if (accept === undefined || accept.trim() === "") return supported[0] ?? null;
  const ranges = accept.split(",").slice(0, MAX_RANGES).map(parseRange);
  let best: MediaRange | null = null;
  for (const type of supported) {
    const quality = findQuality(type, ranges);
    if (quality > (best?.quality ?? 0)) best = { type, quality };
  }
  return best?.type ?? null;
}

function parseRange(text: string): MediaRange {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** The most specific range decides: a type before its group, the group before everything. */
function findQuality(type: string, ranges: readonly MediaRange[]): number {
  const [group = ""] = type.split("/");
  for (const pattern of [type, `${group}/*`, "*/*"]) {
    const match = ranges.find((range) => range.type === pattern);
    if (match !== undefined) return match.quality;
  }
  return 0;
}

// Refuses paths that would name another resource than the caller meant.

/** The path of a URL, after its scheme and host. */
const PATH = /^[a-z]+:\/\/[^/?#]*([^?#]*)/i;

/** A segment of one or two dots, of which any may be percent-encoded. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?=\/|$)/i;

/** mem0's clients end their paths with a slash, and so do people who open the API reference. */
const SLASH_PREFIXES = ["/mem0/", "/docs/"];

/**
 * Refuses malformed percent-encoding, dot segments and trailing slashes. URL parsers resolve plain dots before a request
 * arrives, which makes `/context/..` the path of its parent with a slash at its end: a router that ignores the slash
 * would erase the parent.
 */
export const checkPath: MiddlewareHandler = async (c, next) => {
  // As it was sent: the router's path is decoded and has no slash at its end, and a URL would resolve its dots.
  const [, path = ""] = PATH.exec(c.req.url) ?? [];
  if (!isDecodable(path)) throw badPath("is not percent-encoded UTF-8: encode a percent sign as %25");
  if (DOT_SEGMENT.test(path)) throw badPath("has a segment of dots, which no resource is named by");
  if (path !== "/" && path.endsWith("/") && !SLASH_PREFIXES.some((prefix) => path.startsWith(prefix)))
    throw badPath("ends with a slash: leave it out, and encode names that contain one");
  await next();
};

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function badPath(message: string): FailureError {
  return failure("invalid_request", `The path ${message}.`, { errors: [{ path: "path", message }] });
}
