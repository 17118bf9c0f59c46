// `kioku init`: the configuration of MCP clients, shown first, and changed without touching anything else in it.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type ParseError, parse } from "jsonc-parser";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { kioku, kiokuFile, type Outcome } from "./kioku-command";

let folder = "";
let project = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kioku-init-"));
  project = join(folder, "app");
  await mkdir(project);
});
afterEach(() => rm(folder, { recursive: true }));

const KEY = `kioku_${"a".repeat(64)}`;

function init(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  return kioku(["init", ...args], {
    cwd: project,
    env: { HOME: folder, XDG_CONFIG_HOME: join(folder, "config"), ...env },
  });
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

const read = (path: string) => readFile(join(folder, path), "utf8");

/** The server that a file names, in either form of the section. */
async function entryIn(path: string): Promise<unknown> {
  const { mcpServers, servers } = parse(await read(path));
  return (mcpServers ?? servers).kioku;
}

describe("kioku init", () => {
  it("writes each client's own form, with no key in the files of a project", async () => {
    const names = ["claude-code", "cursor", "vscode", "windsurf", "claude-desktop"];
    const env = { KIOKU_URL: "https://kioku.example/", KIOKU_API_KEY: KEY };
    const { code, out, err } = await init([...names, "--project", "shop", "--yes"], env);
    expect(code, err).toBe(0);
    expect(out).not.toContain(KEY);
    const url = "https://kioku.example/mcp";
    const headers = (name: string) => ({ Authorization: `Bearer \${${name}}`, "Kioku-Project-Id": "shop" });
    expect(await entryIn("app/.mcp.json")).toEqual({
      type: "http",
      url,
      headers: headers("KIOKU_API_KEY"),
    });
    expect(await entryIn("app/.cursor/mcp.json")).toEqual({ url, headers: headers("env:KIOKU_API_KEY") });
    expect(await entryIn("app/.vscode/mcp.json")).toEqual({
      type: "http",
      url,
      headers: headers("input:kioku-api-key"),
    });
    expect(parse(await read("app/.vscode/mcp.json")).inputs).toMatchObject([
      { id: "kioku-api-key", password: true },
    ]);
    expect(await entryIn(".codeium/windsurf/mcp_config.json")).toEqual({
      serverUrl: url,
      headers: headers("env:KIOKU_API_KEY"),
    });
    const desktop = "config/Claude/claude_desktop_config.json";
    expect(await entryIn(desktop)).toEqual({
      command: process.execPath,
      args: [kiokuFile, "mcp", "--project", "shop"],
      env: { KIOKU_URL: "https://kioku.example", KIOKU_API_KEY: KEY },
    });
    expect((await stat(join(folder, desktop))).mode & 0o777).toBe(0o600);

    const before = await read("app/.vscode/mcp.json");
    const again = await init([...names, "--project", "shop", "--yes"], env);
    expect(again.out).toMatch(/^(.* has Kioku already: .*\n){5}$/);
    expect(await read("app/.vscode/mcp.json")).toBe(before);
  });

  it("keeps other servers, comments, indentation, line ends, permissions and links", async () => {
    const text = [
      "// Servers of the team",
      "{",
      "\t/* secrets */",
      '\t"inputs": [{ "id": "other", "type": "promptString" }],',
      '\t"servers": {',
      '\t\t"time": { "command": "uvx" }, // the clock',
      "\t},",
      "}",
      "",
    ].join("\r\n");
    await write("dotfiles/mcp.json", text);
    await chmod(join(folder, "dotfiles/mcp.json"), 0o660);
    await mkdir(join(project, ".vscode"));
    await symlink(join(folder, "dotfiles/mcp.json"), join(project, ".vscode/mcp.json"));
    expect(await init(["vscode", "--yes"])).toMatchObject({ code: 0 });
    const after = await read("dotfiles/mcp.json");
    for (const part of [
      "// Servers of the team\r\n",
      "/* secrets */",
      '"time": { "command": "uvx" }',
      "// the clock",
    ])
      expect(after).toContain(part);
    expect(after).not.toMatch(/[^\r]\n/);
    expect(after).toMatch(/\r\n\t\t"kioku": \{\r\n\t\t\t"type": "http"/);
    expect(parse(after)).toMatchObject({
      inputs: [{ id: "other" }, { id: "kioku-api-key" }],
      servers: { time: {}, kioku: {} },
    });
    expect((await stat(join(folder, "dotfiles/mcp.json"))).mode & 0o777).toBe(0o660);
    expect(await readdir(join(folder, "dotfiles"))).toEqual(["mcp.json"]);
  });

  it("keeps a file readable whatever comments end it", async () => {
    const ends = [
      "/* a */ // b\n",
      "/* a\n b */ // c\n  ",
      ", /* a */ // b\n",
      "/* a */",
      "// a\n// b\n",
      "",
    ];
    for (const end of ends) {
      await write("app/.cursor/mcp.json", `{\n  "mcpServers": {\n    "time": {} ${end}}\n}\n`);
      expect(await init(["cursor", "--yes"])).toMatchObject({ code: 0 });
      const text = await read("app/.cursor/mcp.json");
      const errors: ParseError[] = [];
      const { mcpServers } = parse(text, errors, { allowTrailingComma: true });
      expect(errors, text).toEqual([]);
      expect(Object.keys(mcpServers)).toEqual(["time", "kioku"]);
      for (const comment of end.match(/\/\*[\s\S]*?\*\/|\/\/.*/g) ?? []) expect(text).toContain(comment);
    }
  });

  it("shows the change and writes nothing without a terminal or --yes", async () => {
    await write("app/.cursor/mcp.json", '{\n  "mcpServers": {\n    "time": {}\n  }\n}\n');
    const { code, out, err } = await init(["cursor"]);
    expect(code).toBe(0);
    expect(out).toContain(
      'Cursor: .cursor/mcp.json\n  {\n    "mcpServers": {\n-     "time": {}\n+     "time": {},\n+     "kioku": {\n',
    );
    expect(err).toBe("Nothing was written. Add --yes to write.\n");
    expect(await read("app/.cursor/mcp.json")).not.toContain("kioku");
  });

  it("asks once on a terminal", async () => {
    const ask = async (answer: string) => {
      const call = { cwd: project, env: { HOME: folder, NO_COLOR: "1" }, input: `${answer}\n`, isTTY: true };
      const { code, out, err } = await kioku(["init", "claude-code"], call);
      expect(code).toBe(0);
      return out + err;
    };
    expect(await ask("n")).toContain("Write this? [y/N]");
    expect(await readdir(project)).toEqual([]);
    expect(await ask("y")).toContain("Before you start it: export KIOKU_API_KEY=");
    expect(await readdir(project)).toEqual([".mcp.json"]);
  });

  it("takes the clients that it finds, and says so when there are none", async () => {
    expect(await init([])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/No client was found.*cursor, vscode/),
    });
    expect(await init(["emacs"])).toMatchObject({ code: 2, err: expect.stringContaining("no client emacs") });
    await mkdir(join(project, ".cursor"));
    await mkdir(join(folder, ".codeium/windsurf"), { recursive: true });
    const { changes } = JSON.parse((await init(["--json"])).out);
    expect(changes).toMatchObject([
      { client: "cursor", changed: true, written: false },
      { client: "windsurf", changed: true, written: false },
    ]);
  });

  it("writes the key into the file of Claude Desktop only if that is named", async () => {
    await mkdir(join(project, ".cursor"));
    await mkdir(join(folder, "config/Claude"), { recursive: true });
    for (const env of [{}, { KIOKU_API_KEY: KEY }])
      expect(await init(["--yes"], env)).toMatchObject({
        code: 0,
        err: expect.stringMatching(/Claude Desktop is left out.*kioku init claude-desktop\n/),
      });
    expect(await entryIn("app/.cursor/mcp.json")).toBeDefined();
    expect(await readdir(join(folder, "config/Claude"))).toEqual([]);
  });

  it("shows neither the key that it writes nor the one that it replaces", async () => {
    const [old, other] = [KEY, KEY.replaceAll("a", "b")];
    await init(["claude-desktop", "--yes"], { KIOKU_API_KEY: old });
    const { out } = await init(["claude-desktop", "--yes"], { KIOKU_API_KEY: other });
    expect(out).toMatch(/-\s+"KIOKU_API_KEY": "kioku_aaaa…"\n.*\+\s+"KIOKU_API_KEY": "kioku_bbbb…"/s);
    expect(out).not.toContain(old);
    expect(out).not.toContain(other);
  });

  it("shows no value that stays: other servers keep secrets there", async () => {
    const texts = [
      '{\n  "mcpServers": {\n    "github": {\n      "env": {\n        "TOKEN": "ghp_1"\n      }\n    }\n  }\n}\n',
      '{ "mcpServers": { "github": { "env": { "TOKEN": "ghp_1" } } } }',
      '{\n  "mcpServers": {\n    "github": { "args": ["--token", "ghp_1"] }\n  }\n}\n',
    ];
    for (const text of texts) {
      await write("app/.cursor/mcp.json", text);
      const { out } = await init(["cursor"]);
      expect(out).not.toContain("ghp_1");
      expect(out).toMatch(/\+\s+"url": "http:\/\/127.0.0.1:8787\/mcp"/);
    }
    await init(["cursor", "--yes"]);
    const { out } = await init(["cursor"], { KIOKU_URL: "https://kioku.example" });
    expect(out).toMatch(/-\s+"url": "http:\/\/127.*\n\+\s+"url": "https:\/\/kioku.example\/mcp"/);
  });

  it("refuses a project that the service would refuse, and writes nothing", async () => {
    const { code, err } = await init(["cursor", "--project", "my app", "--yes"]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("--project must be 1 to 128") });
    expect(await readdir(project)).toEqual([]);
  });

  it("leaves a read-only file as it is", async () => {
    await write("app/.cursor/mcp.json", "{}");
    await chmod(join(project, ".cursor/mcp.json"), 0o444);
    const { code, err } = await init(["cursor", "--yes"]);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("is read-only") });
    expect(await read("app/.cursor/mcp.json")).toBe("{}");
  });

  it("refuses a file that it cannot read, and then writes no other one", async () => {
    const cases: [string, RegExp][] = [
      ['{\n  "mcpServers": {,}\n}', /\.cursor\/mcp\.json cannot be read: .* in line 2/],
      ["[]", /is not a JSON object/],
      ['{ "mcpServers": [] }', /mcpServers in .* must be an object/],
    ];
    for (const [text, message] of cases) {
      await write("app/.cursor/mcp.json", text);
      const { code, err } = await init(["claude-code", "cursor", "--yes"]);
      expect(code).toBe(1);
      expect(err).toMatch(message);
      expect(await read("app/.cursor/mcp.json")).toBe(text);
      expect(await readdir(project)).toEqual([".cursor"]);
    }
    const latin1 = Buffer.from('{ "name": "Müller" }', "latin1");
    await writeFile(join(project, ".cursor/mcp.json"), latin1);
    expect((await init(["cursor", "--yes"])).err).toContain("is not UTF-8");
    expect(await readFile(join(project, ".cursor/mcp.json"))).toEqual(latin1);
    expect((await init(["claude-desktop"])).err).toMatch(/needs the key.*KIOKU_API_KEY/);
  });

  it("uses the local service: its key is named, or found by kioku mcp with --stdio", async () => {
    await write("app/.kioku/local-key", KEY);
    expect((await init(["claude-code", "--yes"])).out).toContain("KIOKU_API_KEY=$(cat '.kioku/local-key')");
    vi.stubGlobal("process", { ...process, platform: "win32" });
    const { out } = await init(["cursor", "--yes"]).finally(() => vi.unstubAllGlobals());
    expect(out).toContain("start it: $env:KIOKU_API_KEY = Get-Content '.kioku/local-key'\n");
    await init(["claude-code", "vscode", "windsurf", "--stdio", "--yes"]);
    const bridge = { command: process.execPath, args: [kiokuFile, "mcp", "--folder", project] };
    const entry = { type: "stdio", ...bridge };
    expect(await entryIn("app/.mcp.json")).toEqual(entry);
    expect(parse(await read("app/.vscode/mcp.json"))).toEqual({ servers: { kioku: entry } });
    // Its file is of all projects.
    expect(await entryIn(".codeium/windsurf/mcp_config.json")).toEqual(bridge);
  });
});
