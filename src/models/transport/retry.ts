// One call of a service, with a time-out, tried again when the reason may pass. It quotes nothing of what was sent
// or answered.

export type Patience = {
  attempts: number;
  /** The wait before the second try; it doubles from try to try. */
  retryMs: number;
  timeoutMs: number;
  /** The longest wait that a service may ask for. */
  retryAfterMs: number;
};

/** Why a call failed, in words that may be logged. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
  constructor(
    reason: string,
    /** Whether the same call may succeed later, and when the service says it will. */
    readonly passing: { mayPass: boolean; retryAfterMs?: number },
  ) {
    super(reason);
  }
}

export async function attempt<T>(
  work: (signal: AbortSignal) => Promise<T>,
  patience: Patience,
  sleep: (ms: number) => Promise<void> = wait,
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    let waitMs = patience.retryMs * 2 ** (tried - 1);
    try {
      return await within(work, patience.timeoutMs);
    } catch (error) {
      if (!(error instanceof CallFailure) || !error.passing.mayPass || tried >= patience.attempts)
        throw error;
      const { retryAfterMs = 0 } = error.passing;
      // To knock before the time would only be refused again.
      if (retryAfterMs > patience.retryAfterMs) throw error;
      waitMs = Math.max(waitMs, retryAfterMs);
    }
    await sleep(waitMs);
  }
}

/** Work that ends in time even if it does not heed its signal. */
export async function within<T>(work: (signal: AbortSignal) => Promise<T>, ms: number): Promise<T> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new CallFailure(`no answer within ${ms / 1_000} s`, { mayPass: true }));
      controller.abort();
    }, ms);
  });
  try {
    return await Promise.race([work(controller.signal), timeOut]);
  } finally {
    clearTimeout(timer);
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
