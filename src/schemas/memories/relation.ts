// The relations that a link can have: generic ones, and those that the ontology declares between classes of memories, and
// between memories, agents, projects and resources.
import {
  ENTITY_REFERENCES,
  type EntityRelation,
  MEMORY_REFERENCES,
  MEMORY_RELATIONS,
  type MemoryReference,
  type MemoryRelation,
} from "../../ontology/property-values";
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
export function findRelation(name: string): Relation | null {
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
