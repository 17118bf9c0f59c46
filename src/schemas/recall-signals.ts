// What a hit was found by.
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
      .meta({ description: "Added: the one person whom the query names said it" }),
    date: z.number().optional().meta({ description: "Added: it is of the month that the query names" }),
    mode: z.enum(["text", "semantic", "hybrid"]).meta({ description: "How it was really searched for" }),
  })
  .openapi("Signals");
export type Signals = z.infer<typeof Signals>;
