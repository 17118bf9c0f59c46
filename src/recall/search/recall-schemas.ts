// The answer of a recall: hits of every kind, and how far they answer.
import { EpisodeHit } from "../../experience/episodes/episode-schemas";
import { z } from "../../kernel/common";
import { MessageHit, RecallHit } from "../../memories/memory-schemas";

/** How far the best hit can be trusted to answer: nothing was found, something near, or an answer. */
const ANSWER_CONFIDENCES = ["none", "weak", "good"] as const;

export type AnswerConfidence = (typeof ANSWER_CONFIDENCES)[number];

export const RecallAnswer = z
  .object({
    count: z.number(),
    confidence: z.enum(ANSWER_CONFIDENCES).meta({
      description:
        "Whether the hits answer the query: none without hits, weak if the best only comes near, good otherwise. Without a query there is nothing to answer: weak",
    }),
    memories: z.array(z.discriminatedUnion("kind", [RecallHit, MessageHit, EpisodeHit])),
    degraded: z.string().optional().meta({
      description: "Why the result is lexical only although semantic search was requested",
    }),
    not_reranked: z.string().optional().meta({
      description: "Why the hits have the order of the search although there is a reranker",
    }),
    hint: z.string().optional().meta({ description: "Where to look, if nothing was found here" }),
    time_ranges: z
      .array(
        z.object({
          text: z.string().meta({ description: "The words of the query" }),
          since: z.string(),
          until: z.string(),
        }),
      )
      .optional()
      .meta({
        description:
          "The times that the query names. Hits from them rank higher; to get no others, recall again with since and until",
      }),
  })
  .openapi("RecallAnswer");

export type RecallAnswer = z.infer<typeof RecallAnswer>;
