// Helpers for the provider tests: each provider on its real backend, for any tenant and session.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import {
  openEphemeral,
  openInline,
  type SpaceStore,
} from "../../../src/cognition/providers/object-providers";
import type { Provider, ProviderName } from "../../../src/cognition/providers/provider";
import { openProvider } from "../../../src/cognition/providers/provider-registry";
import { SpaceStorage } from "../../../src/cognition/runtime/space-storage";
import type { ProviderOptions } from "../../../src/cognition/runtime/thread-schemas";
import { updateContainer } from "../../../src/cognition/spaces/container-changes";
import { unwrap } from "../../../src/kernel/errors";
import { migrate } from "../../../src/kernel/object-migrations";
import { EmbeddingIndexer } from "../../../src/recall/index/embedding-indexer";
import { createEmbeddedIndex } from "../../../src/recall/vectors/embedded-index";
import type { IndexerRpc, SemanticServices } from "../../../src/recall/vectors/semantic-services";
import type { IndexName, VectorIndex } from "../../../src/recall/vectors/vector-index";
import { createVectorizeIndex } from "../../../src/recall/vectors/vectorize-index";
import { createLongTermMemory, type LongTermMemory } from "../../../src/services/long-term-memory";
import { SESSION_SCHEMA } from "../../../src/sessions/session-schema";
import { FakeEmbedder } from "../../fakes/embedder";
import { FakeVectorize } from "../../fakes/vectorize";
import { db, forgetModel } from "../semantic-support";
import { NOON } from "../store/long-term-support";
import { sessionStub } from "../support";
import type { Owner, ProviderSubject } from "./suite";

type OpenInObject = (storage: DurableObjectStorage, options: ProviderOptions) => Provider;

/** The inline provider, in the session's own Durable Object. */
export function inlineSubject(): ProviderSubject {
  return objectSubject((storage, options) => openInline(storage.sql, options, accessSpaces(storage)));
}

/** The ephemeral provider, in the session's own Durable Object, on a clock that stands still. */
export function ephemeralSubject(now = () => Date.parse(NOON)): ProviderSubject {
  return objectSubject(({ sql }, options) => openEphemeral(sql, options, now));
}

/** The spaces of an object that has no session's record. */
function accessSpaces(storage: DurableObjectStorage): SpaceStore {
  const spaces = new SpaceStorage(storage.sql, () => Date.parse(NOON));
  const load: SpaceStore["load"] = (names) => spaces.load({ id: "s1", created_at: NOON }, names);
  return {
    load,
    listNames: () => spaces.listNames(),
    update: (changes) => {
      const before = load(Object.keys(changes));
      spaces.save(before, unwrap(updateContainer(before, { spaces: changes }, NOON)));
    },
    transact: (work) => storage.transactionSync(work),
  };
}

function objectSubject(openInObject: OpenInObject): ProviderSubject {
  return {
    open({ tenant, session }, options = {}) {
      const within = <T>(work: (provider: Provider) => Promise<T>) =>
        runInDurableObject(sessionStub(tenant, session), (_instance, { storage }) => {
          migrate(storage, SESSION_SCHEMA);
          return work(openInObject(storage, options));
        });
      return {
        get: (keys) => within((provider) => provider.get(keys)),
        put: (items) => within((provider) => provider.put(items)),
        query: (query) => within((provider) => provider.query(query)),
        delete: (keys) => within((provider) => provider.delete(keys)),
      };
    },
    settled: async () => undefined,
  };
}

/** Opens a provider that does not use the session's own storage. */
function openStored(
  name: Exclude<ProviderName, "inline" | "ephemeral">,
  memory: LongTermMemory,
  { session }: Owner,
  options: ProviderOptions,
): Provider {
  const unused = undefined as never;
  return openProvider(
    name,
    { sql: unused, spaces: unused, now: unused, memory, sessionId: session },
    options,
  );
}

const settings = { now: () => Date.parse(NOON), memoriesPerSession: 100 };

/** The d1 provider, without vectors. */
const idle: IndexerRpc = { wake: async () => 0, drain: async () => 0, remove: async () => 0 };

export function d1Subject(): ProviderSubject & { memoryOf: (tenant: string) => LongTermMemory } {
  const vectors = { semantic: null, indexer: idle };
  const memoryOf = (tenant: string) => createLongTermMemory(env, tenant, { ...settings, vectors });
  return {
    memoryOf,
    open: (owner, options = {}) => openStored("d1", memoryOf(owner.tenant), owner, options),
    settled: async () => undefined,
  };
}

export type VectorSubject = Awaited<ReturnType<typeof vectorSubject>>;

/** The vector provider on a fake embedder and a shared index; the indexer runs on demand. */
export async function vectorSubject(on: IndexName) {
  await forgetModel();
  const clock = { now: Date.parse(NOON) };
  const now = () => clock.now;
  // Enough dimensions for each word of these tests to have its own.
  const embedder = new FakeEmbedder({ dimensions: 2_048 });
  const vectorize = new FakeVectorize({ dimensions: embedder.dimensions, now });
  const tenants = new Map<
    string,
    { memory: LongTermMemory; indexer: EmbeddingIndexer; index: VectorIndex }
  >();

  const of = (tenant: string) => {
    const known = tenants.get(tenant);
    if (known !== undefined) return known;
    const owner = { tenant, embedder: embedder.name };
    const index =
      on === "vectorize"
        ? createVectorizeIndex(vectorize, { ...owner, now })
        : createEmbeddedIndex(env.VECTOR_INDEX, owner);
    const semantic: SemanticServices = { embedder, index };
    const indexer = new EmbeddingIndexer({ db, tenant, embedder, index, telemetry: () => undefined, now });
    const rpc: IndexerRpc = {
      wake: async () => 0,
      drain: async () => {
        await indexer.run(clock.now + 60_000);
        return 0;
      },
      remove: (_tenant, kind, ids) => indexer.remove(index, kind, ids),
    };
    const vectors = { semantic, indexer: rpc };
    const made = { memory: createLongTermMemory(env, tenant, { ...settings, now, vectors }), indexer, index };
    tenants.set(tenant, made);
    return made;
  };

  return {
    of,
    clock,
    embedder,
    vectorize,
    model: { name: embedder.name, dimensions: embedder.dimensions, index: on },
    open: (owner: Owner, options: ProviderOptions = {}) =>
      openStored("vector", of(owner.tenant).memory, owner, options),
    /** Drains all backlogs, makes the writes visible and confirms them. */
    async settled(): Promise<void> {
      for (const { indexer } of tenants.values()) await indexer.run(clock.now + 60_000);
      vectorize.settle();
      clock.now += 3_600_000;
      for (const { indexer } of tenants.values()) await indexer.run(clock.now + 60_000);
    },
  };
}
