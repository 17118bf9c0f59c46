// Maps errors of the Workers AI binding to CallErrors.
import { CallError } from "../kernel/retry";

/** Error codes of rejected requests, models and accounts, and of a used-up daily free allocation. */
const PERMANENT = /^(3003|3006|3023|3036|3039|3041|3042|5\d{3})$/;

/** Error codes of models that do not exist or are not available to the account. */
const MODEL_UNAVAILABLE = /^(3041|3042|5007|5016|5018|5035)$/;

/** The binding reports an error only as a message, "3040: No more data centers …", which may quote the input. */
export function toWorkersAiError(error: unknown, modelSetting: string): CallError {
  const [, code] = /^(\d{4}): /.exec(error instanceof Error ? error.message : "") ?? [];
  if (code === undefined) return new CallError("error without a code", { retryable: true });
  const hint = MODEL_UNAVAILABLE.test(code) ? `: choose another ${modelSetting}` : "";
  return new CallError(`code ${code}${hint}`, { retryable: !PERMANENT.test(code) });
}
