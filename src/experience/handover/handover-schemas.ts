// Ledgers (checkpoints of an agent's own state) and handoffs from agent to agent.

import {
  addExample,
  boundedJson,
  boundedText,
  countUtf8Bytes,
  FreeObject,
  Id,
  SESSION_DEFAULT,
  Time,
  z,
} from "../../kernel/common";
import { EXPERIENCE, LIMITS } from "../../kernel/limits";

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

// As tools, with descriptions written for models.

const OwnAgent = Id.optional().meta({ description: `The agent; ${SESSION_DEFAULT}` });

const { shape: ledgerShape } = LedgerPut;
export const SaveCheckpointInput = LedgerPut.safeExtend({
  agent_id: OwnAgent,
  current_task: ledgerShape.current_task.meta({ description: "Current task of the agent" }),
  tasks_completed: ledgerShape.tasks_completed.meta({ description: "Number of completed tasks" }),
  state: ledgerShape.state.meta({ description: "State of the work, as free JSON" }),
  context: ledgerShape.context.meta({ description: "Context for the agent that continues" }),
  last_checkpoint: ledgerShape.last_checkpoint.meta({
    description: "Time of the checkpoint; defaults to the current time",
  }),
});
export const ReadCheckpointInput = z.object({ agent_id: OwnAgent }).strict();

const { shape: handoffShape } = HandoffCreate;
export const HandOffInput = HandoffCreate.extend({
  from_agent: Id.optional().meta({
    description: "The agent that hands over; defaults to the session's agent",
  }),
  to_agent: handoffShape.to_agent.meta({ description: "The agent that takes over" }),
  project_id: handoffShape.project_id.meta({ description: `The project; ${SESSION_DEFAULT}` }),
  context: handoffShape.context.meta({
    description: "Work done, artifacts, open tests and known issues",
  }),
  id: handoffShape.id.meta({ description: "Your own id; sending the same handoff twice creates one" }),
  timestamp: handoffShape.timestamp.meta({ description: "Defaults to the current time" }),
});
export const ListHandoffsInput = z
  .object({
    to_agent: Id.optional().meta({
      description: "The receiving agent; defaults to the session's agent, and to all agents without one",
    }),
    from_agent: Id.optional().meta({ description: "Only handoffs from this agent" }),
    project_id: Id.optional().meta({ description: "Only handoffs of this project" }),
    status: HandoffStatus.default("pending").meta({
      description: "Pending handoffs have not been acknowledged",
    }),
    limit: z.number().int().min(1).max(LIMITS.pageMax).default(LIMITS.pageDefault).meta({
      description: "Maximum number of handoffs",
    }),
  })
  .strict();
export const ListHandoffsAnswer = z.object({ count: z.number(), handoffs: z.array(Handoff) });
export const AcknowledgeHandoffInput = z
  .object({
    handoff_id: Id.meta({ description: "Id of the handoff, from list_handoffs" }),
    agent_id: OwnAgent,
  })
  .strict();
