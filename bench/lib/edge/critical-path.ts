// Finds what an answer waited for. Every call to D1, an object, Vectorize or Workers AI is an interval of waiting; from
// the answer backwards, the interval that ended last before is the one that was waited for.

/** The services on the other side of a network trip. */
export const SERVICES = ["d1", "object", "vectorize", "ai"] as const;
export type Service = (typeof SERVICES)[number];

/** The injected latency of a trip to each, in milliseconds. */
export type Latencies = Readonly<Record<Service, number>>;

export interface TraceEvent {
  kind: Service | "request" | "alarm";
  /** The route, the object's method, or the statements of a D1 call. */
  name: string;
  /** Who made the call: the Worker, or an object by the name of its binding. */
  caller: string;
  /** The binding of the object that is called. */
  target: string | null;
  start: number;
  /** When the injected latency was over. */
  arrived: number | null;
  /** Null while it is under way. */
  end: number | null;
  rowsRead: number;
  rowsWritten: number;
  /** The statements of a D1 call. */
  statements: StatementRows[];
}

export interface StatementRows {
  name: string;
  rowsRead: number;
  rowsWritten: number;
}

export type Trip = TraceEvent & {
  kind: Service;
  /** The end of the network's part. What an object does after the arrival has events of its own. */
  until: number;
};

export interface Trips {
  /** One after the other, before the answer. */
  path: Trip[];
  /** Over before the answer as well, at the same time as those of the path. */
  beside: Trip[];
  /** Over after the answer. */
  after: Trip[];
  /** How long the answer took, and how much of it the path explains. */
  answerMs: number;
  pathMs: number;
}

export const WORKER = "Worker";

/** Events of one moment may carry timestamps a millisecond apart. */
const TOLERANCE_MS = 1;

/** Sorts the trips of the last request. Trips that began before it belong to an earlier one. */
export function findCriticalPath(events: readonly TraceEvent[]): Trips {
  const request = events.findLast(({ kind }) => kind === "request");
  if (request === undefined || request.end === null) throw new Error("The trace has no answered request");
  const answered = request.end;
  const trips = events.filter(({ start }) => start >= request.start).flatMap(toTrip);
  const before = trips.filter(({ until }) => until <= answered + TOLERANCE_MS);
  const path: Trip[] = [];
  const waiting = new Set(before.filter((trip) => isAwaited(trip, trips)));
  for (let at = answered; ; ) {
    const last = findLast([...waiting].filter(({ until }) => until <= at + TOLERANCE_MS));
    if (last === undefined) break;
    path.unshift(last);
    waiting.delete(last);
    at = last.start;
  }
  return {
    path,
    beside: before.filter((trip) => !path.includes(trip)),
    after: trips.filter((trip) => !before.includes(trip)),
    answerMs: answered - request.start,
    pathMs: path.reduce((sum, { start, until }) => sum + until - start, 0),
  };
}

function toTrip(event: TraceEvent): Trip[] {
  const { kind, arrived, end } = event;
  if (kind === "request" || kind === "alarm") return [];
  const until = kind === "object" ? arrived : end;
  return [{ ...event, kind, until: until ?? Number.POSITIVE_INFINITY }];
}

/** The Worker waits for its own trips, and for those that an object makes during a call that is waited for. */
function isAwaited(trip: Trip, trips: readonly Trip[]): boolean {
  if (trip.caller === WORKER) return true;
  return trips.some(
    (call) =>
      call.target === trip.caller &&
      call.until <= trip.start + TOLERANCE_MS &&
      trip.until <= (call.end ?? 0) + TOLERANCE_MS &&
      isAwaited(call, trips),
  );
}

function findLast(trips: readonly Trip[]): Trip | undefined {
  return trips.toSorted((a, b) => b.until - a.until)[0];
}

export function countTrips(trips: readonly Trip[]): Record<Service, number> {
  const counts = { d1: 0, object: 0, vectorize: 0, ai: 0 };
  for (const { kind } of trips) counts[kind] += 1;
  return counts;
}
