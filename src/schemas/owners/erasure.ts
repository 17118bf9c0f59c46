// Receipts of erasures: how many rows of each kind were deleted.
import { z } from "../common";

const count = z.number();

const Owned = z.object({
  sessions: count,
  messages: count,
  memories: count,
  episodes: count,
  triples: z.number().openapi({ description: "Triples of the erased memories, episodes and declarations" }),
  vectors: count,
});

export const AgentReceipt = z
  .object({ deleted: Owned.extend({ ledgers: count, handoffs: count, policies: count }) })
  .openapi("AgentReceipt");

export const ProjectReceipt = z
  .object({
    deleted: Owned.extend({
      handoffs: count,
      skill_proposals: count,
      resources: count,
      privacy_policies: z.number().openapi({ description: "Always 0 for a key without the scope `admin`" }),
    }),
  })
  .openapi("ProjectReceipt");

export const TenantReceipt = z
  .object({
    deleted: Owned.extend({
      items: count,
      ledgers: count,
      handoffs: count,
      policies: count,
      skill_proposals: count,
      privacy_policies: count,
      keys: count,
    }),
  })
  .openapi("TenantReceipt");

export const LedgerReceipt = z.object({ deleted: z.object({ checkpoints: count }) }).openapi("LedgerReceipt");
export const HandoffReceipt = z.object({ deleted: z.object({ handoffs: count }) }).openapi("HandoffReceipt");
export const PolicyReceipt = z.object({ deleted: z.object({ policies: count }) }).openapi("PolicyReceipt");
