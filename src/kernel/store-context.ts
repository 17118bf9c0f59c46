// The context that every repository is created with. It includes the tenant, so no query can be built without one.

import type { UsedKind } from "../memories/usage/apply-use";
import type { TenantOntology } from "../ontology/tenant-ontology";
import type { PrivacyGate } from "../trust/privacy/privacy-gate";
import type { QuotaKind } from "../trust/quotas";
import type { SourceRanks } from "../trust/source-rank";
import type { Database } from "./databases/d1";
import type { VectorKind } from "./tables";

export type StoreContext = {
  db: Database;
  tenant: string;
  /** Returns the current time in ISO 8601. */
  now: () => string;
  /** The number of live memories that one session may hold. */
  memoriesPerSession: number;
  /** Throws `limit_exceeded` if the tenant's quotas are used up. Without it, as for writes that were acknowledged, none applies. */
  requireQuota?: (...kinds: QuotaKind[]) => void;
  /** Whose statements outweigh whose. */
  ranks: SourceRanks;
  /** The id of the key of the call; undefined for work of an alarm. */
  keyId?: string | undefined;
  /** The ontology of the tenant, whose shapes a memory must not violate. */
  ontology: TenantOntology;
  /** The privacy gate that declared writes and removals pass. */
  gate: PrivacyGate;
  /** Removes vectors from the vector index and returns how many there were. */
  removeVectors: (kind: VectorKind, ids: string[]) => Promise<number>;
  /** Removes erased memories and episodes from the uses that are not counted yet. */
  forgetUsage: (kind: UsedKind, ids: string[]) => Promise<void>;
  /** Called after events were queued for webhooks. */
  wakeDeliverer: () => void;
};

/** A position in a list that is ordered by time, newest first. */
export type TimeCursor = { timestamp: string; id: string };

export type Page = { limit: number; after: TimeCursor | null };
