// Calls of external services: a time-out for each attempt and exponential back-off between attempts.

export type RetryPolicy = {
  attempts: number;
  /** The delay before the second attempt; it doubles with each further attempt. */
  baseDelayMs: number;
  /** The time limit of one attempt. */
  timeoutMs: number;
  /** The longest Retry-After that is honoured: a service that asks for more fails the call at once. */
  maxRetryAfterMs?: number;
};

/** A failed call. The message contains nothing of the request or the response, so that it can be logged. */
export class CallError extends Error {
  override readonly name: string = "CallError";
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** The delay that the service asked for; 0 when it asked for none. */
  readonly retryAfterMs: number;

  constructor(
    message: string,
    { retryable, retryAfterMs = 0 }: { retryable: boolean; retryAfterMs?: number },
  ) {
    super(message);
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }
}

export class CallTimeoutError extends CallError {
  override readonly name = "CallTimeoutError";
}

/** Retries a call that fails with a retryable CallError; any other error is thrown as it is. */
export async function retryWithBackoff<T>(
  call: (signal: AbortSignal) => Promise<T>,
  { attempts, baseDelayMs, timeoutMs, maxRetryAfterMs = 0 }: RetryPolicy,
  sleep: (ms: number) => Promise<void> = wait,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    let delayMs = baseDelayMs * 2 ** (attempt - 1);
    try {
      return await withTimeout(call, timeoutMs);
    } catch (error) {
      if (!(error instanceof CallError) || !error.retryable || attempt >= attempts) throw error;
      // An attempt before the time that the service asked for would be rejected again.
      if (error.retryAfterMs > maxRetryAfterMs) throw error;
      delayMs = Math.max(delayMs, error.retryAfterMs);
    }
    await sleep(delayMs);
  }
}

/** Rejects with a CallTimeoutError after `ms`, even if the call ignores its abort signal. */
export async function withTimeout<T>(call: (signal: AbortSignal) => Promise<T>, ms: number): Promise<T> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new CallTimeoutError(`no response within ${ms / 1_000} s`, { retryable: true }));
      controller.abort();
    }, ms);
  });
  try {
    return await Promise.race([call(controller.signal), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Builds the error for an unusable response: a retry would return the same. */
export function invalidResponse(reason: string): CallError {
  return new CallError(reason, { retryable: false });
}
