// Agents, projects, resources and phases, with the template project of the ontology as it stands.
import { beforeAll, describe, expect, it } from "vitest";
import { contents, readMemory } from "../support/actions";
import type { Client } from "../support/client";
import { JIDO, type Recalled, type Remembered, type Session } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { objectsOf, parseRdf, subjectOf } from "../support/rdf";
import { serviceUnderTest } from "../support/service";
import { call, connectMcp, failing } from "../surfaces/mcp";

const kioku = serviceUnderTest();
const SESSION = "InitialSetup";
let api: Client;

beforeAll(async () => {
  api = await kioku.tenant();
  const declarations: [path: string, body: object][] = [
    [
      "/v1/projects/TemplateProject",
      {
        properties: {
          projectName: "TemplateProject",
          projectVersion: "0.1.0",
          projectDescription: "A project to start from",
        },
      },
    ],
    [
      "/v1/resources/repository/Template",
      {
        properties: {
          repoUrl: "https://example.com/template.git",
          repoBranch: "main",
          partOfProject: "TemplateProject",
        },
      },
    ],
    [
      "/v1/agents/Primary",
      {
        class: "primary_agent",
        properties: {
          agentName: "Primary",
          agentDescription: "Coordinates the work",
          agentVersion: "0.1.0",
          hasRole: ["Planner", "Architect"],
          hasCapability: ["CanPlan", "CanWriteCode", "CanQueryMemory"],
        },
      },
    ],
    [
      "/v1/agents/MemoryWriter",
      {
        class: "sub_agent",
        properties: { hasRole: "MemoryWriter", hasCapability: "CanWriteMemory", reportsTo: "Primary" },
      },
    ],
  ];
  for (const [path, body] of declarations) bodyOf(await api.put(path, body), 200);
  const session = {
    id: SESSION,
    project_id: "TemplateProject",
    agent_id: "Primary",
    participating_agents: ["MemoryWriter"],
    phase: "planning",
    reach: "project",
  };
  bodyOf(await api.post<Session>("/v1/sessions", session), 201);
});

/** Remembers as the memory writer, in the session. */
async function write(content: string, type: string, more: object = {}): Promise<string> {
  const body = { content, type, agent_id: "MemoryWriter", ...more };
  return bodyOf(await api.post<Remembered>(`/v1/sessions/${SESSION}/remember`, body), 201).memory_id;
}

async function readTriples(path: string) {
  const accept = "text/turtle";
  return parseRdf((await api.get(`${path}/triples`, { accept })).text, accept);
}

describe("the template project", () => {
  it("is a graph of subjects that refer to each other", async () => {
    const values = async (path: string, property: string) =>
      objectsOf(await readTriples(path), property).map(({ value }) => value.replace(JIDO, ""));
    expect(subjectOf(await readTriples("/v1/agents/Primary"), "PrimaryAgent")).toBe(`${JIDO}agent_Primary`);
    expect(await values("/v1/agents/Primary", "hasRole")).toEqual(["Planner", "Architect"]);
    expect(await values("/v1/agents/MemoryWriter", "reportsTo")).toEqual(["agent_Primary"]);
    expect(await values("/v1/projects/TemplateProject", "projectVersion")).toEqual(["0.1.0"]);
    const repository = "/v1/resources/repository/Template";
    expect(await values(repository, "partOfProject")).toEqual(["project_TemplateProject"]);
    const [url] = objectsOf(await readTriples(repository), "repoUrl");
    expect(url?.datatype?.value).toContain("anyURI");
    const session = `/v1/sessions/${SESSION}`;
    expect(await values(session, "hasPhase")).toEqual(["PlanningPhase"]);
    expect(await values(session, "hasPrimaryAgent")).toEqual(["agent_Primary"]);
    expect(await values(session, "hasParticipatingAgent")).toEqual(["agent_Primary", "agent_MemoryWriter"]);
    expect(await values(session, "partOfProject")).toEqual(["project_TemplateProject"]);
  });

  it("has the memories of the template, asserted by the memory writer and recalled by the primary agent", async () => {
    const decision = await write("Project memory is based on an ontology", "architectural_decision", {
      confidence: "high",
      rationale: "Every statement has its provenance",
      properties: {
        detailedExplanation: "Facts, decisions and conventions are triples",
        decisionStatus: "accepted",
        impactLevel: "critical",
        refersTo: ["repository/Template", "project/TemplateProject"],
      },
    });
    await write("Each project has one Turtle file", "architectural_convention", {
      properties: {
        conventionName: "TTL per project",
        conventionDescription: "The memory of a project is one file",
        hasConventionScope: "ProjectScope",
        hasEnforcementLevel: "Required",
      },
    });
    await write("Set up the memory pipeline", "task", {
      properties: {
        assignedTo: "Primary",
        createdBy: "Primary",
        hasTaskStatus: "Planned",
        taskCreatedAt: "2026-01-01T00:00:00Z",
      },
    });
    const cause = await write("There was no rule for supersession", "root_cause");
    const lesson = await write("Replacing a decision needs supersession", "lesson_learned", {
      properties: { detailedExplanation: "Two live decisions contradicted each other" },
    });
    await write("Two decisions in conflict were both live", "bug", {
      properties: {
        severityLevel: "medium",
        hasErrorStatus: "Resolved",
        hasRootCause: cause,
        producedLesson: lesson,
      },
    });
    expect(await readMemory(api, decision)).toMatchObject({
      agent_id: "MemoryWriter",
      project_id: "TemplateProject",
      properties: { refersTo: ["repository/Template", "project/TemplateProject"] },
    });
    const recalled = await api.post<Recalled>(`/v1/sessions/${SESSION}/recall`, { query: "ontology" });
    expect(contents(bodyOf(recalled, 200).memories)).toContain("Project memory is based on an ontology");
    expect(bodyOf(await api.get("/v1/resources/repository/Template"), 200)).toMatchObject({
      references: 1,
      referred_by: [{ relation: "refersTo", class: "memory", id: decision }],
    });
  });

  it("lists its agents, projects and resources", async () => {
    const ids = async (path: string) =>
      bodyOf(await api.get<{ data: { id: string }[] }>(path), 200).data.map(({ id }) => id);
    expect(await ids("/v1/agents")).toEqual(["MemoryWriter", "Primary"]);
    expect(await ids("/v1/projects")).toEqual(["TemplateProject"]);
    expect(await ids("/v1/resources?class=repository&project_id=TemplateProject")).toEqual(["Template"]);
    expect(await ids("/v1/sessions?phase=planning")).toEqual([SESSION]);
  });
});

describe("the phase of a session", () => {
  it("moves on, and is removed by null", async () => {
    for (const phase of ["implementation", "debugging", "review", null, "planning"])
      expect(bodyOf(await api.patch(`/v1/sessions/${SESSION}`, { phase }), 200)).toMatchObject({ phase });
    expectProblem(await api.patch(`/v1/sessions/${SESSION}`, { phase: "lunch" }), "invalid_request", "phase");
  });
});

describe("capabilities", () => {
  it("are honoured over HTTP", async () => {
    const refused = await api.post(`/v1/sessions/${SESSION}/remember`, { content: "Not mine to write" });
    expectProblem(refused, "forbidden");
    expect(refused.text).toContain("Agent Primary lacks the capability CanWriteMemory");
    expect(refused.text).toContain("PUT /v1/agents/Primary");
    const asked = await api.post("/v1/recall", { agent_id: "MemoryWriter", query: "anything" });
    expectProblem(asked, "forbidden");
    expect(asked.text).toContain("Agent MemoryWriter lacks the capability CanQueryMemory");
    const messages = [{ role: "user", content: "Talking is not writing memory" }];
    bodyOf(await api.post(`/v1/sessions/${SESSION}/messages`, { messages }), 201);
    bodyOf(await api.post("/v1/remember", { agent_id: "unrestricted", content: "Anyone else may" }), 201);
  });

  it("are honoured through the tools of a model", async () => {
    const tool = { type: "tool_use", id: "c1", name: "remember", input: { content: "Not mine to write" } };
    const executed = bodyOf(await api.post("/v1/tools/execute", { session_id: SESSION, call: tool }), 200);
    expect(executed).toMatchObject({ type: "tool_result", is_error: true });
    expect(JSON.stringify(executed)).toContain("CanWriteMemory");
    await using mcp = await connectMcp(api);
    const error = await failing(mcp, "remember", { content: "Not mine to write", agent_id: "Primary" });
    expect(error).toMatchObject({ code: "forbidden" });
    expect(await call(mcp, "remember", { content: "Mine to write", agent_id: "MemoryWriter" })).toMatchObject(
      {
        remembered: true,
      },
    );
  });
});

describe("a declaration", () => {
  it("is refused if a property does not fit, and names the field", async () => {
    for (const [path, properties, field] of [
      ["/v1/agents/x", { hasCapability: "CanFly" }, "hasCapability"],
      ["/v1/projects/x", { agentName: "x" }, "agentName"],
      ["/v1/projects/x", { hasModule: "unknown" }, "hasModule"],
      ["/v1/resources/source_file/x", { moduleName: "x" }, "moduleName"],
    ] as const)
      expectProblem(await api.put(path, { properties }), "invalid_request", field);
    for (const path of ["/v1/agents/x", "/v1/projects/x", "/v1/resources/source_file/x"])
      expectProblem(await api.get(path), "not_found");
  });
});
