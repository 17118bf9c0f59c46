// Composes a tenant's long-term memory from the environment: the store in D1, search over it, and its indexing.

import { type Binding, UNBOUND } from "../kernel/access";
import type { BookmarkTracker } from "../kernel/databases/bookmark-tracker";
import { type Database, openDatabase } from "../kernel/databases/d1";
import { openTenantD1 } from "../kernel/databases/tenant-database";
import { type Bindings, readSettings } from "../kernel/env";
import { logDefect } from "../kernel/errors";
import type { StoreContext } from "../kernel/store-context";
import { getUsageObject, type UsageRpc } from "../memories/usage/use-log";
import type { Reranker } from "../models/reranker";
import { selectReranker } from "../models/select-reranker";
import type { TenantOntology } from "../ontology/tenant-ontology";
import { createIndexing, type Indexing } from "../recall/index/indexing";
import { createSearch, type Search } from "../recall/search/search";
import {
  createVectorServices,
  type SemanticServices,
  type VectorServices,
} from "../recall/vectors/semantic-services";
import type { PrivacyGate } from "../trust/privacy/privacy-gate";
import { readSourceRanks } from "../trust/source-rank";
import { getDeliverer } from "../trust/webhooks/delivery-queue";
import { createRepositories, type Repositories } from "./repositories";

export type LongTermMemory = {
  store: Repositories;
  search: Search;
  indexing: Indexing;
  /** Counts the uses of memories and episodes. */
  usageLog: UsageRpc;
  /** Null when no embedder is configured. */
  semantic: SemanticServices | null;
};

type LongTermMemoryOptions = {
  now: () => number;
  memoriesPerSession?: number;
  vectors?: VectorServices;
  reranker?: Reranker | null;
  /** Which copies of the tenant's database may be read; the primary alone without it. */
  bookmarks?: BookmarkTracker | null;
  /** The tenant's database. */
  d1?: D1Database;
  /** The id of the caller's key. */
  keyId?: string | undefined;
  binding?: Binding;
  requireQuota?: StoreContext["requireQuota"];
  charge?: Database["charge"];
  privacy?: PrivacyGate | undefined;
  /** Returns the tenant's ontology. */
  ontology?: () => TenantOntology;
  /** Runs work that nobody waits for. An object goes on with it by itself. */
  later?: (work: Promise<unknown>) => void;
};

export function createLongTermMemory(
  env: Bindings,
  tenant: string,
  {
    now,
    memoriesPerSession = readSettings(env).memoriesPerSession,
    vectors = createVectorServices(env, tenant),
    reranker = selectReranker(env),
    keyId,
    binding = UNBOUND,
    requireQuota,
    charge,
    privacy,
    ontology,
    later = (work) => void work,
    bookmarks = null,
    d1 = openTenantD1(env, tenant, bookmarks),
  }: LongTermMemoryOptions,
): LongTermMemory {
  const { semantic, indexer } = vectors;
  const indexing = createIndexing(tenant, vectors);
  const usageLog = getUsageObject(env, tenant);
  return {
    store: createRepositories(d1, tenant, {
      now,
      memoriesPerSession,
      keyId,
      ...(requireQuota === undefined ? {} : { requireQuota }),
      ...(charge === undefined ? {} : { charge }),
      ranks: readSourceRanks(env.SOURCE_RANKS),
      ...(privacy === undefined ? {} : { privacy }),
      ...(ontology === undefined ? {} : { ontology }),
      removeVectors: (kind, ids) => indexer.remove(tenant, kind, ids),
      forgetUsage: (kind, ids) => usageLog.forget(kind, ids),
      // A lost call is made up for by the cron.
      wakeDeliverer: () =>
        later(
          getDeliverer(env, tenant)
            .wake(tenant)
            .catch((error: unknown) => logDefect("webhooks.error", error)),
        ),
    }),
    search: createSearch({
      db: { ...openDatabase(d1), mayLag: () => bookmarks?.mayLag() ?? false },
      tenant,
      semantic,
      reranker,
      indexing,
      binding,
      limits: readSettings(env).search,
      now,
    }),
    indexing,
    usageLog,
    semantic,
  };
}
