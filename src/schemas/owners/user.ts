// Users: the people whom sessions, messages, memories and episodes concern.
import { UserId, z } from "../common";
import { ForeignSource } from "../memories/source-type";

export const UserParams = z.object({ id: UserId });

const seen = {
  first_seen: z.string().openapi({ description: "Time of the oldest record of the user" }),
  last_seen: z.string().openapi({ description: "Time of the newest record of the user" }),
  counts: z.object({
    sessions: z.number(),
    messages: z.number(),
    memories: z.number().openapi({ description: "Live memories" }),
  }),
};

export const UserSummary = z.object({ id: z.string(), ...seen }).openapi("UserSummary");
export type UserSummary = z.infer<typeof UserSummary>;

export const UserStatement = z
  .object({
    id: z.string().openapi({ description: "The id of its memory" }),
    content: z.string(),
    type: z.string(),
    confidence: z.number(),
    timestamp: z.string(),
    source_type: ForeignSource,
  })
  .openapi("UserStatement");
export type UserStatement = z.infer<typeof UserStatement>;

export const UserProfile = UserSummary.extend({
  facts: z.array(UserStatement).openapi({ description: "The most important first, then the newest" }),
  preferences: z.array(UserStatement).openapi({ description: "The most important first, then the newest" }),
  topics: z.array(z.string()).openapi({ description: "Names and words of recent messages and memories" }),
}).openapi("UserProfile");
export type UserProfile = z.infer<typeof UserProfile>;

export const UserReceipt = z
  .object({
    deleted: z.object({
      sessions: z.number(),
      messages: z.number(),
      memories: z.number(),
      episodes: z.number(),
      triples: z.number().openapi({ description: "Triples of the erased memories and episodes" }),
      vectors: z.number(),
    }),
  })
  .openapi("UserReceipt");
