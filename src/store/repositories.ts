// Composes the repositories of one tenant's long-term store.
import { openDatabase } from "../platform/d1";
import { createOperationLog } from "./applied-operations";
import { createEpisodeRepository } from "./episodes/episode-queries";
import type { GraphOwner } from "./graph/graph-memories";
import { createGraphRepository } from "./graph/graph-repository";
import { createHandoffRepository } from "./handover/handoff-repository";
import { createLedgerRepository } from "./handover/ledger-repository";
import { type Collection, createItemRepository } from "./items/item-repository";
import { createContradictionRepository } from "./links/contradictions";
import { createLinkRepository } from "./links/list-links";
import { createTripleRepository } from "./memories/memory-queries";
import { createMemoryRepository } from "./memories/memory-repository";
import { createNamespaceRepository } from "./memories/namespace-filter";
import { createPatternRepository } from "./memories/pattern-queries";
import { createSkillRepository } from "./memories/skill-queries";
import { createUsageRepository } from "./memories/usage-counts";
import { createPolicyRepository } from "./policies/policy-repository";
import { createMessageRepository } from "./sessions/message-copies";
import { createSessionRepository } from "./sessions/session-registry";
import type { StoreContext } from "./store-context";

export type RepositoryOptions = Pick<StoreContext, "memoriesPerSession" | "removeVectors"> & {
  now: () => number;
};

export type Repositories = ReturnType<typeof createRepositories>;

export function createRepositories(d1: D1Database, tenant: string, { now, ...options }: RepositoryOptions) {
  const context: StoreContext = {
    db: openDatabase(d1),
    tenant,
    now: () => new Date(now()).toISOString(),
    ...options,
  };
  return {
    tenant,
    memories: createMemoryRepository(context),
    patterns: createPatternRepository(context),
    skills: createSkillRepository(context),
    namespaces: createNamespaceRepository(context),
    usage: createUsageRepository(context),
    triples: createTripleRepository(context),
    episodes: createEpisodeRepository(context),
    links: createLinkRepository(context),
    contradictions: createContradictionRepository(context),
    graph: (owner: GraphOwner) => createGraphRepository(context, owner),
    sessions: createSessionRepository(context),
    messages: createMessageRepository(context),
    items: (collection: Collection) => createItemRepository(context, collection),
    policies: createPolicyRepository(context),
    ledgers: createLedgerRepository(context),
    handoffs: createHandoffRepository(context),
    operations: createOperationLog(context),
  };
}
