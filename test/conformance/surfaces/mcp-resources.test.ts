// Resources, prompts and completions over the Model Context Protocol.
import { describe, expect, it } from "vitest";
import { fresh } from "../support/client";
import { serviceUnderTest } from "../support/service";
import { call, connectMcp, VERSIONS } from "./mcp";

const service = serviceUnderTest();

type Remembered = { memory_id: string };

describe.each(VERSIONS)("resources in version %s", (version) => {
  it("are memories, skills and sessions by template", async () => {
    await using client = await connectMcp(service.api, { version });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate, mimeType }) => [uriTemplate, mimeType])).toEqual([
      ["kioku://memories/{id}", "application/json"],
      ["kioku://skills/{slug}", "text/markdown"],
      ["kioku://sessions/{id}/continuity", "text/markdown"],
    ]);
  });

  it("a memory is read as JSON, with its provenance", async () => {
    await using client = await connectMcp(service.api, { version });
    const session_id = fresh("session");
    const content = "The intranet is down on Sundays";
    const { memory_id } = await call<Remembered>(client, "remember", {
      session_id,
      content,
      evidence: ["ticket-9"],
    });
    const uri = `kioku://memories/${memory_id}`;
    const { contents } = await client.readResource({ uri });
    expect(contents).toMatchObject([{ uri, mimeType: "application/json" }]);
    const [read] = contents;
    const memory = JSON.parse(read !== undefined && "text" in read ? read.text : "");
    expect(memory).toMatchObject({
      id: memory_id,
      content,
      session_id,
      evidence: ["ticket-9"],
      status: "live",
    });
  });

  it("what is not there is not found", async () => {
    await using client = await connectMcp(service.api, { version });
    for (const uri of [
      "kioku://memories/nothing",
      "kioku://skills/nothing",
      "kioku://sessions/nothing/continuity",
      "kioku://memories/%00",
      "kioku://elsewhere/1",
      "file:///etc/passwd",
    ])
      await expect(client.readResource({ uri }), uri).rejects.toThrow(/not found/i);
  });
});

describe("the list of resources", () => {
  it("has the newest live memories, page by page, and those that are skills as skills", async () => {
    const tenant = await service.tenant();
    await using client = await connectMcp(tenant);
    const project_id = fresh("project");
    const texts = Array.from({ length: 105 }, (_, i) => `Drawer number ${i} is for letter ${i}`);
    const made: string[] = [];
    for (const content of texts)
      made.push((await call<Remembered>(client, "remember", { project_id, content })).memory_id);
    await call(client, "save_skill", { slug: "sort-letters", name: "Sort the letters", steps: ["By year"] });
    await call(client, "forget", { project_id, memory_id: made[0] });

    const uris = (await allPages(client)).map(({ uri }) => uri);
    expect(new Set(uris).size).toBe(105);
    expect(uris).toContain("kioku://skills/sort-letters");
    expect(uris).not.toContain(`kioku://memories/${made[0]}`);
    for (const id of made.slice(1)) expect(uris).toContain(`kioku://memories/${id}`);
  });

  it("names each one so that a person can pick it", async () => {
    const tenant = await service.tenant();
    await using client = await connectMcp(tenant);
    const content = `The printer ${"really ".repeat(30)}jams`;
    await call(client, "remember", { project_id: "p", content, type: "bug" });
    expect((await client.listResources()).resources).toMatchObject([
      { title: expect.stringMatching(/^The printer really.{1,70}$/), mimeType: "application/json" },
    ]);
  });

  it("a cursor that no list gave is refused", async () => {
    await using client = await connectMcp(service.api);
    await expect(client.listResources({ cursor: "nonsense" })).rejects.toThrow(/cursor/);
  });
});

/** The pages as a client that pages by itself sees them, at most 100 to a page. */
async function allPages(client: Awaited<ReturnType<typeof connectMcp>>) {
  const resources = [];
  let cursor: string | undefined;
  do {
    const page = await client.request({
      method: "resources/list",
      params: cursor === undefined ? {} : { cursor },
    });
    expect(page.resources.length).toBeLessThanOrEqual(100);
    resources.push(...page.resources);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return resources;
}

describe.each(VERSIONS)("prompts in version %s", (version) => {
  it("are listed with their arguments", async () => {
    await using client = await connectMcp(service.api, { version });
    const { prompts } = await client.listPrompts();
    expect(
      prompts.map((prompt) => [prompt.name, prompt.arguments?.map(({ name, required }) => [name, required])]),
    ).toEqual([
      [
        "session_context",
        [
          ["session_id", true],
          ["query", false],
          ["token_budget", false],
        ],
      ],
      [
        "prime_task",
        [
          ["goal", true],
          ["project_id", false],
        ],
      ],
    ]);
    for (const prompt of prompts)
      for (const { description } of prompt.arguments ?? []) expect(description).toMatch(/\S/);
  });

  it("a session's context is put before the model as messages", async () => {
    await using client = await connectMcp(service.api, { version });
    const session_id = fresh("session");
    const messages = [
      { role: "user", content: "Which colour for the logo?" },
      { role: "assistant", content: "Blue, as before." },
    ];
    await call(client, "add_messages", { session_id, messages });
    await call(client, "remember", { session_id, content: "The logo must work in black and white" });
    const prompt = await client.getPrompt({
      name: "session_context",
      arguments: { session_id, query: "logo", token_budget: "2000" },
    });
    expect(prompt.messages.map(({ role, content }) => [role, "text" in content ? content.text : ""])).toEqual(
      [
        ["user", expect.stringContaining("The logo must work in black and white")],
        ["user", "Which colour for the logo?"],
        ["assistant", "Blue, as before."],
      ],
    );
  });

  it("what is known of a task comes before the task", async () => {
    await using client = await connectMcp(service.api, { version });
    const project_id = fresh("project");
    await call(client, "learn", {
      project_id,
      trigger: "Migrating the database during the day",
      root_cause: "Locks",
      fix: "Cancel it",
      prevention: "Migrate the database at night",
    });
    const { messages } = await client.getPrompt({
      name: "prime_task",
      arguments: { project_id, goal: "Migrate the database to the new schema" },
    });
    expect(messages).toMatchObject([
      {
        role: "user",
        content: {
          text: expect.stringMatching(/at night[\s\S]*## Task\nMigrate the database to the new schema$/),
        },
      },
    ]);
  });

  it("wrong arguments and unknown prompts are named; a session that does not exist yet is empty", async () => {
    await using client = await connectMcp(service.api, { version });
    const get = (name: string, given: Record<string, string>) => client.getPrompt({ name, arguments: given });
    await expect(get("session_context", {})).rejects.toThrow(/session_id: is required/);
    await expect(get("session_context", { session_id: "s", token_budget: "7" })).rejects.toThrow(
      /token_budget/,
    );
    expect(JSON.stringify(await get("session_context", { session_id: "no-such-session" }))).toContain(
      "Nothing is remembered in session no-such-session yet.",
    );
    await expect(get("dream", {})).rejects.toThrow(/The prompts are session_context, prime_task/);
  });
});

it("the variables of templates and prompts are completed with what there is", async () => {
  const tenant = await service.tenant();
  await using client = await connectMcp(tenant);
  const { memory_id } = await call<Remembered>(client, "remember", {
    session_id: "alpha",
    content: "It snows",
  });
  await call(client, "remember", { session_id: "beta", content: "It hails" });
  await call(client, "save_skill", { slug: "shovel", name: "Shovel snow", steps: ["Dress warmly"] });
  const complete = async (
    ref: { type: "ref/resource"; uri: string } | { type: "ref/prompt"; name: string },
    name: string,
    value: string,
  ) => (await client.complete({ ref, argument: { name, value } })).completion.values;

  const resource = (uri: string) => ({ type: "ref/resource", uri }) as const;
  expect(await complete(resource("kioku://memories/{id}"), "id", memory_id.slice(0, 6))).toEqual([memory_id]);
  expect(await complete(resource("kioku://skills/{slug}"), "slug", "sh")).toEqual(["shovel"]);
  expect(await complete(resource("kioku://sessions/{id}/continuity"), "id", "al")).toEqual(["alpha"]);
  const prompt = { type: "ref/prompt", name: "session_context" } as const;
  expect((await complete(prompt, "session_id", "")).toSorted()).toEqual(["alpha", "beta"]);
  expect(await complete(prompt, "query", "")).toEqual([]);
});
