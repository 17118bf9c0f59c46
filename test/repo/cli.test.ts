// `kioku`, the command, against the built service: what people see, what programs read, and what is said when it fails.
import { once } from "node:events";
import {
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findLocalService } from "../../cli/local-service";
import { fresh } from "../conformance/support/client";
import { fakeEmbeddings } from "../conformance/support/embeddings";
import { ownServer, serviceUnderTest } from "../conformance/support/service";
import { type CommandCall, kioku, kiokuFile, type Outcome, runToEnd, spawnKioku } from "./kioku-command";

const service = serviceUnderTest();
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kioku-cli-"));
});
afterAll(() => rm(folder, { recursive: true }));

function settings(key: string | null, more: Record<string, string> = {}): CommandCall {
  const url = service.api.url("");
  return { cwd: folder, env: { KIOKU_URL: url, ...(key === null ? {} : { KIOKU_API_KEY: key }), ...more } };
}

/** The command with the key of the file's tenant. */
function cli(args: string[], more: Partial<CommandCall> = {}): Promise<Outcome> {
  const { env, cwd } = settings(service.api.key);
  return kioku(args, { cwd: cwd ?? "", ...more, env: { ...env, ...more.env } });
}

function admin(args: string[]): Promise<Outcome> {
  return kioku(args, settings(null, { KIOKU_ADMIN_KEY: service.admin.key ?? "" }));
}

async function json<T>(args: string[], more: Partial<CommandCall> = {}): Promise<T> {
  const { code, out, err } = await cli([...args, "--json"], more);
  expect(code, err).toBe(0);
  return JSON.parse(out) as T;
}

/** An address that nobody answers at. */
async function nowhere(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

async function remembered(content: string, ...more: string[]): Promise<string> {
  return (await json<{ memory_id: string }>(["remember", content, ...more])).memory_id;
}

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

describe("the command", () => {
  it("says what it can do on one screen, and more of each command with an example", async () => {
    for (const args of [[], ["--help"], ["help"]]) {
      const { code, out } = await kioku(args);
      expect(code).toBe(0);
      const lines = out.trimEnd().split("\n");
      expect(lines.length).toBeLessThanOrEqual(36);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
    }
    const listed = (await kioku([])).out.matchAll(/^ {2}([a-z]+(?: [a-z]+)?) +(<command>.*: (.*))?/gm);
    const names = [...listed].flatMap(([, name = "", group, verbs = ""]) =>
      group === undefined ? [name] : verbs.split(", ").map((verb) => `${name} ${verb}`),
    );
    expect(names).toEqual(expect.arrayContaining(["remember", "agents erase", "keys create", "doctor"]));
    expect(names).toEqual(expect.arrayContaining(["privacy set", "webhooks retry"]));
    const helps = await Promise.all(names.map((name) => kioku(["help", ...name.split(" ")])));
    helps.forEach(({ code, out }, at) => {
      expect(code).toBe(0);
      expect(out).toContain(`kioku ${names[at]}`);
      expect(out).toMatch(/Example:\n {2}(\S.*)?kioku /);
    });
    expect((await kioku(["recall", "--help"])).out).toBe((await kioku(["help", "recall"])).out);
    expect((await kioku(["help", "keys"])).out).toMatch(/keys create[\s\S]*keys list[\s\S]*keys delete/);
  });

  it("needs nothing but its own files", async () => {
    const version = (await spawnKioku(["--version"])).out;
    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
    const elsewhere = join(folder, "package");
    await cp(dirname(kiokuFile), elsewhere, { recursive: true });
    expect(
      await runToEnd(process.execPath, [join(elsewhere, basename(kiokuFile)), "--version"], { cwd: folder }),
    ).toMatchObject({
      code: 0,
      out: version,
    });
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
    const old = await remembered("The office was in Osaka", "--project", project);
    const replaced = await cli(["forget", old, "--replacement", id]);
    expect(replaced).toMatchObject({ code: 0, out: `Memory ${old} has been superseded\n` });
    const gone = await cli(["recall", "office", "--project", project]);
    expect(gone).toMatchObject({ code: 0, out: "", err: expect.stringContaining("Nothing was found") });
  });

  it("is shown as the API has it with --json", async () => {
    const agent = fresh("agent");
    const id = await remembered(
      "Ada prefers tea",
      "--agent",
      agent,
      "--key",
      "drink",
      "--type",
      "assumption",
    );
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
    const again = await remembered("Ada prefers coffee", "--agent", agent, "--key", "drink");
    expect(await json(["forget", again])).toMatchObject({ forgotten: true, memory_id: again });
  });

  it("names what it replaces, and has its tags", async () => {
    const [project, topic] = [fresh("project"), ["--key", "day"]];
    const old = await remembered("We deploy on Mondays", "--project", project, ...topic);
    const kept = await cli(["remember", "We deploy on Fridays", "--project", project, ...topic]);
    expect(kept.out).toMatch(new RegExp(`^Stored fact memory \\S+\nReplaces ${old}\n$`));
    const tags = ["--tag", "deploy", "--tag", "team"];
    const tagged = await remembered("Mia leads the team", "--project", project, ...tags);
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
    await remembered("Nobody said whose");
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
    const basis = await remembered("The harbour is four metres deep", ...own);
    const before = await remembered(
      "Boats of three metres may berth",
      ...own,
      "--key",
      "berth",
      "--tag",
      "rule",
    );
    const id = await remembered(
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

describe("a table", () => {
  it("fits the terminal, counts wide characters as two, and obeys nothing that was stored", async () => {
    const project = fresh("project");
    await remembered("記憶は大切なもので、忘れてはいけないことがたくさんあります", "--project", project);
    await remembered(
      "Red \u001b[31malert\u001b[0m\u0007 and\nmore 👩‍💻 of a rather long story about it",
      "--project",
      project,
    );
    const { out } = await cli(["list", "--project", project], { env: { COLUMNS: "100" } });
    const rows = out.trimEnd().split("\n");
    expect(rows).toHaveLength(3);
    const japanese = rows.find((row) => row.includes("記")) ?? "";
    expect(japanese.endsWith("…")).toBe(true);
    const wide = [...japanese].filter((character) => character > "\u2fff").length;
    expect([...japanese].length + wide).toBeGreaterThanOrEqual(99);
    expect([...japanese].length + wide).toBeLessThanOrEqual(100);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  it("has its texts under the rows where they would be cut short, and its ids whole", async () => {
    const project = fresh("project");
    const text = "The harbour is four metres deep at low tide, and six at high tide";
    const id = await remembered(text, "--project", project);
    const { out } = await cli(["list", "--project", project], { env: { COLUMNS: "80" } });
    expect(out).toMatch(new RegExp(`^id +type +status +when *\n${id}  fact  live .*\n  ${text}\n$`));
  });
});

describe("a session", () => {
  it("is listed, shown, closed and deleted", async () => {
    const id = fresh("session");
    const agent = fresh("agent");
    await remembered("In a session", "--session", id, "--agent", agent, "--user", "anna");
    expect((await cli(["sessions", "list", "--agent", agent])).out).toMatch(
      new RegExp(`^id .*\n${id} +active +anna +${agent}`),
    );
    expect(await json(["sessions", "list", "--agent", agent])).toMatchObject({
      data: [{ id }],
      next_cursor: null,
    });
    expect((await cli(["sessions", "show", id])).out).toMatch(
      /^id +\S+\nstatus +active\nuser +anna\n[\s\S]*memories +1\n/,
    );
    expect((await cli(["sessions", "close", id])).out).toBe(`Closed ${id}, 0 promoted\n`);
    expect(await json(["sessions", "show", id])).toMatchObject({ id, status: "closed" });
    const deletion = ["sessions", "delete", id, "--memories"];
    expect(await cli(deletion)).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
    const asked = await cli(deletion, { input: "n\n", isTTY: true });
    expect(asked.code).toBe(1);
    expect(asked.err).toContain(`Erase session ${id} and its memories for good? [y/N]`);
    expect((await cli([...deletion, "--yes"])).out).toMatch(/^Deleted [\s\S]*memories +1\n/);
    expect(await cli(["sessions", "show", id])).toMatchObject({ code: 1, out: "" });
  });

  it("is listed a page at a time", async () => {
    const agent = fresh("agent");
    for (const _ of [1, 2]) await remembered("One of two", "--session", fresh("session"), "--agent", agent);
    const first = await cli(["sessions", "list", "--agent", agent, "--limit", "1"]);
    const cursor = /--cursor (\S+)/.exec(first.err)?.[1] ?? "";
    const second = await cli(["sessions", "list", "--agent", agent, "--limit", "1", "--cursor", cursor]);
    expect(second).toMatchObject({ code: 0, err: "" });
    expect(second.out).not.toBe(first.out);
  });
});

describe("the signals of a session", () => {
  it("are watched, the stored ones first", async () => {
    const session = fresh("session");
    const send = (request_id: string) =>
      service.api.post(`/v1/sessions/${session}/directives`, {
        type: "query",
        provider: "inline",
        query: { text: "x" },
        request_id,
      });
    await remembered("In a session", "--session", session);
    await send("r1");
    await send("r2");
    const { code, out } = await cli(["watch", session, "--limit", "2"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}jido\.memory\.result {2}.*r1.*\n2 .*r2.*\n$/,
    );
    const later = await cli(["watch", session, "--after", "1", "--limit", "1", "--json"]);
    expect(JSON.parse(later.out)).toMatchObject({ seq: 2, type: "jido.memory.result" });
    expect(await cli(["watch", fresh("none"), "--limit", "1"])).toMatchObject({ code: 1, out: "" });
  });

  it("are watched on after a restart of the service", async () => {
    const server = createHttpServer((request, response) => {
      if (!request.url?.endsWith("/signals")) return void response.end("{}");
      const seq = Number(request.headers["last-event-id"] ?? 0) + 1;
      const signal = { seq, time: "2026-11-01T00:00:00.000Z", type: "jido.memory.result", data: {} };
      response.end(`retry: 1\nid: ${seq}\ndata: ${JSON.stringify(signal)}\n\n`, () => server.emit("sent"));
    });
    const listen = (port: number) =>
      new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    await listen(0);
    const { port } = server.address() as AddressInfo;
    const sent = once(server, "sent");
    const watched = cli(["watch", "tour", "--limit", "2", "--url", `http://127.0.0.1:${port}`]);
    await sent;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    // Longer than a command waits that begins.
    await wait(2_000);
    await listen(port);
    expect(await watched).toMatchObject({ code: 0, out: expect.stringMatching(/^1 .*\n2 .*\n$/) });
    server.closeAllConnections();
    server.close();
  });
});

describe("a user", () => {
  it("is listed, shown and erased", async () => {
    const id = `${fresh("anna")}+test@example.com|1`;
    await remembered("Anna lives in Lisbon", "--user", id, "--agent", fresh("agent"));
    const list = await json<{ data: { id: string }[] }>(["users", "list", "--limit", "100"]);
    expect(list.data.map((user) => user.id)).toContain(id);
    expect((await cli(["users", "list", "--limit", "100"])).out).toMatch(/^id +sessions +messages +memories/);
    expect((await cli(["users", "show", id])).out).toContain("### Facts\n- Anna lives in Lisbon");
    expect(await json(["users", "show", id])).toMatchObject({ id, counts: { memories: 1 } });
    expect(await cli(["users", "erase", id])).toMatchObject({ code: 2, out: "" });
    expect((await cli(["users", "erase", id, "--yes"])).out).toMatch(/^Erased [\s\S]*memories +1\n/);
    expect(await cli(["users", "show", id])).toMatchObject({ code: 1, out: "" });
  });
});

describe("a skill", () => {
  const MARKDOWN = "# Deploy a worker\n\nPut it live.\n\n## Steps\n\n1. Run the tests\n2. Deploy\n";

  it("is written from Markdown or JSON, listed, and read back", async () => {
    const slug = fresh("skill").toLowerCase();
    await writeFile(join(folder, "SKILL.md"), MARKDOWN);
    expect((await cli(["skills", "put", slug, "SKILL.md"])).out).toBe(
      `Wrote ${slug}: Deploy a worker, 2 steps\n`,
    );
    expect((await cli(["skills", "get", slug])).out).toContain("1. Run the tests\n2. Deploy");
    expect((await cli(["skills", "list"])).out).toContain(`${slug}  Deploy a worker`);
    const input = JSON.stringify({ name: "Deploy anything", steps: ["Deploy"] });
    expect(await json(["skills", "put", slug, "-"], { input })).toMatchObject({
      slug,
      name: "Deploy anything",
    });
    expect(await json(["skills", "get", slug])).toMatchObject({ slug, steps: ["Deploy"] });
  });

  it("is imported from folders, with what was not included, and exported as a folder again", async () => {
    const [one, two] = [fresh("skill").toLowerCase(), fresh("skill").toLowerCase()];
    const file = (name: string) =>
      `---\nname: ${name}\ndescription: Fill forms\n---\n\n# Forms\n\nRun scripts/fill.py.\n`;
    const inside = async (path: string, text: string) => {
      await mkdir(join(folder, "skills", dirname(path)), { recursive: true });
      await writeFile(join(folder, "skills", path), text);
    };
    await inside(`${one}/SKILL.md`, file(one));
    await inside(`${one}/scripts/fill.py`, "print()");
    await inside(`${two}/SKILL.md`, file(two));
    await inside("broken/SKILL.md", file("No Slug"));
    await inside("notes/readme.md", "no skill");
    const { code, out, err } = await cli(["skills", "import", "skills"]);
    expect(code).toBe(1);
    expect(out).toBe(
      `${[one, two].map((slug) => `Imported ${slug}: 3 lines\n`).join("")}` +
        `Not included, because a skill holds its SKILL.md only:\n  ${one}: scripts/fill.py\n`,
    );
    expect(err).toMatch(/^failed skills\/broken\/SKILL\.md: name: must be 1 to 64 characters/);
    expect(await json(["skills", "import", `skills/${one}`])).toMatchObject({
      skills: [{ slug: one, not_included: ["scripts/fill.py"], error: null }],
    });
    await cli(["skills", "export", "exported"]);
    expect(await readFile(join(folder, "exported", one, "SKILL.md"), "utf8")).toBe(file(one));
    expect((await cli(["skills", "export", "exported"])).code).toBe(0);
    const exported = join(folder, "exported", one, "SKILL.md");
    await writeFile(exported, "mine");
    // A file of the user, and two slugs of one folder, in a project of their own: the rest is written all the same.
    const project = fresh("project");
    for (const slug of [`${one}_x`, `${one}-x`])
      await cli(["skills", "put", slug, "-", "--project", project], { input: MARKDOWN });
    await rm(join(folder, "exported", two), { recursive: true });
    const partial = await cli(["skills", "export", "exported", "--project", project]);
    expect(partial.code).toBe(1);
    expect(partial.err).toMatch(new RegExp(`^failed ${one}: exported/.* another content.*--force`, "m"));
    expect(partial.err).toMatch(new RegExp(`^failed ${one}_x: .*has the skill ${one}-x`, "m"));
    expect(await readFile(exported, "utf8")).toBe("mine");
    expect(await readFile(join(folder, "exported", two, "SKILL.md"), "utf8")).toBe(file(two));
    const forced = await cli(["skills", "export", "exported", "--force", "--project", project, "--json"]);
    expect(forced.code).toBe(1);
    const failed = JSON.parse(forced.out).skills.filter((skill: { error: unknown }) => skill.error !== null);
    expect(failed).toMatchObject([{ slug: `${one}_x`, file: null }]);
    expect(await readFile(exported, "utf8")).toBe(file(one));
    for (const [path, reason] of [
      ["skills/notes", "no SKILL.md"],
      ["nowhere", "Cannot read"],
    ] as const)
      expect(await cli(["skills", "import", path])).toMatchObject({
        ...{ code: 1, err: expect.stringContaining(reason) },
      });
  });

  it("is exported to the folder of its name, whatever YAML or its instructions make of that", async () => {
    const project = fresh("project");
    const slugs = [`7-${fresh("skill").toLowerCase()}`, "2026", "on"];
    const input = JSON.stringify({ name: "Name it", instructions: "```yaml\nname: other\n```" });
    for (const slug of slugs) await cli(["skills", "put", slug, "-", "--project", project], { input });
    await cli(["skills", "export", "named", "--project", project]);
    const folders = await readdir(join(folder, "named"));
    expect(folders).toEqual(expect.arrayContaining(slugs));
    expect(folders).not.toContain("other");
  });

  it("is imported from a folder that is a link", async () => {
    const slug = fresh("skill").toLowerCase();
    await mkdir(join(folder, "elsewhere"));
    await writeFile(
      join(folder, "elsewhere/SKILL.md"),
      `---\nname: ${slug}\ndescription: Fill forms\n---\n\nFill them.\n`,
    );
    await mkdir(join(folder, "linked"));
    await symlink(join(folder, "elsewhere"), join(folder, "linked", slug));
    await symlink(join(folder, "nowhere"), join(folder, "linked/broken"));
    await writeFile(join(folder, "linked/readme.md"), "no skill");
    expect(await cli(["skills", "import", "linked"])).toMatchObject({
      ...{ code: 0, out: `Imported ${slug}: 1 lines\n` },
    });
  });

  it("is found by prime before a task that it fits", async () => {
    await cli(["skills", "put", fresh("skill").toLowerCase(), "-"], { input: MARKDOWN });
    expect((await cli(["prime", "Deploy a worker"])).out).toContain("Deploy a worker");
    expect(await json(["prime", "Deploy a worker"])).toMatchObject({ kind: expect.any(String), tokens: {} });
  });
});

describe("metrics", () => {
  it("are a table by project, agent or day, with the total", async () => {
    await cli(["prime", "Deploy a worker", "--project", "metered"]);
    const { out } = await cli(["metrics", "--days", "2", "--by", "day"]);
    expect(out).toMatch(/^ +episodes +success +p50 s/);
    expect(out.trimEnd().split("\n")).toHaveLength(4);
    expect(out).toMatch(/^total /m);
    expect(await json(["metrics", "--days", "2"])).toMatchObject({
      window: { days: 2 },
      total: { episodes: 0 },
    });
    expect((await kioku(["metrics", "--by", "week"])).err).toContain("--by must be project, agent, day");
  });
});

describe("a key", () => {
  it("is bound to an owner, and the list shows to whom", async () => {
    const tenant = fresh("tenant");
    const made = await admin(["keys", "create", tenant, "--user", "anna", "--project", "shop"]);
    expect(made.err).toContain("(read, write), bound to user anna, project shop. It is not shown again.");
    await admin(["keys", "create", tenant, "--agent", "ada"]);
    const listed = await admin(["keys", "list", "--tenant", tenant]);
    expect(listed.out).toMatch(/read,write +user anna, project shop /);
    expect(listed.out).toMatch(/read,write +agent ada /);
    const bound = settings(made.out.trim());
    expect(await kioku(["remember", "Anna likes tea"], bound)).toMatchObject({ code: 0 });
    expect((await kioku(["recall", "tea"], bound)).out).toContain("Anna likes tea");
    const refused = await kioku(["remember", "x", "--user", "bob"], bound);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("user_id") });
  });

  it("is printed once, alone, when it is made; listed without its secret; and ends when it is deleted", async () => {
    const tenant = fresh("tenant");
    const made = await admin(["keys", "create", tenant, "--name", "laptop", "--scopes", "read"]);
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^kioku_[0-9a-f]{64}\n$/) });
    const key = made.out.trim();
    const id = /^key_\w+/.exec(made.err)?.[0] ?? "";
    const listed = await admin(["keys", "list", "--tenant", tenant]);
    expect(listed.out).toMatch(new RegExp(`${id} +${tenant} +laptop +read `));
    expect(listed.out).not.toContain(key);
    const refused = await kioku(["remember", "x"], settings(key));
    expect(refused).toMatchObject({ code: 1, out: "", err: expect.stringContaining("It has: read.") });
    expect(await admin(["keys", "delete", id])).toMatchObject({ code: 0, out: `Deleted ${id}\n` });
    const log = await admin(["audit", "--tenant", tenant, "--action", "key", "--format", "csv"]);
    const [head, ...rows] = log.out.trimEnd().split("\n");
    expect(head).toBe("at,action,key_id,target,outcome,code,request_id,count");
    expect(rows.map((row) => row.split(",").slice(1, 5).join(" "))).toEqual([
      `key.delete admin keys/${id} ok`,
      `key.create admin keys/${id} ok`,
    ]);
    const page = await admin(["audit", "--tenant", tenant, "--limit", "1"]);
    expect(page.out).toContain(`keys/${id}`);
    expect(page.err).toContain("There are more");
    const none = await admin(["audit", "--until", "2020-01-01T00:00:00Z"]);
    expect(none.err).toBe("There are no records. With the admin key, add --tenant <id>.\n");
    const ended = await kioku(["recall", "x"], settings(key));
    expect(ended).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/^kioku: This key is not known.*\n$/),
    });
    expect(ended.err + refused.err).not.toContain(key);
  });
});

describe("a privacy policy", () => {
  it("is set for the tenant and a project by a key that may, shown to others, and cleared", async () => {
    const tenant = fresh("tenant");
    const keyWith = async (scopes: string) =>
      settings((await admin(["keys", "create", tenant, "--scopes", scopes])).out.trim());
    const [admins, agents] = [await keyWith("read,write,admin"), await keyWith("read,write")];
    const set = await kioku(["privacy", "set", "--email", "mask", "--national-id", "refuse"], admins);
    expect(set).toMatchObject({
      code: 0,
      out: expect.stringMatching(/email +mask\n[\s\S]*national_id +refuse/),
    });
    await kioku(["privacy", "set", "--project", "shop", "--mode", "strict", "--email", "allow"], admins);
    const shop = await kioku(["privacy", "--project", "shop"], agents);
    expect(shop).toEqual(await kioku(["privacy", "show", "--project", "shop"], agents));
    expect(shop.out).toMatch(/mode +strict\nemail +allow\n[\s\S]*national_id +refuse/);
    expect(await kioku(["privacy", "set", "--email", "allow"], agents)).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /lacks the scope "admin".*kioku keys create <tenant> --scopes read,write,admin/,
      ),
    });
    expect(await kioku(["privacy", "clear", "shop"], admins)).toMatchObject({ code: 0 });
    const { out } = await kioku(["privacy", "show", "--project", "shop", "--json"], agents);
    expect(JSON.parse(out)).toMatchObject({ privacy: "standard", personal_data: { email: "mask" } });
    const wrong = await kioku(["privacy", "set", "--email", "hide"], admins);
    expect(wrong).toMatchObject({
      code: 2,
      err: expect.stringContaining("--email must be allow, mask, refuse"),
    });
  });
});

describe("a webhook", () => {
  it("is created with its secret alone on stdout, listed, followed and deleted", async () => {
    const created = await cli([
      "webhooks",
      "create",
      "https://127.0.0.1.example/hook",
      "--events",
      "memory.created",
    ]);
    expect(created, created.err).toMatchObject({ code: 0, out: expect.stringMatching(/^\S{16,}\n$/) });
    const id = /^wh_\w+/.exec(created.err)?.[0] ?? "";
    const listed = await cli(["webhooks", "list"]);
    expect(listed.out).toMatch(new RegExp(`${id} +https://127.0.0.1.example/hook +memory.created`));
    expect(listed.out).not.toContain(created.out.trim());
    await remembered("A webhook tells of this");
    const deliveries = await vi.waitFor(async () => {
      const page = await json<{ data: { id: string; attempts: number }[] }>(["webhooks", "deliveries", id]);
      expect(page.data[0]?.attempts).toBeGreaterThan(0);
      return page.data;
    });
    const none = await cli(["webhooks", "deliveries", id, "--status", "delivered"]);
    expect(none).toMatchObject({ code: 0, out: "", err: "There are no such deliveries.\n" });
    const retried = await cli(["webhooks", "retry", id, deliveries[0]?.id ?? ""]);
    expect(retried).toMatchObject({
      code: 1,
      err: expect.stringContaining("only a dead one can be retried"),
    });
    expect(await cli(["webhooks", "delete", id])).toMatchObject({ code: 0, out: `Deleted ${id}\n` });
    expect((await cli(["webhooks", "create", "https://a.example/"])).err).toContain("--events is missing");
  });
});

describe("the local service", () => {
  /** A folder with the files that a local service keeps beside its data. */
  async function localFolder(state: string, pid: number): Promise<string> {
    const place = await mkdtemp(join(folder, "local-"));
    await mkdir(join(place, state), { recursive: true });
    await mkdir(join(place, "a/b"), { recursive: true });
    await writeFile(join(place, state, "local-key"), service.api.key ?? "");
    await writeFile(join(place, state, "server.json"), JSON.stringify({ pid, url: service.api.url("") }));
    const devVars = state === ".kioku" ? ".kioku/.dev.vars" : ".dev.vars";
    await writeFile(join(place, devVars), `OTHER=1\nADMIN_KEY="${service.admin.key}"\n`);
    return place;
  }

  it.each([".kioku", ".wrangler/state"])("is found by its files in %s, here or above", async (state) => {
    const place = await localFolder(state, process.pid);
    const project = fresh("project");
    const made = await admin(["keys", "create", "local"]);
    const localKeyId = /^key_\w+/.exec(made.err)?.[0] ?? "";
    const kept = await kioku(["remember", "Found without a key", "--project", project], { cwd: place });
    expect(kept).toMatchObject({ code: 0, err: "" });
    const below = join(place, "a/b");
    expect((await kioku(["list", "--project", project], { cwd: below })).out).toContain(
      "Found without a key",
    );
    expect((await kioku(["keys"], { cwd: below })).out).toMatch(/^id +tenant/);
    const { out: records } = await kioku(["audit", "--action", "key.create"], { cwd: below });
    expect(records).toContain(`keys/${localKeyId}`);
    const { out } = await kioku(["doctor", "--json"], { cwd: below });
    expect(JSON.parse(out).checks).toContainEqual(expect.objectContaining({ name: "key", status: "ok" }));
  });

  it("is found by the bridge wherever that is started, with --folder", async () => {
    const place = await localFolder(".kioku", process.pid);
    const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`;
    const { out } = await kioku(["mcp", "--folder", place], { cwd: "/", input });
    expect(JSON.parse(out)).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  it("does not give its keys to another machine, and is not asked once it has ended", async () => {
    const place = await localFolder(".kioku", 2 ** 22 + 1);
    const remote = { cwd: place, env: { KIOKU_URL: "https://kioku.example" } };
    for (const args of [["list"], ["list", "--url", "http://127.0.0.1.example"]])
      expect((await kioku(args, remote)).err).toMatch(/No key for http/);
    expect((await kioku(["keys", "list"], remote)).err).toMatch(/No admin key/);
    const down = await kioku(["doctor"], { cwd: place });
    expect(down.out).not.toContain(service.api.url(""));
  });

  it("is named by doctor if it has ended and another service answers", async () => {
    const cwd = await localFolder(".kioku", 2 ** 22 + 1);
    const { code, out } = await kioku(["doctor"], { cwd, env: { KIOKU_URL: service.api.url("") } });
    expect(code).toBe(0);
    expect(out).toMatch(/^warn +key +The service with the key in .*local-key is not running\n +→ Start it/m);
  });

  it("gives its keys to no other service on this machine, and none once it has ended", async () => {
    const other = { env: { KIOKU_URL: await nowhere() } };
    const ended = await localFolder(".kioku", 2 ** 22 + 1);
    const running = await localFolder(".kioku", process.pid);
    for (const call of [{ cwd: ended }, { cwd: ended, ...other }, { cwd: running, ...other }]) {
      expect((await kioku(["list"], call)).err).toMatch(
        /key in .*local-key is not running at http:.*Start it/,
      );
      expect((await kioku(["keys"], call)).err).toMatch(/No admin key/);
    }
  });

  it("is not looked for at the process 0, which is no process", async () => {
    for (const pid of [0, -1]) expect(findLocalService(await localFolder(".kioku", pid))?.url).toBeNull();
  });

  it("has its admin key in its own .dev.vars, not in that of another Worker", async () => {
    const place = await localFolder(".kioku", process.pid);
    await rename(join(place, ".kioku/.dev.vars"), join(place, ".dev.vars"));
    expect(findLocalService(place)).toMatchObject({ apiKey: service.api.key, adminKey: null });
  });

  it("has its key in a file of its own: no link, and nothing else than a key", async () => {
    const place = await localFolder(".kioku", process.pid);
    const keyFile = join(place, ".kioku/local-key");
    await rename(keyFile, join(place, "secret"));
    await symlink(join(place, "secret"), keyFile);
    expect(findLocalService(place)).toBeNull();
    await rm(keyFile);
    await writeFile(keyFile, "//registry.npmjs.org/:_authToken=npm_secret\n");
    expect(findLocalService(place)).toBeNull();
  });

  // Only root can give a folder away.
  it.runIf(process.getuid?.() === 0)("is not found in another user's folder", async () => {
    const place = await localFolder(".kioku", process.pid);
    await chown(join(place, ".kioku"), 12_345, 12_345);
    expect(findLocalService(place)).toBeNull();
  });
});

describe("completion", () => {
  it("completes commands, verbs, options and clients in bash", async () => {
    const { out } = await kioku(["completion", "bash"]);
    const complete = async (...words: string[]) => {
      const script = `${out}\nCOMP_WORDS=(kioku "$@"); COMP_CWORD=$#; _kioku; echo "\${COMPREPLY[*]}"`;
      return (await runToEnd("bash", ["-c", script, "bash", ...words], {})).out.trim();
    };
    expect(await complete("rec")).toBe("recall");
    expect(await complete("keys", "")).toBe("create list rotate delete");
    expect(await complete("keys", "create", "--na")).toBe("--name");
    expect(await complete("init", "cu")).toBe("cursor");
    expect(await complete("recall", "x", "--proj")).toBe("--project");
    expect(await complete("recall", "x", "--mode", "")).toBe("text semantic hybrid");
    expect(await complete("privacy", "set", "--mode", "s")).toBe("standard strict");
    expect(await complete("help", "rec")).toBe("recall");
    expect(await complete("completion", "")).toBe("bash zsh fish");
    // The shell completes file names.
    expect(await complete("import", "")).toBe("");
    expect((await kioku(["completion", "tcsh"])).err).toContain("must be bash, zsh, fish");
  });

  it("is written for zsh and fish", async () => {
    const zsh = (await kioku(["completion", "zsh"])).out;
    expect(zsh).toMatch(/^#compdef kioku\n[\s\S]*'recall:Search/);
    expect(zsh.indexOf("autoload -Uz compinit")).toBeLessThan(zsh.indexOf("compdef _kioku"));
    expect(zsh).toContain('"recall "*"--mode") choices=(text semantic hybrid) ;;');
    const fish = (await kioku(["completion", "fish"])).out;
    expect(fish).toContain("complete -c kioku -n __fish_use_subcommand -f -a recall");
    expect(fish).toContain("-n '__fish_seen_subcommand_from recall' -l mode -x -a 'text semantic hybrid'");
    expect(fish).toContain("-n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'");
  });
});

describe("what is wrong is said in one line, with what to do", () => {
  /** The one line on stderr, with nothing on stdout. */
  async function said(call: Promise<Outcome>, code: number): Promise<string> {
    const outcome = await call;
    expect(outcome).toMatchObject({ code, out: "", err: expect.stringMatching(/^kioku: [^\n]+\n$/) });
    return outcome.err;
  }

  it("without a key: how to get one", async () => {
    expect(await said(kioku(["recall", "x"], settings(null)), 1)).toMatch(
      /KIOKU_API_KEY.*kioku-server start/,
    );
    const remote = { KIOKU_URL: "https://kioku.example" };
    expect(await said(kioku(["recall", "x"], settings(null, remote)), 1)).toMatch(
      /No key for https:\/\/kioku.example.*KIOKU_ADMIN_KEY set, kioku keys create/,
    );
  });

  it("with a wrong key, and with a key that may not", async () => {
    expect(await said(kioku(["recall", "x"], settings("kioku_wrong")), 1)).toMatch(
      /not known.*KIOKU_API_KEY/,
    );
    expect(await said(cli(["keys", "list"]), 1)).toMatch(/scope "admin".*KIOKU_ADMIN_KEY/);
  });

  it("when the service is down, or is none", async () => {
    const down = cli(["recall", "x", "--url", await nowhere()]);
    expect(await said(down, 1)).toMatch(/127\.0\.0\.1:\d+: ECONNREFUSED.*npm start/);
    expect(await said(cli(["recall", "x", "--url", "localhost"]), 2)).toMatch(
      /url: must be the service's address/,
    );
  });

  it("when it cannot write its output", async () => {
    // A stdout that is open for reading only.
    const command = `"${process.execPath}" "${kiokuFile}" help 1< "${kiokuFile}"`;
    expect(await said(runToEnd("sh", ["-c", command], {}), 1)).toBe(
      "kioku: Cannot write to stdout (EBADF).\n",
    );
  });

  it("when the command is not called as it should be", async () => {
    const wrong: [string[], RegExp][] = [
      [["recal"], /no command recal\. Did you mean kioku recall\?/],
      [["lsit"], /no command lsit\. Did you mean kioku list\?/],
      [["xyzzy"], /no command xyzzy\. See: kioku help/],
      [["agents"], /needs one of: erase/],
      [["keys", "crate"], /only: create, list, rotate, delete\. Did you mean kioku keys create\?/],
      [["--json"], /command comes first/],
      [["recall"], /needs <query>/],
      [["recall", "two", "words"], /takes no "words"\. Put the query in quotes: kioku recall "two words"$/m],
      [["show", "x", "y"], /takes no "y"\. See: kioku help show$/m],
      [["recall", " "], /recall needs a <query>.*kioku list$/m],
      [["remember", "x", "--confidence", "7"], /--confidence must be 0 to 1, or high, medium, low; is "7"/],
      [["remember", "x", "--confidence=-1"], /--confidence must be 0 to 1/],
      [["recall", "x", "--modes", "text"], /no option --modes. Did you mean --mode\?/],
      [["recall", "x", "--projcet", "p"], /Did you mean --project\?/],
      [["recall", "x", "--mode"], /--mode needs a value/],
      [["recall", "x", "--mode", "magic"], /text, semantic, hybrid/],
      [["recall", "x", "--limit", "many"], /--limit must be a number/],
      [["recall", "x", "--json=yes"], /--json takes no value/],
      [["remember", "x", "--key", "kioku_abc"], /--api-key/],
    ];
    for (const [args, message] of wrong) expect(await said(cli(args), 2), args.join(" ")).toMatch(message);
  });

  it("when the service refuses a value, and with --verbose the id of the request", async () => {
    expect(await said(cli(["remember", "x", "--type", "magic"]), 2)).toMatch(/type: must be one of: fact/);
    const { code, err } = await cli(["recall", "x", "--limit", "0", "--verbose"]);
    expect(code).toBe(2);
    expect(err).toMatch(/^kioku: limit: .*\nrequest id: [0-9a-f-]{36}\n$/);
  });

  it("when a file is not there, or not what it should be, and nothing is sent", async () => {
    expect(await said(cli(["import", "none.jsonl"]), 1)).toMatch(/Cannot read none.jsonl \(ENOENT\)/);
    expect(await said(cli(["skills", "put", "x", "."]), 1)).toMatch(/is a folder/);
    const lines: [string, RegExp][] = [
      ["", /nothing in the file/],
      ["not json", /Line 1 is no JSON object/],
      ['{"kind":"kioku","format":9}', /format 9 is not 2/],
      ['{"kind":"kioku","format":1}\n{"kind":"dream"}', /Line 2: kind must be one of memory/],
      ['{"kind":"learning","trigger":"x"}', /Line 1: root_cause is missing/],
      ['{"type":"entity","name":"x"}', /Line 1: entityType is missing/],
    ];
    for (const [input, message] of lines)
      expect(await said(cli(["import", "-"], { input }), 1)).toMatch(message);
  });
});

describe("doctor", () => {
  const own = ownServer();
  const embeddings = fakeEmbeddings();

  function doctor(env: Record<string, string>, ...args: string[]): Promise<Outcome> {
    return kioku(["doctor", ...args], { cwd: folder, env: { KIOKU_URL: own.api.url(""), ...env } });
  }
  const keys = () => ({ KIOKU_API_KEY: own.api.key ?? "", KIOKU_ADMIN_KEY: own.admin.key ?? "" });
  const line = (outcome: Outcome, name: string) =>
    new RegExp(`^(ok|warn|fail) +${name} .*$`, "m").exec(outcome.out)?.[0];

  it("finds nothing wrong with a service that is well", async () => {
    const found = await doctor(keys());
    expect(found).toMatchObject({ code: 0, err: "" });
    expect(found.out).not.toMatch(/^(warn|fail)/m);
    for (const name of ["service", "key", "migrations", "embedder", "vectors", "vector queue", "cron"])
      expect(line(found, name), name).toMatch(/^ok/);
    const { status, checks } = JSON.parse((await doctor(keys(), "--json")).out);
    expect(status).toBe("ok");
    expect(checks).toContainEqual({
      name: "migrations",
      status: "ok",
      detail: expect.any(String),
      fix: null,
    });
  });

  it("says what the key may do, and that more takes the admin key", async () => {
    const found = await doctor({ KIOKU_API_KEY: own.api.key ?? "" });
    expect(found.code).toBe(0);
    expect(line(found, "key")).toMatch(/^ok .*may read, write$/);
    expect(found.out).toMatch(/^warn +inside .*\n +→ Set KIOKU_ADMIN_KEY/m);
    const wrong = await doctor({ KIOKU_API_KEY: "kioku_wrong" });
    expect(wrong.code).toBe(1);
    expect(line(wrong, "key")).toMatch(/^fail .*not known/);
  });

  it("finds a service that is down", async () => {
    const found = await doctor({ ...keys(), KIOKU_URL: await nowhere() });
    expect(found.code).toBe(1);
    expect(found.out).toMatch(/^fail +service .*\n +→ Start the service.*\n$/);
  });

  it("finds vectors of another embedder, with the command that mends it", async () => {
    await own.api.post("/v1/remember", { content: "Soon of no use", project_id: "p" });
    await own.indexed();
    await own.restart(embeddings.settings());
    const found = await doctor(keys());
    expect(found.code).toBe(1);
    expect(line(found, "embedder")).toMatch(/^ok .*4 dimensions/);
    expect(found.out).toMatch(/^fail +vectors .*512 dimensions.*4 dimensions.*\n +→ Run npm run reembed/m);
  });
});
