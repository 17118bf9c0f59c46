import { describe, expect, it } from "vitest";
import { RELATIONS } from "../../../src/memories/links/link-schemas";
import {
  isSymmetric,
  LINKING_PREDICATES,
  normaliseLink,
  reverseLink,
  toPredicate,
  toRelation,
} from "../../../src/memories/links/link-triples";
import { PROPERTIES } from "../../../src/ontology/generated/terms.generated";

describe("the relations of links", () => {
  it("are object properties of the ontology", () => {
    for (const predicate of LINKING_PREDICATES)
      expect(PROPERTIES).toHaveProperty([predicate.replace("jido:", ""), "kind"], "object");
  });

  it.each(RELATIONS)("map to one stored form and back: %s", (relation) => {
    const stored = normaliseLink({ from: "a", to: "b", relation });
    expect(toRelation(toPredicate(stored.relation))).toBe(stored.relation);
    expect(normaliseLink(stored)).toEqual(stored);
  });

  it("have one stored direction for supersession", () => {
    expect(normaliseLink({ from: "new", to: "old", relation: "supersedes" })).toEqual(
      normaliseLink({ from: "old", to: "new", relation: "superseded_by" }),
    );
  });

  it("ignore other properties", () => {
    expect(toRelation("jido:summary")).toBeUndefined();
    expect(toRelation("jido:supersedes")).toBeUndefined();
  });

  it("are symmetric for related and contradictory items", () => {
    const symmetric = RELATIONS.filter((relation) =>
      isSymmetric(normaliseLink({ from: 1, to: 2, relation }).relation),
    );
    expect(symmetric).toEqual(["related_to", "contradicts"]);
    const link = { from: "a", to: "b", relation: "supports" } as const;
    expect(reverseLink(reverseLink(link))).toEqual(link);
  });
});
