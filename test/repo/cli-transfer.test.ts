// `kioku export` and `kioku import`: what one tenant knows, carried to another, as often as one likes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { forget, remember } from "../conformance/support/actions";
import type { Client } from "../conformance/support/client";
import { bodyOf } from "../conformance/support/expectations";
import { sharedServer } from "../conformance/support/http-service";
import { kioku, kiokuFile, type Outcome } from "./kioku-command";

type Line = Record<string, unknown> & { kind: string };

const service = sharedServer();
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
  expect(code, err).toBe(0);
  expect(err).toMatch(/^(Exported: \d+ .*|There is nothing to export\.)\nNot included: keys/);
  return linesOf(out);
}

const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** The records alone, in any order. */
const recordsIn = (lines: Line[]): string[] =>
  lines
    .slice(1, -1)
    .map((line) => JSON.stringify(line))
    .sort();

async function imported(client: Client, input: string) {
  const { code, out, err } = await as(client, ["import", "-", "--json"], input);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out) as { imported: Record<string, { added: number; known: number }>; refused: object[] };
}

/** A service that sends the first line of an export. */
async function serveHeader(goOn: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => {
    response.write(`${JSON.stringify({ kind: "kioku", format: 2 })}\n`, () => goOn(response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close };
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

  it("is one JSON object a line, from the header to the counts", async () => {
    const lines = await exported(from);
    expect(lines[0]).toMatchObject({
      kind: "kioku",
      format: 2,
      version: expect.any(String),
      scope: "tenant",
    });
    const counts = Object.fromEntries(
      [...Map.groupBy(lines.slice(1, -1), ({ kind }) => kind)].map(([kind, all]) => [kind, all.length]),
    );
    expect(lines.at(-1)).toMatchObject({ kind: "end", lines: lines.length - 2, counts });
    expect(counts).toMatchObject({ session: 1, episode: 1 });
  });

  it("is of one project, agent or session when asked, goes into a file, and can be triples", async () => {
    const shop = (await exported(from, "--project", "shop")).slice(1, -1);
    expect(new Set(shop.map(({ project_id }) => project_id))).toEqual(new Set(["shop"]));
    const ada = (await exported(from, "--agent", "ada")).slice(1, -1);
    expect(ada.map(({ kind, content }) => [kind, content])).toEqual([
      ["memory", "Renew it"],
      ["memory", "Mia leads"],
    ]);
    const own = (await exported(from, "--session", "s1")).slice(1, -1);
    expect(own.filter(({ kind }) => kind === "memory")).toHaveLength(4);
    const file = await as(from, ["export", "--out", "shop.jsonl", "--project", "shop"]);
    expect(file).toMatchObject({ code: 0, err: expect.stringMatching(/^Not included: keys, secrets/) });
    expect(file.out).toMatch(/^kind +records\nmemory +\d+\nepisode +1\n$/);
    const written = linesOf(await readFile(join(folder, "shop.jsonl"), "utf8"));
    expect(written.slice(1, -1)).toEqual(shop);
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
    expect((await as(from, ["export", "--agent", "ada", "--project", "shop"])).code).toBe(2);
  });

  it("leaves nothing of itself behind when it fails or is interrupted, and keeps the earlier file", async () => {
    const earlier = join(folder, "earlier.jsonl");
    await writeFile(earlier, "earlier");
    await using cut = await serveHeader((response) => response.destroy());
    const broken = { KIOKU_URL: cut.url, KIOKU_API_KEY: "k" };
    expect(await kioku(["export", "--out", earlier], { env: broken })).toEqual({
      code: 1,
      out: "",
      err: "kioku: The export was cut off: the service stopped in the middle of it. Export again.\n",
    });
    const refused = { KIOKU_URL: service.api.url(""), KIOKU_API_KEY: "kioku_unknown" };
    expect((await kioku(["export", "--out", earlier], { env: refused })).code).toBe(1);
    expect(await as(from, ["export", "--out", "."])).toMatchObject({
      code: 1,
      err: "kioku: . is a folder. Name a file in it with --out.\n",
    });

    await using silent = await serveHeader(() => {});
    const child = spawn(process.execPath, [kiokuFile, "export", "--out", earlier], {
      env: { KIOKU_URL: silent.url, KIOKU_API_KEY: "k" },
    });
    const ended = once(child, "exit");
    await vi.waitFor(async () => expect(await readFile(`${earlier}.part`, "utf8")).toContain("kioku"));
    child.kill("SIGINT");
    expect(await ended).toEqual([130, null]);

    expect((await readdir(folder)).filter((name) => name.startsWith("earlier"))).toEqual(["earlier.jsonl"]);
    expect(await readFile(earlier, "utf8")).toBe("earlier");
  });

  it("gives another tenant everything, ids and times included, and the second time nothing", async () => {
    const { out } = await as(from, ["export"]);
    const to = await service.tenant();
    const first = await imported(to, out);
    expect(first.refused).toEqual([]);
    expect(first.imported.session).toEqual({ added: 1, known: 0 });
    expect(recordsIn(await exported(to))).toEqual(recordsIn(linesOf(out)));
    const again = await imported(to, out);
    for (const counts of Object.values(again.imported)) expect(counts.added).toBe(0);
    expect(recordsIn(await exported(to))).toEqual(recordsIn(linesOf(out)));
  });

  it("leaves no copy of stdin behind when its import is interrupted", async () => {
    const temporary = join(folder, "temporary");
    await mkdir(temporary);
    const child = spawn(process.execPath, [kiokuFile, "import", "-"], {
      env: { KIOKU_URL: service.api.url(""), KIOKU_API_KEY: from.key ?? "", TMPDIR: temporary },
    });
    const ended = once(child, "exit");
    child.stdin.write("{");
    await vi.waitFor(async () => {
      const paths = await readdir(temporary, { recursive: true });
      expect(paths.map((path) => basename(path))).toContain("stdin");
    });
    child.kill("SIGTERM");
    expect(await ended).toEqual([143, null]);
    expect(await readdir(temporary)).toEqual([]);
  });

  it("changes nothing of what a tenant has learnt since", async () => {
    const to = await service.tenant();
    const { out } = await as(from, ["export"]);
    await imported(to, out);
    const later = { project_id: "shop", key: "deploy-day", content: "We deploy every day" };
    bodyOf(await to.post("/v1/remember", later), 201);
    await imported(to, out);
    const live = await to.get<{ data: Line[] }>("/v1/memories?project_id=shop");
    const contents = bodyOf(live, 200).data.map(({ content }) => content);
    expect(contents).toContain("We deploy every day");
    expect(contents).not.toContain("We deploy on Fridays");
  });

  it("is refused before anything is sent if it is cut off or changed, with the line", async () => {
    const to = await service.tenant();
    const { out } = await as(from, ["export"]);
    const lines = out.trimEnd().split("\n");
    const refuse = async (kept: string[], message: RegExp) => {
      const { code, err } = await as(to, ["import", "-"], `${kept.join("\n")}\n`);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(message) });
      expect(recordsIn(await exported(to))).toEqual([]);
    };
    await refuse(lines.slice(0, -1), /cut off after line \d+/);
    await refuse(lines.toSpliced(3, 1), /Line \d+: lines is \d+, and there are/);
    const changed = lines.map((line) => line.replace("Blue is better", "Red is better"));
    await refuse(changed, /digest is not that of the lines/);
    await refuse([JSON.stringify({ kind: "kioku", format: 9 })], /format 9 is not 2/);
    // The service names the line of the file, not that of the part.
    const wrong = lines.map((line) => line.replace('"source_type":"tool"', '"source_type":"dream"'));
    const end = JSON.stringify({ ...JSON.parse(lines.at(-1) ?? ""), digest: undefined });
    const at = wrong.findIndex((line) => line.includes('"dream"')) + 1;
    await refuse([...wrong.slice(0, -1), end], new RegExp(`Line ${at}: source_type: must be`));
  });
});

describe("a file of an earlier version", () => {
  const memory = {
    ...{ kind: "memory", type: "fact", status: "live", timestamp: "2026-01-01T00:00:00.000Z" },
    ...{ project_id: "shop", confidence: 0.7, evidence: ["runbook.md"], source_type: "agent" },
    ...{ valid_from: "2026-01-01T00:00:00.000Z", metadata: {}, tags: [], properties: {}, key: null },
  };
  const FILE = [
    { kind: "kioku", format: 1, version: "0.1.0", exported_at: "2026-01-31T12:00:00.000Z" },
    { ...memory, id: "old", content: "We deploy on Fridays", status: "superseded", superseded_by: "new" },
    { ...memory, id: "new", content: "We deploy on Mondays" },
    { kind: "episode", id: "ep-1", outcome: "success", context: { goal: "Upgrade zod" } },
    {
      ...{ kind: "skill", slug: "deploy", name: "Deploy", steps: ["Test", "Deploy"], description: "How to" },
      ...{ prerequisites: [], common_errors: [], exit_criteria: [] },
    },
    { kind: "end", lines: 4 },
  ];
  const toText = (lines: object[]) => lines.map((line) => JSON.stringify(line)).join("\n");

  it("is imported as before: memories with who replaced whom, episodes and skills, once", async () => {
    const to = await service.tenant();
    const { imported: first, refused } = await imported(to, toText(FILE));
    expect(refused).toEqual([]);
    expect(first).toEqual({
      ...{ memory: { added: 2, known: 0 }, episode: { added: 1, known: 0 }, skill: { added: 1, known: 0 } },
    });
    const lines = await exported(to);
    const one = (content: string) => lines.find((line) => line.content === content);
    expect(one("We deploy on Fridays")?.superseded_by).toBe(one("We deploy on Mondays")?.id);
    for (const counts of Object.values((await imported(to, toText(FILE))).imported))
      expect(counts.added).toBe(0);
  });

  it("says which lines are refused, takes the others, and that a file was cut off", async () => {
    const to = await service.tenant();
    const { id: _id, ...good } = { ...memory, id: "x", content: "Good" };
    const input = [good, { ...good, content: "Bad", type: "magic" }, { ...good, content: "Fine" }];
    const { code, out, err } = await as(to, ["import", "-"], toText(input));
    expect(code).toBe(1);
    expect(out).toMatch(/^kind +added +there already\nmemory +2 +0\n$/);
    expect(err).toMatch(/^line 2: type: must be one of.*\nkioku: 1 refused.*\nnote: .*cut off/);
    expect((await exported(to)).filter(({ kind }) => kind === "memory")).toHaveLength(2);
  });

  it("has its resources refused one by one if they refer to what is nowhere", async () => {
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
