// `kioku`, the command, against the built service: what people see, what programs read, and what is said when it fails.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { fresh } from "../conformance/support/client";
import { fakeEmbeddings } from "../conformance/support/embeddings";
import { ownServer, serviceUnderTest } from "../conformance/support/service";
import { type Call, kioku, type Outcome, root, runToEnd } from "./kioku-command";

const service = serviceUnderTest();
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kioku-cli-"));
});
afterAll(() => rm(folder, { recursive: true }));

function settings(key: string | null, more: Record<string, string> = {}): Call {
  const url = service.api.url("");
  return { cwd: folder, env: { KIOKU_URL: url, ...(key === null ? {} : { KIOKU_API_KEY: key }), ...more } };
}

/** The command with the key of the file's tenant. */
function cli(args: string[], more: Partial<Call> = {}): Promise<Outcome> {
  const { env, cwd } = settings(service.api.key);
  return kioku(args, { cwd: cwd ?? "", ...more, env: { ...env, ...more.env } });
}

function admin(args: string[]): Promise<Outcome> {
  return kioku(args, settings(null, { KIOKU_ADMIN_KEY: service.admin.key ?? "" }));
}

async function json<T>(args: string[], more: Partial<Call> = {}): Promise<T> {
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
      expect(lines.length).toBeLessThanOrEqual(30);
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

  it("runs as npx kioku here, and from where it is installed", async () => {
    const version = `${(await kioku(["--version"])).out}`;
    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
    const env = { HOME: folder, npm_config_offline: "true", npm_config_update_notifier: "false" };
    expect(await runToEnd("npx", ["kioku", "--version"], { env })).toMatchObject({ code: 0, out: version });
    await writeFile(join(folder, "package.json"), "{}");
    const install = ["install", "--install-links", "--no-audit", "--no-fund", join(root, "dist/package")];
    expect(await runToEnd("npm", install, { env, cwd: folder })).toMatchObject({ code: 0 });
    const installed = join(folder, "node_modules/.bin/kioku");
    expect(await runToEnd(installed, ["--version"], { cwd: folder })).toMatchObject({
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
    expect(wrong.code).toBe(1);
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
    expect((await cli(["forget", id, "--reason", "moved"])).out).toContain(id);
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

describe("a table", () => {
  it("fits the terminal, counts wide characters as two, and obeys nothing that was stored", async () => {
    const project = fresh("project");
    await remembered("記憶は大切なもので、忘れてはいけないことがたくさんあります", "--project", project);
    await remembered(
      "Red \u001b[31malert\u001b[0m\u0007 and\nmore 👩‍💻 of a rather long story about it",
      "--project",
      project,
    );
    const { out } = await cli(["recall", "", "--project", project], { env: { COLUMNS: "100" } });
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
});

describe("a session", () => {
  it("is listed, shown, closed and deleted", async () => {
    const id = fresh("session");
    const agent = fresh("agent");
    await remembered("In a session", "--session", id, "--agent", agent);
    expect((await cli(["sessions", "list", "--agent", agent])).out).toMatch(
      new RegExp(`^id .*\n${id} +active +${agent}`),
    );
    expect(await json(["sessions", "list", "--agent", agent])).toMatchObject({
      data: [{ id }],
      next_cursor: null,
    });
    expect((await cli(["sessions", "show", id])).out).toMatch(
      /^id +\S+\nstatus +active\n[\s\S]*memories +1\n/,
    );
    expect((await cli(["sessions", "close", id])).out).toBe(`Closed ${id}, 0 promoted\n`);
    expect(await json(["sessions", "show", id])).toMatchObject({ id, status: "closed" });
    expect((await cli(["sessions", "delete", id, "--memories"])).out).toMatch(
      /^Deleted [\s\S]*memories +1\n/,
    );
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

describe("a user", () => {
  it("is listed, shown and erased", async () => {
    const id = `${fresh("anna")}+test@example.com|1`;
    await remembered("Anna lives in Lisbon", "--user", id, "--agent", fresh("agent"));
    const list = await json<{ data: { id: string }[] }>(["users", "list", "--limit", "100"]);
    expect(list.data.map((user) => user.id)).toContain(id);
    expect((await cli(["users", "list", "--limit", "100"])).out).toMatch(/^id +sessions +messages +memories/);
    expect((await cli(["users", "show", id])).out).toContain("### Facts\n- Anna lives in Lisbon");
    expect(await json(["users", "show", id])).toMatchObject({ id, counts: { memories: 1 } });
    expect((await cli(["users", "erase", id])).out).toMatch(/^Erased [\s\S]*memories +1\n/);
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
    const shop = await kioku(["privacy", "show", "--project", "shop"], agents);
    expect(shop.out).toMatch(/mode +strict\nemail +allow\n[\s\S]*national_id +refuse/);
    expect(await kioku(["privacy", "set", "--email", "allow"], agents)).toMatchObject({ code: 1 });
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

describe("what is wrong is said in one line, with what to do", () => {
  /** The one line on stderr, with nothing on stdout. */
  async function said(call: Promise<Outcome>, code: number): Promise<string> {
    const outcome = await call;
    expect(outcome).toMatchObject({ code, out: "", err: expect.stringMatching(/^kioku: [^\n]+\n$/) });
    return outcome.err;
  }

  it("without a key: how to get one, also from the admin key of a local service", async () => {
    expect(await said(kioku(["recall", "x"], settings(null)), 1)).toMatch(/KIOKU_API_KEY.*kioku keys create/);
    const here = await mkdtemp(join(tmpdir(), "kioku-vars-"));
    await writeFile(join(here, ".dev.vars"), `OTHER=1\nADMIN_KEY="${service.admin.key}"\n`);
    const hint = await said(kioku(["recall", "x"], { ...settings(null), cwd: here }), 1);
    expect(hint).toContain(".dev.vars");
    expect(hint).not.toContain(service.admin.key);
    const command = /npx kioku (.*)\.\n/.exec(hint)?.[1]?.split(" ") ?? [];
    const made = await kioku(command, { ...settings(null), cwd: here });
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^kioku_/) });
    await rm(here, { recursive: true });
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

  it("when the command is not called as it should be", async () => {
    const wrong: [string[], RegExp][] = [
      [["recal"], /no command recal/],
      [["keys"], /one of: create, list, rotate, delete/],
      [["keys", "make"], /only: create, list, rotate, delete/],
      [["--json"], /command comes first/],
      [["recall"], /needs <query>/],
      [["recall", "two", "words"], /"words".*quotes/],
      [["recall", "x", "--modes", "text"], /no option --modes. Is it --mode\?/],
      [["recall", "x", "--mode"], /--mode needs a value/],
      [["recall", "x", "--mode", "magic"], /text, semantic, hybrid/],
      [["recall", "x", "--limit", "many"], /--limit must be a number/],
      [["recall", "x", "--json=yes"], /--json takes no value/],
      [["remember", "x", "--key", "kioku_abc"], /--api-key/],
    ];
    for (const [args, message] of wrong) expect(await said(cli(args), 2), args.join(" ")).toMatch(message);
  });

  it("when the service refuses a value, and with --verbose the id of the request", async () => {
    expect(await said(cli(["remember", "x", "--type", "magic"]), 1)).toMatch(/type: must be one of: fact/);
    const { code, err } = await cli(["recall", "x", "--limit", "0", "--verbose"]);
    expect(code).toBe(1);
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

  it("finds a setting that is wrong, and looks at all the rest", async () => {
    await own.restart({ EMBEDDER: "oracle" });
    const found = await doctor(keys());
    expect(found.code).toBe(1);
    expect(line(found, "embedder")).toMatch(/^fail .*EMBEDDER must be/);
    for (const name of ["key", "settings", "migrations", "language model", "cron"])
      expect(line(found, name), name).toMatch(/^ok/);
  });
});
