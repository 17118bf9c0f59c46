// The service's own Worker, with its billed usage counted: requests, rows of D1 and of the objects, round trips,
// embedded tokens and Vectorize queries. `GET /bench/counts` returns the sums so far, and how many texts still wait.
//
// D1 and the objects' SQLite report the rows that each statement read and wrote, but not through every method of their
// APIs. So D1 is counted where its answers arrive, and SQLite at its cursors. Both are internals of workerd, which only
// a benchmark may rely on.
import { IndexerObject as Indexer } from "../../durable-objects/indexer";
import { ProjectObject as Project } from "../../durable-objects/project";
import { SessionObject as Session } from "../../durable-objects/session";
import { UsageObject as Usage } from "../../durable-objects/usage";
import { VectorIndexObject as Vectors } from "../../durable-objects/vector-index";
import { createApp } from "../../src/app";
import type { Bindings } from "../../src/kernel/env";
import { countTokens } from "../../src/language/token-count";
import { createFakeVectorize, embedByWords } from "./cloud-fakes";

type Env = Bindings & { CLOUD?: string };

const counts = {
  d1RowsRead: 0,
  d1RowsWritten: 0,
  d1RoundTrips: 0,
  objectRequests: 0,
  objectMs: 0,
  objectRoundTrips: 0,
  objectRowsRead: 0,
  objectRowsWritten: 0,
  embeddedTokens: 0,
  vectorQueries: 0,
  vectorsStored: 0,
};

/** A cursor counts rows until it is read to its end, which may be after the next statement. */
const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];

function computeSums(): typeof counts {
  for (const cursor of cursors.splice(0)) {
    counts.objectRowsRead += cursor.rowsRead;
    counts.objectRowsWritten += cursor.rowsWritten;
  }
  return counts;
}

// --- D1 ---

type Fetcher = { fetch: (url: string, init?: RequestInit) => Promise<Response> };
type OpenD1 = D1Database & { fetcher: Fetcher; alwaysPrimarySession: object };
type D1Answer = { meta?: { rows_read?: number; rows_written?: number } };

/** Returns a copy of the binding that reads the answers as they pass. */
function countD1(db: D1Database, fromObject: boolean): D1Database {
  const open = db as OpenD1;
  const fetcher: Fetcher = {
    async fetch(url, init) {
      const answer = await open.fetcher.fetch(url, init);
      counts.d1RoundTrips += 1;
      if (fromObject) counts.objectRoundTrips += 1;
      const results = await answer.clone().json<D1Answer | D1Answer[]>();
      for (const { meta } of [results].flat()) {
        counts.d1RowsRead += meta?.rows_read ?? 0;
        counts.d1RowsWritten += meta?.rows_written ?? 0;
      }
      return answer;
    },
  };
  return copy(open, { fetcher, alwaysPrimarySession: copy(open.alwaysPrimarySession, { fetcher }) });
}

function copy<T extends object>(original: T, changes: object): T {
  return Object.assign(Object.create(Object.getPrototypeOf(original)), original, changes);
}

// --- Workers AI and Vectorize, which have no local counterpart ---

const vectorize = createFakeVectorize();

const countingVectorize = {
  query: (vector: Float32Array, options: VectorizeQueryOptions) => {
    counts.vectorQueries += 1;
    return vectorize.query(vector, options);
  },
  upsert: (vectors: VectorizeVector[]) => {
    counts.vectorsStored += vectors.length;
    return vectorize.upsert(vectors);
  },
  describe: () => vectorize.describe(),
  getByIds: (ids: string[]) => vectorize.getByIds(ids),
  deleteByIds: (ids: string[]) => vectorize.deleteByIds(ids),
};

const countingAi = {
  async run(_model: string, { text }: Record<string, unknown>) {
    const texts = text as string[];
    for (const each of texts) counts.embeddedTokens += countTokens(each);
    return { data: texts.map(embedByWords) };
  },
};

// --- The Worker and its objects ---

const OBJECTS = ["SESSIONS", "VECTOR_INDEX", "INDEXER", "PROJECTS", "USAGE"] as const;

const environments: { worker?: Bindings; object?: Bindings } = {};

/** One environment for all requests and one for all objects, because the service caches by environment. */
function countBindings(env: Env, caller: "worker" | "object"): Bindings {
  environments[caller] ??= {
    ...env,
    DB: countD1(env.DB, caller === "object"),
    ...Object.fromEntries(OBJECTS.map((name) => [name, countNamespace(env[name])])),
    ...(env.CLOUD && { AI: countingAi, VECTORIZE: countingVectorize as unknown as Vectorize }),
  };
  return environments[caller];
}

/** Counts a call on a stub as a request, during which the object is active. */
async function countRequest<T>(work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  counts.objectRequests += 1;
  try {
    return await work();
  } finally {
    counts.objectMs += performance.now() - started;
  }
}

function countNamespace(namespace: DurableObjectNamespace): DurableObjectNamespace {
  return new Proxy(namespace, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const method = value.bind(target);
      return name === "get" || name === "getByName" ? (id: unknown) => countStub(method(id)) : method;
    },
  });
}

function countStub(stub: DurableObjectStub): DurableObjectStub {
  return new Proxy(stub, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function" || typeof name === "symbol") return value;
      return (...args: unknown[]) => countRequest(() => Reflect.apply(value, target, args));
    },
  });
}

/** Patches the storage in place: the runtime accepts only its own. */
function countStorage({ storage }: DurableObjectState): void {
  const { sql } = storage;
  const patch = (on: object, name: string, value: unknown) => Object.defineProperty(on, name, { value });
  const { exec } = sql;
  patch(sql, "exec", (query: string, ...values: unknown[]) => {
    const cursor = exec.call(sql, query, ...values);
    cursors.push(cursor);
    return cursor;
  });
  // Each is billed as one row.
  const { get, put, setAlarm } = storage;
  patch(storage, "get", (...args: unknown[]) => {
    counts.objectRowsRead += 1;
    return Reflect.apply(get, storage, args);
  });
  patch(storage, "put", (...args: unknown[]) => {
    counts.objectRowsWritten += 1;
    return Reflect.apply(put, storage, args);
  });
  patch(storage, "setAlarm", (...args: unknown[]) => {
    counts.objectRowsWritten += 1;
    return Reflect.apply(setAlarm, storage, args);
  });
}

/** Returns an object's constructor arguments, with its storage counted. */
function countObject(state: DurableObjectState, env: Env): [DurableObjectState, Bindings] {
  countStorage(state);
  return [state, countBindings(env, "object")];
}

export class SessionObject extends Session {
  constructor(state: DurableObjectState, env: Env) {
    super(...countObject(state, env));
  }
  override alarm() {
    return countRequest(() => super.alarm());
  }
}

export class IndexerObject extends Indexer {
  constructor(state: DurableObjectState, env: Env) {
    super(...countObject(state, env));
  }
  override alarm() {
    return countRequest(() => super.alarm());
  }
}

export class ProjectObject extends Project {
  constructor(state: DurableObjectState, env: Env) {
    super(...countObject(state, env));
  }
  override alarm() {
    return countRequest(() => super.alarm());
  }
}

export class UsageObject extends Usage {
  constructor(state: DurableObjectState, env: Env) {
    super(...countObject(state, env));
  }
  override alarm() {
    return countRequest(() => super.alarm());
  }
}

export class VectorIndexObject extends Vectors {
  constructor(state: DurableObjectState, env: Env) {
    super(...countObject(state, env));
  }
}

/** Returns how many texts still wait to be embedded, without being counted. */
async function countWaiting(db: D1Database): Promise<number> {
  return (await db.prepare("SELECT count(*) AS waiting FROM vector_queue").first<number>("waiting")) ?? 0;
}

const app = createApp();

export default {
  async fetch(request, env, context) {
    if (new URL(request.url).pathname === "/bench/counts")
      return Response.json({ sums: computeSums(), waiting: await countWaiting(env.DB) });
    return app.fetch(request, countBindings(env, "worker"), context);
  },
} satisfies ExportedHandler<Env>;
