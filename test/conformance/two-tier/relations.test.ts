// Relations between memories: those of decisions, errors and tasks, from both ends, as properties and as links; and
// whom a caller may relate to.
import { describe, expect, it } from "vitest";
import { allPages, newSession, readMemory } from "../support/actions";
import { type Answer, type Client, fresh } from "../support/client";
import type { Memory, MemoryReceipt, Remembered, Triple } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { connectMcp, textOf } from "../surfaces/mcp";

const kioku = serviceUnderTest();

type Related = Memory & {
  properties: Record<string, string[]>;
  links: { relation: string; direction: string; id: string }[];
};
type Link = { id: string; from: string; to: string; relation: string; direction: string };
type Properties = Record<string, string | string[] | null>;

async function remember(api: Client, type: string, content: string, more: object = {}): Promise<string> {
  const body = { content, type, project_id: "TemplateProject", ...more };
  return bodyOf(await api.post<Remembered>("/v1/remember", body), 201).memory_id;
}

const read = async (id: string, api = kioku.api) => (await readMemory(api, id)) as Related;

function relate(id: string, properties: Properties, api = kioku.api): Promise<Answer<Related>> {
  return api.patch<Related>(`/v1/memories/${id}`, { properties });
}

const linksOf = (id: string, query = "") => allPages<Link>(kioku.api, `/v1/links?of=${id}${query}`);

describe("the memory of a project", () => {
  it("keeps the decision, convention, task, bug, root cause and lesson of the template, related", async () => {
    const { api } = kioku;
    const post = async (body: object) => {
      const known = {
        project_id: "TemplateProject",
        agent_id: "Agent_Primary",
        session_id: "Session_InitialSetup",
      };
      return bodyOf(await api.post<Remembered>("/v1/remember", { ...known, ...body }), 201).memory_id;
    };
    const decision = await post({
      type: "architectural_decision",
      content: "Use an ontology-based memory",
      rationale: "Agents need memory with provenance",
      confidence: "high",
      properties: {
        detailedExplanation: "Every long-term memory is an individual of the Jido ontology",
        decisionStatus: "accepted",
        impactLevel: "critical",
      },
    });
    const convention = await post({
      type: "architectural_convention",
      content: "One TTL file per project",
      confidence: "high",
      properties: {
        conventionName: "TTLPerProject",
        conventionDescription: "The memory of each project is one Turtle file",
        hasConventionScope: "ProjectScope",
        hasEnforcementLevel: "Required",
      },
    });
    const task = await post({
      type: "task",
      content: "Set up the memory pipeline",
      properties: {
        assignedTo: "Agent_MemoryWriter",
        createdBy: "Agent_Primary",
        hasTaskStatus: "Planned",
        taskCreatedAt: "2026-01-05T09:00:00Z",
      },
    });
    const rootCause = await post({ type: "root_cause", content: "No rule of supersession" });
    const lesson = await post({
      type: "lesson_learned",
      content: "Memories that change must be superseded",
      properties: { detailedExplanation: "A changed memory without supersededBy stands beside the old one" },
    });
    const bug = await post({
      type: "bug",
      content: "Two memories contradict each other",
      properties: {
        severityLevel: "medium",
        hasErrorStatus: "Resolved",
        hasRootCause: rootCause,
        producedLesson: lesson,
      },
    });

    expect((await read(bug)).properties).toEqual({
      severityLevel: ["medium"],
      hasErrorStatus: ["Resolved"],
      hasRootCause: [rootCause],
      producedLesson: [lesson],
    });
    expect((await read(rootCause)).links).toEqual([{ relation: "hasRootCause", direction: "in", id: bug }]);
    expect((await read(lesson)).links).toEqual([{ relation: "producedLesson", direction: "in", id: bug }]);
    for (const id of [decision, convention, task]) expect((await read(id)).links).toEqual([]);
    const triples = bodyOf(await api.get<{ data: Triple[] }>(`/v1/memories/${bug}/triples`), 200).data;
    expect(triples).toContainEqual({
      subject: `https://jido.ai/ontology#memory_${bug}`,
      predicate: "https://jido.ai/ontology#hasRootCause",
      object: `https://jido.ai/ontology#memory_${rootCause}`,
    });
  });

  it("keeps a decision with its alternatives and its trade-off", async () => {
    const { api } = kioku;
    const d1 = await remember(api, "alternative", `D1 ${fresh("a")}`);
    const neo4j = await remember(api, "alternative", `Neo4j ${fresh("a")}`);
    const tradeOff = await remember(api, "trade_off", `No graph engine, no server ${fresh("t")}`);
    const decision = await remember(api, "architectural_decision", `Triples are in D1 ${fresh("d")}`, {
      rationale: "One store on the edge",
      properties: { hasAlternative: [d1, neo4j], selectedAlternative: d1, hasTradeOff: tradeOff },
    });
    expect((await read(decision)).properties).toEqual({
      hasAlternative: [d1, neo4j],
      selectedAlternative: [d1],
      hasTradeOff: [tradeOff],
    });
    expect(await linksOf(neo4j)).toMatchObject([
      { relation: "hasAlternative", direction: "in", from: decision, to: neo4j },
    ]);
    expect((await read(d1)).links).toEqual(
      expect.arrayContaining([
        { relation: "hasAlternative", direction: "in", id: decision },
        { relation: "selectedAlternative", direction: "in", id: decision },
      ]),
    );
  });

  it("keeps tasks with their dependencies, plan and milestone, and finds what waits", async () => {
    const { api } = kioku;
    const plan = await remember(api, "plan", `Go live ${fresh("p")}`);
    const milestone = await remember(api, "milestone", `Beta ${fresh("m")}`);
    const schema = await remember(api, "task", `Write the schema ${fresh("t")}`, {
      properties: { partOfPlan: plan, partOfMilestone: milestone },
    });
    const api1 = await remember(api, "task", `Write the API ${fresh("t")}`, {
      properties: { partOfPlan: plan, dependsOn: schema },
    });
    const ui = await remember(api, "task", `Write the page ${fresh("t")}`, {
      properties: { blockedBy: api1 },
    });
    const tasks = await linksOf(plan, "&relation=partOfPlan&direction=in");
    expect(tasks.map(({ from }) => from).toSorted()).toEqual([schema, api1].toSorted());
    expect(await linksOf(schema, "&relation=dependsOn&direction=in")).toMatchObject([{ from: api1 }]);
    expect(await linksOf(schema, "&relation=depends_on&direction=out")).toEqual([]);
    expectProblem(await relate(schema, { dependsOn: ui }), "conflict", /^properties\.dependsOn$/);
    expectProblem(await relate(schema, { dependsOn: schema }), "conflict", /^properties\.dependsOn$/);
    expectProblem(
      await api.post("/v1/links", { from: schema, to: ui, relation: "dependsOn" }),
      "conflict",
      "to",
    );
    expect((await read(schema)).properties).not.toHaveProperty("dependsOn");
  });
});

describe("each of the relations of the ontology", () => {
  it.each([
    ["refines", "refines", "hypothesis", "hypothesis"],
    ["confirms", "confirms", "fact", "fact"],
    ["has_alternative", "hasAlternative", "decision", "alternative"],
    ["selected_alternative", "selectedAlternative", "decision", "alternative"],
    ["has_trade_off", "hasTradeOff", "decision", "trade_off"],
    ["has_root_cause", "hasRootCause", "failure", "root_cause"],
    ["produced_lesson", "producedLesson", "incident", "lesson_learned"],
    ["related_error", "relatedError", "bug", "error"],
    ["dependsOn", "dependsOn", "task", "task"],
    ["contradicts", "contradicts", "fact", "decision"],
    ["derived_from", "derived_from", "discovery", "fact"],
    ["supersededBy", "superseded_by", "fact", "fact"],
  ])("%s is a link, read from both ends", async (given, relation, fromType, toType) => {
    const from = await remember(kioku.api, fromType, `From ${fresh("m")}`);
    const to = await remember(kioku.api, toType, `To ${fresh("m")}`);
    const made = bodyOf(await kioku.api.post<Link>("/v1/links", { from, to, relation: given }), 201);
    expect(made).toMatchObject({ from, to, relation });
    expect(await linksOf(from, `&relation=${given}`)).toMatchObject([{ id: made.id, direction: "out" }]);
    expect(await linksOf(to, `&relation=${relation}&direction=in`)).toMatchObject([{ id: made.id }]);
  });

  it("is refused between other classes, and the answer names them", async () => {
    const fact = await remember(kioku.api, "fact", `A fact ${fresh("m")}`);
    const decision = await remember(kioku.api, "decision", `A decision ${fresh("m")}`);
    const link = { from: decision, to: fact, relation: "hasAlternative" };
    const { detail } = expectProblem(await kioku.api.post("/v1/links", link), "invalid_request", "to");
    expect(detail).toMatch(/Fact.*Decision to Alternative/);
    const path = /^properties\.hasAlternative$/;
    expectProblem(await relate(decision, { hasAlternative: fact }), "invalid_request", path);
    expectProblem(await relate(decision, { hasAlternative: fresh("none") }), "invalid_request", path);
    expectProblem(await relate(fact, { hasAlternative: decision }), "invalid_request", path);
    expect((await read(decision)).properties).toEqual({});
  });
});

describe("a relation ends", () => {
  it("with its link, by PATCH, and with the memory that it leads to", async () => {
    const { api } = kioku;
    const causes = [];
    for (let n = 0; n < 3; n += 1) causes.push(await remember(api, "root_cause", `Cause ${fresh("c")}`));
    const [one = "", two = "", three = ""] = causes;
    const bug = await remember(api, "bug", `A bug ${fresh("b")}`, { properties: { hasRootCause: causes } });
    const [link] = await linksOf(one);
    bodyOf(await api.delete(`/v1/links/${link?.id}`), 204);
    expect((await read(bug)).properties).toEqual({ hasRootCause: [two, three] });
    const { deleted } = bodyOf(await api.delete<MemoryReceipt>(`/v1/memories/${two}`), 200);
    expect(deleted.links).toBe(1);
    expect((await read(bug)).properties).toEqual({ hasRootCause: [three] });
    expect(bodyOf(await relate(bug, { hasRootCause: null }), 200).properties).toEqual({});
    expect(await linksOf(three)).toEqual([]);
  });
});

describe("a caller relates to what it sees", () => {
  it("with a bound key: to memories of its owner, and it is shown no others", async () => {
    const name = fresh("tenant");
    const all = await kioku.tenant({ name });
    const mia = await kioku.tenant({ name, bind: { user_id: "mia" } });
    const own = await remember(mia, "alternative", "Mia's option");
    const foreign = await remember(all, "alternative", "Noa's option", { user_id: "noa" });
    const decision = await remember(mia, "decision", "Mia decides", { properties: { hasAlternative: own } });
    expectProblem(
      await relate(decision, { hasAlternative: foreign }, mia),
      "invalid_request",
      /^properties\.hasAlternative$/,
    );
    expectProblem(
      await mia.post("/v1/remember", {
        content: "Again",
        type: "decision",
        properties: { hasAlternative: foreign },
      }),
      "invalid_request",
      /^properties\.hasAlternative$/,
    );
    bodyOf(await relate(decision, { hasAlternative: [own, foreign] }, all), 200);
    expect((await read(decision, all)).properties).toEqual({ hasAlternative: [own, foreign] });
    for (const path of [
      `/v1/memories/${decision}`,
      `/v1/memories/${decision}/triples`,
      `/v1/memories/${decision}/history`,
      "/v1/memories",
    ]) {
      const text = JSON.stringify(bodyOf(await mia.get<object>(path), 200));
      expect(text).toContain(own);
      expect(text).not.toContain(foreign);
    }
    // What she changes beside it stays related.
    bodyOf(await mia.patch(`/v1/memories/${decision}`, { content: "Mia decides today" }), 200);
    expect(await allPages<Link>(all, `/v1/links?of=${foreign}`)).toHaveLength(2);
  });

  it("as a model: within the reach of its session, over the executor and over MCP", async () => {
    const { api } = kioku;
    const user_id = fresh("mia");
    const session = await newSession(api, { user_id, reach: "user" });
    const own = await remember(api, "root_cause", "Her cause", { user_id });
    const foreign = await remember(api, "root_cause", "His cause", { user_id: fresh("noa") });
    const execute = async (hasRootCause: string) => {
      const input = { content: `Bug of ${hasRootCause}`, type: "bug", properties: { hasRootCause } };
      const call = { type: "tool_use", id: fresh("call"), name: "remember", input };
      const body = { session_id: session.id, call };
      const { content, is_error } = bodyOf(
        await api.post<{ content: string; is_error: boolean }>("/v1/tools/execute", body),
        200,
      );
      return { is_error, value: JSON.parse(content) };
    };
    const made = await execute(own);
    expect(made.is_error).toBe(false);
    expect((await read(made.value.memory_id)).properties).toEqual({ hasRootCause: [own] });
    const refused = await execute(foreign);
    expect(refused).toMatchObject({ is_error: true, value: { code: "invalid_request" } });
    expect(refused.value.error).toContain(`there is no memory ${foreign}`);

    await using client = await connectMcp(api);
    const overMcp = await client.callTool({
      name: "remember",
      arguments: {
        session_id: session.id,
        content: "Another bug",
        type: "bug",
        properties: { hasRootCause: foreign },
      },
    });
    expect(overMcp.isError).toBe(true);
    expect(textOf(overMcp)).toContain("there is no memory");
  });

  it("never to another tenant's", async () => {
    const other = await kioku.tenant();
    const foreign = await remember(other, "alternative", "An option elsewhere");
    const decision = await remember(kioku.api, "decision", `A decision ${fresh("d")}`);
    expectProblem(await relate(decision, { hasAlternative: foreign }), "invalid_request");
    const link = { from: decision, to: foreign, relation: "hasAlternative" };
    expectProblem(await kioku.api.post("/v1/links", link), "not_found");
  });
});
