import { describe, expect, it } from "vitest";
import { type CompactTriple, checkShapes } from "../../../src/ontology/shapes";
import { MEMORY_CLASS, MEMORY_TYPES, type MemoryType, SHAPES } from "../../../src/ontology/terms.generated";

const subject = "jido:memory_1";
const complete: Readonly<Record<string, string>> = {
  "jido:summary": "The API speaks JSON.",
  "jido:hasConfidence": "jido:High",
  "jido:confidenceValue": "0.83",
  "jido:hasSourceType": "jido:UserSource",
  "jido:hasTimestamp": "2026-01-06T10:30:00.000Z",
  "jido:appliesToProject": "jido:project_1",
};

/** A memory that lacks nothing but what its type asks for, with the given properties put in or taken out. */
function memory(type: MemoryType, changes: Record<string, string | string[] | null> = {}): CompactTriple[] {
  const properties = { "rdf:type": `jido:${MEMORY_CLASS[type]}`, ...complete, ...changes };
  return Object.entries(properties).flatMap(([predicate, values]) =>
    [values ?? []].flat().map((object) => ({ subject, predicate, object })),
  );
}

const brief = (triples: CompactTriple[], type: MemoryType) =>
  checkShapes(triples, type).map(({ path, severity }) => `${severity} ${path}`);

describe("every memory", () => {
  it("that is complete passes", () => {
    expect(checkShapes(memory("fact"), "fact")).toEqual([]);
  });

  it.each([
    "jido:summary",
    "jido:hasConfidence",
    "jido:confidenceValue",
    "jido:hasSourceType",
    "jido:hasTimestamp",
  ])("violates a shape without %s", (path) => {
    expect(brief(memory("fact", { [path]: null }), "fact")).toEqual([`violation ${path}`]);
  });

  it.each([
    ["an empty summary", "jido:summary", ""],
    ["two summaries", "jido:summary", ["One.", "Two."]],
    ["a confidence level that does not exist", "jido:hasConfidence", "jido:Certain"],
    ["a confidence level that is something else", "jido:hasConfidence", "jido:Planned"],
    ["a confidence above 1", "jido:confidenceValue", "1.01"],
    ["a confidence below 0", "jido:confidenceValue", "-0.1"],
    ["a confidence that is no number", "jido:confidenceValue", "high"],
    ["a source type given as text", "jido:hasSourceType", "UserSource"],
    ["a timestamp that is no date and time", "jido:hasTimestamp", "yesterday"],
    ["an access count that is not whole", "jido:accessCount", "1.5"],
    ["an access count below 0", "jido:accessCount", "-1"],
    ["an importance above 1", "jido:importanceScore", "2"],
    ["two projects", "jido:appliesToProject", ["jido:project_1", "jido:project_2"]],
    ["two successors", "jido:supersededBy", ["jido:memory_2", "jido:memory_3"]],
    ["two tombstones", "jido:forgottenAt", ["2026-01-06T10:30:00Z", "2026-01-07T10:30:00Z"]],
  ])("violates a shape with %s", (_name, path, value) => {
    expect(brief(memory("fact", { [path]: value }), "fact")).toEqual([`violation ${path}`]);
  });

  it.each(["0", "1", "0.0", "1.0", "0.83"])("may have a confidence of %s", (value) => {
    expect(checkShapes(memory("fact", { "jido:confidenceValue": value }), "fact")).toEqual([]);
  });

  it("is told, as a piece of information, that it names no project", () => {
    expect(brief(memory("fact", { "jido:appliesToProject": null }), "fact")).toEqual([
      "info jido:appliesToProject",
    ]);
  });

  it("is judged by its own triples, each counted once", () => {
    const others = [
      { subject: "jido:memory_0", predicate: "jido:supersededBy", object: subject },
      { subject: "jido:memory_0", predicate: "jido:summary", object: "Something else." },
    ];
    const triples = memory("fact");
    expect(checkShapes([...others, ...triples, ...triples], "fact")).toEqual([]);
  });

  it("that says nothing at all lacks everything the service guarantees", () => {
    const violations = checkShapes([], "fact").filter(({ severity }) => severity === "violation");
    expect(violations.map(({ path }) => path)).toEqual([
      "jido:summary",
      "jido:hasConfidence",
      "jido:confidenceValue",
      "jido:hasSourceType",
      "jido:hasTimestamp",
    ]);
  });
});

describe("what a type asks for beyond that", () => {
  const rationale = ["warning jido:rationale"];
  const governance = ["warning jido:hasConventionScope", "warning jido:hasEnforcementLevel"];
  const status = ["warning jido:hasErrorStatus"];
  const expected: Partial<Record<MemoryType, string[]>> = {
    decision: rationale,
    architectural_decision: rationale,
    implementation_decision: rationale,
    task: ["info jido:assignedTo"],
    convention: governance,
    coding_standard: governance,
    architectural_convention: governance,
    agent_rule: governance,
    process_convention: governance,
    error: status,
    bug: status,
    failure: status,
    incident: status,
  };

  it.each(MEMORY_TYPES)("is named for %s, and for it alone", (type) => {
    expect(brief(memory(type), type)).toEqual(expected[type] ?? []);
  });

  it("is no longer named once it is given", () => {
    expect(brief(memory("decision", { "jido:rationale": "It is simpler." }), "decision")).toEqual([]);
    expect(brief(memory("bug", { "jido:hasErrorStatus": "jido:Reported" }), "bug")).toEqual([]);
    expect(
      brief(
        memory("agent_rule", {
          "jido:hasConventionScope": "jido:AgentScope",
          "jido:hasEnforcementLevel": "jido:Strict",
        }),
        "agent_rule",
      ),
    ).toEqual([]);
  });

  it("comes with a message that says what to do", () => {
    const [warning] = checkShapes(memory("decision"), "decision");
    expect(warning).toEqual({
      path: "jido:rationale",
      severity: "warning",
      message: "A decision should say why it was taken: give a rationale.",
    });
  });
});

describe("a task that was superseded", () => {
  const task = { "jido:assignedTo": "jido:agent_1", "jido:supersededBy": "jido:memory_2" };

  it("is not in progress", () => {
    expect(brief(memory("task", { ...task, "jido:hasTaskStatus": "jido:InProgress" }), "task")).toEqual([
      "warning jido:hasTaskStatus",
    ]);
  });

  it("may have any other status", () => {
    for (const status of ["jido:Completed", "jido:Abandoned"])
      expect(checkShapes(memory("task", { ...task, "jido:hasTaskStatus": status }), "task")).toEqual([]);
  });

  it("differs in this from one that is live", () => {
    const live = { ...task, "jido:supersededBy": null, "jido:hasTaskStatus": "jido:InProgress" };
    expect(checkShapes(memory("task", live), "task")).toEqual([]);
  });
});

describe("a shape that looks from the other end", () => {
  it("is there for root causes, and is left to those who have the graph", () => {
    expect(SHAPES.filter(({ inverse }) => inverse).map(({ targetClass }) => targetClass)).toEqual([
      "RootCause",
    ]);
    expect(checkShapes(memory("root_cause"), "root_cause")).toEqual([]);
  });
});
