// Reads caught values, which TypeScript types as unknown.

export function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the code that Node gives system and module errors, such as ENOENT. */
export function readCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return String(error.code);
}

/** Whether an import failed because the packages are not installed. */
export function isMissingModule(error: unknown): boolean {
  return readCode(error) === "ERR_MODULE_NOT_FOUND";
}
