// Composes the repositories of one tenant's long-term store.
import { createEpisodeRepository } from "../experience/episodes/episode-repository";
import { createMetricsRepository } from "../experience/episodes/metrics-repository";
import { createHandoffRepository } from "../experience/handover/handoff-repository";
import { createLedgerRepository } from "../experience/handover/ledger-repository";
import { createPatternRepository } from "../experience/patterns/pattern-repository";
import { createSkillProposalRepository } from "../experience/skills/skill-proposal-repository";
import { createSkillRepository } from "../experience/skills/skill-repository";
import { createExtensionRepository } from "../graph/extension-repository";
import type { GraphKey } from "../graph/graph-memories";
import { createGraphRepository } from "../graph/graph-repository";
import { openDatabase } from "../kernel/databases/d1";
import { type DeclaredRepositories, declareMethods } from "../kernel/declare-methods";
import { createOperationLog } from "../kernel/operation-log";
import type { StoreContext } from "../kernel/store-context";
import { createLineageRepository } from "../memories/history/lineage-repository";
import { createContradictionRepository } from "../memories/links/contradiction-repository";
import { createLinkRepository } from "../memories/links/link-repository";
import { createMemoryRepository } from "../memories/store/memory-repository";
import { createNamespaceRepository } from "../memories/store/namespace-repository";
import { createQuotationRepository, createRedactionRepository } from "../memories/store/quotation-repository";
import { BUILT_IN_ONTOLOGY, type TenantOntology } from "../ontology/tenant-ontology";
import { createTripleRepository } from "../ontology/triple-repository";
import { createEntityRepository } from "../owners/entities/entity-repository";
import { createOwnerRepository } from "../owners/owner-repository";
import { createUserRepository } from "../owners/user-repository";
import { createPolicyRepository } from "../policy/policy-repository";
import { type Collection, createItemRepository } from "../recall/search/item-repository";
import { createMessageRepository } from "../sessions/message-repository";
import { createSessionRepository } from "../sessions/session-repository";
import { createSubjectRepository, createTransferRepository } from "../transfer/transfer-repository";
import { createPrivacyGate, type GateOptions, type PrivacyGate } from "../trust/privacy/privacy-gate";
import { DEFAULT_PRIVACY } from "../trust/privacy/privacy-policy";
import { createPrivacyRepository } from "../trust/privacy/privacy-repository";
import { createWebhookRepository } from "../trust/webhooks/webhook-repository";

type RepositoryOptions = Pick<
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
  charge?: (ms: number) => void;
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
    charge,
    ontology = () => BUILT_IN_ONTOLOGY,
    privacy = createPrivacyGate(MASK_SECRETS),
    ...options
  }: RepositoryOptions,
) {
  const context: StoreContext = {
    db: { ...openDatabase(d1), ...(charge === undefined ? {} : { charge }) },
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
