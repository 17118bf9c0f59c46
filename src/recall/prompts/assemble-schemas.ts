// The assembled context: conversation, working context and memories for a prompt, within a token budget.

import { AnyJson, addExample, boundedText, ScopeName, z } from "../../kernel/common";
import { LIMITS, TOKEN_BUDGET } from "../../kernel/limits";
import { DEPLOY_RULE_HIT, HOTFIX_RULE_HIT, MessageHit, RecallHit } from "../../memories/memory-schemas";
import { Role } from "../../memories/message-schemas";

export const PARTS = ["conversation", "working", "long_term"] as const;
export type Part = (typeof PARTS)[number];

export const AssembleInput = z
  .object({
    query: boundedText(0, LIMITS.queryChars)
      .optional()
      .openapi({ description: "Topic of the next turn, used to rank the memories" }),
    token_budget: z.number().int().min(TOKEN_BUDGET.min).max(TOKEN_BUDGET.max).optional(),
    include: z
      .array(z.enum(PARTS))
      .min(1)
      .optional()
      .openapi({ description: "Parts to include; all by default" }),
    scope: ScopeName.optional().openapi({
      description: "Scope of the long-term memories; by default the session's reach",
    }),
  })
  .strict()
  .openapi("AssembleInput");
export type AssembleInput = z.infer<typeof AssembleInput>;

export const AssembleAnswer = z
  .object({
    messages: z.array(
      z.object({
        id: z.string().nullable(),
        role: Role,
        name: z.string().nullable(),
        content: z.string(),
        timestamp: z.string(),
        tool_calls: z.array(AnyJson).optional(),
        tool_call_id: z.string().optional(),
      }),
    ),
    working_context: z.record(z.string(), AnyJson),
    summary: z.string().nullable().openapi({
      description:
        "Summary of what the window no longer contains: the session's evicted messages, and the session that it continues",
    }),
    facts: z
      .array(
        z.object({ key: z.string(), text: z.string(), at: z.string().nullable(), session_id: z.string() }),
      )
      .openapi({ description: "Facts of `world.facts` that neither the memories nor the context state" }),
    memories: z.array(RecallHit.partial()),
    recalled_messages: z
      .array(MessageHit)
      .openapi({ description: "Messages outside of the window that match the query, best first" }),
    prompt: z.string(),
    tokens: z.object({
      total: z.number(),
      budget: z.number(),
      conversation: z.number(),
      working: z.number(),
      long_term: z.number(),
    }),
    left_out: z.array(z.object({ part: z.enum(PARTS), id: z.string(), reason: z.string() })),
  })
  .openapi("AssembleAnswer");
addExample(AssembleAnswer, {
  messages: [
    {
      id: "msg-1",
      role: "user",
      name: "Mia",
      content: "Checkout has been failing for guests since Monday.",
      timestamp: "2026-11-16T09:03:00.000Z",
    },
    {
      id: "msg-2",
      role: "assistant",
      name: null,
      content: "The payment step reads the customer id, which guests do not have.",
      timestamp: "2026-11-16T09:03:00.000Z",
    },
  ],
  working_context: { framework: "Phoenix 1.8" },
  summary: null,
  facts: [],
  memories: [
    {
      id: "ab6a92ee32fc50cabc64c255171ccc6b",
      kind: "memory",
      content: "Guests have no customer id at checkout",
      type: "discovery",
      confidence: 0.9,
      status: "live",
      timestamp: "2026-11-16T09:06:00.000Z",
      session_id: "checkout-fix",
      user_id: null,
      agent_id: "ada",
      project_id: "shop",
      source_type: "agent",
      rationale: "It is why the payment step fails",
      score: 1.5659,
      signals: { lexical: 1, semantic: 0.3864, recency: 1, importance: 0.655, mode: "hybrid" },
      superseded_by: null,
      access_count: 0,
      metadata: {},
      tags: [],
    },
    {
      ...HOTFIX_RULE_HIT,
      score: 0.315,
      signals: { lexical: 0, semantic: 0.125, recency: 1, importance: 1, mode: "hybrid" },
      access_count: 2,
    },
    {
      ...DEPLOY_RULE_HIT,
      score: 0.3091,
      signals: { lexical: 0, semantic: 0.1141, recency: 1, importance: 1, mode: "hybrid" },
      access_count: 3,
      metadata: {},
      tags: [],
    },
  ],
  recalled_messages: [],
  prompt:
    "## Session Context\n- **framework**: Phoenix 1.8\n\n## Remembered Information\n- [discovery, confidence 0.9, 2026-11-16] Guests have no customer id at checkout (because: It is why the payment step fails)\n- [process_convention, confidence 0.8, 2026-11-16] Hotfixes are deployed on any day\n- [process_convention, confidence 0.9, 2026-11-16] We deploy on Fridays only after the smoke tests pass (because: Agreed after the outage in May)",
  tokens: { total: 187, budget: 2000, conversation: 31, working: 15, long_term: 141 },
  left_out: [],
});

// As tools, with descriptions written for models.

const { shape: assembleShape } = AssembleInput;
export const AssembleToolInput = AssembleInput.extend({
  query: assembleShape.query.meta({ description: "Topic of the next turn, used to rank the memories" }),
  token_budget: assembleShape.token_budget.meta({ description: "Token budget of the whole context" }),
  include: assembleShape.include.meta({ description: "Parts to include; all by default" }),
  scope: assembleShape.scope.meta({ description: "Scope of the long-term memories" }),
});
