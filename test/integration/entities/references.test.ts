// Memories that refer to resources, agents and projects: as properties, as triples, and read from the other side.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { rebuild } from "../store/long-term-support";
import { type Client, callWith, freshId, newClient } from "../support";

let client: Client;

beforeEach(async () => {
  client = await newClient();
  const project_id = "shop";
  await client.call("PUT", "/v1/resources/source_file/router", {
    project_id,
    properties: { filePath: "src/router.ts" },
  });
  await client.call("PUT", "/v1/resources/module/checkout", { project_id, properties: {} });
  await client.call("PUT", "/v1/resources/justification/audit", { project_id, properties: {} });
});

const remember = (body: object) => client.call("POST", "/v1/remember", { project_id: "shop", ...body });
const read = async (path: string) => (await client.call("GET", path)).body;

const CONVENTION = {
  content: "Routes are declared in one file",
  type: "architectural_convention",
  properties: {
    hasConventionScope: "ProjectScope",
    appliesToModule: "checkout",
    appliesToFile: ["router"],
    refersTo: ["source_file/router", "agent/ada", "project/shop"],
  },
};

describe("a memory that refers to resources", () => {
  it("has them in its properties and triples, and each resource names the memory", async () => {
    const { status, body } = await remember(CONVENTION);
    expect(status).toBe(201);
    const memory = await read(`/v1/memories/${body.memory_id}`);
    expect(memory.properties).toEqual({
      hasConventionScope: ["ProjectScope"],
      appliesToFile: ["router"],
      appliesToModule: ["checkout"],
      refersTo: ["source_file/router", "agent/ada", "project/shop"],
    });
    const triples = await client.call("GET", `/v1/memories/${body.memory_id}/triples`, undefined, {
      Accept: "application/n-triples",
    });
    const jido = (name: string) => `<https://jido.ai/ontology#${name}>`;
    expect(triples.body).toContain(`${jido("appliesToModule")} ${jido("module_checkout")}`);
    expect(triples.body).toContain(`${jido("refersTo")} ${jido("agent_ada")}`);
    expect(await read("/v1/resources/source_file/router")).toMatchObject({
      references: 2,
      referred_by: expect.arrayContaining([
        { relation: "appliesToFile", class: "memory", id: body.memory_id },
        { relation: "refersTo", class: "memory", id: body.memory_id },
      ]),
    });
    expect(await read("/v1/resources/module/checkout")).toMatchObject({
      referred_by: [{ relation: "appliesToModule", class: "memory", id: body.memory_id }],
    });
  });

  it("is refused if one does not exist, is of another class or cannot be had by its type", async () => {
    const refuse = async (properties: object, message: string, type = "decision") => {
      const answer = await remember({ content: "Anything", type, properties });
      expect(answer).toMatchObject({ status: 400, body: { code: "invalid_request" } });
      expect(answer.body.detail).toContain(message);
    };
    await refuse({ appliesToFile: "nowhere" }, "there is no source_file nowhere");
    await refuse({ refersTo: "router" }, "must be class/id, with a class of: agent, project, repository");
    await refuse({ refersTo: "cake/router" }, "must be class/id");
    await refuse({ refersTo: "module/router" }, "there is no module router");
    await refuse({ appliesToModule: "checkout" }, "belongs to Convention, not to a decision");
    await refuse({ justifiedBy: "nothing" }, "there is no justification nothing");
    await refuse({ justifiedBy: "audit" }, "belongs to Decision", "fact");
    await refuse({ partOfProject: "shop" }, "give project_id");
    expect(
      (await remember({ content: "Anything", type: "decision", properties: { justifiedBy: "audit" } }))
        .status,
    ).toBe(201);
    expect((await read("/v1/memories")).data).toHaveLength(1);
  });

  it("refers through a session, a batch and a change, too", async () => {
    const id = freshId("session");
    const properties = { refersTo: "source_file/router" };
    expect(
      (await client.call("POST", `/v1/sessions/${id}/remember`, { content: "In a session", properties }))
        .status,
    ).toBe(201);
    const memories = [
      { content: "In a batch", properties },
      { content: "Refused in a batch", properties: { refersTo: "source_file/nowhere" } },
    ];
    const { results } = (await client.call("POST", "/v1/memories/batch", { memories })).body;
    expect(results).toMatchObject([{ remembered: true }, { error: { code: "invalid_request" } }]);
    const { memory_id } = (await remember({ content: "By a change" })).body;
    const change = (sent: object) => client.call("PATCH", `/v1/memories/${memory_id}`, { properties: sent });
    expect((await change({ refersTo: "source_file/nowhere" })).status).toBe(400);
    expect((await change(properties)).body.properties).toEqual({ refersTo: ["source_file/router"] });
    expect((await read("/v1/resources/source_file/router")).references).toBe(3);
    expect((await change({ refersTo: null })).body.properties).toEqual({});
    expect((await read("/v1/resources/source_file/router")).references).toBe(2);
    // A memory that is forgotten is not counted any more.
    await client.call("POST", "/v1/forget", { memory_id: results[0].memory_id });
    expect((await read("/v1/resources/source_file/router")).references).toBe(1);
  });

  it("stays without the reference when the resource is erased, however old it is", async () => {
    const { memory_id } = (await remember(CONVENTION)).body;
    const forgotten = (await remember({ content: "Forgotten", properties: { appliesToFile: "router" } }))
      .body;
    await client.call("POST", "/v1/forget", { memory_id: forgotten.memory_id });
    const { body } = await client.call("DELETE", "/v1/resources/source_file/router");
    expect(body).toEqual({ deleted: { resources: 1, triples: 3, references: 3 } });
    expect((await read(`/v1/memories/${memory_id}`)).properties).toEqual({
      hasConventionScope: ["ProjectScope"],
      appliesToModule: ["checkout"],
      refersTo: ["agent/ada", "project/shop"],
    });
    expect((await read(`/v1/memories/${forgotten.memory_id}`)).properties).toEqual({});
  });

  it("stays without the agent that it was assigned to when the agent is erased", async () => {
    await client.call("PUT", "/v1/agents/scout", { class: "primary_agent" });
    const properties = { assignedTo: "scout", createdBy: "ada" };
    const { memory_id } = (await remember({ type: "task", content: "Map the coast", properties })).body;
    expect((await read(`/v1/memories/${memory_id}`)).properties.assignedTo).toEqual(["scout"]);
    expect((await client.call("DELETE", "/v1/agents/scout")).status).toBe(200);
    expect((await read(`/v1/memories/${memory_id}`)).properties).toEqual({ createdBy: ["ada"] });
    const { results } = await env.DB.prepare("SELECT * FROM memory_versions WHERE tenant = ?")
      .bind(client.tenant)
      .all();
    expect(JSON.stringify(results)).not.toContain("scout");
  });

  it("is rebuilt from its triples to the same row", async () => {
    const { memory_id } = (await remember(CONVENTION)).body;
    const before = await read(`/v1/memories/${memory_id}`);
    await rebuild(client.tenant);
    expect(await read(`/v1/memories/${memory_id}`)).toEqual(before);
  });

  it("does not refer to what a bound key does not see", async () => {
    const made = { tenant: client.tenant, scopes: ["read", "write"], bind: { project_id: "lab" } };
    const { key } = (await callWith("test-admin-key", "POST", "/v1/keys", made)).body;
    const body = { content: "Sneaky", properties: { appliesToFile: "router" } };
    const answer = await callWith(key, "POST", "/v1/remember", body);
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.body.detail).toContain("there is no source_file router");
  });
});

describe("a link to a resource", () => {
  const link = (from: string, relation: string, to: string, more: object = {}) =>
    client.call("POST", "/v1/links", { from, relation, to, ...more });
  const list = async (of: string, query = "") =>
    (await client.call("GET", `/v1/links?of=${of}${query}`)).body.data;

  it.each([
    ["justifiedBy", "decision", "audit", "justification/audit", "audit"],
    ["applies_to_file", "fact", "router", "source_file/router", "router"],
    ["appliesToModule", "convention", "module/checkout", "module/checkout", "checkout"],
    ["refersTo", "risk", "source_file/router", "source_file/router", "source_file/router"],
    ["assignedTo", "task", "ada", "agent/ada", "ada"],
    ["governsAgent", "agent_rule", "agent/ada", "agent/ada", "ada"],
  ])("%s is the same as a property, from both sides, until it is deleted", async (given, type, to, end, value) => {
    const { memory_id } = (await remember({ content: "Anything", type })).body;
    const made = await link(memory_id, given, to);
    const relation = made.body.relation;
    expect(made).toMatchObject({ status: 201, body: { from: memory_id, to: end, strength: 1 } });
    expect((await link(memory_id, given, to)).status).toBe(200);
    expect((await read(`/v1/memories/${memory_id}`)).properties).toEqual({ [relation]: [value] });
    const [out] = await list(memory_id);
    expect(out).toEqual({ ...made.body, direction: "out" });
    expect(await list(end, "&direction=in")).toEqual([{ ...made.body, direction: "in" }]);
    expect(await list(end, `&relation=${given}`)).toHaveLength(1);
    await rebuild(client.tenant);
    expect(await list(memory_id)).toEqual([out]);
    expect((await client.call("DELETE", `/v1/links/${out.id}`)).status).toBe(204);
    expect((await client.call("DELETE", `/v1/links/${out.id}`)).status).toBe(404);
    expect((await read(`/v1/memories/${memory_id}`)).properties).toEqual({});
    expect(await list(end, "&direction=in")).toEqual([]);
  });

  it("is refused outside of its domain and range, and to nothing", async () => {
    const { memory_id: fact } = (await remember({ content: "A fact" })).body;
    const { memory_id: task } = (await remember({ content: "A task", type: "task" })).body;
    const detail = async (answer: ReturnType<typeof link>, status: number) => {
      const { body, status: got } = await answer;
      expect(got).toBe(status);
      return body.detail;
    };
    expect(await detail(link(fact, "justifiedBy", "audit"), 400)).toContain(
      "leads from Decision to Justification",
    );
    expect(await detail(link(fact, "refersTo", "router"), 400)).toContain("must be class/id");
    expect(await detail(link(fact, "appliesToFile", "module/checkout"), 400)).toContain(
      "the id of a source_file",
    );
    expect(await detail(link(fact, "appliesToFile", "nowhere"), 404)).toContain(
      "PUT /v1/resources/source_file/nowhere",
    );
    expect(await detail(link(fact, "appliesToFile", "router", { strength: 0.5 }), 400)).toContain("strength");
    expect(await detail(link("nothing", "appliesToFile", "router"), 404)).toContain(
      "from: there is no memory",
    );
    expect((await link(task, "createdBy", "ada")).status).toBe(201);
    expect(await detail(link(task, "createdBy", "ben"), 409)).toContain("has a createdBy already");
    expect((await client.call("GET", "/v1/links?of=source_file/nowhere")).status).toBe(404);
    expect((await client.call("GET", "/v1/links?of=cake/router")).status).toBe(400);
    expect(await list(fact)).toEqual([]);
  });

  it("is listed between resources, too, without sessions", async () => {
    await client.call("PUT", "/v1/resources/elixir_module/Router", {
      properties: { definedInFile: "router" },
    });
    await client.call("POST", "/v1/sessions", { project_id: "shop" });
    const expected = { from: "elixir_module/Router", to: "source_file/router", relation: "definedInFile" };
    expect(await list("source_file/router", "&direction=in")).toMatchObject([expected]);
    expect(await list("elixir_module/Router")).toMatchObject([{ ...expected, direction: "out" }]);
    const parts = await list("project/shop", "&relation=part_of_project");
    expect(parts.map(({ from }: { from: string }) => from).toSorted()).toEqual([
      "justification/audit",
      "module/checkout",
      "source_file/router",
    ]);
  });
});
