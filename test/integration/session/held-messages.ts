// Holds back the timer after which a session's object sends its messages, so that a test does not depend on its own speed.
import { vi } from "vitest";
import { SEND_DELAY_MS } from "../../../src/sessions/short-term/message-progress";

const POLL_MS = 20;

/** Holds every such timer from now on, until `vi.restoreAllMocks`. Returns a function that lets those end that have begun. */
export function holdMessages(): () => void {
  let releases = 0;
  const wait = scheduler.wait.bind(scheduler);
  vi.spyOn(scheduler, "wait").mockImplementation(async (ms, options) => {
    if (ms !== SEND_DELAY_MS) return wait(ms, options);
    const begun = releases;
    // The object waits by itself: a promise that the test resolves would not wake it.
    while (releases === begun) await wait(POLL_MS);
  });
  return () => {
    releases += 1;
  };
}
