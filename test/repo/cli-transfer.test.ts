// `kioku export` and `kioku import`: what one tenant knows, carried to another, as often as one likes.
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forget, remember } from "../conformance/support/actions";
import type { Client } from "../conformance/support/client";
import { bodyOf } from "../conformance/support/expectations";
import { serviceUnderTest } from "../conformance/support/service";
import { kioku, type Outcome } from "./kioku-command";

type Line = Record<string, unknown> & { kind: string };

const service = serviceUnderTest();
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kioku-transfer-"));
});
afterAll(() => rm(folder, { recursive: true }));

function as({ key }: Client, args: string[], input = ""): Promise<Outcome> {
  const env = { KIOKU_URL: service.api.url(""), KIOKU_API_KEY: key ?? "" };
  return kioku(args, { cwd: folder, env, input });
}

async function exported(client: Client, ...options: string[]): Promise<Line[]> {
  const { code, out, err } = await as(client, ["export", ...options]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return linesOf(out);
}

const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** What is carried: without ids, which name the tenant, and without what the service counts and dates itself. */
function told(lines: Line[]): string[] {
  const own = [
    "id",
    "memory_id",
    "timestamp",
    "created_at",
    "updated_at",
    "last_seen",
    "last_used",
    "usage_count",
  ];
  const counted = [
    "exported_at",
    "importance",
    "access_count",
    "last_accessed",
    "superseded_by",
    "forgotten_at",
    "valid_until",
  ];
  return lines
    .map((line) => {
      const left = line.kind === "entry" ? [...own, ...counted, "valid_from"] : [...own, ...counted];
      const kept = Object.entries(line).filter(([name]) => line.kind === "episode" || !left.includes(name));
      return JSON.stringify(Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))));
    })
    .sort();
}

async function imported(client: Client, input: string) {
  const { code, out, err } = await as(client, ["import", "-", "--json"], input);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out) as { imported: Record<string, { added: number; known: number }>; refused: object[] };
}

describe("an export", () => {
  let from: Client;
  beforeAll(async () => {
    from = await service.tenant();
    const post = async (path: string, body: object) => bodyOf(await from.post(path, body), 201);
    const changed = { project_id: "shop", key: "deploy-day", confidence: 0.7, evidence: ["runbook.md"] };
    await post("/v1/remember", { ...changed, content: "We deploy on Fridays" });
    await post("/v1/remember", {
      ...changed,
      content: "We deploy on Mondays",
      valid_from: "2026-01-02T03:04:05.000Z",
    });
    await post("/v1/remember", { ...changed, content: "We deploy on Fridays" });
    await remember(from, "s1", "Kept in a session", { type: "decision", rationale: "It was long" });
    const { memory_id } = await remember(from, "s1", "Soon forgotten", { source_type: "tool" });
    await forget(from, "s1", memory_id, { reason: "no longer so" });
    const worse = await remember(from, "s1", "Green is fine");
    const better = await remember(from, "s1", "Blue is better");
    await forget(from, "s1", worse.memory_id, { replacement_id: better.memory_id });
    await post("/v1/remember", {
      agent_id: "ada",
      type: "task",
      content: "Renew it",
      properties: { assignedTo: "ben" },
    });
    await post("/v1/entries", {
      agent_id: "ada",
      namespace: "team",
      content: "Mia leads",
      metadata: { by: "hand" },
    });
    await post("/v1/episodes", { project_id: "shop", outcome: "success", context: { goal: "Upgrade zod" } });
    const learning = {
      trigger: "Tests hang",
      root_cause: "Open handle",
      fix: "Close it",
      prevention: "afterAll",
    };
    await post("/v1/learnings", learning);
    await post("/v1/patterns", {
      pattern: "Read the changelog first",
      category: "upgrade",
      project_id: "shop",
    });
    bodyOf(await from.put("/v1/skills/deploy", { name: "Deploy", steps: ["Test", "Deploy"] }), 201);
    const entities = [{ name: "Mia", entityType: "person", observations: ["drinks tea"] }];
    bodyOf(await from.post("/v1/graph/create_entities", { entities }), 200);
    bodyOf(
      await from.post("/v1/graph/create_relations", {
        relations: [{ from: "Mia", to: "Mia", relationType: "is" }],
      }),
      200,
    );
  });

  it("is one JSON object a line, from the header to the count of lines", async () => {
    const lines = await exported(from);
    expect(lines[0]).toMatchObject({ kind: "kioku", format: 1, version: expect.any(String) });
    expect(lines.at(-1)).toEqual({ kind: "end", lines: lines.length - 2 });
    const kinds = new Set(lines.slice(1, -1).map(({ kind }) => kind));
    expect(kinds).toEqual(
      new Set(["memory", "entry", "entity", "relation", "episode", "learning", "pattern", "skill"]),
    );
    const statuses = lines.filter(({ kind }) => kind === "memory").map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set(["live"]));
    const all = (await exported(from, "--all")).filter(({ kind }) => kind === "memory");
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(["live", "superseded", "forgotten"]));
  });

  it("is of one project or one agent when asked, goes into a file, and can be triples", async () => {
    const shop = await exported(from, "--project", "shop");
    expect(shop.slice(1, -1).map(({ project_id }) => project_id)).toEqual(Array(3).fill("shop"));
    const ada = (await exported(from, "--agent", "ada")).slice(1, -1);
    expect(ada.map(({ kind, agent_id }) => [kind, agent_id])).toEqual([
      ["entry", "ada"],
      ["memory", "ada"],
    ]);
    expect(await as(from, ["export", "--out", "shop.jsonl", "--project", "shop"])).toMatchObject({
      code: 0,
      out: "",
    });
    const written = linesOf(await readFile(join(folder, "shop.jsonl"), "utf8"));
    expect(told(written)).toEqual(told(shop));
    // It has a tenant's memory: nobody else on the machine reads it.
    expect((await stat(join(folder, "shop.jsonl"))).mode & 0o777).toBe(0o600);
    const triples = await as(from, ["export", "--format", "nt", "--project", "shop"]);
    for (const line of triples.out.trimEnd().split("\n")) expect(line).toMatch(/^<\S+> <\S+> .+ \.$/);
    expect(triples.out).toContain('"We deploy on Fridays"');
    const nowhere = await as(from, ["export", "--out", "no/such/folder"]);
    expect(nowhere).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^kioku: Cannot write .*ENOENT.*\n$/),
    });
  });

  it("gives another tenant the same memories with their history, and the second time nothing", async () => {
    const { out } = await as(from, ["export", "--all"]);
    const to = await service.tenant();
    const first = await imported(to, out);
    expect(first.refused).toEqual([]);
    expect(first.imported).toMatchObject({
      memory: { added: 8, known: 0 },
      skill: { added: 1 },
      episode: { added: 1 },
    });
    const there = await exported(to, "--all");
    expect(told(there)).toEqual(told(linesOf(out)));

    const again = await imported(to, out);
    for (const counts of Object.values(again.imported)) expect(counts.added).toBe(0);
    expect(await exported(to, "--all")).toEqual([expect.anything(), ...there.slice(1)]);
  });

  it("keeps who replaced whom", async () => {
    const to = await service.tenant();
    await imported(to, (await as(from, ["export", "--all"])).out);
    const lines = await exported(to, "--all");
    const one = (content: string, status: string) =>
      lines.find((line) => line.content === content && line.status === status);
    expect(one("Green is fine", "superseded")?.superseded_by).toBe(one("Blue is better", "live")?.id);
    expect(one("We deploy on Fridays", "superseded")?.superseded_by).toBe(
      one("We deploy on Mondays", "superseded")?.id,
    );
    expect(one("We deploy on Mondays", "superseded")?.superseded_by).toBe(
      one("We deploy on Fridays", "live")?.id,
    );
  });

  it("keeps the relations of live memories, by the ids that these have at the target", async () => {
    const source = await service.tenant();
    const make = async (type: string, content: string, properties: object = {}) => {
      const body = { content, type, properties, project_id: "shop" };
      return bodyOf(await source.post<{ memory_id: string }>("/v1/remember", body), 201).memory_id;
    };
    const later = await make("task", "Paint");
    const first = await make("task", "Build", { hasTaskStatus: "Planned" });
    bodyOf(await source.patch(`/v1/memories/${later}`, { properties: { dependsOn: first } }), 200);
    const cause = await make("root_cause", "No budget");
    await make("bug", "It leaks", { hasRootCause: cause });
    const to = await service.tenant();
    const { out } = await as(source, ["export"]);
    const read = async () => {
      const lines = await exported(to);
      const one = (content: string) => lines.find((line) => line.content === content);
      return { one, properties: (content: string) => one(content)?.properties };
    };
    expect((await imported(to, out)).refused).toEqual([]);
    const { one, properties } = await read();
    expect(properties("Paint")).toEqual({ dependsOn: [one("Build")?.id] });
    expect(properties("It leaks")).toEqual({ hasRootCause: [one("No budget")?.id] });
    expect(one("Build")?.id).not.toBe(first);

    const better = { content: "Bad plan", type: "root_cause", project_id: "shop" };
    const { memory_id } = bodyOf(await to.post<{ memory_id: string }>("/v1/remember", better), 201);
    const change = { properties: { hasRootCause: memory_id } };
    bodyOf(await to.patch(`/v1/memories/${one("It leaks")?.id}`, change), 200);
    expect((await imported(to, out)).imported).toEqual({ memory: { added: 0, known: 4 } });
    expect((await read()).properties("It leaks")).toEqual({ hasRootCause: [memory_id] });
  });

  it("changes nothing of what a tenant has learnt since", async () => {
    const to = await service.tenant();
    const { out } = await as(from, ["export"]);
    await imported(to, out);
    const later = { project_id: "shop", key: "deploy-day", content: "We deploy every day" };
    bodyOf(await to.post("/v1/remember", later), 201);
    await imported(to, out);
    const live = (await exported(to, "--project", "shop")).filter(({ kind }) => kind === "memory");
    expect(live.map(({ content }) => content)).toEqual(["We deploy every day"]);
  });

  it("says which lines are refused, takes the others, and that a file was cut off", async () => {
    const to = await service.tenant();
    const good = {
      kind: "memory",
      content: "Good",
      type: "fact",
      status: "live",
      timestamp: "2026-01-01T00:00:00.000Z",
      project_id: "p",
    };
    const input = [good, { ...good, content: "Bad", type: "magic" }, { ...good, content: "Fine" }].map(
      (line) => JSON.stringify(line),
    );
    const { code, out, err } = await as(to, ["import", "-"], input.join("\n"));
    expect(code).toBe(1);
    expect(out).toMatch(/^kind +added +there already\nmemory +2 +0\n$/);
    expect(err).toMatch(/^line 2: type: must be one of.*\nkioku: 1 refused.*\nnote: .*cut off/);
    expect((await exported(to)).filter(({ kind }) => kind === "memory")).toHaveLength(2);
  });
});

describe("a file of server-memory", () => {
  const FILE = [
    { type: "entity", name: "Mia", entityType: "person", observations: ["drinks tea", "leads the team"] },
    { type: "entity", name: "Shop", entityType: "project", observations: [] },
    { type: "relation", from: "Mia", to: "Shop", relationType: "owns" },
  ]
    .map((line) => JSON.stringify(line))
    .join("\n");

  it("becomes the knowledge graph of the tenant or of the agent named, once", async () => {
    const to = await service.tenant();
    expect((await imported(to, FILE)).imported).toEqual({
      entity: { added: 2, known: 0 },
      relation: { added: 1, known: 0 },
    });
    expect((await imported(to, FILE)).imported).toEqual({
      entity: { added: 0, known: 2 },
      relation: { added: 0, known: 1 },
    });
    expect(await as(to, ["import", "-", "--agent", "ada"], FILE)).toMatchObject({ code: 0 });
    for (const owner of [{}, { agent_id: "ada" }]) {
      const graph = bodyOf(await to.post<{ entities: object[] }>("/v1/graph/read_graph", owner), 200);
      expect(graph.entities).toContainEqual({
        name: "Mia",
        entityType: "person",
        observations: ["drinks tea", "leads the team"],
      });
    }
    expect((await as(to, ["import", "-", "--agent", "ada"], '{"kind":"kioku","format":1}')).code).toBe(2);
  });
});

describe("the agents, projects and resources of an export", () => {
  it("come with the memories that refer to them, whatever the agents may do", async () => {
    const [from, to] = [await service.tenant(), await service.tenant()];
    const put = async (path: string, body: object) => bodyOf(await from.put(path, body), 200);
    const project_id = "shop";
    await put("/v1/resources/source_file/router", { project_id, properties: { filePath: "src/router.ts" } });
    // It comes before the file in the list, and refers to it.
    await put("/v1/resources/command/Order", { project_id, properties: { definedInFile: "router" } });
    await put("/v1/resources/module/checkout", { properties: {} });
    await put("/v1/projects/shop", { properties: { projectName: "Shop", hasModule: "checkout" } });
    const about = { project_id, agent_id: "ada", properties: { refersTo: "source_file/router" } };
    bodyOf(await from.post("/v1/remember", { ...about, content: "Routes are sorted" }), 201);
    await put("/v1/agents/ada", { class: "primary_agent", properties: { hasCapability: "CanQueryMemory" } });
    const lines = await exported(from);
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    expect(await imported(to, text)).toMatchObject({
      imported: {
        ...{ resource: { added: 3, known: 0 }, project: { added: 1, known: 0 } },
        ...{ agent: { added: 1, known: 0 }, memory: { added: 1, known: 0 } },
      },
      refused: [],
    });
    expect(told(await exported(to))).toEqual(told(lines));
    expect(await imported(to, text)).toMatchObject({
      imported: { resource: { added: 0, known: 3 }, project: { added: 0, known: 1 }, agent: { known: 1 } },
    });
    const shop = (await exported(from, "--project", "shop")).slice(1, -1).map(({ kind }) => kind);
    expect(shop.toSorted()).toEqual(["memory", "project", "resource", "resource", "resource"]);
  });

  it("are refused one by one if they refer to what is nowhere", async () => {
    const to = await service.tenant();
    const lost = {
      kind: "resource",
      class: "command",
      id: "Order",
      properties: { definedInFile: ["nowhere"] },
    };
    const { code, err } = await as(to, ["import", "-"], JSON.stringify(lost));
    expect(code).toBe(1);
    expect(err).toContain("line 1: properties.definedInFile: there is no source_file nowhere");
  });
});
