// Receipts of erasures: how many rows of each kind were deleted.

import { z } from "../common";
import { addExample } from "../examples";

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
addExample(AgentReceipt, {
  deleted: {
    ...{ sessions: 1, messages: 2, memories: 4, episodes: 1, triples: 61, vectors: 7 },
    ...{ ledgers: 1, handoffs: 1, policies: 1 },
  },
});

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
addExample(ProjectReceipt, {
  deleted: {
    ...{ sessions: 1, messages: 2, memories: 4, episodes: 1, triples: 61, vectors: 7 },
    ...{ handoffs: 1, skill_proposals: 0, resources: 1, privacy_policies: 0 },
  },
});

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
addExample(TenantReceipt, {
  deleted: {
    ...{ sessions: 3, messages: 8, memories: 12, episodes: 2, items: 1, triples: 187, vectors: 23 },
    ...{ ledgers: 1, handoffs: 1, policies: 1, skill_proposals: 0, privacy_policies: 1, keys: 2 },
  },
});

export const LedgerReceipt = z.object({ deleted: z.object({ checkpoints: count }) }).openapi("LedgerReceipt");
addExample(LedgerReceipt, { deleted: { checkpoints: 1 } });
export const HandoffReceipt = z.object({ deleted: z.object({ handoffs: count }) }).openapi("HandoffReceipt");
addExample(HandoffReceipt, { deleted: { handoffs: 1 } });
export const PolicyReceipt = z.object({ deleted: z.object({ policies: count }) }).openapi("PolicyReceipt");
addExample(PolicyReceipt, { deleted: { policies: 1 } });
