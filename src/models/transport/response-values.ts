// Reading what a service answered, which may be anything.
import { CallFailure } from "./retry";

export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** An answer that is no use, and would be none the next time. */
export function refusal(reason: string): CallFailure {
  return new CallFailure(reason, { mayPass: false });
}
