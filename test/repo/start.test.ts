// What `npm start` and `npm run dev` promise a newcomer: a first request that works as printed, data that stays, clear
// refusals.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import wrangler from "wrangler";
import { getDatabasePath, listAppliedMigrations } from "../../scripts/lib/local/applied-migrations";
import { ensureDataFolder } from "../../scripts/lib/local/data-folder";
import { root } from "../../scripts/lib/repository";
import { type Run, spawnStart } from "../conformance/support/server";

let state: string;
const runs: Run[] = [];

function start(
  port = "0",
  env: Record<string, string> = {},
  options?: Parameters<typeof spawnStart>[3],
): Run {
  const run = spawnStart(state, port, env, options);
  runs.push(run);
  return run;
}

const curlLines = (run: Run): string[] =>
  run
    .output()
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("curl "));

const keyLine = (run: Run): string | undefined => /key +(\S+)/.exec(run.output())?.[1];

/** Runs a line as printed; the status comes from curl's own configuration file. */
async function shell(line: string | undefined): Promise<{ status: number; body: Record<string, unknown> }> {
  const home = await mkdtemp(join(tmpdir(), "kioku-curl-"));
  await writeFile(join(home, ".curlrc"), 'write-out = "\\n%{http_code}"\n');
  const { stdout } = await promisify(execFile)("sh", ["-c", line ?? "false"], {
    env: { ...process.env, CURL_HOME: home },
  });
  await rm(home, { recursive: true });
  const [, body, status] = /^(.*)\n(\d+)$/s.exec(stdout) ?? [];
  return { status: Number(status), body: JSON.parse(body ?? "null") };
}

async function listen(): Promise<{ port: string; close(): Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address ? String(address.port) : "",
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function findFreePort(): Promise<string> {
  const { port, close } = await listen();
  await close();
  return port;
}

/** Whether any process of the group is left. */
function groupAlive(run: Run): boolean {
  try {
    return process.kill(-(run.child.pid ?? Number.NaN), 0);
  } catch {
    return false;
  }
}

afterAll(async () => {
  await Promise.all(runs.map((run) => run.signal("SIGKILL")));
});

describe("npm start", () => {
  let first: Run;
  let url: string;

  beforeAll(async () => {
    state = await mkdtemp(join(tmpdir(), "kioku-start-"));
    // A line of the user's own, which has to survive.
    await writeFile(join(state, "dev.vars"), "OTHER=kept");
    // The others start what this one builds.
    first = start("0", { KIOKU_BUILT: "" });
    url = await first.ready();
  });

  afterAll(() => rm(state, { recursive: true, force: true }));

  it("prints a line that remembers and a line that recalls, which work as printed", async () => {
    const [remember, recall] = curlLines(first);
    expect(await shell(remember)).toMatchObject({ status: 201, body: { remembered: true } });
    expect(await shell(recall)).toMatchObject({
      status: 200,
      body: { count: 1, memories: [{ content: "The project uses Phoenix 1.7" }] },
    });
  });

  it("prints a link to the console that signs in, one to the reference, and lines for a shell", () => {
    expect(first.output()).toContain(`console  ${url}/#key=${keyLine(first)}\n`);
    expect(first.output()).toContain(`docs     ${url}/docs\n`);
    expect(first.output()).toContain(`\nexport KIOKU_URL=${url} KIOKU_API_KEY=${keyLine(first)}\n`);
  });

  it("keeps the key on the screen: requests are not logged", () => {
    expect(first.output()).toMatch(/the data stays\. --verbose shows .+\n\n$/);
  });

  it("writes its address beside the key, where the command line finds it", async () => {
    const { pid, url: noted } = JSON.parse(await readFile(join(state, "server.json"), "utf8"));
    expect({ pid, noted }).toEqual({ pid: first.child.pid, noted: url });
  });

  it("writes a random admin key that only the user may read, beside the lines already there", async () => {
    const devVars = await readFile(join(state, "dev.vars"), "utf8");
    expect(devVars).toMatch(/^OTHER=kept\nADMIN_KEY=[0-9a-f]{64}\n$/);
    expect((await stat(join(state, "dev.vars"))).mode & 0o777).toBe(0o600);
    expect((await stat(join(state, "local-key"))).mode & 0o777).toBe(0o600);
    expect(first.output()).not.toContain(/ADMIN_KEY=(\S+)/.exec(devVars)?.[1]);
  });

  it.each(["start.ts", "dev.ts"])("refuses that %s serves the same data, or deletes it", async (script) => {
    const second = start("0", {}, { script, args: ["--reset", "--yes"] });
    expect(await second.exited).toBe(1);
    expect(second.output()).toBe(
      `kioku: Kioku already serves this data at ${url}. Stop it first, or use other data: --data DIR\n`,
    );
  });

  it("stops at SIGTERM with code 0, and leaves no process behind", async () => {
    first.child.kill("SIGTERM");
    expect(await first.exited).toBe(0);
    await expect.poll(() => groupAlive(first)).toBe(false);
  });

  it("has applied every migration, which the next start finds in the file of the database", async () => {
    const migrations = (await readdir(join(root, "migrations"))).filter((name) => name.endsWith(".sql"));
    const [database] = wrangler.unstable_readConfig({ config: join(root, "wrangler.toml") }).d1_databases;
    const found = await listAppliedMigrations(state, [database?.database_id ?? "", "another"]);
    expect(found).toEqual([migrations.sort(), []]);
  });

  it("keeps admin key, local key and data for the next start", async () => {
    const devVars = await readFile(join(state, "dev.vars"), "utf8");
    const next = start();
    await next.ready();
    expect(keyLine(next)).toBe(keyLine(first));
    expect(await readFile(join(state, "dev.vars"), "utf8")).toBe(devVars);
    expect((await shell(curlLines(next)[1])).body).toMatchObject({ count: 1 });
    await next.signal("SIGINT");
    expect(await next.exited).toBe(0);
  });

  it("serves the source with the same key as npm run dev, which keeps npm start from the data", async () => {
    const port = await findFreePort();
    const dev = start("", {}, { script: "dev.ts", args: ["--port", port] });
    expect(await dev.ready()).toBe(`http://127.0.0.1:${port}`);
    expect(keyLine(dev)).toBe(keyLine(first));
    // wrangler prints a line for curl, too.
    expect((await shell(curlLines(dev).at(-1))).body).toMatchObject({ count: 1 });
    const next = start();
    expect(await next.exited).toBe(1);
    expect(next.output()).toContain(`already serves this data at http://127.0.0.1:${port}.`);
    await dev.signal("SIGTERM");
  });

  it("makes a new local key when the kept one no longer works", async () => {
    await writeFile(join(state, "local-key"), "kept-but-unknown");
    const next = start();
    await next.ready();
    expect(keyLine(next)).not.toBe("kept-but-unknown");
    expect((await shell(curlLines(next)[1])).status).toBe(200);
    await next.signal("SIGTERM");
  });

  it("starts again on the same port after its process alone was killed with -9", async () => {
    const killed = start();
    const { port } = new URL(await killed.ready());
    killed.child.kill("SIGKILL");
    await killed.exited;
    const next = start(port);
    await next.ready();
    expect((await shell(curlLines(next)[1])).body).toMatchObject({ count: 1 });
    await next.signal("SIGTERM");
  });

  it("refuses data of a version before the first migration, and says what to do", async () => {
    const [database] = wrangler.unstable_readConfig({ config: join(root, "wrangler.toml") }).d1_databases;
    const db = new DatabaseSync(getDatabasePath(state, database?.database_id ?? ""));
    db.exec("UPDATE d1_migrations SET name = '0001_long_term_memory.sql'");
    db.close();
    const next = start();
    expect(await next.exited).toBe(1);
    expect(next.output()).toBe(
      `kioku: The data in ${state} was written by an earlier version of Kioku that this one cannot read: export it with ` +
        "that version and import it here, or delete it with --reset.\n",
    );
  });

  it("deletes its data with --reset, says so, and leaves all other files", async () => {
    await writeFile(join(state, "mine.txt"), "kept");
    const devVars = await readFile(join(state, "dev.vars"), "utf8");
    const next = start("", {}, { args: ["--reset", "--yes", "--data", state, "--port", "0"] });
    await next.ready();
    expect(next.output()).toMatch(/^Deleted the data in \S+ \(v3, local-key: [\d.]+ MB\)\.\n/);
    expect((await shell(curlLines(next)[1])).body).toMatchObject({ count: 0 });
    expect(keyLine(next)).not.toBe(keyLine(first));
    expect(await readFile(join(state, "dev.vars"), "utf8")).toBe(devVars);
    expect(await readFile(join(state, "mine.txt"), "utf8")).toBe("kept");
    await next.signal("SIGTERM");
  });
});

describe("npm start says in one line why it cannot", () => {
  beforeEach(async () => {
    state = await mkdtemp(join(tmpdir(), "kioku-start-"));
    return () => rm(state, { recursive: true, force: true });
  });

  async function refusal(
    port: string,
    args: string[] = [],
    env: Record<string, string> = {},
  ): Promise<string> {
    const run = start(port, env, { args });
    expect(await run.exited).toBe(1);
    expect(run.output()).toMatch(/^kioku: .+\n$/);
    return run.output();
  }

  it("when the port is in use", async () => {
    const other = await listen();
    try {
      expect(await refusal(other.port)).toContain(`Port ${other.port} on 127.0.0.1 is in use`);
    } finally {
      other.close();
    }
  });

  it("when the port is no port", async () => {
    expect(await refusal("abc")).toContain("PORT is not a port number: abc");
    expect(await refusal("0", ["--port", "70000"])).toContain("--port is not a port number: 70000");
  });

  it("when the data to delete is that of another project with wrangler", async () => {
    await mkdir(join(state, "v3/d1"), { recursive: true });
    expect(await refusal("0", ["--reset", "--yes"])).toMatch(/has no key of Kioku.* Nothing was deleted\./);
    expect(await readdir(join(state, "v3"))).toEqual(["d1"]);
  });

  it("when there is nothing of Kioku to delete, but something else", async () => {
    await writeFile(join(state, "main.ts"), "");
    expect(await refusal("0", ["--reset", "--yes"])).toMatch(
      /has no data of Kioku, but other files \(main\.ts\)\. Nothing was deleted\./,
    );
    expect(await readdir(state)).toEqual(["main.ts"]);
  });

  it("when there is no terminal to ask whether to delete", async () => {
    await mkdir(join(state, "v3/d1"), { recursive: true });
    await writeFile(join(state, "local-key"), "kioku_key");
    expect(await refusal("0", ["--reset"])).toContain("add --yes. Nothing was deleted.");
    expect(await readdir(join(state, "v3"))).toEqual(["d1"]);
  });

  it("when an option is unknown, with those that there are", async () => {
    const run = start("0", {}, { args: ["--rest"] });
    expect(await run.exited).toBe(2);
    expect(run.output()).toMatch(
      /^kioku: Unknown option '--rest'\. Did you mean --reset\?\n\nnpm start -- \[options\]\n[\s\S]+--reset/,
    );
  });

  it("when KIOKU_OAUTH is neither on nor off", async () => {
    expect(await refusal("0", [], { KIOKU_OAUTH: "yes" })).toContain("KIOKU_OAUTH takes on or off: yes");
  });

  it("when .dev.vars cannot be read", async () => {
    await mkdir(join(state, "dev.vars"));
    expect(await refusal("0")).toContain(`Cannot read ${join(state, "dev.vars")}`);
  });
});

describe("the folder of the data", () => {
  beforeEach(async () => {
    state = await mkdtemp(join(tmpdir(), "kioku-start-"));
    return () => rm(state, { recursive: true, force: true });
  });

  const readIgnored = () => readFile(join(state, ".gitignore"), "utf8");

  it("is ignored by git, also if it was there before", async () => {
    await ensureDataFolder(state);
    expect(await readIgnored()).toBe("*\n");
  });

  it("has only its keys and memories ignored if it has other files", async () => {
    await writeFile(join(state, "main.ts"), "");
    await ensureDataFolder(state);
    expect((await readIgnored()).split("\n")).toEqual(
      expect.arrayContaining(["/v3", "/local-key", "/.dev.vars"]),
    );
    await writeFile(join(state, ".gitignore"), "mine\n");
    await ensureDataFolder(state);
    expect(await readIgnored()).toBe("mine\n");
  });
});
