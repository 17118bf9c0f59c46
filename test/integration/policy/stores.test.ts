// The memory stores: each against the suite, the one on D1 as part of long-term memory, and which of them is used.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { FailureError } from "../../../src/errors";
import { POLICY } from "../../../src/limits";
import { createStore } from "../../../src/long-term/store";
import { namespaceOf, type ResolvedNamespace } from "../../../src/policy/namespace";
import type { MemoryStore } from "../../../src/policy/store";
import { memoryStoreOf } from "../../../src/policy/stores";
import { createD1Store } from "../../../src/policy/stores/d1";
import { createInMemoryStore } from "../../../src/policy/stores/memory";
import type { Services } from "../../../src/services";
import type { SessionRpc } from "../../../src/session/rpc";
import { vectorsOf } from "../../../src/vectors/semantic";
import { ids, newTenant, rebuild, type Tenant } from "../long-term-support";
import { freshId, sessionStub, untilIndexed } from "../support";
import { describeStore } from "./suite";

/** What a call has to work with, at any clock. */
function servicesFor(tenant: string, now: () => number): Services {
  return {
    tenant,
    store: createStore(env.DB, tenant, { now, memoriesPerSession: 1_000, vectors: vectorsOf(env, tenant) }),
    session: (id) => sessionStub(tenant, id) as unknown as SessionRpc,
    signals: () => Promise.reject(new Error("No signals here")),
    telemetry: () => undefined,
    now,
    later: (work) => void work.catch(() => undefined),
  };
}

const kept = new Map<string, MemoryStore>();

describeStore("in memory", (tenant, now) => {
  const store = kept.get(tenant) ?? createInMemoryStore({ now });
  kept.set(tenant, store);
  return store;
});
describeStore("d1", (tenant, now) => createD1Store(servicesFor(tenant, now)));
