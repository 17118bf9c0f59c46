import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createIndexing } from "../../src/indexing/indexing";
import { endWakeWindow } from "../../src/indexing/wake-window";
import type { SemanticServices } from "../../src/vectors/semantic-services";

const DELAY = 250;
let tenants = 0;

/** A tenant's indexing whose indexer runs `delay` after it was asked. */
function newIndexing(delay = DELAY) {
  tenants += 1;
  const tenant = `tenant-${tenants}`;
  const wake = vi.fn(async () => delay);
  const indexer = { wake, drain: async () => 0, remove: async () => 0 };
  return { tenant, wakeRpc: wake, ...createIndexing(tenant, { semantic: {} as SemanticServices, indexer }) };
}

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => vi.useRealTimers());

describe("an indexer that is due", () => {
  it("is not woken again before its run can have begun", async () => {
    const { wakeRpc, ...indexing } = newIndexing();
    await indexing.wake();
    vi.advanceTimersByTime(DELAY - 1);
    await indexing.wake();
    expect(wakeRpc).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    await indexing.wake();
    expect(wakeRpc).toHaveBeenCalledTimes(2);
  });

  it("is woken by the next write if an earlier alarm leaves less time", async () => {
    const { wakeRpc, ...indexing } = newIndexing(3);
    await indexing.wake();
    vi.advanceTimersByTime(3);
    await indexing.wake();
    expect(wakeRpc).toHaveBeenCalledTimes(2);
  });

  it("is woken for each tenant", async () => {
    const [mine, theirs] = [newIndexing(), newIndexing()];
    await mine.wake();
    await theirs.wake();
    expect(theirs.wakeRpc).toHaveBeenCalledTimes(1);
  });

  it("is woken again after a call that failed", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { wakeRpc, ...indexing } = newIndexing();
    wakeRpc.mockRejectedValueOnce(new Error("lost"));
    await indexing.wake();
    await indexing.wake();
    expect(wakeRpc).toHaveBeenCalledTimes(2);
    error.mockRestore();
  });

  it.each(["before", "after"])("is woken again if it ran %s the answer to the call came", async (when) => {
    const { tenant, wakeRpc, ...indexing } = newIndexing();
    if (when === "before")
      wakeRpc.mockImplementationOnce(async () => {
        endWakeWindow(tenant, Date.now());
        return DELAY;
      });
    await indexing.wake();
    if (when === "after") endWakeWindow(tenant, Date.now());
    await indexing.wake();
    expect(wakeRpc).toHaveBeenCalledTimes(2);
  });
});
