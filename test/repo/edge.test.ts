// What operations cost at the edge: no change adds a trip, a row or a request without raising its budget. The counts come
// from the benchmark `bench edge`, on a small service with latency on every trip.
import { rm } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { EDGE_BUDGETS } from "../../bench/lib/edge/budgets";
import {
  BUDGET_SIZES,
  compareWithBudget,
  createBudgetOperations,
  listExcess,
} from "../../bench/lib/edge/check-budgets";
import { findCriticalPath, type TraceEvent } from "../../bench/lib/edge/critical-path";
import { startPreparedService } from "../../bench/lib/edge/prepared-service";
import type { TracedService } from "../../bench/lib/edge/traced-service";
import { createTemporaryFolder } from "../../bench/lib/run-benchmark";

const SILENT = { begin() {}, set() {}, add() {}, end() {}, note() {} };

function createEvent(event: Partial<TraceEvent> & { start: number; end: number }): TraceEvent {
  const { start, end } = event;
  return {
    ...{
      kind: "d1",
      name: `${start}`,
      caller: "Worker",
      target: null,
      rowsRead: 0,
      rowsWritten: 0,
      statements: [],
    },
    ...{ arrived: end, ...event },
  };
}

/** Returns the names of the trips of a request that is answered after 100 ms. */
function sortTrips(...trips: TraceEvent[]) {
  const request = createEvent({ kind: "request", caller: "client", start: 0, end: 100 });
  const { path, beside, after } = findCriticalPath([request, ...trips]);
  const listNames = (list: { name: string }[]) => list.map(({ name }) => name);
  return { path: listNames(path), beside: listNames(beside), after: listNames(after) };
}

describe("the critical path", () => {
  it("has one of two trips at the same time, and the ones before and after", () => {
    const read = createEvent({ name: "read", start: 0, end: 20 });
    const long = createEvent({ name: "long", start: 20, end: 60 });
    const short = createEvent({ name: "short", start: 20, end: 40 });
    const write = createEvent({ name: "write", start: 60, end: 100 });
    expect(sortTrips(read, long, short, write)).toEqual({
      path: ["read", "long", "write"],
      beside: ["short"],
      after: [],
    });
  });

  it("enters an object that is waited for, whose own time is no trip", () => {
    const call = createEvent({ kind: "object", name: "call", target: "SESSIONS", start: 0, end: 98 });
    const inside = createEvent({ name: "inside", caller: "SESSIONS", start: 30, end: 97 });
    expect(sortTrips({ ...call, arrived: 30 }, inside).path).toEqual(["call", "inside"]);
  });

  it("leaves out what an object does on its own, and what ends after the answer", () => {
    const read = createEvent({ name: "read", start: 0, end: 50 });
    const alarm = createEvent({ name: "alarm", caller: "INDEXER", start: 50, end: 99 });
    const late = createEvent({ name: "late", start: 50, end: 120 });
    expect(sortTrips(read, alarm, late)).toEqual({ path: ["read"], beside: ["alarm"], after: ["late"] });
  });

  it("leaves out what an earlier request has left under way", () => {
    const earlier = createEvent({ name: "earlier", start: -10, end: 99 });
    expect(sortTrips(earlier)).toEqual({ path: [], beside: [], after: [] });
  });
});

describe("a budget", () => {
  const budget = { trips: "1+1", rows: "0+4", requests: "1+1.5" };

  it("is exceeded by one more trip, row or request, and it is known which", () => {
    expect(compareWithBudget({ trips: "2+1", rows: "0+5", requests: "1+1.75" }, budget)).toEqual([
      { what: "trips on the path (D1)", count: 2, most: 1 },
      { what: "rows written (objects)", count: 5, most: 4 },
      { what: "requests (objects)", count: 1.75, most: 1.5 },
    ]);
  });

  it("is kept by as much or less", () => {
    expect(compareWithBudget(budget, budget)).toEqual([]);
    expect(compareWithBudget({ trips: "0+1", rows: "0+2", requests: "0+1" }, budget)).toEqual([]);
  });

  it("is there for every operation, and for no other", () => {
    const names = createBudgetOperations().map(({ name }) => name);
    expect(Object.keys(EDGE_BUDGETS)).toEqual(names);
  });
});

describe("an operation keeps its budget", () => {
  let service: TracedService;

  beforeAll(async () => {
    const folder = await createTemporaryFolder();
    const options = { cloud: false, embeds: true, progress: SILENT };
    ({ service } = await startPreparedService(folder, BUDGET_SIZES, options));
    return async () => {
      await service.dispose();
      await rm(folder, { recursive: true, force: true });
    };
  }, 600_000);

  it.each(
    createBudgetOperations().map((operation) => [operation.name, operation] as const),
  )("%s", async (_, operation) => {
    expect(await listExcess(service, operation)).toEqual([]);
  });
});
