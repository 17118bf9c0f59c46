import { describe, expect, it } from "vitest";
import { listAncestors } from "../../../src/ontology/classes";
import {
  MEMORY_CLASS,
  MEMORY_TYPES,
  type MemoryType,
  NAMESPACE,
  PROPERTIES,
} from "../../../src/ontology/generated/terms.generated";
import { toQuad } from "../../../src/ontology/quad-syntax";
import { BUILT_IN_SHAPES, type ShapeResult } from "../../../src/ontology/shapes";
import type { Triple } from "../../../src/ontology/triples";

const subject = "jido:memory_1";
const complete: Readonly<Record<string, string>> = {
  summary: "The API speaks JSON.",
  hasConfidence: "jido:High",
  confidenceValue: "0.83",
  hasSourceType: "jido:UserSource",
  hasTimestamp: "2026-01-06T10:30:00.000Z",
  appliesToProject: "jido:project_1",
};

/** A memory that lacks nothing but what its type asks for, with the given properties put in or taken out. */
function memory(type: MemoryType, changes: Record<string, string | string[] | null> = {}): Triple[] {
  const typed = { subject, predicate: "rdf:type", object: `jido:${MEMORY_CLASS[type]}`, datatype: "" };
  const properties = Object.entries({ ...complete, ...changes }).flatMap(([name, values]) => {
    const { kind, range } = PROPERTIES[name as keyof typeof PROPERTIES];
    return [values ?? []].flat().map((object) => ({
      subject,
      predicate: `jido:${name}`,
      object,
      datatype: kind === "datatype" ? range : "",
    }));
  });
  return [typed, ...properties];
}

function check(triples: readonly Triple[]): Promise<ShapeResult[]> {
  return BUILT_IN_SHAPES.validate(triples.map(toQuad));
}

async function brief(triples: readonly Triple[]): Promise<string[]> {
  return (await check(triples)).map(({ path, severity }) => `${severity} ${path}`);
}

describe("every memory", () => {
  it("that is complete passes", async () => {
    expect(await check(memory("fact"))).toEqual([]);
  });

  it.each([
    "summary",
    "hasConfidence",
    "confidenceValue",
    "hasSourceType",
    "hasTimestamp",
  ])("violates a shape without %s", async (path) => {
    expect(await brief(memory("fact", { [path]: null }))).toEqual([`violation ${path}`]);
  });

  it.each([
    ["an empty summary", "summary", ""],
    ["two summaries", "summary", ["One.", "Two."]],
    ["a confidence level that does not exist", "hasConfidence", "jido:Certain"],
    ["a confidence level that is something else", "hasConfidence", "jido:Planned"],
    ["a confidence above 1", "confidenceValue", "1.01"],
    ["a confidence below 0", "confidenceValue", "-0.1"],
    ["a confidence that is no number", "confidenceValue", "high"],
    ["a timestamp that is no date and time", "hasTimestamp", "yesterday"],
    ["an access count that is not whole", "accessCount", "1.5"],
    ["an access count below 0", "accessCount", "-1"],
    ["an importance above 1", "importanceScore", "2"],
    ["two projects", "appliesToProject", ["jido:project_1", "jido:project_2"]],
    ["two successors", "supersededBy", ["jido:memory_2", "jido:memory_3"]],
    ["two tombstones", "forgottenAt", ["2026-01-06T10:30:00Z", "2026-01-07T10:30:00Z"]],
  ])("violates a shape with %s", async (_name, path, value) => {
    expect(await brief(memory("fact", { [path]: value }))).toEqual([`violation ${path}`]);
  });

  it("violates a shape with a source type given as text", async () => {
    const text = { subject, predicate: "jido:hasSourceType", object: "UserSource", datatype: "xsd:string" };
    expect(await brief([...memory("fact", { hasSourceType: null }), text])).toEqual([
      "violation hasSourceType",
    ]);
  });

  it.each(["0", "1", "0.0", "1.0", "0.83"])("may have a confidence of %s", async (value) => {
    expect(await check(memory("fact", { confidenceValue: value }))).toEqual([]);
  });

  it("may have a summary of several lines, in any script, with emoji", async () => {
    const summary = 'Quote " back \\ line\nfeed 😀 日本 \uFFFF';
    expect(await check(memory("fact", { summary }))).toEqual([]);
    expect(await check(memory("decision", { summary, rationale: "👩‍🚀" }))).toEqual([]);
  });

  it("is told, as a piece of information, that it names no project", async () => {
    expect(await brief(memory("fact", { appliesToProject: null }))).toEqual(["info appliesToProject"]);
  });
});

describe("what a type asks for beyond that", () => {
  const rationale = ["warning rationale"];
  const governance = ["warning hasConventionScope", "warning hasEnforcementLevel"];
  const status = ["warning hasErrorStatus"];
  const expected: Partial<Record<MemoryType, string[]>> = {
    decision: rationale,
    architectural_decision: rationale,
    implementation_decision: rationale,
    task: ["info assignedTo"],
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

  it.each(MEMORY_TYPES)("is named for %s, and for it alone", async (type) => {
    expect(await brief(memory(type))).toEqual(expected[type] ?? []);
  });

  it.each(MEMORY_TYPES)("is looked for in a %s without properties only if there is something", (type) => {
    const own = MEMORY_CLASS[type];
    const classes = [own, ...listAncestors(own)].map((name) => NAMESPACE + name);
    const isAsked = expected[type] !== undefined || type === "root_cause";
    expect(BUILT_IN_SHAPES.concern(classes)).toBe(isAsked);
  });

  it("is no longer named once it is given", async () => {
    expect(await brief(memory("decision", { rationale: "It is simpler." }))).toEqual([]);
    expect(await brief(memory("bug", { hasErrorStatus: "jido:Reported" }))).toEqual([]);
    const governed = { hasConventionScope: "jido:AgentScope", hasEnforcementLevel: "jido:Strict" };
    expect(await brief(memory("agent_rule", governed))).toEqual([]);
  });

  it("comes with a message that says what to do", async () => {
    const [warning] = await check(memory("decision"));
    expect(warning).toEqual({
      path: "rationale",
      severity: "warning",
      message: "A decision should say why it was taken: give a rationale.",
    });
  });

  it("includes the words that the ontology suggests", async () => {
    const decision = { rationale: "It is simpler.", decisionStatus: "maybe", impactLevel: "high" };
    expect(await brief(memory("decision", decision))).toEqual(["warning decisionStatus"]);
    const bug = { hasErrorStatus: "jido:Reported", severityLevel: "quite bad" };
    expect(await brief(memory("bug", bug))).toEqual(["warning severityLevel"]);
  });
});

describe("the times of a task", () => {
  const [first, second, third] = ["2026-01-05T09:00:00Z", "2026-01-06T09:00:00Z", "2026-01-07T09:00:00Z"];
  const assigned = { assignedTo: "jido:agent_1" };

  it("follow one another", async () => {
    const times = { taskCreatedAt: first, taskStartedAt: second, taskCompletedAt: third };
    expect(await check(memory("task", { ...assigned, ...times }))).toEqual([]);
  });

  it("violate a shape in any other order", async () => {
    const early = { taskStartedAt: second, taskCompletedAt: first };
    expect(await brief(memory("task", { ...assigned, ...early }))).toEqual(["violation taskStartedAt"]);
    const never = { taskCreatedAt: second, taskCompletedAt: first };
    expect(await brief(memory("task", { ...assigned, ...never }))).toEqual(["violation taskCreatedAt"]);
  });
});

describe("a task that was superseded", () => {
  const task = { assignedTo: "jido:agent_1", supersededBy: "jido:memory_2" };

  it("is not in progress", async () => {
    expect(await brief(memory("task", { ...task, hasTaskStatus: "jido:InProgress" }))).toEqual([
      "warning hasTaskStatus",
    ]);
  });

  it("may have any other status", async () => {
    for (const status of ["jido:Completed", "jido:Abandoned"])
      expect(await check(memory("task", { ...task, hasTaskStatus: status }))).toEqual([]);
  });

  it("differs in this from one that is live", async () => {
    const live = { ...task, supersededBy: null, hasTaskStatus: "jido:InProgress" };
    expect(await check(memory("task", live))).toEqual([]);
  });
});

describe("a shape that looks from the other end", () => {
  it("is left to those who have the graph", async () => {
    expect(await check(memory("root_cause"))).toEqual([]);
  });
});

describe("a memory without properties", () => {
  it.each([
    ["task", true],
    ["decision", false],
    ["fact", false],
  ] as const)("of type %s can violate a shape: %s", (type, expected) => {
    const own = MEMORY_CLASS[type];
    const classes = [own, ...listAncestors(own)].map((name) => NAMESPACE + name);
    expect(BUILT_IN_SHAPES.concern(classes, "violation")).toBe(expected);
  });
});
