// Relations between memories, their links, and contradictions.

import { addExample, boundedText, ForeignSource, Id, z } from "../../kernel/common";
import { LIMITS } from "../../kernel/limits";
import {
  ENTITY_REFERENCES,
  type EntityRelation,
  MEMORY_REFERENCES,
  MEMORY_RELATIONS,
  type MemoryReference,
  type MemoryRelation,
} from "../../ontology/property-values";

export const GENERIC_RELATIONS = [
  "derived_from",
  "related_to",
  "contradicts",
  "elaborates",
  "example_of",
  "supersedes",
  "superseded_by",
  "supports",
] as const;

export type GenericRelation = (typeof GENERIC_RELATIONS)[number];

/** The ids that a memory is to be linked with by one relation. `name` is the property as the caller spelt it. */
export type LinkProperty = { name: string; relation: GenericRelation; to: readonly string[] };

/** The relations that lead from a memory or an episode, which links are created with. */
export const CREATED_RELATIONS: readonly (GenericRelation | MemoryRelation | MemoryReference)[] = [
  ...GENERIC_RELATIONS,
  ...MEMORY_RELATIONS,
  ...MEMORY_REFERENCES,
];

/** All relations that a list of links may contain. */
export const RELATIONS: readonly ((typeof CREATED_RELATIONS)[number] | EntityRelation)[] = [
  ...CREATED_RELATIONS,
  ...ENTITY_REFERENCES,
];

export const Relation = z.enum(RELATIONS);
export type Relation = z.infer<typeof Relation>;

/** The other spelling of each relation: `relatedTo` for `related_to`, `has_alternative` for `hasAlternative`. */
const ALIASES = new Map<string, Relation>(
  RELATIONS.map((relation) => [
    relation.includes("_")
      ? relation.replace(/_(.)/g, (_match, letter: string) => letter.toUpperCase())
      : relation.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    relation,
  ]),
);

/** Returns the relation that a name in either spelling stands for; null if it is none. */
function findRelation(name: string): Relation | null {
  return ALIASES.get(name) ?? RELATIONS.find((relation) => relation === name) ?? null;
}

/** Returns the generic relation that a property of a memory states, by its name in either spelling; null if it states none. */
export function findGenericRelation(name: string): GenericRelation | null {
  const relation = findRelation(name);
  return GENERIC_RELATIONS.find((one) => one === relation) ?? null;
}

/** Accepts these relations in either spelling. */
function acceptRelations<T extends Relation>(relations: readonly T[]) {
  return z
    .preprocess(
      (value) => (typeof value === "string" ? (findRelation(value) ?? value) : value),
      z.enum(relations, { error: `must be one of: ${relations.join(", ")}` }),
    )
    .openapi({
      type: "string",
      enum: [...relations],
      description:
        "A relation of the ontology is checked against its domain and range. `has_alternative` is accepted for `hasAlternative`, `relatedTo` for `related_to`",
    });
}

export const RelationInput = acceptRelations(CREATED_RELATIONS);

/** A relation to filter a list by. */
export const RelationFilter = acceptRelations(RELATIONS);

const LinkEnd = Id.openapi({ description: "The id of a memory or an episode, or the name of a pattern" });

/** An id, or class and id of an agent, a project or a resource. */
const REFERENCE_PATTERN = /^([a-z_]{1,32}\/)?[A-Za-z0-9_-]{1,128}$/;
const REFERENCE_MESSAGE =
  "must be an id of 1 to 128 characters of A-Z, a-z, 0-9, _ and -, or class/id for a resource";
const REFERENCE_DESCRIPTION =
  "The id of a memory or an episode, or the name of a pattern; `class/id` for a resource, an agent or a project, such as `source_file/router`";

export const LinkedId = z
  .string({ error: ({ input }) => (input === undefined ? "is required" : REFERENCE_MESSAGE) })
  .regex(REFERENCE_PATTERN, REFERENCE_MESSAGE)
  .openapi({
    description: REFERENCE_DESCRIPTION,
  });

/** The id of a link may name its memory, its relation and what it leads to. */
export const LinkId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,256}$/, "must be 1 to 256 characters of A-Z, a-z, 0-9, _ and -");

export const LinkDirection = z.enum(["out", "in"], { error: 'must be "out" or "in"' });

export const LinkCreate = z
  .object({
    from: LinkEnd,
    to: LinkedId,
    relation: RelationInput,
    strength: z.number({ error: "must be a number from 0 to 1" }).min(0).max(1).optional().openapi({
      description: "Strength of the link, from 0 to 1",
      default: 1,
    }),
  })
  .strict()
  .openapi("LinkCreate");
export type LinkCreate = z.infer<typeof LinkCreate>;
addExample(LinkCreate, {
  from: "d2738fe512d8476e3f904e9c40532471",
  to: "b924eb2b8ea1f386820e4e58919566bf",
  relation: "contradicts",
  strength: 0.8,
});

export const Link = z
  .object({
    id: z.string(),
    from: z.string(),
    to: z.string(),
    relation: Relation.openapi({
      description: "The stored relation: `supersedes` is stored as `superseded_by` in the opposite direction",
    }),
    strength: z.number(),
    direction: LinkDirection.optional().openapi({
      description: "In a list: whether the link starts at the requested id (out) or ends there (in)",
    }),
    created_at: z.string().nullable().openapi({
      description:
        "null if the link was written with a memory rather than by a call of its own, or leads to a resource",
    }),
  })
  .openapi("Link");
export type Link = z.infer<typeof Link>;
export const LINK_EXAMPLE = addExample(Link, {
  id: "8ac6da3a4cfcb62da1645ee7fb360a9a",
  from: "d2738fe512d8476e3f904e9c40532471",
  to: "b924eb2b8ea1f386820e4e58919566bf",
  relation: "contradicts",
  strength: 0.8,
  created_at: "2026-11-16T09:11:00.000Z",
});

// Contradictions

const RESOLUTIONS = ["supersede", "invalidate", "keep_both"] as const;
const ResolutionAction = z.enum(RESOLUTIONS, { error: `must be one of: ${RESOLUTIONS.join(", ")}` });

export const ContradictionStatus = z.enum(["open", "resolved"], { error: 'must be "open" or "resolved"' });
export type ContradictionStatus = z.infer<typeof ContradictionStatus>;

const ContradictionSide = z
  .object({
    id: z.string(),
    kind: z.enum(["memory", "episode"]),
    content: z.string().openapi({ description: "Content of the memory, or goal of the episode" }),
    confidence: z.number().nullable().openapi({ description: "null for an episode" }),
    source_type: ForeignSource,
    timestamp: z.string(),
    status: z.enum(["live", "superseded", "invalidated", "forgotten", "archived"]),
  })
  .openapi("ContradictionSide");
export type ContradictionSide = z.infer<typeof ContradictionSide>;

export const Contradiction = z
  .object({
    id: z.string().openapi({ description: "The id of its link" }),
    status: ContradictionStatus.openapi({
      description: "Also resolved when one of the two is no longer live",
    }),
    strength: z.number(),
    created_at: z.string(),
    memories: z.array(ContradictionSide).length(2),
    proposal: z
      .object({ action: ResolutionAction, keep: z.string().nullable(), reason: z.string() })
      .nullable()
      .openapi({
        description:
          "The resolution that the service proposes, while it is open; nothing changes until you resolve it",
      }),
    resolution: z
      .object({
        action: ResolutionAction,
        kept: z.string().nullable().openapi({
          description: "Id of the one that was kept; null if both were",
        }),
        reason: z.string().nullable(),
        resolved_at: z.string(),
      })
      .nullable(),
  })
  .openapi("Contradiction");
export type Contradiction = z.infer<typeof Contradiction>;
export const CONTRADICTION_EXAMPLE = addExample(Contradiction, {
  id: "8ac6da3a4cfcb62da1645ee7fb360a9a",
  status: "open",
  strength: 0.8,
  created_at: "2026-11-16T09:11:00.000Z",
  memories: [
    {
      id: "d2738fe512d8476e3f904e9c40532471",
      kind: "memory",
      content: "Hotfixes are deployed on any day",
      confidence: 0.8,
      timestamp: "2026-11-16T09:09:00.000Z",
      status: "live",
    },
    {
      id: "b924eb2b8ea1f386820e4e58919566bf",
      kind: "memory",
      content: "We deploy on Fridays only after the smoke tests pass",
      confidence: 0.9,
      timestamp: "2026-11-16T09:08:00.000Z",
      status: "live",
    },
  ],
  proposal: {
    action: "supersede",
    keep: "b924eb2b8ea1f386820e4e58919566bf",
    reason: "It is more confident: 0.9 against 0.8.",
  },
  resolution: null,
});

export const ResolveInput = z
  .object({
    action: ResolutionAction.openapi({
      description:
        "supersede or invalidate: the kept one supersedes or invalidates the other. keep_both: both stay live",
    }),
    keep: Id.optional().openapi({
      description: "Id of the one to keep; required unless the action is keep_both",
    }),
    reason: boundedText(1, LIMITS.reasonChars).optional().openapi({
      description: "The reason; required for keep_both",
    }),
  })
  .strict()
  .superRefine(({ action, keep, reason }, ctx) => {
    const issue = (path: string, message: string) => ctx.addIssue({ code: "custom", path: [path], message });
    if (action === "keep_both") {
      if (reason === undefined) issue("reason", "is required to keep both: give the reason");
      if (keep !== undefined) issue("keep", "does not go with keep_both: leave it out");
    } else if (keep === undefined) issue("keep", `is required to ${action}: the id of the one to keep`);
  })
  .openapi("ResolveInput");
export type ResolveInput = z.infer<typeof ResolveInput>;
addExample(ResolveInput, { action: "keep_both", reason: "Hotfixes are the exception to the rule" });
