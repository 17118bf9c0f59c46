import { describe, expect, it } from "vitest";
import { findMemoryType, listAncestors, listSubclasses, listSubtypes } from "../../../src/ontology/classes";
import {
  CLASSES,
  INDIVIDUALS,
  MEMORY_CLASS,
  MEMORY_TYPES,
  PROPERTIES,
} from "../../../src/ontology/generated/terms.generated";

describe("memory types", () => {
  it("are the 27 classes under MemoryItem, fact first", () => {
    expect(MEMORY_TYPES).toHaveLength(27);
    expect(MEMORY_TYPES[0]).toBe("fact");
    expect(MEMORY_TYPES.map((type) => MEMORY_CLASS[type])).toEqual(listSubclasses("MemoryItem").slice(1));
  });

  it("are the names of their classes in snake_case", () => {
    expect(MEMORY_CLASS.trade_off).toBe("TradeOff");
    expect(MEMORY_CLASS.lesson_learned).toBe("LessonLearned");
    expect(MEMORY_CLASS.architectural_decision).toBe("ArchitecturalDecision");
  });

  it("lead to their class and back", () => {
    for (const type of MEMORY_TYPES) expect(findMemoryType(MEMORY_CLASS[type])).toBe(type);
  });

  it("do not include MemoryItem itself, evidence or enumerations", () => {
    for (const name of ["MemoryItem", "Episode", "Evidence", "TaskStatus", "NoSuchClass"])
      expect(findMemoryType(name)).toBeUndefined();
  });
});

describe("a query for a type", () => {
  it("finds the type and those below it", () => {
    expect(listSubtypes("decision")).toEqual([
      "decision",
      "architectural_decision",
      "implementation_decision",
    ]);
    expect(listSubtypes("error")).toEqual(["error", "bug", "failure", "incident"]);
    expect(listSubtypes("convention")).toHaveLength(5);
  });

  it("finds only itself where nothing is below", () => {
    expect(listSubtypes("bug")).toEqual(["bug"]);
    expect(listSubtypes("root_cause")).toEqual(["root_cause"]);
  });
});

describe("the class tree", () => {
  it("gives the ancestors of a class, nearest first", () => {
    expect(listAncestors("CodingStandard")).toEqual(["Convention", "MemoryItem", "Entity"]);
    expect(listAncestors("Entity")).toEqual([]);
    expect(listAncestors("TaskStatus")).toEqual([]);
  });

  it("gives nothing for a class it does not know", () => {
    expect(listSubclasses("NoSuchClass")).toEqual([]);
    expect(listAncestors("constructor")).toEqual([]);
  });

  it("has a class below another exactly when the other is above it", () => {
    const names = Object.keys(CLASSES);
    for (const upper of names)
      for (const lower of names)
        expect(listSubclasses(upper).includes(lower)).toBe(
          upper === lower || listAncestors(lower).includes(upper),
        );
  });

  it("has one root beside the enumerations", () => {
    const enumerations = new Set<string>(Object.values(INDIVIDUALS).flatMap(({ classes }) => [...classes]));
    const roots = Object.keys(CLASSES).filter((name) => listAncestors(name).length === 0);
    expect(roots.filter((name) => !enumerations.has(name))).toEqual(["Entity"]);
  });
});

describe("the terms", () => {
  const membersOf = (className: string) =>
    Object.entries(INDIVIDUALS).flatMap(([name, { classes }]) =>
      classes.some((other) => other === className) ? [name] : [],
    );

  it("have the statuses of tasks and of sessions, which share Abandoned", () => {
    expect(membersOf("TaskStatus")).toEqual(["Planned", "InProgress", "Blocked", "Completed", "Abandoned"]);
    expect(membersOf("SessionStatus").sort()).toEqual(["Abandoned", "Active", "Closed", "Paused"]);
  });

  it("say that supersedes and supersededBy are each other's inverse", () => {
    expect(PROPERTIES.supersedes.inverseOf).toBe("supersededBy");
    expect(PROPERTIES.supersededBy.inverseOf).toBe("supersedes");
  });

  it("say which properties have one value and which have many", () => {
    for (const name of ["summary", "hasConfidence", "confidenceValue", "supersededBy", "topicKey"] as const)
      expect(PROPERTIES[name].functional).toBe(true);
    for (const name of ["derivedFrom", "assertedIn", "supersedes", "relatedTo"] as const)
      expect(PROPERTIES[name].functional).toBe(false);
  });

  it("give the range of a property as a class or as a datatype", () => {
    expect(PROPERTIES.hasConfidence.range).toBe("ConfidenceLevel");
    expect(PROPERTIES.confidenceValue.range).toBe("xsd:decimal");
    expect(PROPERTIES.belongsTo).toMatchObject({ kind: "object", domain: "WorkSession", range: "Project" });
  });
});
