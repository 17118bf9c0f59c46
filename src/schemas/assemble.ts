// The assembled context: what an agent puts before its model, within a token budget.
import { LIMITS, TOKEN_BUDGET } from "../limits";
import { AnyJson, text, z } from "./common";
import { RecallHit, SCOPES } from "./memory";
import { Role } from "./session";

export const PARTS = ["conversation", "working", "long_term"] as const;
export type Part = (typeof PARTS)[number];

export const AssembleInput = z
  .object({
    query: text(0, LIMITS.queryChars)
      .optional()
      .openapi({ description: "What the next turn is about: ranks the memories" }),
    token_budget: z.number().int().min(TOKEN_BUDGET.min).max(TOKEN_BUDGET.max).optional(),
    include: z
      .array(z.enum(PARTS))
      .min(1)
      .optional()
      .openapi({ description: "Only these parts; all of them by default" }),
    scope: z
      .enum(SCOPES)
      .default("session")
      .openapi({ description: "Whose long-term memories are drawn on" }),
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
    memories: z.array(RecallHit.partial()),
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
