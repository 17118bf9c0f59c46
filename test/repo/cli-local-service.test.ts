// `kioku` and the service that runs on this machine: it is found by its files, and its keys go nowhere else.
import { chown, mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findLocalService } from "../../cli/local-service";
import { fresh } from "../conformance/support/client";
import { commandUnderTest, findUnusedAddress } from "./cli-under-test";
import { kioku } from "./kioku-command";

const { service, getFolder, admin } = commandUnderTest();

describe("the local service", () => {
  /** A folder with the files that a local service keeps beside its data. */
  async function localFolder(state: string, pid: number): Promise<string> {
    const place = await mkdtemp(join(getFolder(), "local-"));
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
    const other = { env: { KIOKU_URL: await findUnusedAddress() } };
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

  // Only root can give a getFolder() away.
  it.runIf(process.getuid?.() === 0)("is not found in another user's folder", async () => {
    const place = await localFolder(".kioku", process.pid);
    await chown(join(place, ".kioku"), 12_345, 12_345);
    expect(findLocalService(place)).toBeNull();
  });
});
