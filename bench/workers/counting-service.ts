// The service's own Worker, counting what Cloudflare bills: requests, rows of D1 and of the objects, round trips,
// what is embedded and what is asked of Vectorize. `GET /bench/counts` tells the sums so far, and what is still waiting.
//
// D1 and the objects' SQLite say how many rows each statement read and wrote, but not through every method of their
// APIs. So D1 is counted where its answers arrive, and SQLite at its cursors: both are internals of workerd, which is
// why this is a benchmark's business and no one else's.
import { IndexerObject as Indexer } from "../../durable-objects/indexer";
import { ProjectObject as Project } from "../../durable-objects/project";
import { SessionObject as Session } from "../../durable-objects/session";
import { VectorIndexObject as Vectors } from "../../durable-objects/vector-index";
import { createApp } from "../../src/app";
import type { Bindings } from "../../src/env";
import { VECTORIZE } from "../../src/limits";
import { countTokens } from "../../src/tokens";
import { FakeVectorize } from "../../test/fakes/vectorize";

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

/** A cursor counts until it is read to its end, which may be later than the next statement. */
const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];

function sums(): typeof counts {
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

/** A copy of the binding whose answers are read on their way. */
function countedD1(db: D1Database, fromObject: boolean): D1Database {
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

const DIMENSIONS = 1_024;
const vectorize = new FakeVectorize({ dimensions: DIMENSIONS });

const countedVectorize = copy(vectorize, {
  query: (vector: Float32Array, options: VectorizeQueryOptions) => {
    counts.vectorQueries += 1;
    vectorize.settle();
    return vectorize.query(vector, options);
  },
  upsert: (vectors: VectorizeVector[]) => {
    counts.vectorsStored += vectors.length;
    return vectorize.upsert(vectors);
  },
  /** As on an index that is written to all the time: whatever is asked for was processed long ago. */
  describe: async () => {
    vectorize.settle();
    const processedUpToDatetime = new Date(Date.now() + 2 * VECTORIZE.visibleMarginMs).toISOString();
    return { ...(await vectorize.describe()), processedUpToDatetime };
  },
  getByIds: (ids: string[]) => vectorize.getByIds(ids),
  deleteByIds: (ids: string[]) => vectorize.deleteByIds(ids),
});

/** Not a good embedder, but as long: texts with words in common are near each other. */
function embed(text: string): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0);
  for (const word of text.toLowerCase().split(/\W+/)) {
    let hash = 7;
    for (const letter of word) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
    const at = hash % DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  return vector;
}

const countedAi = {
  async run(_model: string, { text }: Record<string, unknown>) {
    const texts = text as string[];
    for (const each of texts) counts.embeddedTokens += countTokens(each);
    return { data: texts.map(embed) };
  },
};

// --- The Worker and its objects ---

const OBJECTS = ["SESSIONS", "VECTOR_INDEX", "INDEXER", "PROJECTS"] as const;

const environments: { worker?: Bindings; object?: Bindings } = {};

/** One for all requests and one for all objects, as what is kept for an environment is found by it. */
function counted(env: Env, of: "worker" | "object"): Bindings {
  environments[of] ??= {
    ...env,
    DB: countedD1(env.DB, of === "object"),
    ...Object.fromEntries(OBJECTS.map((name) => [name, countedNamespace(env[name])])),
    ...(env.CLOUD && { AI: countedAi, VECTORIZE: countedVectorize }),
  };
  return environments[of];
}

/** A call on a stub is a request, and the object is active until it has answered. */
async function asRequest<T>(work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  counts.objectRequests += 1;
  try {
    return await work();
  } finally {
    counts.objectMs += performance.now() - started;
  }
}

function countedNamespace(namespace: DurableObjectNamespace): DurableObjectNamespace {
  return new Proxy(namespace, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const gives = value.bind(target);
      return name === "get" || name === "getByName" ? (id: unknown) => countedStub(gives(id)) : gives;
    },
  });
}

function countedStub(stub: DurableObjectStub): DurableObjectStub {
  return new Proxy(stub, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function" || typeof name === "symbol") return value;
      return (...args: unknown[]) => asRequest(() => Reflect.apply(value, target, args));
    },
  });
}

/** Patched in place: the runtime takes no other storage than its own. */
function countStorage({ storage }: DurableObjectState): void {
  const { sql } = storage;
  const patch = (on: object, name: string, value: unknown) => Object.defineProperty(on, name, { value });
  const { exec } = sql;
  patch(sql, "exec", (query: string, ...values: unknown[]) => {
    const cursor = exec.call(sql, query, ...values);
    cursors.push(cursor);
    return cursor;
  });
  // Billed as a row each.
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

/** What the constructor of an object is given, with its storage counted. */
function inObject(state: DurableObjectState, env: Env): [DurableObjectState, Bindings] {
  countStorage(state);
  return [state, counted(env, "object")];
}

export class SessionObject extends Session {
  constructor(state: DurableObjectState, env: Env) {
    super(...inObject(state, env));
  }
  override alarm() {
    return asRequest(() => super.alarm());
  }
}

export class IndexerObject extends Indexer {
  constructor(state: DurableObjectState, env: Env) {
    super(...inObject(state, env));
  }
  override alarm() {
    return asRequest(() => super.alarm());
  }
}

export class ProjectObject extends Project {
  constructor(state: DurableObjectState, env: Env) {
    super(...inObject(state, env));
  }
  override alarm() {
    return asRequest(() => super.alarm());
  }
}

export class VectorIndexObject extends Vectors {
  constructor(state: DurableObjectState, env: Env) {
    super(...inObject(state, env));
  }
}

/** How many are still to be embedded, asked past what counts. */
async function waiting(db: D1Database): Promise<number> {
  return (await db.prepare("SELECT count(*) AS waiting FROM vector_queue").first<number>("waiting")) ?? 0;
}

const app = createApp();

export default {
  async fetch(request, env, context) {
    if (new URL(request.url).pathname === "/bench/counts")
      return Response.json({ sums: sums(), waiting: await waiting(env.DB) });
    return app.fetch(request, counted(env, "worker"), context);
  },
} satisfies ExportedHandler<Env>;
