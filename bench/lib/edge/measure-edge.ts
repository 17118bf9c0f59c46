// Counts the trips and the rows of each operation on a warm service, one call at a time, each after the effects of the
// one before it. Trips are counted with latency. Rows and requests are the mean of several calls without it, with
// everything that follows from them: a write that is delayed to be shared by many calls is counted with those calls.
import { findCriticalPath, type Latencies, type Trips } from "./critical-path.ts";
import type { EdgeOperation } from "./edge-operations.ts";
import type { ObjectUsage, TracedService } from "./traced-service.ts";

const NO_LATENCY: Latencies = { d1: 0, object: 0, vectorize: 0, ai: 0 };

/** More calls than an attempt makes. */
const CALLS_PER_ATTEMPT = 1_000;

export interface EdgeRounds {
  latencies: Latencies;
  /** How often the trips are traced; the trace whose path explains the answer's time best counts. */
  repeat: number;
  /** How many calls the rows are the mean of. A call that writes more than usage counts varies less, and takes longer. */
  samples: { reads: number; writes: number };
}

/** The mean of several calls. */
export interface EdgeUsage {
  d1RowsRead: number;
  d1RowsWritten: number;
  d1Requests: number;
  objectRowsRead: number;
  objectRowsWritten: number;
  objectRequests: number;
}

export interface EdgeResult {
  name: string;
  trips: Trips;
  /** Null where the call overlaps the after-effects of another. */
  usage: EdgeUsage | null;
  /** The rows that objects wrote in all samples, by statement. */
  statements: ObjectUsage["statements"];
}

/** Another attempt makes other writes: to remember the same again is another operation. */
export async function measureEdge(
  service: TracedService,
  operation: EdgeOperation,
  rounds: EdgeRounds,
  attempt = 0,
): Promise<EdgeResult> {
  const { repeat, samples } = rounds;
  const createIndexes = countUpFrom(operation.kind === "writes" ? attempt * CALLS_PER_ATTEMPT : 0);
  // The first call is not warm.
  await prepareAndSettle(service, operation, createIndexes(1), (i) => service.send(operation.call(i)));
  const traces: Trips[] = [];
  for (let i = 0; i < repeat; i += 1)
    traces.push(await traceTrips(service, operation, rounds.latencies, createIndexes(1)));
  const [trips] = traces.toSorted((a, b) => getUnexplainedMs(a) - getUnexplainedMs(b));
  if (trips === undefined) throw new Error("Nothing was traced");
  if (operation.rightBefore) return { name: operation.name, trips, usage: null, statements: {} };
  const { usage, statements } = await countUsage(service, operation, createIndexes(samples[operation.kind]));
  return { name: operation.name, trips, usage, statements };
}

/** Returns a function that returns the next indexes. */
function countUpFrom(first: number): (count: number) => number[] {
  let next = first;
  return (count) => Array.from({ length: count }, () => next++);
}

function getUnexplainedMs({ answerMs, pathMs }: Trips): number {
  return Math.abs(answerMs - pathMs);
}

/** Prepares the calls, and makes them once nothing else is under way. */
async function prepareAndSettle(
  service: TracedService,
  operation: EdgeOperation,
  indexes: readonly number[],
  call: (index: number) => Promise<unknown>,
): Promise<void> {
  await operation.prepare?.(service.send, indexes);
  await service.runLaterAlarms();
  await service.take();
  for (const index of indexes) {
    await call(index);
    await service.settle();
  }
}

async function traceTrips(
  service: TracedService,
  operation: EdgeOperation,
  latencies: Latencies,
  indexes: readonly number[],
): Promise<Trips> {
  await prepareAndSettle(service, operation, indexes, async (index) => {
    await service.setLatencies(latencies);
    if (operation.rightBefore) await service.send(operation.rightBefore(index));
    await service.send(operation.call(index));
  });
  await service.setLatencies(NO_LATENCY);
  return findCriticalPath((await service.take()).events);
}

async function countUsage(
  service: TracedService,
  operation: EdgeOperation,
  indexes: readonly number[],
): Promise<{ usage: EdgeUsage; statements: ObjectUsage["statements"] }> {
  await prepareAndSettle(service, operation, indexes, (index) => service.send(operation.call(index)));
  await service.runLaterAlarms();
  const { events, usage } = await service.take();
  const d1 = events.filter(({ kind }) => kind === "d1");
  const average = (sum: number) => sum / indexes.length;
  return {
    usage: {
      d1RowsRead: average(d1.reduce((sum, { rowsRead }) => sum + rowsRead, 0)),
      d1RowsWritten: average(d1.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0)),
      d1Requests: average(d1.length),
      objectRowsRead: average(usage.rowsRead),
      objectRowsWritten: average(usage.rowsWritten),
      objectRequests: average(usage.requests),
    },
    statements: usage.statements,
  };
}
