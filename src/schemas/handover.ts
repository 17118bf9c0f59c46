// Ledgers (checkpoints of an agent's own state) and handoffs from agent to agent.
import { EXPERIENCE, LIMITS } from "../limits";
import { boundedJson, boundedText, countUtf8Bytes, FreeObject, Id, Time, z } from "./common";

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

export const Ledger = LedgerFields.extend({
  agent_id: z.string(),
  version: z.number().openapi({ description: "Number of the checkpoint, counting from 1" }),
  last_checkpoint: z.string(),
}).openapi("Ledger");
export type Ledger = z.infer<typeof Ledger>;

// Handoffs

const HandoffText = z.string().trim().pipe(boundedText(1, EXPERIENCE.checkpointBytes));
const List = z.array(HandoffText).default([]);

/** Context for the receiving agent. Unknown members are stored, too. */
export const HandoffContext = z
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

export const AcknowledgeInput = z.object({ agent_id: Id }).strict().openapi("AcknowledgeInput");
