// Links between memories and episodes, and contradictions: links that ask for an answer.
import { LIMITS } from "../limits";
import { Id, text, z } from "./common";
import { Relation } from "./pattern";

const End = Id.openapi({ description: "The id of a memory or an episode, or the name of a pattern" });

export const LinkCreate = z
  .object({
    from: End,
    to: End,
    relation: Relation,
    strength: z
      .number({ error: "must be a number from 0 to 1" })
      .min(0)
      .max(1)
      .optional()
      .openapi({ description: "How strongly it holds: fully, if it is not said", default: 1 }),
  })
  .strict()
  .openapi("LinkCreate");
export type LinkCreate = z.infer<typeof LinkCreate>;

export const Link = z
  .object({
    id: z.string(),
    from: z.string(),
    to: z.string(),
    relation: Relation.openapi({
      description: "As it is stored: what supersedes another is told as superseded_by, the other way round",
    }),
    strength: z.number(),
    direction: z
      .enum(["out", "in"])
      .optional()
      .openapi({ description: "In a list: from the one that was asked for, or to it" }),
    created_at: z
      .string()
      .nullable()
      .openapi({ description: "null where the link came with a memory, and not by a call of its own" }),
  })
  .openapi("Link");
export type Link = z.infer<typeof Link>;

// Contradictions

const RESOLUTIONS = ["supersede", "invalidate", "keep_both"] as const;
const Action = z.enum(RESOLUTIONS, { error: `must be one of: ${RESOLUTIONS.join(", ")}` });

export const ContradictionStatus = z.enum(["open", "resolved"], { error: 'must be "open" or "resolved"' });
export type ContradictionStatus = z.infer<typeof ContradictionStatus>;

const Side = z
  .object({
    id: z.string(),
    kind: z.enum(["memory", "episode"]),
    content: z.string().openapi({ description: "Of an episode: its goal" }),
    confidence: z.number().nullable().openapi({ description: "null for an episode, which is a record" }),
    timestamp: z.string(),
    status: z.enum(["live", "superseded", "invalidated", "forgotten", "archived"]),
  })
  .openapi("ContradictionSide");
export type Side = z.infer<typeof Side>;

export const Contradiction = z
  .object({
    id: z.string().openapi({ description: "The id of its link" }),
    status: ContradictionStatus.openapi({
      description: "resolved also when one of the two is no longer live",
    }),
    strength: z.number(),
    created_at: z.string(),
    memories: z.array(Side).length(2),
    resolution: z
      .object({
        action: Action,
        kept: z.string().nullable().openapi({ description: "Which one stayed; null when both did" }),
        reason: z.string().nullable(),
        resolved_at: z.string(),
      })
      .nullable(),
  })
  .openapi("Contradiction");
export type Contradiction = z.infer<typeof Contradiction>;

export const ResolveInput = z
  .object({
    action: Action.openapi({
      description: "The other one is superseded or invalidated by the one that is kept; or both are kept",
    }),
    keep: Id.optional().openapi({ description: "The id of the one that stays, unless both do" }),
    reason: text(1, LIMITS.reasonChars).optional().openapi({ description: "Why; needed to keep both" }),
  })
  .strict()
  .superRefine(({ action, keep, reason }, ctx) => {
    const issue = (path: string, message: string) => ctx.addIssue({ code: "custom", path: [path], message });
    if (action === "keep_both") {
      if (reason === undefined) issue("reason", "is required to keep both: say why they may both stand");
      if (keep !== undefined) issue("keep", "does not go with keep_both: leave it out");
    } else if (keep === undefined) issue("keep", `is required to ${action}: the id of the one that stays`);
  })
  .openapi("ResolveInput");
export type ResolveInput = z.infer<typeof ResolveInput>;
