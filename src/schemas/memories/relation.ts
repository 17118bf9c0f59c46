// The relations that a link can have: generic ones, and those that the ontology declares between classes of memories.
import { MEMORY_RELATIONS, type MemoryRelation } from "../../ontology/property-values";
import { z } from "../common";

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

export const RELATIONS: readonly (GenericRelation | MemoryRelation)[] = [
  ...GENERIC_RELATIONS,
  ...MEMORY_RELATIONS,
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

/** A relation in either spelling. */
export const RelationInput = z
  .preprocess(
    (value) => (typeof value === "string" ? (ALIASES.get(value) ?? value) : value),
    z.enum(RELATIONS, { error: `must be one of: ${RELATIONS.join(", ")}` }),
  )
  .openapi({
    type: "string",
    enum: [...RELATIONS],
    description:
      "A relation of the ontology is checked against its domain and range. `has_alternative` is accepted for `hasAlternative`, `relatedTo` for `related_to`",
  });
