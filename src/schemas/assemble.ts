// The assembled context: conversation, working context and memories for a prompt, within a token budget.
import { LIMITS, TOKEN_BUDGET } from "../limits";
import { AnyJson, boundedText, ScopeName, z } from "./common";
import { MessageHit, RecallHit } from "./memory";
import { Role } from "./message";

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
    recalled_messages: z.array(MessageHit).openapi({
      description: "Messages outside of the window that match the query, best first",
    }),
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
