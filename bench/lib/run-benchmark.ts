// Runs a benchmark: prints its report, or one line if it fails, and always stops what it has started.
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Registers a clean-up; the last one registered runs first. */
export type Defer = (stop: () => unknown) => void;

/** `name` is that of the command, before an error. */
export async function runBenchmark(
  createReport: (defer: Defer) => Promise<string>,
  name = "bench",
): Promise<void> {
  exitOnSignals();
  const stops: (() => unknown)[] = [];
  try {
    console.log(await createReport((stop) => stops.push(stop)));
  } catch (error) {
    console.error(`${name}: ${describe(error)}`);
    process.exitCode = 1;
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

/** Creates a folder that is removed when the process exits. */
export async function createTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "kioku-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A signal alone would end the process without its exit handlers. */
function exitOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
