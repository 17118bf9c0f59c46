// Holds back the timer after which a session's object sends its messages, so that a test does not depend on its own speed.
import { vi } from "vitest";
import { SEND_DELAY_MS } from "../../../src/session/short-term/unsent-messages";

/** Holds every such timer from now on, until `vi.restoreAllMocks`. Returns a function that lets those end that have begun. */
export function holdMessages(): () => void {
  const held: (() => void)[] = [];
  const wait = scheduler.wait.bind(scheduler);
  vi.spyOn(scheduler, "wait").mockImplementation((ms, options) =>
    ms === SEND_DELAY_MS ? new Promise((resolve) => held.push(resolve)) : wait(ms, options),
  );
  return () => {
    for (const release of held.splice(0)) release();
  };
}
