import { describe, expect, it } from "vitest";
import { PROPERTIES } from "../../../src/ontology/terms.generated";
import { RELATIONS } from "../../../src/schemas/pattern";
import {
  asStored,
  isSymmetric,
  LINKING_PREDICATES,
  predicateOf,
  relationOf,
  reversed,
} from "../../../src/store/links/relations";

describe("the relations of links", () => {
  it("are properties of the ontology that lead from one thing to another", () => {
    for (const predicate of LINKING_PREDICATES)
      expect(PROPERTIES).toHaveProperty([predicate.replace("jido:", ""), "kind"], "object");
  });

  it.each(RELATIONS)("are stored and told in one way: %s", (relation) => {
    const stored = asStored({ from: "a", to: "b", relation });
    expect(relationOf(predicateOf(stored.relation))).toBe(stored.relation);
    expect(asStored(stored)).toEqual(stored);
  });

  it("have one direction for supersession", () => {
    expect(asStored({ from: "new", to: "old", relation: "supersedes" })).toEqual(
      asStored({ from: "old", to: "new", relation: "superseded_by" }),
    );
  });

  it("leave other properties alone", () => {
    expect(relationOf("jido:summary")).toBeUndefined();
    expect(relationOf("jido:supersedes")).toBeUndefined();
  });

  it("say the same from either end where they say that two things belong or clash", () => {
    const symmetric = RELATIONS.filter((relation) =>
      isSymmetric(asStored({ from: 1, to: 2, relation }).relation),
    );
    expect(symmetric).toEqual(["related_to", "contradicts"]);
    const link = { from: "a", to: "b", relation: "supports" } as const;
    expect(reversed(reversed(link))).toEqual(link);
  });
});
