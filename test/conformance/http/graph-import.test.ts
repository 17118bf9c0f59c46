// A file of `@modelcontextprotocol/server-memory`, imported: nothing lost, nothing twice, bad lines told.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as McpClient } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, it } from "vitest";
import { importGraph } from "../../../client/import-graph";
import { Kioku } from "../../../client/index";
import { fresh } from "../support/client";
import { sharedServer } from "../support/http-service";

const service = sharedServer();
const kioku = () => new Kioku({ url: service.api.url(""), key: service.api.key ?? "" });
const read = (project_id: string) =>
  kioku().request("POST", "/v1/graph/read_graph", { body: { project_id } });

const person = (n: number) => ({
  name: `Person ${n}`,
  entityType: n % 2 === 0 ? "even" : "odd",
  observations: [`Is number ${n}`, "Is counted", "é\n'\"", ""],
});
const knows = (n: number) => ({ from: `Person ${n}`, to: `Person ${n + 1}`, relationType: "knows" });
const entityLine = (entity: object) => JSON.stringify({ type: "entity", ...entity });

/** What the real server writes, and what it reads of that itself. */
async function fileOfOriginal(count: number) {
  const folder = await mkdtemp(join(tmpdir(), "server-memory-"));
  const file = join(folder, "memory.jsonl");
  const client = new McpClient({ name: "test", version: "1.0.0" });
  const original = createRequire(import.meta.url).resolve(
    "@modelcontextprotocol/server-memory/dist/index.js",
  );
  const env = { MEMORY_FILE_PATH: file };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [original], env, stderr: "ignore" }),
  );
  const all = Array.from({ length: count }, (_, n) => n);
  await client.callTool({ name: "create_entities", arguments: { entities: all.map(person) } });
  await client.callTool({ name: "create_relations", arguments: { relations: all.map(knows) } });
  const { structuredContent } = await client.callTool({ name: "read_graph", arguments: {} });
  await client.close();
  const lines = (await readFile(file, "utf8")).split("\n");
  await rm(folder, { recursive: true });
  return { lines, graph: structuredContent };
}

it("the graph is the same after the import, in order, and after importing it again", async () => {
  const project_id = fresh("project");
  const { lines, graph } = await fileOfOriginal(250);
  const steps: number[] = [];
  const first = await importGraph(kioku(), lines, {
    project_id,
    onProgress: ({ entities, relations }) => steps.push(entities.added + relations.added),
  });
  expect(first).toMatchObject({
    lines: 500,
    entities: { added: 250, known: 0 },
    relations: { added: 250, known: 0 },
    bad: [],
  });
  expect(steps.length).toBeGreaterThan(2);
  expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  expect(await read(project_id)).toEqual(graph);
  expect(await importGraph(kioku(), lines, { project_id })).toMatchObject({
    entities: { added: 0, known: 250 },
    relations: { added: 0, known: 250 },
    observations: 0,
  });
  expect(await read(project_id)).toEqual(graph);
});

it("an entity with more observations than one call takes arrives whole", async () => {
  const project_id = fresh("project");
  const observations = Array.from({ length: 1_200 }, (_, n) => `Observation ${n}`);
  await importGraph(kioku(), [entityLine({ name: "Ada", entityType: "person", observations })], {
    project_id,
  });
  expect((await read(project_id)).entities).toEqual([{ name: "Ada", entityType: "person", observations }]);
});

it("bad lines are told by their number, blank ones passed over, and all others arrive", async () => {
  const project_id = fresh("project");
  async function* lines() {
    yield entityLine(person(1));
    yield "";
    yield "{not json";
    yield '["a list"]';
    yield entityLine({ ...person(2), observations: "one" });
    yield JSON.stringify({ type: "note", text: "x" });
    yield entityLine({ ...person(3), observations: ["x".repeat(40_000)] });
    yield JSON.stringify({ type: "relation", from: "Person 1", to: "Person 4" });
    yield entityLine(person(4));
    yield JSON.stringify({ type: "relation", ...knows(1) });
    yield entityLine({ ...person(1), observations: ["Is told of again"] });
  }
  const { bad, ...done } = await importGraph(kioku(), lines(), { project_id });
  expect(bad.map(({ line, message }) => [line, /^[\w.]+/.exec(message)?.[0]])).toEqual([
    [3, "is"],
    [4, "is"],
    [5, "observations"],
    [6, "type"],
    [7, "entities.0.observations.0"],
    [8, "relationType"],
  ]);
  expect(done).toMatchObject({ lines: 11, entities: { added: 2 }, relations: { added: 1 }, observations: 1 });
  const { entities, relations } = await read(project_id);
  expect(entities).toEqual([
    { ...person(1), observations: [...person(1).observations, "Is told of again"] },
    person(4),
  ]);
  expect(relations).toEqual([knows(1)]);
});
