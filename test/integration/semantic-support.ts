// Helpers of the tests of recall by meaning: a tenant's store and indexer on fake ports, at a clock that stands still.

import { env } from "cloudflare:workers";
import { openDatabase } from "../../src/kernel/databases/d1";
import type { Bindings } from "../../src/kernel/env";
import type { VectorKind } from "../../src/kernel/tables";
import type { TelemetryEvent } from "../../src/kernel/telemetry";
import { RecallInput } from "../../src/memories/memory-schemas";
import type { Message } from "../../src/memories/message-schemas";
import type { SearchTarget } from "../../src/memories/store/namespace";
import { EmbeddingIndexer } from "../../src/recall/index/embedding-indexer";
import { saveVectorState } from "../../src/recall/index/vector-state";
import type { RecallRequest } from "../../src/recall/search/search";
import { createEmbeddedIndex } from "../../src/recall/vectors/embedded-index";
import type { IndexerRpc } from "../../src/recall/vectors/semantic-services";
import type { VectorFilter, VectorIndex, VectorModel } from "../../src/recall/vectors/vector-index";
import { createVectorizeIndex } from "../../src/recall/vectors/vectorize-index";
import { createLongTermMemory } from "../../src/services/long-term-memory";
import { computeMessageVectorId } from "../../src/sessions/message-repository";
import { FakeEmbedder, type FakeEmbedderOptions } from "../fakes/embedder";
import { FakeVectorize } from "../fakes/vectorize";
import { NOON, newTenant } from "./store/long-term-support";

export const db = openDatabase(env.DB);

/** No embedder has made any vectors yet. */
export async function forgetModel(): Promise<void> {
  await env.DB.prepare("DELETE FROM vector_state").run();
}

/** The vectors are said to be made with this. */
export async function claimModel({ name, dimensions, index }: VectorModel): Promise<void> {
  await saveVectorState(db, { name, dimensions, index, progress: null });
}

export type QueueRow = {
  kind: VectorKind;
  id: string;
  attempts: number;
  due_at: number;
  visible_after: string | null;
};

/** What waits for a tenant's index, in order. */
export async function queueOf(tenant: string): Promise<QueueRow[]> {
  const { results } = await env.DB.prepare(
    "SELECT kind, id, attempts, due_at, visible_after FROM vector_queue WHERE tenant = ? ORDER BY seq",
  )
    .bind(tenant)
    .all<QueueRow>();
  return results;
}

/** A recall request with the defaults of the API. */
export const asking = (query: string, more: Partial<RecallRequest> = {}): RecallRequest => ({
  ...RecallInput.parse({ query }),
  sources: ["memories"],
  mode: "semantic",
  ...more,
});

export const said = (id: string, content: string, more: Partial<Message> = {}): Message => ({
  id,
  role: "user",
  name: null,
  content,
  timestamp: NOON,
  token_count: 1,
  tool_calls: null,
  tool_call_id: null,
  metadata: {},
  ...more,
});

const RETRY_POLICY = { attempts: 1, baseDelayMs: 1, timeoutMs: 50 };

export type SemanticTenant = Awaited<ReturnType<typeof newSemanticTenant>>;

export async function newSemanticTenant({
  on = "vectorize",
  settings = {},
  ...options
}: FakeEmbedderOptions & { on?: "vectorize" | "embedded"; settings?: Partial<Bindings> } = {}) {
  const home = await newTenant();
  const { tenant, session } = home;
  const clock = { now: Date.parse(NOON) };
  const now = () => clock.now;
  const embedder = new FakeEmbedder(options);
  const vectorize = new FakeVectorize({ dimensions: embedder.dimensions, now });
  const owner = { tenant, embedder: embedder.name };
  const index: VectorIndex =
    on === "vectorize"
      ? createVectorizeIndex(vectorize, { ...owner, now, retryPolicy: RETRY_POLICY })
      : createEmbeddedIndex(env.VECTOR_INDEX, owner);
  const events: TelemetryEvent[] = [];
  const newIndexer = () =>
    new EmbeddingIndexer({ db, tenant, embedder, index, telemetry: (event) => events.push(event), now });
  const indexer = newIndexer();
  const rpc: IndexerRpc = {
    wake: async () => 0,
    drain: async () => 0,
    remove: (_tenant, kind, ids) => indexer.remove(index, kind, ids),
  };
  const { store, search } = createLongTermMemory({ ...env, ...settings }, tenant, {
    now,
    memoriesPerSession: 10_000,
    vectors: { semantic: { embedder, index }, indexer: rpc },
  });

  return {
    ...home,
    model: { name: embedder.name, dimensions: embedder.dimensions, index: on },
    clock,
    embedder,
    vectorize,
    index,
    indexer,
    newIndexer,
    store,
    search,
    events,

    /** Commits a memory of the tenant's first session; gives its id. */
    async keep(content: string, more: Parameters<typeof home.write>[0] | object = {}): Promise<string> {
      const [result] = await store.memories.commit([home.write({ ...more, content })]);
      if (!result?.ok) throw new Error("The memory was not written");
      return result.value.memory_id;
    },

    /** Puts messages at the end of a session; gives their ids in the vector index. */
    async say(
      messages: readonly Message[],
      { from = 1, before = [], session_id = session, agent_id = null, project_id = null }: Said = {},
    ): Promise<string[]> {
      const all = [...before, ...messages].map((message, i) => ({
        ...message,
        position: from - before.length + i,
      }));
      await store.messages.write({ session_id, user_id: null, agent_id, project_id }, all, from);
      return Promise.all(messages.map(({ id }) => computeMessageVectorId(tenant, session_id, id)));
    },

    /** Has the list worked off, as far as it is due; the index shows what it was given. */
    async indexed(): Promise<number | null> {
      const next = await indexer.run(clock.now + 1_000);
      vectorize.settle();
      return next;
    },

    /** What the index itself finds, best first. */
    async nearest(text: string, filter: VectorFilter = {}, kind: VectorKind = "memory"): Promise<string[]> {
      const matches = await index.query(kind, embedder.vectorOf(text), { limit: 100, filter });
      return matches.filter(({ score }) => score > 0.05).map(({ id }) => id);
    },

    /** Ids of what recall finds and is not unrelated, best first, in the tenant's first session. */
    async found(
      query: string,
      more: Partial<RecallRequest> = {},
      scope: SearchTarget = { kind: "session", id: session },
    ): Promise<string[]> {
      const { hits, degraded } = await search.recall(scope, asking(query, more));
      if (degraded !== null) throw new Error(degraded);
      return hits.flatMap(({ id, signals }) =>
        signals.lexical !== undefined || (signals.semantic ?? 0) > 0.05 ? [id] : [],
      );
    },

    waiting: () => queueOf(tenant),
  };
}

type Said = {
  from?: number;
  /** The messages just before them. */
  before?: readonly Message[];
  session_id?: string;
  agent_id?: string | null;
  project_id?: string | null;
};
