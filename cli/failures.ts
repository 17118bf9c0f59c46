// What ends a command: a wrong call of it (exit code 2), or something that could not be done (1). One line each, with
// what to do about it.
import { isKiokuError, type KiokuError } from "../client/index";

export class UsageError extends Error {
  override readonly name = "UsageError";
}

export class CommandError extends Error {
  override readonly name = "CommandError";
}

export function exitCodeOf(error: unknown): number {
  const ours = isKiokuError(error, "invalid_request") && error.status === 0;
  return error instanceof UsageError || ours ? 2 : 1;
}

export function messageOf(error: unknown): string {
  if (error instanceof UsageError || error instanceof CommandError) return error.message;
  if (isKiokuError(error)) return sentence(error.detail) + adviceOn(error);
  const reason = error instanceof Error ? error.message : String(error);
  return `${sentence(reason)} That was not foreseen: --verbose shows where it happened.`;
}

/** What --verbose adds. */
export function traceOf(error: unknown): string | null {
  if (isKiokuError(error)) return error.request_id === null ? null : `request id: ${error.request_id}`;
  const told = error instanceof UsageError || error instanceof CommandError;
  return !told && error instanceof Error ? (error.stack ?? null) : null;
}

function adviceOn({ code, detail }: KiokuError): string {
  switch (code) {
    case "network":
      return " Start the service (npm start), or give its address with --url or KIOKU_URL.";
    case "timeout":
      return " Try again, or see whether the service is well: kioku doctor.";
    case "unauthorized":
      return " Check KIOKU_API_KEY; kioku keys create makes a new key.";
    case "forbidden":
      return detail.includes('"admin"') ? " Set KIOKU_ADMIN_KEY to the service's ADMIN_KEY." : "";
    default:
      return "";
  }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
