// Counts the round trips that an answer waits for. Every call to D1 or to an object takes a while longer, so that calls
// beside one another are told from calls one after the other. The Worker and its objects run in the test's isolate, so a
// patch of the prototypes reaches all of them.
import { env } from "cloudflare:workers";

type Trip = { kind: "d1" | "object"; name: string; start: number; end: number };
// biome-ignore lint/suspicious/noExplicitAny: methods of several classes are wrapped alike
type Methods = Record<string, (...args: any[]) => any>;

/** An object answers sooner than D1, so that a call to one beside a call to D1 is not on the way. */
const LATENCY_MS = { d1: 120, object: 40 };
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
  const travel = async (kind: Trip["kind"], name: string) => {
    const trip = { kind, name, start: performance.now(), end: Number.POSITIVE_INFINITY };
    trips.push(trip);
    await scheduler.wait(LATENCY_MS[kind]);
    return trip;
  };
  const restore = [
    patch(
      database,
      "batch",
      (batch) =>
        async function (this: unknown, ...args) {
          const trip = await travel("d1", `batch ${readSql(args[0]?.at(-1))}`);
          return batch.apply(this, args).finally(() => (trip.end = performance.now()));
        },
    ),
    ...QUERIES.map((name) =>
      patch(
        statements,
        name,
        (query) =>
          async function (this: unknown, ...args) {
            const trip = await travel("d1", `${name} ${readSql(this)}`);
            return query.apply(this, args).finally(() => (trip.end = performance.now()));
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
                trip.end = performance.now();
                return Reflect.apply(value, target, given);
              };
            },
          });
        },
    ),
  ];
  try {
    const result = await work();
    return { result, trips: findPath(trips, performance.now()) };
  } finally {
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
