// Converts failures to HTTP responses: RFC 9457 problem details with a stable code. No other module builds them.
import { describeDefect, FAILURES, type Failure, fail } from "../kernel/errors";

/** Returns the response to a failure, with extension members if there are any. */
export function problemResponse(failure: Failure, members: Record<string, string> = {}): Response {
  const { code, retryAfterSeconds, allow } = failure;
  const { status } = FAILURES[code];
  const headers = new Headers({ "Content-Type": "application/problem+json" });
  if (retryAfterSeconds !== undefined || status === 429)
    headers.set("Retry-After", String(retryAfterSeconds ?? 60));
  if (allow !== undefined) headers.set("Allow", allow.join(", "));
  if (code === "unauthorized") headers.set("WWW-Authenticate", 'Bearer realm="kioku"');
  return new Response(JSON.stringify({ ...problemBody(failure), ...members }), { status, headers });
}

export function problemBody({
  code,
  detail,
  errors,
  more_errors,
  current_rev,
  current_memory_rev,
  line,
  column,
}: Failure) {
  const { status, title } = FAILURES[code];
  return {
    type: `https://kioku.dev/problems/${code}`,
    title,
    status,
    code,
    detail,
    // JSON.stringify omits those that are undefined.
    errors,
    more_errors,
    current_rev,
    current_memory_rev,
    line,
    column,
  };
}

/** Logs an unexpected error and returns a failure that contains only the request id. */
export function reportDefect(error: unknown, requestId: string): Failure {
  console.error(JSON.stringify({ event: "request.error", request_id: requestId, ...describeDefect(error) }));
  return fail("internal", `Internal error. Report request id ${requestId} to the operator of this service.`)
    .failure;
}
