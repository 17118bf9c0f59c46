// Counts the round trips that an answer waits for. Every call to D1 or to an object takes a time on a clock of its own, so
// that calls beside one another are told from calls one after the other however busy the machine is: the clock goes on to
// the end of the next call only when nothing else happens. The Worker and its objects run in the test's isolate, so a patch
// of the prototypes reaches all of them.
import { env } from "cloudflare:workers";

type Trip = { kind: "d1" | "object"; name: string; start: number; due: number; end: number };
// biome-ignore lint/suspicious/noExplicitAny: methods of several classes are wrapped alike
type Methods = Record<string, (...args: any[]) => any>;

/** An object answers sooner than D1, so that a call to one beside a call to D1 is not on the way. */
const LATENCY = { d1: 100, object: 30 };
/** So many turns of the event loop without a call that begins or ends are taken for nothing else to happen. */
const IDLE_TURNS = 5;
const TURN_MS = 5;
const QUERIES = ["run", "all", "raw", "first"];
/** Objects that a call waits for: the indexer and the deliverer are called after the answer. */
const NAMESPACES = { SESSIONS: env.SESSIONS, VECTOR_INDEX: env.VECTOR_INDEX };

const database = Object.getPrototypeOf(env.DB.withSession()) as Methods;
const statements = Object.getPrototypeOf(env.DB.prepare("SELECT 1")) as Methods;
const namespace = Object.getPrototypeOf(env.SESSIONS) as Methods;

export type Trips = { d1: number; object: number; names: string[] };

/** Runs a call and returns its result with the trips on the way to it. */
export async function traceTrips<T>(work: () => Promise<T>): Promise<{ result: T; trips: Trips }> {
  const trips: Trip[] = [];
  const waiting = new Set<Trip>();
  let clock = 0;
  let queries = 0;
  let idleTurns = 0;
  let isOver = false;
  const isNext = (trip: Trip) => waiting.values().every(({ due }) => trip.due <= due);
  /** Each call looks at the clock itself: a request cannot wait for a promise that another one resolves. */
  const travel = async (kind: Trip["kind"], name: string) => {
    const trip = { kind, name, start: clock, due: clock + LATENCY[kind], end: Number.POSITIVE_INFINITY };
    trips.push(trip);
    waiting.add(trip);
    idleTurns = 0;
    while (!isOver && (idleTurns < IDLE_TURNS || queries > 0 || !isNext(trip))) {
      await scheduler.wait(TURN_MS);
      if (isNext(trip)) idleTurns += 1;
    }
    waiting.delete(trip);
    idleTurns = 0;
    clock = Math.max(clock, trip.due);
    return trip;
  };
  const query = async <R>(name: string, run: () => Promise<R>): Promise<R> => {
    const trip = await travel("d1", name);
    queries += 1;
    try {
      return await run();
    } finally {
      queries -= 1;
      idleTurns = 0;
      trip.end = clock;
    }
  };
  const restore = [
    patch(
      database,
      "batch",
      (batch) =>
        function (this: unknown, ...args) {
          return query(`batch ${readSql(args[0]?.at(-1))}`, () => batch.apply(this, args));
        },
    ),
    ...QUERIES.map((name) =>
      patch(
        statements,
        name,
        (method) =>
          function (this: unknown, ...args) {
            return query(`${name} ${readSql(this)}`, () => method.apply(this, args));
          },
      ),
    ),
    patch(
      namespace,
      "getByName",
      (getByName) =>
        function (this: unknown, ...args) {
          const [binding] = Object.entries(NAMESPACES).find(([, one]) => one === this) ?? [];
          const stub = getByName.apply(this, args);
          if (binding === undefined) return stub;
          return new Proxy(stub, {
            get(target, name) {
              const value = Reflect.get(target, name, target);
              if (typeof value !== "function" || typeof name === "symbol") return value;
              return async (...given: unknown[]) => {
                // What the object itself waits for is counted apart.
                const trip = await travel("object", `${binding}.${name}`);
                trip.end = clock;
                return Reflect.apply(value, target, given);
              };
            },
          });
        },
    ),
  ];
  try {
    const result = await work();
    return { result, trips: findPath(trips, clock) };
  } finally {
    isOver = true;
    for (const undo of restore) undo();
  }
}

/** Walks back from the answer: whatever ended last before a moment is what was waited for. */
function findPath(trips: readonly Trip[], answeredAt: number): Trips {
  const path: Trip[] = [];
  for (let moment = answeredAt; ; ) {
    const [last] = trips.filter(({ end }) => end <= moment).toSorted((a, b) => b.end - a.end);
    if (last === undefined) break;
    path.unshift(last);
    moment = last.start;
  }
  const count = (kind: Trip["kind"]) => path.filter((trip) => trip.kind === kind).length;
  return { d1: count("d1"), object: count("object"), names: path.map(({ name }) => name) };
}

function patch(
  methods: Methods,
  name: string,
  wrap: (method: Methods[string]) => Methods[string],
): () => void {
  const method = methods[name];
  if (method === undefined) throw new Error(`There is no method ${name}`);
  methods[name] = wrap(method);
  return () => {
    methods[name] = method;
  };
}

function readSql(statement: unknown): string {
  return String((statement as { statement?: string } | undefined)?.statement)
    .replaceAll(/\s+/g, " ")
    .slice(0, 60);
}
