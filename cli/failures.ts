// The errors that end a command: wrong usage (exit code 2), which includes values that the service rejects, or a failed
// action (1). Each is reported in one line that includes a remedy.
import { isKiokuError, type KiokuError } from "../client/index";

export class UsageError extends Error {
  override readonly name = "UsageError";
}

export class CommandError extends Error {
  override readonly name = "CommandError";
}

export function getExitCode(error: unknown): number {
  return error instanceof UsageError || isKiokuError(error, "invalid_request") ? 2 : 1;
}

export function formatError(error: unknown): string {
  if (error instanceof UsageError || error instanceof CommandError) return error.message;
  if (isKiokuError(error)) return endSentence(error.detail) + getAdvice(error);
  const reason = error instanceof Error ? error.message : String(error);
  return `Unexpected error: ${endSentence(reason)} --verbose shows where it happened.`;
}

/** Returns the details that --verbose adds. */
export function formatTrace(error: unknown): string | null {
  if (isKiokuError(error)) return error.request_id === null ? null : `request id: ${error.request_id}`;
  const isExpected = error instanceof UsageError || error instanceof CommandError;
  return !isExpected && error instanceof Error ? (error.stack ?? null) : null;
}

function getAdvice({ code, detail }: KiokuError): string {
  switch (code) {
    case "network":
      return " Start the service (npx kioku-server start, or npm start in its repository), or give its address with --url or KIOKU_URL.";
    case "timeout":
      return " Try again, or see whether the service is well: kioku doctor.";
    case "unauthorized":
      return " Check KIOKU_API_KEY; kioku keys create makes a new key.";
    case "forbidden":
      // Only administration uses the admin key, which belongs to no tenant.
      return detail.includes('"admin"')
        ? " Make a key that has it: kioku keys create <tenant> --scopes read,write,admin. For keys, audit, shards and tenants, set KIOKU_ADMIN_KEY to the service's ADMIN_KEY."
        : "";
    default:
      return "";
  }
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
