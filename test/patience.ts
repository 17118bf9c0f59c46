// How long tests wait on a busy machine, and how many cases they try. A passing test takes no longer than without these
// timeouts.
import fc from "fast-check";
import { inject, vi } from "vitest";

/** Whether every case is tried (`npm run test:full`). `npm test` tries a third of those that are generated or swept. */
export const fullRun = inject("fullRun");

/** Returns how many of so many cases are tried. */
export function scaleCases(cases: number): number {
  return fullRun ? cases : Math.ceil(cases / 3);
}

/** vitest's default is one second, too short for an alarm on two busy cores. */
const WAIT_MS = 60_000;

// Shorter than vitest's timeout, so that a property that hangs or shrinks for long still reports its seed and
// counterexample.
fc.configureGlobal({
  // The same cases in every run, unless PROPERTY_SEED asks for others: see vitest.config.ts.
  seed: inject("propertySeed"),
  // fast-check's default.
  numRuns: scaleCases(100),
  timeout: 100_000,
  interruptAfterTimeLimit: 150_000,
  markInterruptAsFailure: true,
});

const { waitFor, waitUntil } = vi;
// Files may share a runtime, and this file runs before each of them.
if (waitFor.name !== "waitPatiently") {
  vi.waitFor = function waitPatiently(check, options) {
    return waitFor(
      check,
      typeof options === "number" ? options : { timeout: WAIT_MS, interval: 20, ...options },
    );
  };
  vi.waitUntil = (check, options) =>
    waitUntil(check, typeof options === "number" ? options : { timeout: WAIT_MS, interval: 2, ...options });
}
