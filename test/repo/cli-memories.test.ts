// `kioku` and memories, against the built service: what people see, and what programs read.
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { fresh } from "../conformance/support/client";
import { commandUnderTest } from "./cli-under-test";

const { service, cli, json, remember } = commandUnderTest();

describe("a memory", () => {
  it("is kept, found, forgotten, and then no longer found", async () => {
    const project = fresh("project");
    const kept = await cli([
      "remember",
      "The office is in Kyoto",
      "--project",
      project,
      "--confidence",
      "high",
    ]);
    expect(kept).toMatchObject({ code: 0, err: "" });
    const id = /^Stored fact memory (\S+)\n$/.exec(kept.out)?.[1] ?? "";
    const found = await cli(["recall", "where is the office?", "--project", project]);
    expect(found.code).toBe(0);
    const [head = "", row = ""] = found.out.split("\n");
    expect(head.split(/ {2,}/)).toEqual(["id", "type", "score", "when", "content"]);
    expect(row).toContain(id);
    expect(row).toContain("The office is in Kyoto");
    expect((await cli(["forget", id, "--reason", "moved"])).out).toBe(`Memory ${id} has been forgotten\n`);
    const old = await remember("The office was in Osaka", "--project", project);
    const replaced = await cli(["forget", old, "--replacement", id]);
    expect(replaced).toMatchObject({ code: 0, out: `Memory ${old} has been superseded\n` });
    const gone = await cli(["recall", "office", "--project", project]);
    expect(gone).toMatchObject({ code: 0, out: "", err: expect.stringContaining("Nothing was found") });
  });

  it("is shown as the API has it with --json", async () => {
    const agent = fresh("agent");
    const id = await remember("Ada prefers tea", "--agent", agent, "--key", "drink", "--type", "assumption");
    const options = [
      "--agent",
      agent,
      "--type",
      "assumption",
      "--mode",
      "text",
      "--limit",
      "1",
      "--scope",
      "agent",
    ];
    expect(await json(["recall", "tea", ...options])).toMatchObject({
      count: 1,
      memories: [{ id, kind: "memory", content: "Ada prefers tea", type: "assumption", agent_id: agent }],
    });
    const again = await remember("Ada prefers coffee", "--agent", agent, "--key", "drink");
    expect(await json(["forget", again])).toMatchObject({ forgotten: true, memory_id: again });
  });

  it("names what it replaces, and has its tags", async () => {
    const [project, topic] = [fresh("project"), ["--key", "day"]];
    const old = await remember("We deploy on Mondays", "--project", project, ...topic);
    const kept = await cli(["remember", "We deploy on Fridays", "--project", project, ...topic]);
    expect(kept.out).toMatch(new RegExp(`^Stored fact memory \\S+\nReplaces ${old}\n$`));
    const tags = ["--tag", "deploy", "--tag", "team"];
    const tagged = await remember("Mia leads the team", "--project", project, ...tags);
    const { memories } = await json<{ memories: object[] }>(["recall", "who leads?", "--project", project]);
    expect(memories).toContainEqual(expect.objectContaining({ id: tagged, tags: ["deploy", "team"] }));
  });

  it("is found beside what was only said; --messages adds the session's own window", async () => {
    const [session, user] = [fresh("session"), fresh("user")];
    const messages = [{ role: "user", content: "My bicycle is orange." }];
    await service.api.post(`/v1/sessions/${session}/messages`, { user_id: user, messages });
    const said = { count: 1, memories: [{ kind: "message", content: "My bicycle is orange." }] };
    await vi.waitFor(async () =>
      expect(await json(["recall", "orange bicycle", "--user", user])).toMatchObject(said),
    );
    const own = ["recall", "orange bicycle", "--session", session];
    expect(await json(own)).toMatchObject({ count: 0 });
    expect(await json([...own, "--messages"])).toMatchObject(said);
  });

  it("comes from stdin where its text is -", async () => {
    const session = fresh("session");
    const { code } = await cli(["remember", "-", "--session", session], { input: "Said\nby a pipe\n" });
    expect(code).toBe(0);
    expect(await json(["recall", "pipe", "--session", session])).toMatchObject({
      memories: [{ content: "Said\nby a pipe", session_id: session }],
    });
  });

  it("belongs to the project default when nobody says whose it is", async () => {
    await remember("Nobody said whose");
    const { memories } = await json<{ memories: object[] }>([
      "recall",
      "nobody said",
      "--project",
      "default",
    ]);
    expect(memories).toMatchObject([{ project_id: "default" }]);
  });
});

describe("a memory by its id", () => {
  it("is listed, shown, explained and erased", async () => {
    const project = fresh("project");
    const own = ["--project", project];
    const basis = await remember("The harbour is four metres deep", ...own);
    const before = await remember(
      "Boats of three metres may berth",
      ...own,
      "--key",
      "berth",
      "--tag",
      "rule",
    );
    const id = await remember(
      "Boats of two metres may berth",
      ...own,
      "--key",
      "berth",
      "--rationale",
      "silt",
    );
    await service.api.post("/v1/links", { from: id, to: basis, relation: "derived_from" });
    const listed = await cli(["list", ...own]);
    expect(listed.out).toMatch(/^id +type +status +when +content\n/);
    expect(listed.out).toContain(`${id}  fact  live`);
    expect(listed.out).not.toContain(before);
    expect(await json(["list", ...own, "--all", "--tag", "rule"])).toMatchObject({
      data: [{ id: before, status: "superseded" }],
    });
    const shown = await cli(["show", id]);
    expect(shown.out).toMatch(/^id +\S+\ncontent +Boats of two metres may berth\n/);
    expect(shown.out).toMatch(new RegExp(`^replaces +${before}$`, "m"));
    expect(shown.out).not.toMatch(/null|undefined|^forgotten/m);
    const history = await cli(["history", id]);
    expect(history.out).toMatch(
      new RegExp(`${before} +superseded +Boats of three metres may berth\n.* – +${id} +live +Boats of two`),
    );
    const why = await cli(["why", id]);
    expect(why.out).toMatch(/^fact +Boats of two metres may berth\n/);
    expect(why.out).toMatch(/^rationale +silt$/m);
    expect(why.out).toMatch(
      new RegExp(`^replaces +${before} Boats of three metres may berth \\(key\\)$`, "m"),
    );
    expect(await json(["why", id])).toMatchObject({ memory: { id }, activity: { kind: "remember" } });
    const [ctrlC, ctrlD] = ["\u0003", "\u0004"];
    for (const input of [ctrlC, ctrlD])
      expect(await cli(["erase", id], { input, isTTY: true })).toMatchObject({
        code: 1,
        err: expect.stringMatching(/\nNothing was erased\.\n$/),
      });
    const asked = await cli(["erase", id], { input: "n\n", isTTY: true, env: { NO_COLOR: "1" } });
    expect(asked).toMatchObject({ code: 1, err: expect.stringContaining(`Erase ${id} for good? [y/N]`) });
    expect(asked.err).toContain("Nothing was erased.");
    expect(await cli(["erase", id])).toMatchObject({
      code: 2,
      out: "",
      err: `kioku: Nothing was erased. Without a terminal, add --yes to erase ${id} for good.\n`,
    });
    expect((await cli(["erase", id, "--yes"])).out).toMatch(/^Erased [\s\S]*memories +1\n/);
    expect(await cli(["show", id])).toMatchObject({ code: 1, out: "" });
  });
});

describe("recall", () => {
  it("notes why an answer is not what was asked for", async () => {
    const degraded = "The embedder did not answer. Answered by text.";
    const not_reranked = "The reranker failed. The hits have the order of the search.";
    const server = createHttpServer((_, response) => {
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ count: 0, memories: [], degraded, not_reranked }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, err } = await cli(["recall", "deploy"], { env: { KIOKU_URL: url } });
    server.closeAllConnections();
    server.close();
    expect(code).toBe(0);
    expect(err).toContain(`note: ${degraded}`);
    expect(err).toContain(`note: ${not_reranked}`);
  });
});

describe("a SPARQL query", () => {
  it("is answered as a table, as JSON or in another format, and its errors count the columns as typed", async () => {
    const project = fresh("project");
    await cli(["remember", "The atlas is blue", "--project", project]);
    const where = `WHERE { ?m jido:appliesToProject jido:project_${project} ; jido:summary ?text }`;
    const table = await cli(["sparql", `SELECT ?text ${where}`]);
    expect(table.out).toMatch(/^text\s+The atlas is blue\n$/);
    const json = await cli(["sparql", `SELECT ?text ${where}`, "--json"]);
    expect(JSON.parse(json.out).results.bindings[0].text.value).toBe("The atlas is blue");
    const csv = await cli(["sparql", `SELECT ?text ${where}`, "--format", "csv"]);
    expect(csv.out).toBe("text\r\nThe atlas is blue\n");
    const turtle = await cli([
      "sparql",
      `CONSTRUCT { ?m jido:summary ?text } ${where}`,
      "--format",
      "turtle",
    ]);
    expect(turtle.out).toContain('jido:summary "The atlas is blue"');
    expect((await cli(["sparql", `ASK ${where}`])).out).toBe("true\n");
    const all = `SELECT ?m WHERE { ?m a jido:MemoryItem ; jido:appliesToProject jido:project_${project} }`;
    expect((await cli(["sparql", all])).out).toContain("jido:memory_");
    expect((await cli(["sparql", all, "--exact"])).err).toContain("No rows.");
    const wrong = await cli(["sparql", "SELECT ?text WHERE"]);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toMatch(/line 1, column (?:19|20)\b/);
  });
});
