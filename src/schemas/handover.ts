// Ledgers (checkpoints of an agent's own state) and handoffs from agent to agent.

import { EXPERIENCE, LIMITS } from "../limits";
import { addExample, boundedJson, boundedText, countUtf8Bytes, FreeObject, Id, Time, z } from "./common";

/** Returns a refinement that rejects JSON with unstorable text or over `maxBytes`. */
function validateJson(maxBytes: number) {
  return (value: unknown, ctx: z.RefinementCtx) => {
    const { error } = boundedJson(maxBytes).safeParse(value);
    for (const { message } of error?.issues ?? []) ctx.addIssue({ code: "custom", message });
  };
}

function countJsonBytes(value: unknown): number {
  return countUtf8Bytes(JSON.stringify(value));
}

/** Free JSON. LedgerPut bounds the size of `state` and `context` together. */
const Notes = FreeObject.superRefine(validateJson(LIMITS.bodyBytes))
  .default({})
  .openapi({ type: "object", additionalProperties: true, default: {} });

const LedgerFields = z.object({
  tasks_completed: z.number().int().min(0).default(0),
  current_task: z.string().trim().pipe(boundedText(1, LIMITS.contentChars)).nullable().default(null),
  state: Notes,
  context: Notes,
});
/** The fields of a checkpoint that the agent provides. */
export type LedgerFields = z.infer<typeof LedgerFields>;

export const LedgerPut = LedgerFields.extend({
  agent_id: Id.optional().openapi({ description: "Must equal the id in the path" }),
  last_checkpoint: Time.optional().openapi({ description: "Defaults to the current time" }),
})
  .strict()
  .superRefine(({ state, context }, ctx) => {
    const [stateBytes, contextBytes] = [countJsonBytes(state), countJsonBytes(context)];
    const bytes = stateBytes + contextBytes;
    if (bytes > EXPERIENCE.checkpointBytes)
      ctx.addIssue({
        code: "custom",
        path: [stateBytes > contextBytes ? "state" : "context"],
        message: `state and context together must be at most ${EXPERIENCE.checkpointBytes} bytes as JSON, are ${bytes}: shorten them`,
      });
  })
  .openapi("LedgerPut");
const LEDGER_PUT_EXAMPLE = addExample(LedgerPut, {
  tasks_completed: 3,
  current_task: "SHOP-412: guest checkout",
  state: { branch: "guest-checkout", tests: "213 passed" },
  context: { reviewer: "mia" },
});

export const Ledger = LedgerFields.extend({
  agent_id: z.string(),
  version: z.number().openapi({ description: "Number of the checkpoint, counting from 1" }),
  last_checkpoint: z.string(),
}).openapi("Ledger");
export type Ledger = z.infer<typeof Ledger>;
addExample(Ledger, {
  ...LEDGER_PUT_EXAMPLE,
  agent_id: "ada",
  version: 1,
  last_checkpoint: "2026-11-16T09:25:00.000Z",
});

// Handoffs

const HandoffText = z.string().trim().pipe(boundedText(1, EXPERIENCE.checkpointBytes));
const List = z.array(HandoffText).default([]);

/** Context for the receiving agent. Unknown members are stored, too. */
const HandoffContext = z
  .looseObject({
    what_was_done: HandoffText,
    artifacts: List,
    git_state: HandoffText.nullable().default(null),
    needs_testing: List,
    known_issues: List,
    relevant_patterns: List.openapi({ description: "Ids of patterns" }),
  })
  .superRefine(validateJson(EXPERIENCE.checkpointBytes))
  .openapi("HandoffContext");

const HandoffFields = z.object({
  from_agent: Id,
  to_agent: Id,
  project_id: Id.nullable().default(null),
  context: HandoffContext,
});

export const HandoffCreate = HandoffFields.extend({
  id: Id.optional().openapi({ description: "Your own id; sending the same handoff twice creates one" }),
  timestamp: Time.optional().openapi({ description: "Defaults to the current time" }),
})
  .strict()
  .openapi("HandoffCreate");
export type HandoffCreate = z.infer<typeof HandoffCreate>;
const HANDOFF_CREATE_EXAMPLE = addExample(HandoffCreate, {
  id: "handoff-412",
  from_agent: "ada",
  to_agent: "ben",
  project_id: "shop",
  context: {
    what_was_done: "Guests can check out again",
    artifacts: ["lib/shop/checkout.ex"],
    git_state: "guest-checkout at 4f1c2ab",
    needs_testing: ["Vouchers of guests"],
    known_issues: [],
    relevant_patterns: ["guest-checkout-needs-a-test"],
  },
});

export const HandoffStatus = z.enum(["pending", "acknowledged"], {
  error: 'must be "pending" or "acknowledged"',
});
export type HandoffStatus = z.infer<typeof HandoffStatus>;

export const Handoff = HandoffFields.extend({
  id: z.string(),
  timestamp: z.string(),
  status: HandoffStatus,
  acknowledged_by: z.string().nullable().openapi({ description: "The agent that acknowledged it" }),
  acknowledged_at: z.string().nullable(),
}).openapi("Handoff");
export type Handoff = z.infer<typeof Handoff>;
export const HANDOFF_EXAMPLE = addExample(Handoff, {
  ...HANDOFF_CREATE_EXAMPLE,
  timestamp: "2026-11-16T09:26:00.000Z",
  status: "pending",
  acknowledged_by: null,
  acknowledged_at: null,
});

export const AcknowledgeInput = z.object({ agent_id: Id }).strict().openapi("AcknowledgeInput");
addExample(AcknowledgeInput, { agent_id: "ben" });
