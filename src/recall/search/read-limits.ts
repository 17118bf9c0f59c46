// Limits the reads of each tenant that search or filter its rows, so that nobody's reads occupy the database that all
// tenants share. The measure is the time that D1 spends on them. Each isolate counts on its own, so the limits are exact
// on one machine and approximate on many.
import type { SearchSettings } from "../../kernel/env";
import { failure } from "../../kernel/errors";
import { MINUTE_MS } from "../../kernel/time";

/** 0 milliseconds are no limit. */
export type ReadLimits = Omit<SearchSettings, "postings">;

/** The time, and what happens later. */
export type ReadClock = {
  now: () => number;
  wait: (ms: number) => Promise<unknown>;
  /** Repeats an action until the returned function is called. */
  repeat: (ms: number, action: () => void) => () => void;
};

/** A read that waits or runs. */
type Turn = {
  arrivedAt: number;
  /** When it is given up unless its request renews it: one whose caller went away never ends. */
  until: number;
  /** Its estimated D1 milliseconds, and those that it has used. */
  ms: number;
  spent: number;
};

/** D1 milliseconds that count less the older they are: together about those of the last WINDOW_MS. */
type RecentTime = { ms: number; at: number };

type TenantReads = {
  running: Set<Turn>;
  /** In the order in which the callers came. */
  waiting: Set<Turn>;
  /** The moving average of a read, in D1 milliseconds. */
  average: number;
  recent: RecentTime;
  /** When its next read may begin if the database is contended. */
  pausedUntil: number;
  /** The milliseconds that are left. */
  budget: number;
  filledAt: number;
};

const FIRST_ESTIMATE_MS = 5;
const MIN_ESTIMATE_MS = 1;
/** The weight of the latest read in the average. */
const SMOOTHING = 0.3;
const WINDOW_MS = 1_000;
/**
 * The database is contended when reads take at least half of its time, and those of a tenant's neighbours at least a
 * fiftieth: a neighbour that uses next to nothing slows nobody.
 */
const CONTENDED_SHARE = 0.5;
const NEIGHBOURS_SHARE = 0.02;
/**
 * A tenant that uses more of a contended database than all its neighbours together pauses after each read, for so many
 * times the read's own time. No call pauses longer than so many times the usual time of its tenant's reads.
 */
const PAUSE_RATIO = 3;
/** A request renews its turn while it lives; its turn is given up soon after it went away. */
const LEASE_MS = 1_000;
const RENEW_MS = 250;
/**
 * A caller who waits looks again after this time, the first in line more often. No request wakes another: on Workers a
 * request must not touch the timers and promises of another one.
 */
const RECHECK_MS = 20;
const FIRST_RECHECK_MS = 2;
/** More tenants than an isolate serves at a time; those without a read in flight are forgotten. */
const MAX_TENANTS = 10_000;

export const READ_CLOCK: ReadClock = {
  now: () => Date.now(),
  wait: (ms) => scheduler.wait(ms),
  repeat: (ms, action) => {
    const timer = setInterval(action, ms);
    return () => clearInterval(timer);
  },
};

const tenants = new Map<string, TenantReads>();

/** The time of the reads of all tenants. */
const recentOfAll: RecentTime = { ms: 0, at: 0 };

/**
 * Runs a read when the tenant's limits allow it, in the order of the calls. `work` reports the milliseconds that D1
 * spends, and must not call this function: it would wait for itself. Throws `rate_limited`.
 */
export async function limitReads<T>(
  tenant: string,
  limits: ReadLimits,
  clock: ReadClock,
  work: (charge: (ms: number) => void) => Promise<T>,
): Promise<T> {
  const reads = openTenant(tenant, limits, clock.now());
  fillBudget(reads, limits, clock.now());
  if (limits.msPerMinute > 0 && reads.budget <= 0) {
    const seconds = Math.ceil((MIN_ESTIMATE_MS - reads.budget) / (limits.msPerMinute / 60));
    throw failure(
      "rate_limited",
      `The searches of this tenant took more than ${limits.msPerMinute} ms of database time a minute. Wait ${seconds} s, and ask for fewer or rarer words.`,
      { retryAfterSeconds: seconds },
    );
  }
  const turn = await enter(reads, limits, clock);
  const stopRenewing = clock.repeat(RENEW_MS, () => renew(turn, clock.now()));
  try {
    return await work((ms) => {
      turn.spent += ms;
      charge(reads, ms, clock.now());
    });
  } finally {
    stopRenewing();
    reads.running.delete(turn);
    reads.average += SMOOTHING * (turn.spent - reads.average);
    reads.pausedUntil = Math.max(reads.pausedUntil, clock.now() + turn.spent * PAUSE_RATIO);
  }
}

/** Waits until the read may run: behind those that wait already, so that nobody is overtaken. */
async function enter(reads: TenantReads, limits: ReadLimits, clock: ReadClock): Promise<Turn> {
  const arrivedAt = clock.now();
  const turn: Turn = { arrivedAt, until: arrivedAt + LEASE_MS, ms: 0, spent: 0 };
  giveUpLost(reads, arrivedAt);
  if (reads.waiting.size > 0 || !mayRun(reads, turn, limits, arrivedAt)) {
    if (reads.waiting.size >= limits.waiting) throw tooManyReads();
    try {
      await waitForTurn(reads, turn, limits, clock);
    } finally {
      reads.waiting.delete(turn);
    }
  }
  turn.ms = estimate(reads);
  renew(turn, clock.now());
  reads.running.add(turn);
  return turn;
}

async function waitForTurn(
  reads: TenantReads,
  turn: Turn,
  limits: ReadLimits,
  clock: ReadClock,
): Promise<void> {
  for (let now = clock.now(); ; now = clock.now()) {
    renew(turn, now);
    // Again, if the turn was given up while the isolate was busy.
    reads.waiting.add(turn);
    giveUpLost(reads, now);
    const [first] = reads.waiting;
    if (first === turn && mayRun(reads, turn, limits, now)) return;
    if (now >= turn.arrivedAt + limits.waitMs) throw tooManyReads();
    const pause =
      first === turn ? Math.max(FIRST_RECHECK_MS, findPauseEnd(reads, turn, now) - now) : RECHECK_MS;
    await clock.wait(Math.min(RECHECK_MS, pause));
  }
}

/** One read is always allowed, however expensive, unless it has to pause. */
function mayRun(reads: TenantReads, turn: Turn, { msInFlight }: ReadLimits, now: number): boolean {
  if (msInFlight === 0) return true;
  if (findPauseEnd(reads, turn, now) > now) return false;
  if (reads.running.size === 0) return true;
  const inFlight = [...reads.running].reduce((sum, { ms }) => sum + ms, 0);
  return inFlight + estimate(reads) <= msInFlight;
}

/** Returns when the call may run as far as the neighbours are concerned. */
function findPauseEnd(reads: TenantReads, { arrivedAt }: Turn, now: number): number {
  const all = readRecent(recentOfAll, now);
  const own = readRecent(reads.recent, now);
  const isContended = all >= CONTENDED_SHARE * WINDOW_MS && all - own >= NEIGHBOURS_SHARE * WINDOW_MS;
  if (!isContended || own <= all / 2) return now;
  return Math.min(reads.pausedUntil, arrivedAt + PAUSE_RATIO * estimate(reads));
}

function renew(turn: Turn, now: number): void {
  turn.until = now + LEASE_MS;
}

/** Gives up the turns of requests that went away. What they read is charged as usual, since D1 finishes it. */
function giveUpLost(reads: TenantReads, now: number): void {
  for (const turn of reads.waiting) if (turn.until <= now) reads.waiting.delete(turn);
  for (const turn of reads.running) {
    if (turn.until > now) continue;
    reads.running.delete(turn);
    charge(reads, Math.max(0, turn.ms - turn.spent), now);
  }
}

function charge(reads: TenantReads, ms: number, now: number): void {
  reads.budget -= ms;
  addRecent(reads.recent, ms, now);
  addRecent(recentOfAll, ms, now);
}

function addRecent(recent: RecentTime, ms: number, now: number): void {
  recent.ms = readRecent(recent, now) + ms;
  recent.at = now;
}

/** A clock that was set back leaves the sum as it is. */
function readRecent({ ms, at }: RecentTime, now: number): number {
  return ms * Math.exp(-Math.max(0, now - at) / WINDOW_MS);
}

function estimate({ average }: TenantReads): number {
  return Math.max(MIN_ESTIMATE_MS, average);
}

function tooManyReads() {
  return failure(
    "rate_limited",
    "This tenant has too many searches in flight. Wait 1 s, and send fewer at a time.",
    { retryAfterSeconds: 1 },
  );
}

function openTenant(tenant: string, { msPerMinute }: ReadLimits, now: number): TenantReads {
  const known = tenants.get(tenant);
  if (known !== undefined) return known;
  if (tenants.size >= MAX_TENANTS)
    for (const [name, { running, waiting }] of tenants)
      if (running.size === 0 && waiting.size === 0) tenants.delete(name);
  const opened: TenantReads = {
    running: new Set(),
    waiting: new Set(),
    average: FIRST_ESTIMATE_MS,
    recent: { ms: 0, at: now },
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
