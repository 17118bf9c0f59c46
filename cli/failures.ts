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

/** Null for a defect, which is no message for a user. */
export function messageOf(error: unknown): string | null {
  if (error instanceof UsageError || error instanceof CommandError) return error.message;
  return isKiokuError(error) ? sentence(error.detail) + adviceOn(error) : null;
}

export function requestIdOf(error: unknown): string | null {
  return isKiokuError(error) ? error.request_id : null;
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
