// `kioku` and sessions, users and skills, against the built service.
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { fresh } from "../conformance/support/client";
import { commandUnderTest } from "./cli-under-test";

const { service, getFolder, cli, json, remember } = commandUnderTest();

describe("a session", () => {
  it("is listed, shown, closed and deleted", async () => {
    const id = fresh("session");
    const agent = fresh("agent");
    await remember("In a session", "--session", id, "--agent", agent, "--user", "anna");
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
    for (const _ of [1, 2]) await remember("One of two", "--session", fresh("session"), "--agent", agent);
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
    await remember("In a session", "--session", session);
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
    await remember("Anna lives in Lisbon", "--user", id, "--agent", fresh("agent"));
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
    await writeFile(join(getFolder(), "SKILL.md"), MARKDOWN);
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

  it("is imported from folders, with what was not included, and exported as a getFolder() again", async () => {
    const [one, two] = [fresh("skill").toLowerCase(), fresh("skill").toLowerCase()];
    const file = (name: string) =>
      `---\nname: ${name}\ndescription: Fill forms\n---\n\n# Forms\n\nRun scripts/fill.py.\n`;
    const inside = async (path: string, text: string) => {
      await mkdir(join(getFolder(), "skills", dirname(path)), { recursive: true });
      await writeFile(join(getFolder(), "skills", path), text);
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
    expect(await readFile(join(getFolder(), "exported", one, "SKILL.md"), "utf8")).toBe(file(one));
    expect((await cli(["skills", "export", "exported"])).code).toBe(0);
    const exported = join(getFolder(), "exported", one, "SKILL.md");
    await writeFile(exported, "mine");
    // A file of the user, and two slugs of one getFolder(), in a project of their own: the rest is written all the same.
    const project = fresh("project");
    for (const slug of [`${one}_x`, `${one}-x`])
      await cli(["skills", "put", slug, "-", "--project", project], { input: MARKDOWN });
    await rm(join(getFolder(), "exported", two), { recursive: true });
    const partial = await cli(["skills", "export", "exported", "--project", project]);
    expect(partial.code).toBe(1);
    expect(partial.err).toMatch(new RegExp(`^failed ${one}: exported/.* another content.*--force`, "m"));
    expect(partial.err).toMatch(new RegExp(`^failed ${one}_x: .*has the skill ${one}-x`, "m"));
    expect(await readFile(exported, "utf8")).toBe("mine");
    expect(await readFile(join(getFolder(), "exported", two, "SKILL.md"), "utf8")).toBe(file(two));
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
    const folders = await readdir(join(getFolder(), "named"));
    expect(folders).toEqual(expect.arrayContaining(slugs));
    expect(folders).not.toContain("other");
  });

  it("is imported from a folder that is a link", async () => {
    const slug = fresh("skill").toLowerCase();
    await mkdir(join(getFolder(), "elsewhere"));
    await writeFile(
      join(getFolder(), "elsewhere/SKILL.md"),
      `---\nname: ${slug}\ndescription: Fill forms\n---\n\nFill them.\n`,
    );
    await mkdir(join(getFolder(), "linked"));
    await symlink(join(getFolder(), "elsewhere"), join(getFolder(), "linked", slug));
    await symlink(join(getFolder(), "nowhere"), join(getFolder(), "linked/broken"));
    await writeFile(join(getFolder(), "linked/readme.md"), "no skill");
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
