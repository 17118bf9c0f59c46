// The limits on the searches of a tenant: how much D1 time may be in flight, how many wait, how much a minute has.
import { describe, expect, it } from "vitest";
import { FailureError } from "../../../src/kernel/errors";
import { limitReads, READ_CLOCK, type ReadLimits } from "../../../src/recall/search/read-limits";

const LIMITS: ReadLimits = { msInFlight: 40, waiting: 2, waitMs: 60_000, msPerMinute: 0 };

let tenants = 0;
/** At a time of its own, so that the tenants of other tests are no neighbours. */
function newTenant(limits: Partial<ReadLimits> = {}, clock = { now: (tenants + 1) * 10_000_000 }) {
  tenants += 1;
  const name = `tenant-${tenants}`;
  let started = 0;
  const run = (ms: number, until: Promise<unknown> = Promise.resolve()) =>
    limitReads(name, { ...LIMITS, ...limits }, { ...READ_CLOCK, now: () => clock.now }, async (spend) => {
      started += 1;
      await until;
      spend(ms);
      return ms;
    });
  return { clock, run, started: () => started };
}

const settle = async () => {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
};

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => (error instanceof FailureError ? error.failure : error),
  );

describe("searches in flight", () => {
  it("are as many as fit by their usual time, and at least one", async () => {
    const t = newTenant({ waiting: 100 });
    const gate = Promise.withResolvers<void>();
    // An unknown tenant's searches are taken to need 5 ms.
    const first = Array.from({ length: 12 }, () => t.run(100, gate.promise));
    await settle();
    expect(t.started()).toBe(8);
    gate.resolve();
    await Promise.all(first);
    expect(t.started()).toBe(12);
    const slow = Promise.withResolvers<void>();
    const later = [t.run(100, slow.promise), t.run(100, slow.promise)];
    await settle();
    expect(t.started()).toBe(13);
    slow.resolve();
    await Promise.all(later);
  });

  it("others wait in order, and too many are refused with a time to come back", async () => {
    const t = newTenant();
    await t.run(1_000);
    const gate = Promise.withResolvers<void>();
    const order: number[] = [];
    const waiting = [1, 2, 3].map(async (n) => {
      await t.run(1_000, n === 1 ? gate.promise : undefined);
      order.push(n);
    });
    await settle();
    expect(await failureOf(t.run(1))).toMatchObject({ code: "rate_limited", retryAfterSeconds: 1 });
    gate.resolve();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
  });

  it("of another tenant do not count", async () => {
    const busy = newTenant({ waiting: 0 });
    await busy.run(1_000);
    const gate = Promise.withResolvers<void>();
    const running = busy.run(1_000, gate.promise);
    expect(await failureOf(busy.run(1))).toMatchObject({ code: "rate_limited" });
    expect(await newTenant({ waiting: 0 }).run(7)).toBe(7);
    gate.resolve();
    await running;
  });

  it("whose callers went away are given up when their requests no longer renew them", async () => {
    const t = newTenant({ waiting: 0 });
    await t.run(1_000);
    const lost = t.run(1, new Promise(() => undefined));
    expect(await failureOf(t.run(1))).toMatchObject({ code: "rate_limited" });
    t.clock.now += 1_000;
    expect(await t.run(3)).toBe(3);
    expect(lost).toBeInstanceOf(Promise);
  });

  it("that fail leave room for the next", async () => {
    const t = newTenant({ waiting: 0 });
    await expect(t.run(1, Promise.reject(new Error("D1 is away")))).rejects.toThrow("D1 is away");
    expect(await t.run(2)).toBe(2);
  });

  it("are not limited at 0", async () => {
    const t = newTenant({ msInFlight: 0, waiting: 0 });
    await t.run(1_000);
    const gate = Promise.withResolvers<void>();
    const all = [1, 2, 3].map(() => t.run(1_000, gate.promise));
    await settle();
    expect(t.started()).toBe(4);
    gate.resolve();
    await Promise.all(all);
  });
});

describe("the time of a minute", () => {
  it("is spent by searches and comes back steadily", async () => {
    const t = newTenant({ msPerMinute: 600 });
    await t.run(500);
    await t.run(300);
    // 200 ms too many: at 10 ms a second they are back after 20 s.
    expect(await failureOf(t.run(1))).toMatchObject({ code: "rate_limited", retryAfterSeconds: 21 });
    t.clock.now += 20_000;
    expect(await failureOf(t.run(1))).toMatchObject({ retryAfterSeconds: 1 });
    t.clock.now += 1_000;
    expect(await t.run(1)).toBe(1);
    t.clock.now -= 500_000;
    expect(await t.run(9)).toBe(9);
    expect(await failureOf(t.run(1))).toMatchObject({ code: "rate_limited" });
  });
});
