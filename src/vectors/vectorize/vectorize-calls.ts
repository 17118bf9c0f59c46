// Calls of the Vectorize binding: retried with back-off, limited in time, and failing with errors that quote nothing of
// the request.
import { CallError, CallTimeoutError, type RetryPolicy, retryWithBackoff } from "../../platform/retry";
import { VectorIndexError } from "../vector-index";

/** Vectorize answered and rejected the request. */
export class VectorizeRejection extends VectorIndexError {}

/** Every call can be retried: upserts and deletions are idempotent. */
export async function callVectorize<T>(work: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  const call = async () => {
    try {
      return await work();
    } catch (error) {
      throw toCallError(error);
    }
  };
  try {
    return await retryWithBackoff(call, policy);
  } catch (error) {
    if (error instanceof CallTimeoutError) throw new VectorIndexError("Vectorize did not answer in time.");
    if (!(error instanceof CallError)) throw error;
    throw error.retryable ? new VectorIndexError(error.message) : new VectorizeRejection(error.message);
  }
}

/**
 * The binding reports an error only as a message: "VECTOR_QUERY_ERROR (code = 40006): …" with an explanation of the
 * service, "VECTOR_QUERY_ERROR: Status + 500" without one. 4xx is permanent, except for rate limiting.
 */
function toCallError(error: unknown): CallError {
  const message = error instanceof Error ? error.message : "";
  const [, operation, code, status] =
    /^([A-Z]+_[A-Z]+_ERROR)(?: \(code = (\d+)\))?: (?:Status \+ (\d{3})$)?/.exec(message) ?? [];
  const details = [operation, code && `code ${code}`, status && `status ${status}`]
    .filter(Boolean)
    .join(", ");
  return new CallError(`Vectorize failed${details && `: ${details}`}.`, {
    retryable: isRetryable(message, code, status),
  });
}

function isRetryable(message: string, code: string | undefined, status: string | undefined): boolean {
  if (/rate limit|too many requests/i.test(message)) return true;
  if (status !== undefined) return Number(status) >= 500 || status === "429" || status === "408";
  return !code?.startsWith("4");
}
