import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  BURST_WRITES,
  createIndexing,
  endWakeWindow,
  MAX_BURST_MS,
  PAUSE_MS,
  waitForPause,
} from "../../src/recall/index/indexing";
import type { SemanticServices } from "../../src/recall/vectors/semantic-services";

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

describe("a run that is due while the tenant writes", () => {
  /** Writes every `everyMs` for `forMs`, while a run waits. Returns how long it waited, and the wake-ups meanwhile. */
  async function waitWhileWriting({ everyMs, forMs }: { everyMs: number; forMs: number }) {
    const { tenant, wakeRpc, ...indexing } = newIndexing();
    const began = Date.now();
    for (let i = 0; i < BURST_WRITES; i += 1) await indexing.wake();
    wakeRpc.mockClear();
    await waitForPause(tenant, async (ms) => {
      for (const end = Date.now() + ms; Date.now() < end; vi.advanceTimersByTime(everyMs))
        if (Date.now() - began < forMs) await indexing.wake();
    });
    return { waitedMs: Date.now() - began, wakeUps: wakeRpc.mock.calls.length };
  }

  it("waits until the writes pause, which wake nobody meanwhile", async () => {
    const { waitedMs, wakeUps } = await waitWhileWriting({ everyMs: 10, forMs: 1_000 });
    expect(waitedMs).toBeGreaterThanOrEqual(1_000);
    expect(waitedMs).toBeLessThanOrEqual(1_000 + 2 * PAUSE_MS);
    expect(wakeUps).toBe(0);
  });

  it("waits no longer than the limit", async () => {
    const { waitedMs } = await waitWhileWriting({ everyMs: 10, forMs: 60_000 });
    expect(waitedMs).toBeGreaterThanOrEqual(MAX_BURST_MS);
    expect(waitedMs).toBeLessThan(MAX_BURST_MS + PAUSE_MS);
  });

  it.each([
    ["there were few writes", BURST_WRITES - 1, 0],
    ["the last write is some time ago", BURST_WRITES, PAUSE_MS],
  ])("does not wait if %s", async (_, writes, agoMs) => {
    const { tenant, ...indexing } = newIndexing();
    for (let i = 0; i < writes; i += 1) await indexing.wake();
    vi.advanceTimersByTime(agoMs);
    const wait = vi.fn(async () => vi.advanceTimersByTime(PAUSE_MS));
    await waitForPause(tenant, wait);
    expect(wait).not.toHaveBeenCalled();
  });

  it("counts the writes from the last run on", async () => {
    const { tenant, ...indexing } = newIndexing();
    for (let i = 0; i < BURST_WRITES; i += 1) await indexing.wake();
    endWakeWindow(tenant, Date.now());
    await indexing.wake();
    const wait = vi.fn(async () => vi.advanceTimersByTime(PAUSE_MS));
    await waitForPause(tenant, wait);
    expect(wait).not.toHaveBeenCalled();
  });
});
