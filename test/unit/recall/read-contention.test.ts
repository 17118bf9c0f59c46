// Tenants that share the database, in simulated time: who waits for whom, and how long.
import { describe, expect, it } from "vitest";
import { limitReads, type ReadClock, type ReadLimits } from "../../../src/recall/search/read-limits";

const LIMITS: ReadLimits = { msInFlight: 40, waiting: 100, waitMs: 5_000, msPerMinute: 0 };

let simulations = 0;

/** A clock that jumps from event to event, and a database that runs one query at a time. */
function simulate() {
  simulations += 1;
  const name = `simulation-${simulations}`;
  // At a time of its own, so that the reads of other tests are long ago.
  let now = simulations * 10_000_000;
  const start = now;
  const events = new Set<{ at: number; run: () => void }>();
  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      events.add({ at: now + ms, run: resolve });
    });
  const clock: ReadClock = {
    now: () => now,
    wait,
    repeat(ms, action) {
      const event: { at: number; run: () => void } = { at: now + ms, run: () => undefined };
      event.run = () => {
        action();
        event.at = now + ms;
        events.add(event);
      };
      events.add(event);
      return () => events.delete(event);
    },
  };
  let freeAt = now;
  const query = (ms: number) => {
    freeAt = Math.max(now, freeAt) + ms;
    return wait(freeAt - now);
  };
  const run = async (until: number) => {
    for (;;) {
      for (let i = 0; i < 50; i += 1) await Promise.resolve();
      const next = [...events].reduce<{ at: number; run: () => void } | null>(
        (first, event) => (first === null || event.at < first.at ? event : first),
        null,
      );
      if (next === null || next.at > start + until) return;
      events.delete(next);
      now = next.at;
      next.run();
    }
  };
  const read = async (tenant: string, ms: number) => {
    const arrived = now;
    await limitReads(`${name}-${tenant}`, LIMITS, clock, async (charge) => {
      await query(ms);
      charge(ms);
    });
    return now - arrived;
  };
  /** Sends one read after another, with a break between them, and returns how long each took. */
  const send = (tenant: string, ms: number, rest = 0) => {
    const times: number[] = [];
    const refused: unknown[] = [];
    const loop = async () => {
      for (;;) {
        await read(tenant, ms).then(
          (time) => times.push(time),
          (error: unknown) => refused.push(error),
        );
        // Also a client without a break takes a moment.
        await wait(Math.max(rest, 1));
      }
    };
    void loop();
    return { times, refused, median: () => times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN };
  };
  return { run, read, send, clock, name };
}

describe("tenants that share the database", () => {
  it.each([1, 60])("a neighbour with few cheap reads does not slow %i clients", async (clients) => {
    const measure = async (isAttacked: boolean) => {
      const simulation = simulate();
      if (isAttacked) simulation.send("attacker", 0.2, 900);
      const victims = Array.from({ length: clients }, () => simulation.send("victim", 20));
      await simulation.run(10_000);
      expect(victims.flatMap(({ refused }) => refused)).toEqual([]);
      return victims.flatMap(({ times }) => times).length;
    };
    const alone = await measure(false);
    expect(await measure(true)).toBeGreaterThan(alone * 0.99);
  });

  it("the one that takes most of a contended database pauses for the others, each call a few times its own cost", async () => {
    const simulation = simulate();
    const heavy = simulation.send("heavy", 100);
    const light = simulation.send("light", 5, 20);
    await simulation.run(20_000);
    // Without pauses, nearly every read of the light tenant waits for a heavy one.
    expect(light.median()).toBeLessThan(20);
    expect(heavy.median()).toBeGreaterThan(200);
    expect(Math.max(...heavy.times)).toBeLessThanOrEqual(3 * 100 + 100 + 2 * 5);
  });

  it("tenants with equal use do not pause", async () => {
    const simulation = simulate();
    const tenants = ["one", "two", "three"].map((tenant) => simulation.send(tenant, 20));
    await simulation.run(10_000);
    for (const { times } of tenants) expect(Math.max(...times)).toBeLessThanOrEqual(3 * 20);
  });
});

describe("the reads of one tenant", () => {
  it("are served evenly, and none is refused", async () => {
    const simulation = simulate();
    const clients = Array.from({ length: 8 }, () => simulation.send("tenant", 30));
    await simulation.run(30_000);
    expect(clients.flatMap(({ refused }) => refused)).toEqual([]);
    const counts = clients.map(({ times }) => times.length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });

  it("are not overtaken by one that comes in the moment when another ends", async () => {
    const simulation = simulate();
    const order: string[] = [];
    const limit = (name: string) =>
      limitReads(`${simulation.name}-order`, { ...LIMITS, msInFlight: 1 }, simulation.clock, async () => {
        order.push(name);
        await simulation.clock.wait(10);
      });
    const reads = [limit("first").then(() => limit("newcomer")), limit("second"), limit("third")];
    await simulation.run(1_000);
    await Promise.all(reads);
    expect(order).toEqual(["first", "second", "third", "newcomer"]);
  });

  it("go on after callers went away, whether these ran or waited", async () => {
    const simulation = simulate();
    const limit = (clock: ReadClock, work: () => Promise<void>) =>
      limitReads(`${simulation.name}-left`, { ...LIMITS, msInFlight: 1 }, clock, work);
    // The timers of a request that went away never fire.
    const gone: ReadClock = {
      ...simulation.clock,
      wait: () => new Promise(() => undefined),
      repeat: () => () => undefined,
    };
    const lost = [1, 2].map(() => limit(gone, () => new Promise(() => undefined)));
    await simulation.run(0);
    let isDone = false;
    const next = limit(simulation.clock, async () => {
      isDone = true;
    });
    await simulation.run(500);
    expect(isDone).toBe(false);
    await simulation.run(2_500);
    expect(isDone).toBe(true);
    await next;
    expect(lost).toHaveLength(2);
  });

  it("that take long keep their turn", async () => {
    const simulation = simulate();
    const order: string[] = [];
    const limit = (name: string, ms: number) =>
      limitReads(`${simulation.name}-long`, { ...LIMITS, msInFlight: 1 }, simulation.clock, async () => {
        await simulation.clock.wait(ms);
        order.push(name);
      });
    const reads = [limit("long", 4_000), limit("short", 1)];
    await simulation.run(3_900);
    expect(order).toEqual([]);
    await simulation.run(5_000);
    await Promise.all(reads);
    expect(order).toEqual(["long", "short"]);
  });
});
