// Failures as values: every way a call can fail. Failures are built here only; src/http/problem-details.ts maps
// them to HTTP and src/tools/execute-tool-call.ts to tool results.

export type FieldError = { path: string; message: string };

/** The error codes of the contract, with their HTTP status and title. */
export const FAILURES = {
  invalid_request: { status: 400, title: "Invalid request" },
  unauthorized: { status: 401, title: "Unauthorized" },
  forbidden: { status: 403, title: "Forbidden" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  not_acceptable: { status: 406, title: "Not acceptable" },
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
export const FAILURE_CODES = Object.keys(FAILURES) as [FailureCode, ...FailureCode[]];

export type Failure = {
  code: FailureCode;
  /** What is wrong with which value, and how to fix it. Never contains a stack, SQL or stored content. */
  detail: string;
  errors?: FieldError[];
  /** The number of field errors that are not reported. */
  more_errors?: number;
  retryAfterSeconds?: number;
  /** Of an unavailable part of the service: the first sentence of the detail, without what to do about it. */
  cause?: string;
  /** Set for a stale revision: the current revisions of the space and of its container. */
  current_rev?: number;
  current_memory_rev?: number;
  /** Where a query is malformed, from 1. */
  line?: number;
  column?: number;
  /** The methods that a resource has, of a method that it lacks. */
  allow?: readonly string[];
};

/** The result of a call that can fail. A plain value, because an error class does not survive RPC. */
export type Result<T> = { ok: true; value: T } | { ok: false; failure: Failure };

export function ok<T>(value: T): { ok: true; value: T } {
  return { ok: true, value };
}

export function fail(
  code: FailureCode,
  detail: string,
  more: Omit<Failure, "code" | "detail"> = {},
): { ok: false; failure: Failure } {
  return { ok: false, failure: boundFailure({ code, detail, ...more }) };
}

/** Field errors of one failure: more than anybody mends at once, and an answer that stays small. */
export const REPORTED_ERRORS = 20;

/** The length of a detail, a message and a path, each of which may quote the request. */
const DETAIL_CHARS = 2_000;
const PATH_CHARS = 200;

/** Returns the failure with as much as is reported of it, whatever the request was. */
function boundFailure({ detail, errors, more_errors = 0, ...failure }: Failure): Failure {
  const rest = more_errors + Math.max(0, (errors?.length ?? 0) - REPORTED_ERRORS);
  return {
    ...failure,
    detail: clip(detail, DETAIL_CHARS),
    ...(errors && { errors: errors.slice(0, REPORTED_ERRORS).map(boundFieldError) }),
    ...(rest > 0 && { more_errors: rest }),
  };
}

function boundFieldError({ path, message }: FieldError): FieldError {
  return { path: clip(path, PATH_CHARS), message: clip(message, DETAIL_CHARS) };
}

function clip(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars).toWellFormed()}…`;
}

export function invalidField(path: string, message: string): { ok: false; failure: Failure } {
  return fail("invalid_request", `${path}: ${message}`, { errors: [{ path, message }] });
}

/** Carries a failure as an exception to the handler that maps it to a response. */
export class FailureError extends Error {
  override readonly name = "FailureError";
  readonly failure: Failure;

  constructor(failure: Failure) {
    const bounded = boundFailure(failure);
    super(bounded.detail);
    this.failure = bounded;
  }
}

/** Returns a failure to throw. */
export function failure(
  code: FailureCode,
  detail: string,
  more: Omit<Failure, "code" | "detail"> = {},
): FailureError {
  return new FailureError({ code, detail, ...more });
}

/** Returns the failure of one field, to throw. */
export function fieldFailure(path: string, message: string): FailureError {
  return new FailureError(invalidField(path, message).failure);
}

/** The failure of a part of the service. A call of several steps takes over the cause, and gives its own advice. */
export function unavailable(cause: string, advice: string, retryAfterSeconds = 1): FailureError {
  return failure("unavailable", `${cause} ${advice}`, { cause, retryAfterSeconds });
}

/** The failure of an idempotency key that was first used with another body or query. */
export function idempotencyKeyReused(): { ok: false; failure: Failure } {
  return fail(
    "conflict",
    "This Idempotency-Key was used with another body or query. Use a new key for a new request.",
  );
}

/** Returns the value of a result, or throws its failure. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new FailureError(result.failure);
}

/** Thrown when a service behind a port fails. The message names the service and the reason, never the payload. */
export class PortError extends Error {}

/**
 * Runs the work of an RPC call. Returns its failure as a value, because an error class does not survive RPC, and logs
 * any other error as a defect of the object.
 */
export async function toResult<T>(object: "session" | "project", work: () => Promise<T>): Promise<Result<T>> {
  try {
    return ok(await work());
  } catch (error) {
    if (error instanceof FailureError) return { ok: false, failure: error.failure };
    logDefect(`${object}.error`, error);
    return fail(
      "internal",
      `The ${object} failed on this call. It is logged; sending the same call again is safe.`,
    );
  }
}

export function logDefect(event: string, error: unknown): void {
  console.error(JSON.stringify({ event, ...describeDefect(error) }));
}

/** Describes a defect for the log: its class and stack frames, never its message, which could quote stored content. */
export function describeDefect(error: unknown): { error: string; at: string[]; reason?: string } {
  if (!(error instanceof Error)) return { error: typeof error, at: [] };
  if (error instanceof PortError) return { error: error.name, at: [], reason: error.message };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { error: error.name, at: frames.slice(0, 6).map((line) => line.trim()) };
}
