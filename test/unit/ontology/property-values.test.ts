import { describe, expect, it } from "vitest";
import {
  CREATED_RELATIONS,
  RELATIONS,
  RelationFilter,
  RelationInput,
} from "../../../src/memories/links/link-schemas";
import { PROPERTIES } from "../../../src/ontology/generated/terms.generated";
import {
  ACYCLIC_RELATIONS,
  ENTITY_REFERENCES,
  findProperty,
  getValueKind,
  MEMORY_REFERENCES,
  MEMORY_RELATIONS,
} from "../../../src/ontology/property-values";
import { BUILT_IN_ONTOLOGY, isInDomain, isTypeOfClass } from "../../../src/ontology/tenant-ontology";

describe("the values of a property", () => {
  it.each([
    ["rationale", "literal"],
    ["taskCreatedAt", "literal"],
    ["assignedTo", "agent"],
    ["hasAlternative", "memory"],
    ["confirms", "memory"],
    ["relatedTo", "link"],
    ["contradicts", "link"],
    ["hasTaskStatus", "individual"],
    ["appliesToModule", "entity"],
    ["justifiedBy", "entity"],
  ] as const)("of %s are of the kind %s, by its range", (name, kind) => {
    expect(getValueKind(PROPERTIES[name])).toBe(kind);
  });

  it("are looked up by name, and only there", () => {
    expect(findProperty("hasAlternative")).toMatchObject({ domain: "Decision", range: "Alternative" });
    expect(findProperty("constructor")).toBeNull();
  });
});

describe("the domain of a property", () => {
  it("includes subclasses, and any memory as evidence", () => {
    expect(isInDomain(BUILT_IN_ONTOLOGY, "architectural_decision", PROPERTIES.hasAlternative)).toBe(true);
    expect(isInDomain(BUILT_IN_ONTOLOGY, "fact", PROPERTIES.hasAlternative)).toBe(false);
    expect(isInDomain(BUILT_IN_ONTOLOGY, "fact", PROPERTIES.confirms)).toBe(true);
    expect(isTypeOfClass(BUILT_IN_ONTOLOGY, "preference", "Fact")).toBe(true);
    expect(isTypeOfClass(BUILT_IN_ONTOLOGY, "fact", "Preference")).toBe(false);
  });
});

describe("the relations between memories", () => {
  it("are the twelve whose range is a class of memories", () => {
    expect(MEMORY_RELATIONS.toSorted()).toEqual([
      "blockedBy",
      "confirms",
      "dependsOn",
      "hasAlternative",
      "hasRootCause",
      "hasTradeOff",
      "partOfMilestone",
      "partOfPlan",
      "producedLesson",
      "refines",
      "relatedError",
      "selectedAlternative",
    ]);
  });

  it("can only form a cycle if domain and range are the same", () => {
    for (const name of ACYCLIC_RELATIONS) expect(PROPERTIES[name].domain).toBe(PROPERTIES[name].range);
  });

  it.each([
    ["has_alternative", "hasAlternative"],
    ["has_trade_off", "hasTradeOff"],
    ["depends_on", "dependsOn"],
    ["refines", "refines"],
    ["relatedTo", "related_to"],
    ["supersededBy", "superseded_by"],
    ["derivedFrom", "derived_from"],
    ["justified_by", "justifiedBy"],
  ])("are named in two ways: %s is %s", (given, relation) => {
    expect(RelationInput.parse(given)).toBe(relation);
  });

  it("keep their own names, and no other is one", () => {
    for (const relation of CREATED_RELATIONS) expect(RelationInput.parse(relation)).toBe(relation);
    for (const relation of RELATIONS) expect(RelationFilter.parse(relation)).toBe(relation);
    for (const name of ["HasAlternative", "definedInFile", "", 7, null])
      expect(RelationInput.safeParse(name).success).toBe(false);
  });
});

describe("the references to agents, projects and resources", () => {
  it("are all properties of that kind which callers set on memories and entities", () => {
    // The others are fields of a memory, and properties of sessions, links and episodes.
    const others = [
      "assertedBy",
      "appliesToProject",
      "hasPrimaryAgent",
      "hasParticipatingAgent",
      "belongsTo",
    ];
    const elsewhere = [...others, "linkFrom", "linkTo", "performedBy"];
    const referring = Object.entries(PROPERTIES).flatMap(([name, property]) =>
      ["agent", "entity"].includes(getValueKind(property) ?? "") && !elsewhere.includes(name) ? [name] : [],
    );
    expect([...MEMORY_REFERENCES, ...ENTITY_REFERENCES].toSorted()).toEqual(referring.toSorted());
  });
});
