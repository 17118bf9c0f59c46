// What an agent leaves to whoever goes on: its ledger, which says where it stands, and handoffs to other agents.
import { EXPERIENCE, LIMITS } from "../limits";
import { Id, jsonValue, Time, text, utf8Bytes, z } from "./common";
import { FreeObject } from "./experience-fields";

/** Whether a JSON value can be stored: its text, and its size. */
function storable(maxBytes: number) {
  return (value: unknown, ctx: z.RefinementCtx) => {
    const { error } = jsonValue(maxBytes).safeParse(value);
    for (const { message } of error?.issues ?? []) ctx.addIssue({ code: "custom", message });
  };
}

function jsonBytes(value: unknown): number {
  return utf8Bytes(JSON.stringify(value));
}

/** Its size is bounded together with the other's. */
const Notes = FreeObject.superRefine(storable(LIMITS.bodyBytes))
  .default({})
  .openapi({ type: "object", additionalProperties: true, default: {} });

const LedgerTold = z.object({
  tasks_completed: z.number().int().min(0).default(0),
  current_task: z.string().trim().pipe(text(1, LIMITS.contentChars)).nullable().default(null),
  state: Notes,
  context: Notes,
});
/** What an agent says of itself, without when it said so. */
export type LedgerTold = z.infer<typeof LedgerTold>;

export const LedgerPut = LedgerTold.extend({
  agent_id: Id.optional().openapi({ description: "As in the path" }),
  last_checkpoint: Time.optional().openapi({ description: "Now, if it is not given" }),
})
  .strict()
  .superRefine(({ state, context }, ctx) => {
    const [ofState, ofContext] = [jsonBytes(state), jsonBytes(context)];
    const bytes = ofState + ofContext;
    if (bytes > EXPERIENCE.checkpointBytes)
      ctx.addIssue({
        code: "custom",
        path: [ofState > ofContext ? "state" : "context"],
        message: `state and context together must be at most ${EXPERIENCE.checkpointBytes} bytes as JSON, are ${bytes}: shorten them`,
      });
  })
  .openapi("LedgerPut");

export const Ledger = LedgerTold.extend({
  agent_id: z.string(),
  version: z.number().openapi({ description: "1 for the first checkpoint, then one more each" }),
  last_checkpoint: z.string(),
}).openapi("Ledger");
export type Ledger = z.infer<typeof Ledger>;

// Handoffs

/** As long as the whole handoff may be. */
const Told = z.string().trim().pipe(text(1, EXPERIENCE.checkpointBytes));
const List = z.array(Told).default([]);

/** What the receiver needs to know. Whatever else the sender says is kept. */
export const HandoffContext = z
  .looseObject({
    what_was_done: Told,
    artifacts: List,
    git_state: Told.nullable().default(null),
    needs_testing: List,
    known_issues: List,
    relevant_patterns: List.openapi({ description: "Ids of patterns" }),
  })
  .superRefine(storable(EXPERIENCE.checkpointBytes))
  .openapi("HandoffContext");

const HandoffTold = z.object({
  from_agent: Id,
  to_agent: Id,
  project_id: Id.nullable().default(null),
  context: HandoffContext,
});

export const HandoffCreate = HandoffTold.extend({
  id: Id.optional().openapi({ description: "Your own id; the same handoff twice is one" }),
  timestamp: Time.optional().openapi({ description: "Now, if it is not given" }),
})
  .strict()
  .openapi("HandoffCreate");
export type HandoffCreate = z.infer<typeof HandoffCreate>;

export const HandoffStatus = z.enum(["pending", "acknowledged"], {
  error: 'must be "pending" or "acknowledged"',
});
export type HandoffStatus = z.infer<typeof HandoffStatus>;

export const Handoff = HandoffTold.extend({
  id: z.string(),
  timestamp: z.string(),
  status: HandoffStatus,
  acknowledged_by: z.string().nullable().openapi({ description: "The agent that took it" }),
  acknowledged_at: z.string().nullable(),
}).openapi("Handoff");
export type Handoff = z.infer<typeof Handoff>;

export const AcknowledgeInput = z.object({ agent_id: Id }).strict().openapi("AcknowledgeInput");
