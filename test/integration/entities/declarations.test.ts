// Agents, projects and resources as subjects: declared, read, listed, referred to and erased.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { type Client, callWith, freshId, newClient } from "../support";

let client: Client;

beforeEach(async () => {
  client = await newClient();
});

const put = (path: string, body: object) => client.call("PUT", path, body);
const get = async (path: string) => (await client.call("GET", path)).body;

async function countTriples(subject: string): Promise<number> {
  const row = await env.DB.prepare("SELECT count(*) AS n FROM triples WHERE tenant = ? AND subject = ?")
    .bind(client.tenant, subject)
    .first<{ n: number }>();
  return row?.n ?? 0;
}

describe("an agent", () => {
  const PRIMARY = {
    class: "primary_agent",
    properties: { agentName: "Ada", hasRole: ["Planner", "Architect"], hasCapability: ["CanPlan"] },
  };

  it("is declared with its properties, read as put and stated as triples", async () => {
    const answer = {
      id: "ada",
      class: "primary_agent",
      declared: true,
      properties: { agentName: ["Ada"], hasRole: ["Planner", "Architect"], hasCapability: ["CanPlan"] },
    };
    expect(await put("/v1/agents/ada", PRIMARY)).toMatchObject({ status: 200, body: answer });
    expect(await get("/v1/agents/ada")).toEqual(answer);
    const turtle = await client.call("GET", "/v1/agents/ada/triples", undefined, { Accept: "text/turtle" });
    expect(turtle.body).toContain("jido:hasRole jido:Planner, jido:Architect");
    expect(turtle.body).toContain("jido:agent_ada a jido:PrimaryAgent");
    // What GET answers can be put again.
    expect(
      (await put("/v1/agents/ada", { class: answer.class, properties: answer.properties })).body,
    ).toEqual(answer);
  });

  it("is replaced by the next put, and no longer declared by an empty one", async () => {
    await put("/v1/agents/ada", PRIMARY);
    await put("/v1/agents/ada", { properties: { agentVersion: "2" } });
    expect(await get("/v1/agents/ada")).toMatchObject({
      class: "agent",
      properties: { agentVersion: ["2"] },
    });
    expect((await put("/v1/agents/ada", {})).body).toMatchObject({ declared: false, properties: {} });
    expect((await client.call("GET", "/v1/agents/ada")).status).toBe(404);
    expect(await countTriples("jido:agent_ada")).toBe(0);
  });

  it.each([
    [{ properties: { hasRole: "Cook" } }, "properties.hasRole", /must be one of: Planner/],
    [{ properties: { filePath: "a.ts" } }, "properties.filePath", /belongs to SourceFile, not to Agent/],
    [{ properties: { reportsTo: "bea" } }, "properties.reportsTo", /belongs to SubAgent/],
    [{ properties: { agentName: ["a", "b"] } }, "properties.agentName", /takes one value/],
    [{ properties: { shoeSize: "42" } }, "properties.shoeSize", /not a property of the ontology/],
    [{ properties: { agentName: 3 } }, "properties.agentName", /text/],
    [{ class: "robot" }, "class", /must be one of: agent, primary_agent, sub_agent/],
  ])("is refused with %j, and nothing changes", async (body, path, message) => {
    const answer = await put("/v1/agents/ada", body);
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    expect(answer.body.errors[0]).toMatchObject({ path, message: expect.stringMatching(message) });
    expect((await client.call("GET", "/v1/agents/ada")).status).toBe(404);
  });

  it("refers to others within the range of the property", async () => {
    const sub = { class: "sub_agent", properties: { reportsTo: "ada" } };
    expect((await put("/v1/agents/writer", sub)).body.properties.reportsTo).toEqual(["ada"]);
    await put("/v1/agents/boss", { class: "primary_agent" });
    expect(
      (await put("/v1/agents/ada", { properties: { spawnedSubAgent: ["writer", "not-yet-declared"] } }))
        .status,
    ).toBe(200);
    const wrong = await put("/v1/agents/ada", { properties: { spawnedSubAgent: "boss" } });
    expect(wrong).toMatchObject({ status: 400 });
    expect(wrong.body.detail).toContain("must be a SubAgent: boss is a PrimaryAgent");
  });

  it("is listed when a session, memory, policy or declaration names it", async () => {
    await put("/v1/agents/declared", { properties: { agentName: "D" } });
    await client.call("POST", "/v1/sessions", { id: freshId("s"), agent_id: "in-session" });
    await client.call("POST", "/v1/remember", { content: "Tea is hot", agent_id: "in-memory" });
    await put("/v1/agents/with-policy/policy", { enabled: true });
    const { data } = await get("/v1/agents");
    expect(data.map(({ id, declared }: { id: string; declared: boolean }) => [id, declared])).toEqual([
      ["declared", true],
      ["in-memory", false],
      ["in-session", false],
      ["with-policy", false],
    ]);
    const first = await get("/v1/agents?limit=3");
    expect(first.data).toHaveLength(3);
    expect((await get(`/v1/agents?limit=3&cursor=${first.next_cursor}`)).data).toMatchObject([
      { id: "with-policy" },
    ]);
    expect(await get("/v1/agents/in-session")).toEqual({
      id: "in-session",
      class: "agent",
      declared: false,
      properties: {},
    });
  });
});

describe("a project", () => {
  it("has repositories, modules and domains that exist", async () => {
    const shop = { properties: { projectName: "Shop", hasRepository: ["shop-web"] } };
    const missing = await put("/v1/projects/shop", shop);
    expect(missing).toMatchObject({ status: 400 });
    expect(missing.body.detail).toContain("PUT /v1/resources/repository/shop-web");
    await put("/v1/resources/repository/shop-web", {
      properties: { repoUrl: "git@github.com:shop/web.git" },
    });
    expect((await put("/v1/projects/shop", shop)).body).toMatchObject({
      id: "shop",
      declared: true,
      properties: { hasRepository: ["shop-web"] },
    });
    const triples = await get("/v1/projects/shop/triples");
    expect(triples.data).toContainEqual({
      subject: "https://jido.ai/ontology#project_shop",
      predicate: "https://jido.ai/ontology#hasRepository",
      object: "https://jido.ai/ontology#repository_shop-web",
    });
    expect((await get("/v1/resources?project_id=shop")).data).toMatchObject([{ id: "shop-web" }]);
    expect((await get("/v1/projects")).data).toMatchObject([{ id: "shop" }]);
  });
});

describe("a resource", () => {
  beforeEach(async () => {
    await put("/v1/resources/source_file/router", {
      project_id: "shop",
      properties: { filePath: "src/router.ts" },
    });
  });

  it("belongs to its project and is read with what refers to it", async () => {
    await put("/v1/resources/elixir_module/Shop-Router", {
      project_id: "shop",
      properties: { moduleName: "Shop.Router", definedInFile: "router", codeSummary: "Routes requests" },
    });
    expect(await get("/v1/resources/source_file/router")).toEqual({
      class: "source_file",
      id: "router",
      project_id: "shop",
      properties: { filePath: ["src/router.ts"], partOfProject: ["shop"] },
      references: 1,
      referred_by: [{ relation: "definedInFile", class: "elixir_module", id: "Shop-Router" }],
    });
  });

  it("is listed by class, with subclasses, and by project", async () => {
    await put("/v1/resources/command/Order", { properties: {} });
    await put("/v1/resources/dsl/Routes", { project_id: "lab", properties: {} });
    const list = async (query: string) =>
      (await get(`/v1/resources${query}`)).data.map((one: { id: string }) => one.id);
    expect(await list("")).toEqual(["Order", "Routes", "router"]);
    expect(await list("?class=code_concept")).toEqual(["Order", "Routes"]);
    expect(await list("?class=source_file&project_id=shop")).toEqual(["router"]);
    expect(await list("?project_id=nowhere")).toEqual([]);
    expect((await client.call("GET", "/v1/resources?class=cake")).status).toBe(400);
    const page = await get("/v1/resources?limit=2");
    expect((await get(`/v1/resources?limit=2&cursor=${page.next_cursor}`)).data).toMatchObject([
      { id: "router" },
    ]);
  });

  it("refers only to what exists, within the range of the property", async () => {
    const concept = (properties: object) => put("/v1/resources/command/Order", { properties });
    expect((await concept({ definedInFile: "nowhere" })).body.detail).toContain(
      "there is no source_file nowhere",
    );
    expect((await concept({ definedInFile: "command/x" })).body.detail).toContain("id of a source_file");
    expect((await concept({ moduleName: "x" })).body.detail).toContain("belongs to ElixirModule");
    expect((await concept({ definedInFile: "source_file/router" })).body.properties).toEqual({
      definedInFile: ["router"],
    });
    const two = { project_id: "shop", properties: { partOfProject: "lab" } };
    expect((await put("/v1/resources/command/Order", two)).status).toBe(400);
  });

  it("is erased with the references to it", async () => {
    await put("/v1/resources/command/Order", { properties: { definedInFile: "router" } });
    expect((await client.call("DELETE", "/v1/resources/source_file/router")).body).toEqual({
      deleted: { resources: 1, triples: 3, references: 1 },
    });
    expect((await get("/v1/resources/command/Order")).properties).toEqual({});
    for (const method of ["GET", "DELETE"])
      expect((await client.call(method, "/v1/resources/source_file/router")).status).toBe(404);
  });

  it("is seen by a key of its project alone", async () => {
    const open = async (bind: object) => {
      const made = { tenant: client.tenant, scopes: ["read", "write"], bind };
      const { body } = await callWith("test-admin-key", "POST", "/v1/keys", made);
      return (method: string, path: string, sent?: object) => callWith(body.key, method, path, sent);
    };
    const [shop, lab, agent] = await Promise.all([
      open({ project_id: "shop" }),
      open({ project_id: "lab" }),
      open({ project_id: "shop", agent_id: "ada" }),
    ]);
    const path = "/v1/resources/source_file/router";
    expect((await shop("GET", path)).status).toBe(200);
    expect((await shop("GET", "/v1/resources")).body.data).toMatchObject([{ id: "router" }]);
    expect((await shop("PUT", "/v1/resources/source_file/new", {})).body.project_id).toBe("shop");
    expect((await shop("PUT", path, { project_id: "lab" })).status).toBe(403);
    expect((await shop("GET", "/v1/projects/shop")).status).toBe(404);
    expect((await shop("PUT", "/v1/projects/shop", { properties: { projectName: "S" } })).status).toBe(200);
    expect((await shop("GET", "/v1/projects")).body.data).toMatchObject([{ id: "shop" }]);
    for (const call of [lab, agent]) {
      for (const method of ["GET", "DELETE"]) expect((await call(method, path)).status).toBe(404);
      expect((await call("PUT", path, {})).status).toBe(404);
      expect((await call("GET", "/v1/projects/shop")).status).toBe(404);
    }
    expect((await lab("GET", "/v1/resources")).body.data).toEqual([]);
    // A reference would tell that it exists.
    const sneaky = await lab("PUT", "/v1/resources/command/c", { properties: { definedInFile: "router" } });
    expect(sneaky.body.detail).toContain("there is no source_file router");
    expect((await agent("PUT", "/v1/agents/ada", { properties: { hasCapability: "CanPlan" } })).status).toBe(
      404,
    );
  });
});
