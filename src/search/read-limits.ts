// Limits the searches of each tenant, so that nobody's searches occupy the database that all tenants share. The measure
// is the time that D1 spends on them. Each isolate counts on its own, so the limits are exact on one machine and
// approximate on many.
import type { SearchSettings } from "../platform/env";
import { failure } from "../platform/errors";
import { MINUTE_MS } from "../platform/time";

/** 0 milliseconds are no limit. */
export type ReadLimits = Omit<SearchSettings, "postings">;

type TenantReads = {
  /** When each search in flight is given up, and its estimate: one whose caller went away never ends. */
  running: Map<symbol, { until: number; ms: number }>;
  /** Called when a search ends, in the order in which the callers came. */
  waiting: Set<() => void>;
  /** The moving average of a search, in D1 milliseconds. */
  average: number;
  /** When it searched last, and when it may search again if its neighbours' searches are cheaper. */
  lastSearch: number;
  pausedUntil: number;
  /** The milliseconds that are left. */
  budget: number;
  filledAt: number;
};

const FIRST_ESTIMATE_MS = 5;
const MIN_ESTIMATE_MS = 1;
/** The weight of the latest search in the average. */
const SMOOTHING = 0.3;
/**
 * A tenant whose searches take this many times as long as those of a neighbour pauses after each of them, for a multiple
 * of its time, so that most of the database's time is the neighbours'. A neighbour is a tenant that searched just now.
 */
const EXPENSIVE_RATIO = 2;
const PAUSE_RATIO = 3;
const NEIGHBOUR_MS = 1_000;
/** A search takes at most this long: D1 ends a query after 30 seconds. */
const LEASE_MS = 30_000;
/** A caller who waits looks again after this time, in case the one that should have woken it went away. */
const RECHECK_MS = 200;
/** More tenants than an isolate serves at a time; those without a search in flight are forgotten. */
const MAX_TENANTS = 10_000;

const tenants = new Map<string, TenantReads>();

/** The tenants that searched within NEIGHBOUR_MS, the latest last. */
const active = new Set<TenantReads>();

/** Runs a search when the tenant's limits allow it. `work` reports the milliseconds that D1 spends. Throws `rate_limited`. */
export async function limitReads<T>(
  tenant: string,
  limits: ReadLimits,
  now: () => number,
  work: (spend: (ms: number) => void) => Promise<T>,
): Promise<T> {
  const reads = openTenant(tenant, limits, now());
  fillBudget(reads, limits, now());
  if (limits.msPerMinute > 0 && reads.budget <= 0) {
    const seconds = Math.ceil((MIN_ESTIMATE_MS - reads.budget) / (limits.msPerMinute / 60));
    throw failure(
      "rate_limited",
      `The searches of this tenant took more than ${limits.msPerMinute} ms of database time a minute. Wait ${seconds} s, and ask for fewer or rarer words.`,
      { retryAfterSeconds: seconds },
    );
  }
  noteSearch(reads, now());
  const search = await enter(reads, limits, now);
  let spent = 0;
  try {
    return await work((ms) => {
      spent += ms;
    });
  } finally {
    reads.running.delete(search);
    reads.average += SMOOTHING * (spent - reads.average);
    reads.budget -= spent;
    reads.pausedUntil = Math.max(now(), reads.pausedUntil) + spent * PAUSE_RATIO;
    wakeWaiting(reads);
  }
}

/** Waits until the search may run, and returns its entry among those in flight. */
async function enter(reads: TenantReads, limits: ReadLimits, now: () => number): Promise<symbol> {
  const deadline = now() + limits.waitMs;
  while (!hasRoom(reads, limits, now())) {
    if (reads.waiting.size >= limits.waiting || now() >= deadline)
      throw failure(
        "rate_limited",
        "This tenant has too many searches in flight. Wait 1 s, and send fewer at a time.",
        {
          retryAfterSeconds: 1,
        },
      );
    await waitForEnd(reads, Math.min(RECHECK_MS, Math.max(1, reads.pausedUntil - now())));
  }
  const search = Symbol("search");
  reads.running.set(search, { until: now() + LEASE_MS, ms: estimate(reads) });
  return search;
}

/** One search is always allowed, however expensive, unless it has to pause for a neighbour. */
function hasRoom(reads: TenantReads, { msInFlight }: ReadLimits, now: number): boolean {
  for (const [search, { until }] of reads.running) if (until <= now) reads.running.delete(search);
  if (msInFlight === 0) return true;
  if (reads.pausedUntil > now && isExpensive(reads, now)) return false;
  if (reads.running.size === 0) return true;
  const inFlight = [...reads.running.values()].reduce((sum, { ms }) => sum + ms, 0);
  return inFlight + estimate(reads) <= msInFlight;
}

function noteSearch(reads: TenantReads, now: number): void {
  reads.lastSearch = now;
  active.delete(reads);
  active.add(reads);
}

/** Whether the tenant's searches take longer than those of a neighbour. */
function isExpensive(reads: TenantReads, now: number): boolean {
  for (const other of active) {
    if (Math.abs(now - other.lastSearch) > NEIGHBOUR_MS) active.delete(other);
    else if (other !== reads && reads.average > EXPENSIVE_RATIO * estimate(other)) return true;
  }
  return false;
}

function estimate({ average }: TenantReads): number {
  return Math.max(MIN_ESTIMATE_MS, average);
}

/** The timer is this request's own, so that another request that ends does not touch it. */
async function waitForEnd({ waiting }: TenantReads, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.add(resolve);
  await Promise.race([promise, scheduler.wait(ms)]);
  waiting.delete(resolve);
}

/** Wakes all: each looks in turn whether there is room, and waits again in the same order. */
function wakeWaiting({ waiting }: TenantReads): void {
  const callers = [...waiting];
  waiting.clear();
  for (const wake of callers) wake();
}

function openTenant(tenant: string, { msPerMinute }: ReadLimits, now: number): TenantReads {
  const known = tenants.get(tenant);
  if (known !== undefined) return known;
  if (tenants.size >= MAX_TENANTS)
    for (const [name, { running, waiting }] of tenants)
      if (running.size === 0 && waiting.size === 0) tenants.delete(name);
  const opened: TenantReads = {
    running: new Map(),
    waiting: new Set(),
    average: FIRST_ESTIMATE_MS,
    lastSearch: now,
    pausedUntil: now,
    budget: msPerMinute,
    filledAt: now,
  };
  tenants.set(tenant, opened);
  return opened;
}

/** The budget grows steadily up to that of a minute. A clock that was set back adds nothing. */
function fillBudget(reads: TenantReads, { msPerMinute }: ReadLimits, now: number): void {
  const elapsed = Math.max(0, now - reads.filledAt);
  reads.budget = Math.min(msPerMinute, reads.budget + (elapsed * msPerMinute) / MINUTE_MS);
  reads.filledAt = now;
}
