// The services that an operation works with, for one tenant. Passed in, so that operations do not depend on HTTP.

import type { ProjectRpc } from "../experience/consolidation/project-rpc";
import { createGraphSource, type GraphSource } from "../graph/graph-source";
import type { Binding } from "../kernel/access";
import type { BookmarkTracker } from "../kernel/databases/bookmark-tracker";
import { checkD1 } from "../kernel/databases/checked-d1";
import { requestSessionCompaction } from "../kernel/databases/compaction";
import { openDatabase } from "../kernel/databases/d1";
import { hasShards } from "../kernel/databases/shard-bindings";
import { openTenantD1 } from "../kernel/databases/tenant-database";
import { type Bindings, readSettings } from "../kernel/env";
import { type Result, unwrap } from "../kernel/errors";
import type { Telemetry } from "../kernel/telemetry";
import type { TenantOntology } from "../ontology/tenant-ontology";
import { eraseHomeRows, eraseTenantKeys } from "../owners/owner-repository";
import { requireSettledVectors } from "../owners/shards/move-tenant";
import { limitReads, READ_CLOCK } from "../recall/search/read-limits";
import { getIndexer } from "../recall/vectors/semantic-services";
import { createSessionClient, openSession } from "../sessions/session-client";
import type { SessionRpc, SignalReader } from "../sessions/session-rpc";
import { deleteBoundConnections } from "../trust/keys/connection-keys";
import type { KeyCheck } from "../trust/keys/key-check";
import { syncKeys } from "../trust/keys/shard-keys";
import { createPrivacyGate, type MaskCollector, type PrivacyGate } from "../trust/privacy/privacy-gate";
import { type PrivacyRules, resolvePrivacy } from "../trust/privacy/privacy-policy";
import { listExceeded, NO_USAGE, requireQuota, type TenantQuotas, type TenantUsage } from "../trust/quotas";
import { createLongTermMemory, type LongTermMemory } from "./long-term-memory";

export type Services = Pick<LongTermMemory, "store" | "search" | "indexing" | "usageLog"> & {
  tenant: string;
  /** The id of the caller's key. */
  keyId: string;
  /** The owner that the caller is limited to. */
  binding: Binding;
  /** Whether any agent of the tenant has capabilities, which its calls are compared with. */
  hasCapabilities: boolean;
  /** Whether the caller's key has the scope `read`: without it, an answer has ids, revisions and counts only. */
  canRead: boolean;
  /** Whether the caller's key has the scope `write`: without it, a call counts nothing. */
  canWrite: boolean;
  /** What the tenant stored when the call began, and the most that it may store. */
  usage: TenantUsage;
  quotas: TenantQuotas;
  /** Returns the same services without quotas. */
  withoutQuotas: () => Services;
  /** The configured store of policy entries. */
  policyStore?: string | undefined;
  /** The privacy policies of the tenant. */
  privacy: PrivacyRules;
  /** The ontology, with the tenant's extensions. */
  ontology: TenantOntology;
  /** The gate that everything the caller stores passes. Repositories and sessions have theirs. */
  gate: PrivacyGate;
  /** What the call has masked so far. */
  masked: MaskCollector;
  /** Which copies of the database the call may read, and what it has seen of them. */
  bookmarks: BookmarkTracker;
  /** Opens the graph of the tenant's triples and of the ontology, with what the binding shows of it. */
  openGraph: (binding: Binding) => GraphSource;
  /** Runs reads of the store as one search, under the tenant's limits. They must not search: a search has its own turn. */
  limitReads: <T>(work: () => Promise<T>) => Promise<T>;
  session: (id: string) => SessionRpc;
  project: (id: string) => ProjectRpc;
  /** Deletes the keys of the tenant. Returns how many there were. */
  eraseKeys: () => Promise<number>;
  /** Ends the connections of OAuth clients that are bound to an owner. Returns how many there were. */
  endConnections: (field: keyof Binding, id: string) => Promise<number>;
  /** Deletes the last rows of the tenant, in every database. Returns the number of its triples. */
  eraseLeftovers: () => Promise<number>;
  /** Throws `unavailable` while the vectors of the tenant move to another index. */
  requireSettledVectors: () => Promise<void>;
  /** Removes all vectors of the tenant and the state of its indexer. */
  eraseIndex: () => Promise<void>;
  /** Opens a WebSocket to a session's signals. */
  signals: (id: string, reader: SignalReader) => Promise<WebSocket>;
  telemetry: Telemetry;
  now: () => number;
  /** Runs work after the response has been sent. */
  later: (work: Promise<unknown>) => void;
};

type ServiceOptions = Pick<
  Services,
  | "telemetry"
  | "later"
  | "binding"
  | "keyId"
  | "hasCapabilities"
  | "canRead"
  | "canWrite"
  | "usage"
  | "quotas"
  | "privacy"
  | "ontology"
  | "masked"
  | "bookmarks"
> & {
  memoriesPerSession: number;
  /** Compares the caller's key with the database when the call first reaches it; null if that is done. */
  check: KeyCheck | null;
};

export function createServices(env: Bindings, tenant: string, options: ServiceOptions): Services {
  const {
    memoriesPerSession,
    binding,
    keyId,
    telemetry,
    later,
    usage,
    quotas,
    privacy,
    ontology,
    masked,
    check,
    ...caller
  } = options;
  const { bookmarks } = caller;
  const d1 = openTenantD1(env, tenant, bookmarks);
  const now = () => Date.now();
  const gate = createPrivacyGate({
    lookUp: (projectId) => resolvePrivacy(privacy, projectId),
    refuses: true,
    masked,
  });
  let charge: ((ms: number) => void) | null = null;
  const checkedD1 = check === null ? d1 : checkD1(d1, check, bookmarks);
  const { store, search, indexing, usageLog } = createLongTermMemory(env, tenant, {
    now,
    d1: checkedD1,
    bookmarks,
    memoriesPerSession,
    keyId,
    binding,
    requireQuota: (...kinds) => requireQuota(usage, quotas, kinds),
    charge: (ms) => charge?.(ms),
    privacy: gate,
    ontology: () => ontology,
    later,
  });
  return {
    tenant,
    keyId,
    binding,
    usage,
    quotas,
    withoutQuotas: () => createServices(env, tenant, { ...options, usage: NO_USAGE }),
    privacy,
    ontology,
    gate,
    masked,
    ...caller,
    policyStore: env.POLICY_STORE,
    store,
    search,
    indexing,
    usageLog,
    openGraph: (within) =>
      createGraphSource({
        db: { ...openDatabase(checkedD1), charge: (ms) => charge?.(ms) },
        tenant,
        binding: within,
        added: ontology.added.quads,
      }),
    limitReads: (work) =>
      limitReads(tenant, readSettings(env).search, READ_CLOCK, (report) => {
        charge = report;
        return work();
      }),
    session: (id) =>
      createSessionClient({
        object: openSession(env, tenant, id),
        rules: { privacy, ontology },
        exceeded: listExceeded(usage, quotas),
        check,
        masked,
        noteBookmark: (bookmark) => bookmarks.noteObject(bookmark),
        requestCompaction:
          env.FILE_COMPACTOR === undefined ? null : () => requestSessionCompaction(openDatabase(env.DB)),
      }),
    project: (id) => {
      check?.noteEffect();
      // The namespace binding does not have the type of its objects.
      return env.PROJECTS.getByName(`${tenant}/${id}`) as unknown as ProjectRpc;
    },
    // `DB` has the keys of all tenants.
    async eraseKeys() {
      const erased = await eraseTenantKeys(openDatabase(env.DB), tenant);
      if (hasShards(env)) await store.owners.eraseKeys();
      return erased;
    },
    async endConnections(field, id) {
      const ended = await deleteBoundConnections(openDatabase(env.DB), tenant, field, id);
      if (ended > 0) await syncKeys(env, tenant);
      return ended;
    },
    async eraseLeftovers() {
      if (hasShards(env)) await eraseHomeRows(openDatabase(env.DB), tenant);
      return store.owners.eraseLeftovers({ keepsNumber: hasShards(env) });
    },
    requireSettledVectors: () => requireSettledVectors(env, tenant),
    eraseIndex: () => {
      check?.noteEffect();
      return getIndexer(env, tenant).erase(tenant);
    },
    async signals(id, { after, key, acknowledges }) {
      check?.noteEffect();
      const query = new URLSearchParams({
        tenant,
        id,
        key,
        ...(acknowledges && { acknowledges: "true" }),
        ...(after !== undefined && { after: `${after}` }),
      });
      const response = await env.SESSIONS.getByName(`${tenant}/${id}`).fetch(`https://session/?${query}`, {
        headers: { Upgrade: "websocket" },
      });
      return response.webSocket ?? unwrap((await response.json()) as Result<never>);
    },
    telemetry,
    now,
    later,
  };
}
