// The signals that explain the score of a hit.
import { z } from "./common";

export const Signals = z
  .object({
    lexical: z.number().optional(),
    semantic: z.number().optional(),
    recency: z.number().optional(),
    importance: z.number().optional(),
    speaker: z
      .number()
      .optional()
      .meta({ description: "Boost: the message is by the one person the query names" }),
    date: z.number().optional().meta({ description: "Boost: the message is from the month the query names" }),
    mode: z.enum(["text", "semantic", "hybrid"]).meta({ description: "The search mode that was used" }),
  })
  .openapi("Signals");
export type Signals = z.infer<typeof Signals>;
