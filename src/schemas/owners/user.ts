// Users: the people whom sessions, messages, memories and episodes concern.

import { UserId, z } from "../common";
import { addExample } from "../examples";
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
const USER_SUMMARY_EXAMPLE = addExample(UserSummary, {
  id: "mia",
  first_seen: "2026-11-16T09:02:00.000Z",
  last_seen: "2026-11-16T09:13:00.000Z",
  counts: { sessions: 0, messages: 0, memories: 2 },
});

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
export const USER_PROFILE_EXAMPLE = addExample(UserProfile, {
  ...USER_SUMMARY_EXAMPLE,
  facts: [
    {
      id: "07812f11a2a2d74ab509d3e6b5298031",
      content: "Mia reviews everything that touches payments",
      type: "fact",
      confidence: 0.8,
      timestamp: "2026-11-16T09:13:00.000Z",
    },
  ],
  preferences: [
    {
      id: "1e8a6d8f704c5b6eaf9d8c7b6a594837",
      content: "Mia prefers short answers",
      type: "preference",
      confidence: 0.9,
      timestamp: "2026-11-16T09:02:00.000Z",
    },
  ],
  topics: ["payments", "checkout"],
});

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
addExample(UserReceipt, {
  deleted: { sessions: 0, messages: 0, memories: 2, episodes: 0, triples: 26, vectors: 2 },
});
