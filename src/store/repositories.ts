// Composes the repositories of one tenant's long-term store.
import { createPrivacyGate, type GateOptions, type PrivacyGate } from "../domain/privacy/privacy-gate";
import { DEFAULT_PRIVACY } from "../domain/privacy/privacy-policy";
import { BUILT_IN_ONTOLOGY, type TenantOntology } from "../ontology/extensions/tenant-ontology";
import { openDatabase } from "../platform/d1";
import { type DeclaredRepositories, declareMethods } from "./declare-methods";
import { createEntityRepository } from "./entities/entity-repository";
import { createEpisodeRepository } from "./episodes/episode-repository";
import { createMetricsRepository } from "./episodes/metrics-repository";
import type { GraphKey } from "./graph/graph-memories";
import { createGraphRepository } from "./graph/graph-repository";
import { createHandoffRepository } from "./handover/handoff-repository";
import { createLedgerRepository } from "./handover/ledger-repository";
import { type Collection, createItemRepository } from "./item-repository";
import { createLineageRepository } from "./lineage/lineage-repository";
import { createContradictionRepository } from "./links/contradiction-repository";
import { createLinkRepository } from "./links/link-repository";
import { createMemoryRepository } from "./memories/memory-repository";
import { createNamespaceRepository } from "./memories/namespace-repository";
import { createPatternRepository } from "./memories/pattern-repository";
import { createQuotationRepository, createRedactionRepository } from "./memories/quotation-repository";
import { createSkillProposalRepository } from "./memories/skill-proposal-repository";
import { createSkillRepository } from "./memories/skill-repository";
import { createExtensionRepository } from "./ontology/extension-repository";
import { createOperationLog } from "./operation-log";
import { createOwnerRepository } from "./owners/owner-repository";
import { createPolicyRepository } from "./policy-repository";
import { createPrivacyRepository } from "./privacy/privacy-repository";
import { createMessageRepository } from "./sessions/message-repository";
import { createSessionRepository } from "./sessions/session-repository";
import type { StoreContext } from "./store-context";
import { createSubjectRepository } from "./transfer/subject-repository";
import { createTransferRepository } from "./transfer/transfer-repository";
import { createTripleRepository } from "./triples/triple-repository";
import { createUserRepository } from "./users/user-repository";
import { createWebhookRepository } from "./webhooks/webhook-repository";

export type RepositoryOptions = Pick<
  StoreContext,
  | "memoriesPerSession"
  | "keyId"
  | "ranks"
  | "removeVectors"
  | "forgetUsage"
  | "requireQuota"
  | "wakeDeliverer"
> & {
  now: () => number;
  /** Told the milliseconds that D1 spends on each statement. */
  spend?: (ms: number) => void;
  /** Returns the tenant's ontology; without it, that of the service. */
  ontology?: () => TenantOntology;
  /** Masks secrets and leaves personal data alone unless another is given. */
  privacy?: PrivacyGate;
};

const MASK_SECRETS: GateOptions = { lookUp: () => DEFAULT_PRIVACY, refuses: false };

export type Repositories = ReturnType<typeof createRepositories>;

export function createRepositories(
  d1: D1Database,
  tenant: string,
  {
    now,
    spend,
    ontology = () => BUILT_IN_ONTOLOGY,
    privacy = createPrivacyGate(MASK_SECRETS),
    ...options
  }: RepositoryOptions,
) {
  const context: StoreContext = {
    db: { ...openDatabase(d1), ...(spend === undefined ? {} : { spend }) },
    tenant,
    now: () => new Date(now()).toISOString(),
    get ontology() {
      return ontology();
    },
    gate: privacy,
    ...options,
  };
  const { opens } = declareMethods(context);
  const repositories = {
    memories: createMemoryRepository(context),
    patterns: createPatternRepository(context),
    skills: createSkillRepository(context),
    skillProposals: createSkillProposalRepository(context),
    namespaces: createNamespaceRepository(context),
    triples: createTripleRepository(context),
    subjects: createSubjectRepository(context),
    episodes: createEpisodeRepository(context),
    metrics: createMetricsRepository(context),
    lineage: createLineageRepository(context),
    links: createLinkRepository(context),
    contradictions: createContradictionRepository(context),
    graph: opens((owner: GraphKey) => createGraphRepository(context, owner)),
    users: createUserRepository(context),
    quotations: createQuotationRepository(context),
    redactions: createRedactionRepository(context),
    owners: createOwnerRepository(context),
    entities: createEntityRepository(context),
    sessions: createSessionRepository(context),
    messages: createMessageRepository(context),
    items: opens((collection: Collection) => createItemRepository(context, collection)),
    policies: createPolicyRepository(context),
    ledgers: createLedgerRepository(context),
    handoffs: createHandoffRepository(context),
    operations: createOperationLog(context),
    privacy: createPrivacyRepository(context),
    webhooks: createWebhookRepository(context),
    extensions: createExtensionRepository(context),
    transfer: createTransferRepository(context),
  } satisfies DeclaredRepositories;
  return { tenant, ranks: options.ranks, ...repositories };
}
