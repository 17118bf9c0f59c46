// The note beside the data that keeps a second server from it: while the first one starts, serves and stops.
import { mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { resetData } from "../../scripts/lib/local/reset-data";
import { assertNotRunning, claimData, noteRunningServer } from "../../scripts/lib/local/running-server";
import { spawnStart } from "../conformance/support/server";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kioku-running-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A process that runs, and is not this one. */
const OTHER_PID = process.ppid;
const STARTING = `Kioku starts or stops with this data, as process ${OTHER_PID}. Wait a moment`;

async function listen(): Promise<{ server: Server; url: string }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  return { server, url: `http://127.0.0.1:${address.port}` };
}

it("refuses data that another process is about to serve", async () => {
  await noteRunningServer(folder, { pid: OTHER_PID, url: "" });
  await expect(claimData(folder)).rejects.toThrow(STARTING);
  await noteRunningServer(folder, { pid: OTHER_PID, url: "http://127.0.0.1:1" });
  await expect(claimData(folder)).rejects.toThrow(STARTING);
});

it("takes the data of a process that was killed, or that never began to listen", async () => {
  await noteRunningServer(folder, { pid: 2 ** 30, url: "" });
  await claimData(folder);
  await noteRunningServer(folder, { pid: OTHER_PID, url: "" });
  const before = Date.now() / 1_000 - 61;
  await utimes(join(folder, "server.json"), before, before);
  await claimData(folder);
  await assertNotRunning(folder);
});

it("deletes nothing of a service that has started while the question waited", async () => {
  const { server, url } = await listen();
  try {
    await mkdir(join(folder, "v3"));
    await writeFile(join(folder, "local-key"), "kioku_0");
    await noteRunningServer(folder, { pid: OTHER_PID, url });
    await expect(resetData({ stateDir: folder, shownDir: folder, yes: true })).rejects.toThrow(
      `already serves this data at ${url}`,
    );
    expect((await stat(join(folder, "v3"))).isDirectory()).toBe(true);
  } finally {
    server.close();
  }
});

const readNote = () => readFile(join(folder, "server.json"), "utf8").catch(() => "");
const waitForNote = () => vi.waitUntil(readNote, { timeout: 60_000, interval: 5 });

it("is written by npm run dev before it touches the data, and a signal then ends it", async () => {
  const { server, url } = await listen();
  server.close();
  const run = spawnStart(folder, new URL(url).port, {}, { script: "dev.ts" });
  try {
    expect(JSON.parse(await waitForNote())).toEqual({ pid: run.child.pid, url: "" });
    run.child.kill("SIGTERM");
    await expect.poll(() => run.child.exitCode, { timeout: 20_000 }).toBe(0);
    await claimData(folder);
  } finally {
    await run.signal("SIGKILL");
  }
});

it("is written by npm start before it touches the data", async () => {
  const run = spawnStart(folder, "0", {});
  try {
    expect(JSON.parse(await waitForNote())).toEqual({ pid: run.child.pid, url: "" });
    await expect(claimData(folder)).rejects.toThrow("with this data");
    const url = await run.ready();
    expect(JSON.parse(await readNote())).toEqual({ pid: run.child.pid, url });
  } finally {
    await run.signal("SIGKILL");
  }
});
