// References to entities in the values of properties: which range takes which, written and read back alike.
import { describe, expect, it } from "vitest";
import {
  formatReference,
  listReferableKinds,
  parseEntityName,
  parseReference,
  RESOURCE_CLASSES,
  toEntityName,
} from "../../../src/ontology/entity-classes";
import { CLASSES } from "../../../src/ontology/generated/terms.generated";

describe("a reference to an entity", () => {
  it("is an id where the range has one class, and class/id everywhere", () => {
    const router = { kind: "source_file", id: "router" };
    expect(parseReference("SourceFile", "router")).toEqual(router);
    expect(parseReference("SourceFile", "source_file/router")).toEqual(router);
    expect(parseReference("Entity", "source_file/router")).toEqual(router);
    expect(parseReference("Entity", "router")).toBeNull();
    expect(parseReference("SourceFile", "module/router")).toBeNull();
    expect(parseReference("CodeConcept", "Order")).toEqual({ kind: "code_concept", id: "Order" });
    expect(parseReference("CodeConcept", "command/Order")).toEqual({ kind: "command", id: "Order" });
    expect(parseReference("SubAgent", "ada")).toEqual({ kind: "agent", id: "ada" });
  });

  it("is written as it is read", () => {
    for (const range of ["Entity", "SourceFile", "CodeConcept", "Agent", "SubAgent", "Project"])
      for (const kind of listReferableKinds(range)) {
        const reference = { kind, id: "a_b-c" };
        expect(parseReference(range, formatReference(range, reference))).toEqual(reference);
      }
  });

  it("is of no range of memories, literals or enumerations", () => {
    for (const range of ["MemoryItem", "Fact", "AgentRole", "Evidence", "xsd:string"])
      expect(listReferableKinds(range)).toEqual([]);
  });
});

describe("the IRI of an entity", () => {
  it("names its kind and its id, and no other reading is possible", () => {
    for (const kind of listReferableKinds("Entity"))
      for (const id of ["x", "module_x", "_", "agent"])
        expect(parseEntityName(toEntityName({ kind, id }))).toEqual({ kind, id });
    for (const name of ["memory_x", "Planner", "evidence_x"]) expect(parseEntityName(name)).toBeNull();
  });
});

describe("the classes of resources", () => {
  it("are those below Entity that are neither memories nor owners, sessions, evidence, links or graphs", () => {
    const declared = Object.values<string>(RESOURCE_CLASSES);
    const expected = Object.entries(CLASSES).flatMap(([name, { subClassOf, module }]) =>
      ["jido-project", "jido-code"].includes(module) && subClassOf !== null ? [name] : [],
    );
    expect(declared.toSorted()).toEqual([...expected, "Justification"].toSorted());
  });
});
