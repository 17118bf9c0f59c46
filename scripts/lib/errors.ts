// Reads caught values, which TypeScript types as unknown, and reports them to the user of a command.

/** A command line that cannot be read. The usage follows its message. */
export class UsageError extends Error {
  readonly usage: string;

  constructor(message: string, usage: string) {
    super(message);
    this.usage = usage;
  }
}

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

/** Returns 2 for a command line that cannot be read, as `kioku` does, and 1 for any other failure. */
export function getExitCode(error: unknown): number {
  return error instanceof UsageError ? 2 : 1;
}

/** Returns the line for a failed command, with the usage after a line that cannot be read. */
export function describeFailure(error: unknown): string {
  if (isMissingModule(error)) return "kioku: Packages are missing: run npm install.";
  const [message] = readMessage(error).split("\n");
  return error instanceof UsageError ? `kioku: ${message}\n\n${error.usage}` : `kioku: ${message}`;
}
