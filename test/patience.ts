// Timeouts that hold on a busy machine. A passing test takes no longer than without them.
import fc from "fast-check";
import { inject, vi } from "vitest";

/** vitest's default is one second, too short for an alarm on two busy cores. */
const WAIT_MS = 60_000;

// Shorter than vitest's timeout, so that a property that hangs or shrinks for long still reports its seed and
// counterexample.
fc.configureGlobal({
  // The same cases in every run, unless PROPERTY_SEED asks for others: see vitest.config.ts.
  seed: inject("propertySeed"),
  timeout: 100_000,
  interruptAfterTimeLimit: 150_000,
  markInterruptAsFailure: true,
});

const { waitFor } = vi;
// Files may share a runtime, and this file runs before each of them.
if (waitFor.name !== "waitPatiently")
  vi.waitFor = function waitPatiently(check, options) {
    return waitFor(check, typeof options === "number" ? options : { timeout: WAIT_MS, ...options });
  };
