// Calls of the Vectorize binding: tried again when the reason may pass, never for longer than a caller waits, and
// failing with an error that quotes nothing of what was sent.
import { CallFailure, within } from "../../models/transport/retry";
import { VectorIndexError } from "../vector-index";

export type Patience = { attempts: number; retryMs: number; timeoutMs: number };

/** Every call may be repeated: writes replace, deletions delete. */
export async function attempt<T>(work: () => Promise<T>, patience: Patience): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await within(work, patience.timeoutMs);
    } catch (error) {
      if (tried >= patience.attempts || !mayPass(error)) throw toIndexError(error);
    }
    await scheduler.wait(patience.retryMs * 2 ** (tried - 1));
  }
}

/**
 * The binding tells its failures in words alone: "VECTOR_QUERY_ERROR (code = 40006): …" when the service explains
 * itself, "VECTOR_QUERY_ERROR: Status + 500" when it does not. A refusal, 4xx, stays one, but for too many requests.
 */
function mayPass(error: unknown): boolean {
  const { message, code, status } = tellingPartsOf(error);
  if (/rate limit|too many requests/i.test(message)) return true;
  if (status !== null) return status >= 500 || status === 429 || status === 408;
  return !code?.startsWith("4");
}

/** Vectorize answered, and did not take what was sent. */
export class VectorizeRefusal extends VectorIndexError {}

function toIndexError(error: unknown): VectorIndexError {
  if (error instanceof CallFailure) return new VectorIndexError("Vectorize did not answer in time.");
  const { operation, code, status } = tellingPartsOf(error);
  const told = [operation, code && `code ${code}`, status && `status ${status}`].filter(Boolean).join(", ");
  const message = `Vectorize failed${told && `: ${told}`}.`;
  return mayPass(error) ? new VectorIndexError(message) : new VectorizeRefusal(message);
}

function tellingPartsOf(error: unknown) {
  const message = error instanceof Error ? error.message : "";
  const [, operation = null, code = null, status = null] =
    /^([A-Z]+_[A-Z]+_ERROR)(?: \(code = (\d+)\))?: (?:Status \+ (\d{3})$)?/.exec(message) ?? [];
  return { message, operation, code, status: status === null ? null : Number(status) };
}
