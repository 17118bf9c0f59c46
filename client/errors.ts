// The one error type of the client: the service's failures by their stable code, plus `network` and `timeout`. An
// aborted call throws the reason of the caller's signal instead.
import { FAILURE_STATUS, type Problem } from "./schema.generated";

export type KiokuErrorCode = keyof typeof FAILURE_STATUS | "network" | "timeout";

/** An invalid field, and how to correct it. */
export type FieldError = { path: string; message: string };

/** The result of a call as a value, for callers who do not want to catch. */
export type Result<T> = { ok: true; value: T } | { ok: false; error: KiokuError };

type Details = {
  status?: number;
  errors?: readonly FieldError[] | undefined;
  request_id?: string | null;
  retry_after_seconds?: number | null;
  current_rev?: number | undefined;
  current_memory_rev?: number | undefined;
  cause?: unknown;
};

export class KiokuError extends Error {
  override readonly name = "KiokuError";
  readonly code: KiokuErrorCode;
  /** HTTP status of the response; 0 if there was none. */
  readonly status: number;
  /** Describes the failure, the offending value and the remedy. */
  readonly detail: string;
  readonly errors: readonly FieldError[];
  /** Identifies the call in the service's log. */
  readonly request_id: string | null;
  readonly retry_after_seconds: number | null;
  /** After a stale revision: the current revisions of the space and of its container. */
  readonly current_rev: number | undefined;
  readonly current_memory_rev: number | undefined;

  constructor(code: KiokuErrorCode, detail: string, details: Details = {}) {
    super(`${detail} (${code})`, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status ?? 0;
    this.detail = detail;
    this.errors = details.errors ?? [];
    this.request_id = details.request_id ?? null;
    this.retry_after_seconds = details.retry_after_seconds ?? null;
    this.current_rev = details.current_rev;
    this.current_memory_rev = details.current_memory_rev;
  }
}

/** Compares the name, not the class, because one program may load two copies of this client. */
export function isKiokuError<C extends KiokuErrorCode = KiokuErrorCode>(
  error: unknown,
  code?: C,
): error is KiokuError & { code: C } {
  if (!(error instanceof Error) || error.name !== "KiokuError") return false;
  return code === undefined || (error as KiokuError).code === code;
}

/** Creates the error for input that is rejected before it is sent. */
export function invalidInput(path: string, message: string): KiokuError {
  return new KiokuError("invalid_request", `${path}: ${message}`, { errors: [{ path, message }] });
}

/** Reads the failure from a response, also when a proxy answered in place of the service. */
export async function readError(response: Response): Promise<KiokuError> {
  const problem = await readProblem(response);
  const { status } = response;
  const details = {
    status,
    request_id: response.headers.get("x-request-id"),
    retry_after_seconds: parseRetryAfter(response.headers.get("retry-after")),
  };
  if (problem === null) return new KiokuError(findCode(status), `The answer is a bare ${status}`, details);
  const { code, detail, errors, current_rev, current_memory_rev } = problem;
  return new KiokuError(isFailureCode(code) ? code : findCode(status), detail, {
    ...details,
    errors,
    current_rev,
    current_memory_rev,
  });
}

async function readProblem(response: Response): Promise<Problem | null> {
  if (!response.headers.get("content-type")?.includes("json")) {
    // Not awaited: a clone of the response held elsewhere would keep the cancellation pending.
    response.body?.cancel().catch(() => undefined);
    return null;
  }
  const body = (await response.json().catch(() => null)) as Partial<Problem> | null;
  return typeof body?.detail === "string" ? (body as Problem) : null;
}

function isFailureCode(code: string): code is keyof typeof FAILURE_STATUS {
  return Object.hasOwn(FAILURE_STATUS, code);
}

function findCode(status: number): KiokuErrorCode {
  const known = Object.entries(FAILURE_STATUS).find(([, of]) => of === status)?.[0];
  if (known !== undefined && isFailureCode(known)) return known;
  return status >= 500 ? "unavailable" : "invalid_request";
}

/** Parses Retry-After, which is a number of seconds or a date. */
function parseRetryAfter(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds));
}
