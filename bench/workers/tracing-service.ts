// The service's own Worker, in which every call to D1, an object, Workers AI and Vectorize takes an injected latency and
// is recorded with its start, its end and its rows. The latency stands for the network of Cloudflare, which a local
// runtime does not have; against it the machine's own time is small.
//
// POST /trace/latency  sets the latencies
// GET  /trace          returns what was recorded, and what is still under way; `?take` also forgets it
// POST /trace/alarms   runs the alarms that are due within a time, as if it had passed; with `new`, only those that were
//                      set since the last such call
//
// D1's answers and the cursors of SQLite are internals of workerd, which only a benchmark may rely on.
import type { DurableObject } from "cloudflare:workers";
import service from "../../src/index";
import type { Bindings } from "../../src/kernel/env";
import { type Latencies, type Service, type TraceEvent, WORKER } from "../lib/edge/critical-path";
import type { ObjectUsage, RecordedTrace } from "../lib/edge/traced-service";
import { createFakeVectorize, embedByWords } from "./cloud-fakes";

type Env = Bindings & { CLOUD?: string };

let latencies: Latencies = { d1: 0, object: 0, vectorize: 0, ai: 0 };
let events: TraceEvent[] = [];
let usage: ObjectUsage = createUsage();
/** Background work of requests and objects that is still under way. */
let pending = 0;

/** The alarms that are set, by object, and those that were set since alarms were last run on demand. */
const alarms = new Map<string, ScheduledAlarm>();
let newAlarms = new Set<ScheduledAlarm>();
type ScheduledAlarm = { time: number; run: () => Promise<void> };

function createUsage(): ObjectUsage {
  return { rowsRead: 0, rowsWritten: 0, requests: 0, statements: {} };
}

type Called = Pick<TraceEvent, "kind" | "name" | "caller"> & Partial<TraceEvent>;

function begin(called: Called): TraceEvent {
  const times = { start: Date.now(), arrived: null, end: null };
  const event = { target: null, rowsRead: 0, rowsWritten: 0, statements: [], ...times, ...called };
  events.push(event);
  return event;
}

/** Records a trip, with its latency before the work. */
async function traceTrip<T>(
  called: Called & { kind: Service },
  work: (event: TraceEvent) => Promise<T>,
): Promise<T> {
  const event = begin(called);
  try {
    const latency = latencies[called.kind];
    if (latency > 0) await scheduler.wait(latency);
    event.arrived = Date.now();
    return await work(event);
  } finally {
    event.end = Date.now();
  }
}

function trackPending(work: Promise<unknown>): Promise<unknown> {
  pending += 1;
  return work.finally(() => {
    pending -= 1;
  });
}

// --- D1 ---

type Fetcher = { fetch: (url: string, init?: RequestInit) => Promise<Response> };
type OpenD1 = D1Database & { fetcher: Fetcher; alwaysPrimarySession: object };
type D1Statement = { sql: string };
type D1Answer = { meta?: { rows_read?: number; rows_written?: number } };

/** Returns a copy of the binding that reads the statements and the answers as they pass. */
function traceD1(db: OpenD1, caller: string): D1Database {
  const fetcher: Fetcher = {
    fetch: (url, init) => {
      const names = listStatements(String(init?.body));
      return traceTrip({ kind: "d1", name: names.join("; "), caller }, async (event) => {
        const answer = await db.fetcher.fetch(url, init);
        const results = await answer.clone().json<D1Answer | D1Answer[]>();
        for (const [i, { meta }] of [results].flat().entries()) {
          const { rows_read = 0, rows_written = 0 } = meta ?? {};
          event.rowsRead += rows_read;
          event.rowsWritten += rows_written;
          event.statements.push({ name: names[i] ?? "", rowsRead: rows_read, rowsWritten: rows_written });
        }
        return answer;
      });
    },
  };
  return copy(db, { fetcher, alwaysPrimarySession: copy(db.alwaysPrimarySession, { fetcher }) });
}

function copy<T extends object>(original: T, changes: object): T {
  return Object.assign(Object.create(Object.getPrototypeOf(original)), original, changes);
}

function listStatements(body: string): string[] {
  const statements: D1Statement | D1Statement[] = JSON.parse(body);
  return [statements].flat().map(({ sql }) => shortenSql(sql));
}

/** Returns the verb and the first table of a statement. */
function shortenSql(sql: string): string {
  const text = sql.replaceAll('"', "").replace(/\s+/g, " ").trim();
  const verb = /\b(SELECT|INSERT|UPDATE|DELETE)\b/i.exec(text.replace(/^WITH .*?\) (?=[SIUD])/i, ""))?.[1];
  const table = /\b(?:INTO|UPDATE|FROM|JOIN) (?!json_each)(\w+)/i.exec(text)?.[1];
  return verb && table ? `${verb.toUpperCase()} ${table}` : text.slice(0, 40);
}

// --- Objects ---

function traceNamespace(
  namespace: DurableObjectNamespace,
  binding: string,
  caller: string,
): DurableObjectNamespace {
  return new Proxy(namespace, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const method = value.bind(target);
      return name === "get" || name === "getByName"
        ? (...args: unknown[]) => traceStub(method(...args), binding, caller)
        : method;
    },
  });
}

function traceStub(stub: DurableObjectStub, binding: string, caller: string): DurableObjectStub {
  return new Proxy(stub, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function" || typeof name === "symbol") return value;
      return (...args: unknown[]) => {
        usage.requests += 1;
        const called = { kind: "object", name: `${binding}.${name}`, caller, target: binding } as const;
        return traceTrip(called, () => Reflect.apply(value, target, args));
      };
    },
  });
}

function addRows(statement: string, read: number, written: number): void {
  usage.rowsRead += read;
  usage.rowsWritten += written;
  if (written > 0) usage.statements[statement] = (usage.statements[statement] ?? 0) + written;
}

/** A cursor counts rows until it is read to its end, which may be after the next statement. */
const cursors: { cursor: SqlStorageCursor<Record<string, SqlStorageValue>>; statement: string }[] = [];

function readCursors(): void {
  for (const { cursor, statement } of cursors.splice(0))
    addRows(statement, cursor.rowsRead, cursor.rowsWritten);
}

function replaceMethod(on: object, name: string, value: unknown): void {
  Object.defineProperty(on, name, { value });
}

/** Patches the storage in place: the runtime accepts only its own. A key, a deletion and an alarm are a row each. */
function traceStorage(state: DurableObjectState, caller: string, run: () => Promise<void>): void {
  const { storage } = state;
  const { sql } = storage;
  const { exec } = sql;
  replaceMethod(sql, "exec", (query: string, ...values: unknown[]) => {
    const cursor = exec.call(sql, query, ...values);
    cursors.push({ cursor, statement: `${caller}: ${shortenSql(query)}` });
    return cursor;
  });
  const { get, put, delete: remove, setAlarm, deleteAlarm, deleteAll } = storage;
  replaceMethod(storage, "get", (...args: unknown[]) => {
    addRows(`${caller}: get`, countKeys(args[0]), 0);
    return Reflect.apply(get, storage, args);
  });
  replaceMethod(storage, "put", (...args: unknown[]) => {
    addRows(`${caller}: put`, 0, countKeys(args[0]));
    return Reflect.apply(put, storage, args);
  });
  replaceMethod(storage, "delete", (...args: unknown[]) => {
    addRows(`${caller}: delete`, 0, countKeys(args[0]));
    return Reflect.apply(remove, storage, args);
  });
  const key = `${caller} ${state.id}`;
  replaceMethod(storage, "setAlarm", (time: number | Date, ...options: unknown[]) => {
    addRows(`${caller}: setAlarm`, 0, 1);
    const alarm = { time: Number(time), run };
    alarms.set(key, alarm);
    newAlarms.add(alarm);
    return Reflect.apply(setAlarm, storage, [time, ...options]);
  });
  replaceMethod(storage, "deleteAlarm", (...options: unknown[]) => {
    alarms.delete(key);
    return Reflect.apply(deleteAlarm, storage, options);
  });
  replaceMethod(storage, "deleteAll", (...options: unknown[]) => {
    alarms.delete(key);
    return Reflect.apply(deleteAll, storage, options);
  });
  const { waitUntil } = state;
  replaceMethod(state, "waitUntil", (work: Promise<unknown>) => waitUntil.call(state, trackPending(work)));
}

/** `put` and `get` take one key, a list of keys, or an object of them. */
function countKeys(keys: unknown): number {
  return typeof keys === "object" && keys !== null ? Object.keys(keys).length : 1;
}

type TracedObject = DurableObject & { now?: () => number };
// A mixin's constructor must take `any[]`.
// biome-ignore lint/suspicious/noExplicitAny: required by TypeScript for mixins
type ObjectClass = new (...args: any[]) => TracedObject;

/** Returns the class with its storage, its bindings and its alarms traced. The Worker exports it under its own name. */
export function traceObject(binding: string, Original: ObjectClass): ObjectClass {
  return class extends Original {
    constructor(state: DurableObjectState, env: Env) {
      const run = () => (env[binding as "SESSIONS"].get(state.id) as unknown as RunsAlarm).runAlarmEarly();
      traceStorage(state, binding, run);
      super(state, traceBindings(env, binding));
    }

    override async alarm(): Promise<void> {
      alarms.delete(`${binding} ${this.ctx.id}`);
      usage.requests += 1;
      const event = begin({ kind: "alarm", name: binding, caller: binding });
      try {
        await super.alarm?.();
      } finally {
        event.end = Date.now();
      }
    }

    /** Runs the alarm as if its time had come. */
    async runAlarmEarly(): Promise<void> {
      const time = await this.ctx.storage.getAlarm();
      if (time === null) return;
      await this.ctx.storage.deleteAlarm();
      const { now } = this;
      const ahead = Math.max(0, time - Date.now());
      this.now = () => Date.now() + ahead;
      try {
        await this.alarm();
      } finally {
        if (now === undefined) delete this.now;
        else this.now = now;
      }
    }
  };
}

type RunsAlarm = { runAlarmEarly(): Promise<void> };

// --- Workers AI and Vectorize ---

const vectorize = createFakeVectorize();

function traceVectorize(caller: string): Vectorize {
  return new Proxy(vectorize, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) =>
        traceTrip({ kind: "vectorize", name: String(name), caller }, () =>
          Reflect.apply(value, target, args),
        );
    },
  });
}

function traceAi(caller: string): NonNullable<Bindings["AI"]> {
  return {
    run: (model, { text }) =>
      traceTrip({ kind: "ai", name: model, caller }, async () => ({
        data: (text as string[]).map(embedByWords),
      })),
  };
}

// --- The Worker ---

const environments = new Map<string, Bindings>();

/** One environment for all requests and one for each kind of object, because the service caches by environment. */
function traceBindings(env: Env, caller: string): Bindings {
  const known = environments.get(caller);
  if (known !== undefined) return known;
  const traced = Object.fromEntries(
    Object.entries(env).map(([name, binding]) => [name, traceBinding(name, binding, caller)]),
  );
  const bindings = {
    ...(traced as Bindings),
    ...(env.CLOUD && { AI: traceAi(caller), VECTORIZE: traceVectorize(caller) }),
  };
  environments.set(caller, bindings);
  return bindings;
}

function traceBinding(name: string, binding: unknown, caller: string): unknown {
  if (typeof binding !== "object" || binding === null) return binding;
  if ("idFromName" in binding) return traceNamespace(binding as DurableObjectNamespace, name, caller);
  if ("alwaysPrimarySession" in binding) return traceD1(binding as OpenD1, caller);
  return binding;
}

function readTrace(take: boolean): RecordedTrace {
  readCursors();
  const trace = {
    events,
    usage,
    pending: pending + events.filter(({ end }) => end === null).length,
    alarms: [...alarms.values()].map(({ time }) => time - Date.now()),
  };
  if (take) {
    events = [];
    usage = createUsage();
  }
  return trace;
}

async function answerTrace(request: Request, { pathname, searchParams }: URL): Promise<Response> {
  if (pathname === "/trace/latency") {
    latencies = await request.json<Latencies>();
    return Response.json(latencies);
  }
  if (pathname === "/trace/alarms") {
    const { within, new: onlyNew } = await request.json<{ within: number; new: boolean }>();
    const due = [...alarms.values()].filter(
      (alarm) => (!onlyNew || newAlarms.has(alarm)) && alarm.time - Date.now() <= within,
    );
    if (onlyNew) newAlarms = new Set();
    for (const { run } of due) await run();
    return Response.json({ run: due.length });
  }
  return Response.json(readTrace(searchParams.has("take")));
}

export default {
  async fetch(request, env, context) {
    const url = new URL(request.url);
    if (url.pathname.startsWith("/trace")) return answerTrace(request, url);
    const event = begin({ kind: "request", name: `${request.method} ${url.pathname}`, caller: "client" });
    const waitUntil = (work: Promise<unknown>) => context.waitUntil(trackPending(work));
    const answer = await service.fetch(
      request,
      traceBindings(env, WORKER),
      new Proxy(context, {
        get: (target, name) => (name === "waitUntil" ? waitUntil : Reflect.get(target, name, target)),
      }),
    );
    // The answer is complete when its body is.
    const body = await answer.arrayBuffer();
    event.end = Date.now();
    return new Response(answer.status === 204 ? null : body, answer);
  },
} satisfies ExportedHandler<Env>;
