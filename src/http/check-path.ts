// Refuses paths that would name another resource than the caller meant.
import type { MiddlewareHandler } from "hono";
import { type FailureError, failure } from "../platform/errors";

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
