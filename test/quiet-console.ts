// Keeps the log of the service in memory, and prints that of failed tests. The service logs every request; vitest would
// send each line to its own process, and a line that is on its way when a file ends can stall the runtime.
import { afterEach, beforeEach } from "vitest";

const METHODS = ["debug", "log", "info", "warn", "error"] as const;

/** The last lines of a test tell what went wrong. */
const KEPT_LINES = 200;

type KeptLog = { lines: unknown[][]; print: typeof console.log };

function keepLog(): KeptLog {
  const lines: unknown[][] = [];
  const print = console.log.bind(console);
  for (const method of METHODS)
    console[method] = (...line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
    };
  return { lines, print };
}

// Files share a runtime and its console, and this file runs before each of them.
const shared = globalThis as { keptLog?: KeptLog };
shared.keptLog ??= keepLog();
const { lines, print } = shared.keptLog;

beforeEach(() => {
  lines.length = 0;
});

afterEach(({ task }) => {
  if (task.result?.state === "fail") for (const line of lines) print(...line);
});
