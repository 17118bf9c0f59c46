// Every way a call can fail, as values. Failures are built here and nowhere else; src/http/problem-details.ts maps
// them to HTTP and src/operations/tools/execute-tool-call.ts to tool results.

export type FieldError = { path: string; message: string };

/** The stable codes of the contract, with their status and title. */
export const FAILURES = {
  invalid_request: { status: 400, title: "Invalid request" },
  unauthorized: { status: 401, title: "Unauthorized" },
  forbidden: { status: 403, title: "Forbidden" },
  not_found: { status: 404, title: "Not found" },
  conflict: { status: 409, title: "Conflict" },
  gone: { status: 410, title: "Gone" },
  payload_too_large: { status: 413, title: "Payload too large" },
  unprocessable: { status: 422, title: "Unprocessable" },
  rate_limited: { status: 429, title: "Rate limited" },
  limit_exceeded: { status: 429, title: "Limit exceeded" },
  internal: { status: 500, title: "Internal error" },
  unavailable: { status: 503, title: "Unavailable" },
  not_configured: { status: 503, title: "Not configured" },
} as const;

export type FailureCode = keyof typeof FAILURES;

export type Failure = {
  code: FailureCode;
  /** What was wrong, which value, what to do. Never a stack, SQL or stored content. */
  detail: string;
  errors?: FieldError[];
  retryAfterSeconds?: number;
  /** For a stale revision: where what was to be changed is now, and its container. */
  current_rev?: number;
  current_memory_rev?: number;
};

/** The result of anything that may fail for a reason the caller should know. Survives RPC, unlike a class. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; failure: Failure };

export function ok<T>(value: T): { ok: true; value: T } {
  return { ok: true, value };
}

export function fail(
  code: FailureCode,
  detail: string,
  more: Omit<Failure, "code" | "detail"> = {},
): { ok: false; failure: Failure } {
  return { ok: false, failure: { code, detail, ...more } };
}

export function invalidField(path: string, message: string): { ok: false; failure: Failure } {
  return fail("invalid_request", `${path}: ${message}`, { errors: [{ path, message }] });
}

/** Carries a failure to the one place that answers it, where a return value cannot. */
export class FailureError extends Error {
  override readonly name = "FailureError";
  constructor(readonly failure: Failure) {
    super(failure.detail);
  }
}

/** A failure to throw. */
export function failure(
  code: FailureCode,
  detail: string,
  more: Omit<Failure, "code" | "detail"> = {},
): FailureError {
  return new FailureError({ code, detail, ...more });
}

/** An idempotency key that was first sent with something else. */
export function keyReused(): { ok: false; failure: Failure } {
  return fail(
    "conflict",
    "This Idempotency-Key was used with another body. Use a new key for a new request.",
  );
}

/** The value of an outcome, or the failure thrown to the error handler. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new FailureError(outcome.failure);
}

/** A service behind a port failed. The message names the service and the reason, and nothing of what was sent. */
export class PortError extends Error {}

/** A defect as it may be logged: its kind and its place, never its message, which could quote what was stored. */
export function describeDefect(error: unknown): { error: string; at: string[]; reason?: string } {
  if (!(error instanceof Error)) return { error: typeof error, at: [] };
  if (error instanceof PortError) return { error: error.name, at: [], reason: error.message };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { error: error.name, at: frames.slice(0, 6).map((line) => line.trim()) };
}
