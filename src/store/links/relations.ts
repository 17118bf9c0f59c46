// The relations of links, and the properties of the ontology that they stand for.
import type { Relation } from "../../schemas/pattern";

/** What supersedes another is stored the other way round: one property says it, and says it once. */
export type StoredRelation = Exclude<Relation, "supersedes">;

/** A link without what is known about it: from one thing to another. */
export type Joined<End> = { from: End; to: End; relation: StoredRelation };

const PREDICATE: Record<StoredRelation, string> = {
  derived_from: "jido:derivedFrom",
  related_to: "jido:relatedTo",
  contradicts: "jido:contradicts",
  elaborates: "jido:elaborates",
  example_of: "jido:exampleOf",
  superseded_by: "jido:supersededBy",
  supports: "jido:supports",
};
const RELATION = new Map(
  Object.entries(PREDICATE).map(([relation, predicate]) => [predicate, relation as StoredRelation]),
);

export const LINKING_PREDICATES: readonly string[] = Object.values(PREDICATE);

export function predicateOf(relation: StoredRelation): string {
  return PREDICATE[relation];
}

/** Undefined for a property that is no link. */
export function relationOf(predicate: string): StoredRelation | undefined {
  return RELATION.get(predicate);
}

/** Which ones say the same from either end. */
export function isSymmetric(relation: StoredRelation): boolean {
  return relation === "related_to" || relation === "contradicts";
}

export function reversed<End>({ from, to, relation }: Joined<End>): Joined<End> {
  return { from: to, to: from, relation };
}

export function asStored<End>(link: { from: End; to: End; relation: Relation }): Joined<End> {
  const { from, to, relation } = link;
  return relation === "supersedes"
    ? { from: to, to: from, relation: "superseded_by" }
    : { from, to, relation };
}
