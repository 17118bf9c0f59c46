// Skills over HTTP: one thing in two forms, kept as memories with their history.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { EXPERIENCE } from "../../../src/kernel/limits";
import { ADMIN_KEY, type Answer, type Client, callWith, freshId, newClient, untilIndexed } from "../support";

const ENDPOINT = {
  name: "API endpoint",
  description: "How a route is added to the service.",
  prerequisites: ["The OpenAPI document exists"],
  steps: ["Read the spec", "Write the handler:\n- validate\n- answer", "Run the contract tests"],
  common_errors: [{ error: "TS7030: not all paths return", fix: "Add `: void` to the handler" }],
  exit_criteria: ["All contract tests pass"],
  example_usage: "```sh\n# one route\nnpm run route -- todos\n```",
};

const PDF = `---
name: pdf-forms
description: Fill PDF forms. Use when a PDF form must be filled.
license: Apache-2.0
allowed-tools: "Read Bash(pdftk:*)"
metadata:
  author: Ada
  version: "1.0"
---

# PDF forms

## Overview

Run scripts/fill.py first.
`;

const MARKDOWN = { Accept: "text/markdown" };

function put(client: Client, slug: string, body: unknown, headers?: Record<string, string>): Promise<Answer> {
  return client.call("PUT", `/v1/skills/${slug}`, body, headers);
}

function putMarkdown(
  client: Client,
  slug: string,
  markdown: string,
  type = "text/markdown",
): Promise<Answer> {
  return put(client, slug, markdown, { "Content-Type": type });
}

function get(client: Client, slug: string, headers?: Record<string, string>): Promise<Answer> {
  return client.call("GET", `/v1/skills/${slug}`, undefined, headers);
}

async function historyOf(client: Client, id: string) {
  return (await client.call("GET", `/v1/memories/${id}/history`)).body.data;
}

describe("a skill", () => {
  it("is the same as JSON and as Markdown, both ways", async () => {
    const client = await newClient();
    const made = await put(client, "api-endpoint", ENDPOINT);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ slug: "api-endpoint", ...ENDPOINT, usage_count: 0, last_used: null });

    const shown = await get(client, "api-endpoint", MARKDOWN);
    expect(shown.headers.get("Content-Type")).toBe("text/markdown; charset=utf-8");
    expect(shown.headers.get("Vary")).toBe("Accept, Origin");
    expect(shown.body).toContain(
      "---\nname: api-endpoint\ndescription: How a route is added to the service.\n---\n\n# Skill: API endpoint\n\n## Prereq",
    );

    const file = shown.body.replace("name: api-endpoint", "name: copy");
    const copied = await putMarkdown(client, "copy", file, "text/markdown; charset=utf-8");
    expect(copied.status).toBe(201);
    expect(copied.body).toMatchObject({ slug: "copy", ...ENDPOINT });
    expect((await get(client, "copy", MARKDOWN)).body).toBe(file);
    // Two skills of the same words are two skills.
    expect((await get(client, "api-endpoint")).body).toEqual(made.body);
    expect(copied.body.memory_id).not.toBe(made.body.memory_id);
  });

  it("of the standard keeps its body word for word, and is found by its description", async () => {
    const client = await newClient();
    const headers = { "Content-Type": "text/markdown" };
    const made = await client.call("POST", "/v1/skills", PDF, headers);
    expect(made).toMatchObject({
      status: 201,
      body: {
        ...{ slug: "pdf-forms", name: "pdf-forms", steps: [], license: "Apache-2.0" },
        ...{ allowed_tools: ["Read", "Bash(pdftk:*)"], metadata: { author: "Ada", version: "1.0" } },
        instructions: "# PDF forms\n\n## Overview\n\nRun scripts/fill.py first.",
      },
    });
    expect((await get(client, "pdf-forms", MARKDOWN)).body).toBe(PDF);
    expect(await client.call("POST", "/v1/skills", PDF, headers)).toMatchObject({
      status: 200,
      body: made.body,
    });
    expect(await putMarkdown(client, "pdf-forms", PDF)).toMatchObject({ status: 200, body: made.body });
    const { status: _, memory_id, ...fields } = made.body;
    expect(await historyOf(client, memory_id)).toHaveLength(1);
    const { slug, name, description, instructions, license, allowed_tools, metadata } = fields;
    const json = { slug, name, description, instructions, license, allowed_tools, metadata };
    expect(await client.call("POST", "/v1/skills", json)).toMatchObject({ status: 200, body: made.body });
    const primed = await client.call("POST", "/v1/prime", { goal: "Implement the filling of a PDF form" });
    expect(primed.body.applicable_skills).toMatchObject([{ slug: "pdf-forms" }]);
    expect(primed.body.prompt).toContain("GET /v1/skills/pdf-forms");
  });

  it("is saved once by an Idempotency-Key, which is refused for another project", async () => {
    const client = await newClient();
    const headers = { "Idempotency-Key": "save" };
    const save = (project: string) =>
      client.call("POST", `/v1/skills?project_id=${project}`, { slug: "once", ...ENDPOINT }, headers);
    const made = await save("a");
    expect(made.status).toBe(201);
    expect(await save("a")).toMatchObject({ status: 201, body: made.body });
    expect(await save("b")).toMatchObject({ status: 409, body: { code: "conflict" } });
  });

  it("is answered as Markdown where it was asked for, whatever it was sent as", async () => {
    const client = await newClient();
    const made = await put(client, "release", ENDPOINT, MARKDOWN);
    expect({ status: made.status, type: made.headers.get("Content-Type") }).toEqual({
      status: 201,
      type: "text/markdown; charset=utf-8",
    });
    const again = await putMarkdown(client, "release", made.body, "Text/X-Markdown");
    expect(again).toMatchObject({ status: 200, body: { ...ENDPOINT, slug: "release" } });
    for (const accept of ["*/*", "application/json", "text/html", "application/json, text/markdown;q=0.5"])
      expect((await get(client, "release", { Accept: accept })).body.slug).toBe("release");
  });

  it("changes nothing when it says the same again, in either form", async () => {
    const client = await newClient();
    const { body: first } = await put(client, "same", ENDPOINT);
    const markdown = (await get(client, "same", MARKDOWN)).body;
    for (const again of [
      await put(client, "same", { ...ENDPOINT, slug: "same" }),
      await putMarkdown(client, "same", markdown),
      await putMarkdown(client, "same", markdown.replaceAll("\n", "\r\n").replaceAll("\n- ", "\n* ")),
    ])
      expect(again).toMatchObject({ status: 200, body: first });
    expect(await historyOf(client, first.memory_id)).toHaveLength(1);
  });

  it("that changed takes the place of the one before, which stays in its history", async () => {
    const client = await newClient();
    const versions = [
      ENDPOINT,
      { ...ENDPOINT, steps: ["Read the spec", "Write a test first"] },
      { ...ENDPOINT, description: "How a route is added and tested." },
      ENDPOINT,
    ];
    const ids: string[] = [];
    for (const [index, version] of versions.entries()) {
      const { status, body } = await put(client, "growing", version);
      expect({ status, steps: body.steps }).toEqual({
        status: index === 0 ? 201 : 200,
        steps: version.steps,
      });
      ids.push(body.memory_id);
    }
    expect(new Set(ids).size).toBe(versions.length);
    const history = await historyOf(client, ids[0] ?? "");
    expect(history.map((memory: { id: string }) => memory.id)).toEqual(ids);
    expect(history.map((memory: { status: string }) => memory.status)).toEqual([
      "superseded",
      "superseded",
      "superseded",
      "live",
    ]);
    expect(history[1].properties.skillBody[0]).toContain("2. Write a test first");
    expect((await client.call("GET", "/v1/skills")).body.data).toHaveLength(1);
  });

  it("keeps what is known of its use when it changes", async () => {
    const client = await newClient();
    await put(client, "used", ENDPOINT);
    const recalled = await client.call("POST", "/v1/recall", { query: "endpoint route", type: "skill" });
    expect(recalled.body.count).toBe(1);
    await expect.poll(async () => (await get(client, "used")).body.usage_count).toBe(1);
    const before = (await get(client, "used")).body;
    expect(before.last_used).not.toBeNull();
    const { body } = await put(client, "used", { ...ENDPOINT, exit_criteria: [] });
    expect(body).toMatchObject({
      usage_count: 1,
      last_used: before.last_used,
      importance: before.importance,
    });
  });

  it("is a memory of the ontology's class, found by its words and by its meaning", async () => {
    const client = await newClient();
    const { body: skill } = await put(client, "found", ENDPOINT);
    const { body: memory } = await client.call("GET", `/v1/memories/${skill.memory_id}`);
    expect(memory).toMatchObject({
      type: "skill",
      content: "API endpoint: How a route is added to the service.",
      key: "skill:found",
      confidence: 1,
      importance: EXPERIENCE.defaultImportance,
      session_id: null,
      agent_id: null,
      project_id: null,
      properties: { skillName: ["API endpoint"] },
    });
    const changed = await put(client, "found", { ...ENDPOINT, name: "HTTP route" });
    await untilIndexed(client.tenant);
    for (const mode of ["text", "semantic", "hybrid"]) {
      const { body } = await client.call("POST", "/v1/recall", { query: "add a route", type: "skill", mode });
      expect(body.memories.map((hit: { id: string }) => hit.id)).toEqual([changed.body.memory_id]);
    }
  });

  it("is the same after the read model was made anew from the triples", async () => {
    const client = await newClient();
    await put(client, "kept", ENDPOINT);
    await put(client, "kept", { ...ENDPOINT, steps: ["Only this"] });
    await put(client, "kept-too", ENDPOINT);
    const all = async () => (await client.call("GET", "/v1/skills")).body;
    const before = await all();
    const rebuilt = await callWith(ADMIN_KEY, "POST", "/v1/admin/rebuild", { tenant: client.tenant });
    expect(rebuilt.body).toMatchObject({ rebuilt: 3, skipped: 0 });
    expect(await all()).toEqual(before);
  });

  it("written by many at once is one skill with one live version", async () => {
    const client = await newClient();
    const answers = await Promise.all(
      ["a", "b", "a", "b"].map((step) => put(client, "contested", { name: "Contested", steps: [step] })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    const { body } = await get(client, "contested");
    const history = await historyOf(client, body.memory_id);
    expect(history.filter((memory: { status: string }) => memory.status === "live")).toHaveLength(1);
    expect(history.at(-1).id).toBe(body.memory_id);
  });

  it("that was forgotten or erased is gone, and new when it is written again", async () => {
    const client = await newClient();
    const { body: first } = await put(client, "gone", ENDPOINT);
    await client.call("POST", "/v1/forget", { memory_id: first.memory_id });
    expect((await get(client, "gone")).status).toBe(404);
    const second = await put(client, "gone", ENDPOINT);
    expect(second.status).toBe(201);
    expect((await client.call("DELETE", `/v1/memories/${second.body.memory_id}`)).status).toBe(200);
    expect((await get(client, "gone")).status).toBe(404);
    expect((await put(client, "gone", ENDPOINT)).status).toBe(201);
  });

  it("shows to its tenant alone", async () => {
    const [client, stranger] = await Promise.all([newClient(), newClient()]);
    await put(client, "private", ENDPOINT);
    expect((await get(stranger, "private")).status).toBe(404);
    expect((await stranger.call("GET", "/v1/skills")).body.data).toEqual([]);
    expect((await put(stranger, "private", { name: "Mine", steps: ["Mine"] })).status).toBe(201);
    expect((await get(client, "private")).body.name).toBe("API endpoint");
    const reader = await newClient(["read"], client.tenant);
    expect((await get(reader, "private")).status).toBe(200);
    expect((await put(reader, "private", ENDPOINT)).status).toBe(403);
  });
});

describe("the list of skills", () => {
  it("is newest first, in pages, as JSON and as Markdown", async () => {
    const client = await newClient();
    for (const name of ["one", "two", "three"]) await put(client, name, { name, steps: [`Do ${name}`] });
    await put(client, "one", { name: "one", steps: ["Do one again"] });
    const seen: string[] = [];
    const times: string[] = [];
    let path: string | null = "/v1/skills?limit=2";
    while (path !== null) {
      const { body }: Answer = await client.call("GET", path);
      seen.push(...body.data.map((skill: { slug: string }) => skill.slug));
      times.push(...body.data.map((skill: { updated_at: string }) => skill.updated_at));
      path = body.next_cursor === null ? null : `/v1/skills?limit=2&cursor=${body.next_cursor}`;
    }
    expect(new Set(seen)).toEqual(new Set(["one", "two", "three"]));
    expect(seen).toHaveLength(3);
    expect(times).toEqual(times.toSorted().toReversed());

    const first = await client.call("GET", "/v1/skills?limit=2", undefined, MARKDOWN);
    expect(first.headers.get("Content-Type")).toBe("text/markdown; charset=utf-8");
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("Link") ?? "")?.[1] ?? "";
    const second = await client.call("GET", next, undefined, MARKDOWN);
    expect(second.headers.get("Link")).toBeNull();
    const titles = `${first.body}\n${second.body}`.match(/^# Skill: .*$/gm);
    expect(titles).toEqual(seen.map((name) => `# Skill: ${name}`));
  });

  it("refuses a limit and a cursor that are none", async () => {
    const client = await newClient();
    for (const [query, path] of [
      ["limit=0", "limit"],
      ["limit=101", "limit"],
      ["cursor=x", "cursor"],
    ]) {
      const { status, body } = await client.call("GET", `/v1/skills?${query}`);
      expect({ status, path: body.errors[0].path }).toEqual({ status: 400, path });
    }
  });
});

it("a stored body that cannot be parsed is shown as instructions, and breaks no list", async () => {
  const client = await newClient();
  await put(client, "whole", ENDPOINT);
  const { body: skill } = await put(client, "damaged", { ...ENDPOINT, name: "Damaged endpoint" });
  const body = `---\nname: damaged\nmetadata:\n  "${"-".repeat(1_200)}": v\n---\n`;
  await env.DB.prepare(
    "UPDATE memories SET properties = json_set(properties, '$.skillBody[0]', ?) WHERE tenant = ? AND id = ?",
  )
    .bind(body, client.tenant, skill.memory_id)
    .run();
  const damaged = { slug: "damaged", name: "Damaged endpoint", steps: [], instructions: body };
  expect((await get(client, "damaged")).body).toMatchObject(damaged);
  expect((await client.call("GET", "/v1/skills")).body.data).toMatchObject([damaged, { slug: "whole" }]);
  const found = await client.call("POST", "/v1/prime", { goal: "Add an API endpoint" });
  expect(found.body.applicable_skills).toHaveLength(2);
});

describe("what is no skill", () => {
  it.each([
    [{ steps: ["a"] }, "name"],
    [{ name: " ", steps: ["a"] }, "name"],
    [{ name: "two\nlines", steps: ["a"] }, "name"],
    [{ name: "x" }, "steps"],
    [{ name: "x", steps: [] }, "steps"],
    [{ name: "x", steps: ["a", ""] }, "steps.1"],
    [{ name: "x", steps: ["a\0"] }, "steps.0"],
    [{ name: "x", steps: ["a"], common_errors: [{ error: "e" }] }, "common_errors.0.fix"],
    [{ name: "x", steps: ["a"], slug: "other" }, "slug"],
    [{ name: "x", steps: ["a"], stepz: [] }, "stepz"],
    [{ name: "x", steps: ["a"], instructions: "b" }, "instructions"],
    [{ name: "x", instructions: "b", metadata: { "kioku-slug": "y" } }, "metadata.kioku-slug"],
    [{ name: "x", steps: ["a"], metadata: { ["-".repeat(150)]: "v" } }, `metadata.${"-".repeat(150)}`],
    [{ name: "x", instructions: "b", compatibility: "c".repeat(501) }, "compatibility"],
    [{ name: "x", steps: ["a"], example_usage: "x".repeat(EXPERIENCE.skillBytes) }, ""],
  ])("is refused with its field and leaves the skill as it was: %#", async (body, path) => {
    const client = await newClient();
    const { body: before } = await put(client, "kept", ENDPOINT);
    const refused = await put(client, "kept", body);
    expect({ status: refused.status, path: refused.body.errors[0].path }).toEqual({ status: 400, path });
    expect((await get(client, "kept")).body).toEqual(before);
  });

  it.each([
    ["kioku-slug", "must not begin with kioku-"],
    ["k".repeat(101), "must have at most 100 characters"],
    ["", "must not be empty"],
  ])("is one with metadata under %j: the answer says what is wrong with the name", async (name, message) => {
    const refused = await put(await newClient(), "named", {
      name: "x",
      instructions: "b",
      metadata: { [name]: "v" },
    });
    expect([refused.status, refused.body.errors[0].message]).toEqual([400, expect.stringContaining(message)]);
  });

  it("is one whose masked text no SKILL.md can have: it is refused before it is stored", async () => {
    const client = await newClient(["read", "write", "admin"]);
    await client.call("PUT", "/v1/privacy", { personal_data: { email: "mask" } });
    const license = Array.from({ length: 40 }, (_, n) => `a${n}@b.io`).join(" ");
    const refused = await put(client, "masked", { name: "x", steps: ["a"], license });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: "license" }] } });
    expect((await client.call("GET", "/v1/skills")).body.data).toEqual([]);
  });

  it.each([
    ["no title", "name"],
    ["# X\n\nNo steps", "steps"],
    ["# X\n## Steps\n1. a\n## Errors\n- b", "common_errors.0"],
    [`# X\n## Steps\n1. ${"a".repeat(2_001)}`, "steps.0"],
    ["---\nname: other\ndescription: d\n---\nBody", "name"],
    ["---\nname: No Slug\ndescription: d\n---\nBody", "name"],
    ["---\nname: none\ndescription: Use when: now\n---\nBody", "description"],
    [`---\nname: none\ndescription: ${"d".repeat(1_025)}\n---\nBody`, "description"],
    [`# X\n## Steps\n1. a\n## Example\n${"a".repeat(EXPERIENCE.skillBytes)}`, ""],
  ])("as Markdown is refused with its section: %#", async (markdown, path) => {
    const client = await newClient();
    const { status, body } = await putMarkdown(client, "none", markdown);
    expect({ status, path: body.errors[0].path }).toEqual({ status: 400, path });
    expect((await get(client, "none")).status).toBe(404);
  });

  it("is anything of another media type: the answer says which to send", async () => {
    const client = await newClient();
    const { status, body } = await putMarkdown(client, "typed", "# X\n## Steps\n1. a", "text/plain");
    expect(status).toBe(400);
    expect(body.errors[0]).toEqual({
      path: "Content-Type",
      message: "must be application/json or text/markdown or text/x-markdown",
    });
  });

  it.each(["Upper", "-dash", "a.b", "a%20b", "x".repeat(65)])("has a slug such as %s", async (slug) => {
    const client = await newClient();
    for (const answer of [await put(client, slug, ENDPOINT), await get(client, slug)])
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: "slug" }] } });
  });

  it("is found nowhere", async () => {
    const client = await newClient();
    const slug = freshId("skill");
    const { status, body } = await get(client, slug);
    expect(status).toBe(404);
    expect(body.detail).toContain(slug);
  });
});

it("the OpenAPI document lists both forms of a skill, to send and to get", async () => {
  const { body } = await callWith(null, "GET", "/openapi.json");
  const { put: sent, get: got } = body.paths["/v1/skills/{slug}"];
  expect(Object.keys(sent.requestBody.content)).toEqual([
    "application/json",
    "text/markdown",
    "text/x-markdown",
  ]);
  for (const answer of [sent.responses[200], sent.responses[201], got.responses[200]])
    expect(Object.keys(answer.content)).toEqual(["application/json", "text/markdown"]);
  expect(Object.keys(body.paths["/v1/recall"].post.requestBody.content)).toEqual(["application/json"]);
});
