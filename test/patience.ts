// How long tests wait, on a machine that has other things to do. Whatever passes waits no longer than before.
import fc from "fast-check";
import { vi } from "vitest";

/** vitest's own is a second, which is not much for an alarm on two busy cores. */
const WAIT_MS = 60_000;

// Before vitest's time is over: then a property that hangs, or shrinks for too long, still says its seed and its
// counterexample.
fc.configureGlobal({ timeout: 100_000, interruptAfterTimeLimit: 150_000, markInterruptAsFailure: true });

const { waitFor } = vi;
// Files may share a runtime, and this runs before each of them.
if (waitFor.name !== "waitPatiently")
  vi.waitFor = function waitPatiently(check, options) {
    return waitFor(check, typeof options === "number" ? options : { timeout: WAIT_MS, ...options });
  };
