// What a tenant stores, and the most that it may store.
import { z } from "../common";

const Quota = z.number().nullable().openapi({ description: "null: no limit" });

export const Usage = z
  .object({
    memories: z.number().openapi({ description: "Stored memories, superseded and forgotten ones included" }),
    messages: z.number().openapi({ description: "Messages that recall searches" }),
    sessions: z.number(),
    episodes: z.number(),
    bytes: z.number().openapi({
      description:
        "UTF-8 bytes of the texts of memories, messages, episodes and items, without indexes, and of what sessions store",
    }),
    streams: z.number().openapi({ description: "Open streams of signals, as far as this isolate knows" }),
    limits: z
      .object({
        memories: Quota,
        messages: Quota,
        sessions: Quota,
        episodes: Quota,
        bytes: Quota,
        streams: Quota,
      })
      .openapi({ description: "The quotas: a write beyond one is refused with `limit_exceeded`" }),
  })
  .openapi("Usage");
export type Usage = z.infer<typeof Usage>;
