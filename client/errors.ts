// Every way a call can fail, as one typed value: the service's own failures by their stable code, and two of the way
// there. A caller who aborts gets the reason of their own signal instead.
import { FAILURE_STATUS, type Problem } from "./schema.generated";

export type KiokuErrorCode = keyof typeof FAILURE_STATUS | "network" | "timeout";

/** A field that is wrong, and what to do about it. */
export type FieldError = { path: string; message: string };

/** What a call came to, for those who do not want to catch. */
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
  /** Of the HTTP answer; 0 when there was none. */
  readonly status: number;
  /** What was wrong, which value, what to do. */
  readonly detail: string;
  readonly errors: readonly FieldError[];
  /** To find the call in the service's log. */
  readonly request_id: string | null;
  readonly retry_after_seconds: number | null;
  /** After a stale revision: where the space and its container are now. */
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

/** By name, not by class: two copies of this client may meet in one program. */
export function isKiokuError<C extends KiokuErrorCode = KiokuErrorCode>(
  error: unknown,
  code?: C,
): error is KiokuError & { code: C } {
  if (!(error instanceof Error) || error.name !== "KiokuError") return false;
  return code === undefined || (error as KiokuError).code === code;
}

/** What is refused before it is sent. */
export function invalidInput(path: string, message: string): KiokuError {
  return new KiokuError("invalid_request", `${path}: ${message}`, { errors: [{ path, message }] });
}

/** The failure that an answer tells of, also when something in between has answered for the service. */
export async function errorOf(response: Response): Promise<KiokuError> {
  const problem = await problemOf(response);
  const { status } = response;
  const details = {
    status,
    request_id: response.headers.get("x-request-id"),
    retry_after_seconds: secondsOf(response.headers.get("retry-after")),
  };
  if (problem === null) return new KiokuError(codeOf(status), `The answer is a bare ${status}`, details);
  const { code, detail, errors, current_rev, current_memory_rev } = problem;
  return new KiokuError(isCode(code) ? code : codeOf(status), detail, {
    ...details,
    errors,
    current_rev,
    current_memory_rev,
  });
}

async function problemOf(response: Response): Promise<Problem | null> {
  if (!response.headers.get("content-type")?.includes("json")) {
    // Not waited for: a copy of the answer that somebody else holds would keep it from ending.
    response.body?.cancel().catch(() => undefined);
    return null;
  }
  const body = (await response.json().catch(() => null)) as Partial<Problem> | null;
  return typeof body?.detail === "string" ? (body as Problem) : null;
}

function isCode(code: string): code is keyof typeof FAILURE_STATUS {
  return Object.hasOwn(FAILURE_STATUS, code);
}

function codeOf(status: number): KiokuErrorCode {
  const known = Object.entries(FAILURE_STATUS).find(([, of]) => of === status)?.[0];
  if (known !== undefined && isCode(known)) return known;
  return status >= 500 ? "unavailable" : "invalid_request";
}

/** Retry-After is a number of seconds, or a date. */
function secondsOf(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds));
}
