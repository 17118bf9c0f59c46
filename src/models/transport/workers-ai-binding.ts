// The binding of Workers AI, and what its failures mean.
import { CallFailure } from "./retry";

/** The part of the binding that is used. */
export type AiBinding = {
  run(model: string, input: Record<string, unknown>, options: { signal: AbortSignal }): Promise<unknown>;
};

/** Codes of failures that stay: a request, model or account that is refused, and a day's free allocation used up. */
const STAYING = /^(3003|3006|3023|3036|3039|3041|3042|5\d{3})$/;

/** There is no such model, or not for this account. */
const NO_MODEL = /^(3041|3042|5007|5016|5018|5035)$/;

/** The binding tells its failures in words alone, "3040: No more data centers …". The words may quote a text. */
export function aiFailure(error: unknown, modelSetting: string): CallFailure {
  const [, code] = /^(\d{4}): /.exec(error instanceof Error ? error.message : "") ?? [];
  if (code === undefined) return new CallFailure("a failure without a code", { mayPass: true });
  const hint = NO_MODEL.test(code) ? `: choose another ${modelSetting}` : "";
  return new CallFailure(`code ${code}${hint}`, { mayPass: !STAYING.test(code) });
}
