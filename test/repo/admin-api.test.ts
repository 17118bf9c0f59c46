// `npm run reembed`, `npm run rebuild`: which service is called, and with which key.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type AdminCall, withAdminApi } from "../../scripts/lib/admin/admin-api";
import { reembed } from "../../scripts/lib/admin/reembed";
import { repositoryInstallation } from "../../scripts/lib/installation";
import { noteRunningServer } from "../../scripts/lib/local/running-server";

let folder = "";
let url = "";
/** The keys that the service was sent. */
let keys: (string | undefined)[] = [];
const service = createServer((request, response) => {
  if (request.url !== "/health") keys.push(request.headers.authorization);
  response.end("{}");
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kioku-admin-"));
  await writeFile(join(folder, ".dev.vars"), "ADMIN_KEY=local\n");
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  keys = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  process.exitCode = undefined;
  await new Promise((resolve) => service.close(resolve).closeAllConnections());
  await rm(folder, { recursive: true });
});

/** Makes a call, and returns what was reported as an error. */
async function call(env: Record<string, string>): Promise<string> {
  for (const name of ["KIOKU_URL", "KIOKU_ADMIN_KEY"]) vi.stubEnv(name, env[name]);
  const report = vi
    .spyOn(console, "error")
    .mockReset()
    .mockImplementation(() => {});
  const installation = {
    ...repositoryInstallation,
    stateDir: folder,
    findDevVars: () => join(folder, ".dev.vars"),
  };
  const refuse = async () => {
    throw new Error("No service was found.");
  };
  await withAdminApi(installation, refuse, async (send) => void (await send("GET", "/v1/admin/index")));
  return report.mock.calls.flat().join("\n");
}

it("the admin key of the local data goes to the service that holds it", async () => {
  await noteRunningServer(folder, { pid: process.pid, url });
  expect(await call({})).toBe("");
  expect(await call({ KIOKU_URL: `${url.replace("127.0.0.1", "localhost")}/` })).toBe("");
  expect(keys).toEqual(["Bearer local", "Bearer local"]);
});

it("and to no other address, which needs a key of its own", async () => {
  expect(await call({ KIOKU_URL: url })).toBe(
    `kioku: No admin key for ${url}: set KIOKU_ADMIN_KEY to its ADMIN_KEY.`,
  );
  expect(keys).toEqual([]);
  expect(await call({ KIOKU_URL: url, KIOKU_ADMIN_KEY: "other" })).toBe("");
  expect(keys).toEqual(["Bearer other"]);
});

it("reports the progress of a run when it changes", async () => {
  const steps = [
    { done: 0, total: 2, finished: false },
    { done: 2, total: 2, finished: false },
    { done: 2, total: 2, finished: false },
    { done: 2, total: 2, finished: true },
  ];
  const index = { made_with: { embedder: "use", dimensions: 512 }, waiting: 0 };
  const answer = vi.fn(async (method: string) => (method === "POST" ? steps.shift() : index));
  const report = vi.spyOn(console, "log").mockImplementation(() => {});
  await reembed(answer as AdminCall);
  expect(report.mock.calls.flat()).toEqual([
    "0 of 2 embedded (0 s)",
    "2 of 2 embedded (0 s)",
    "The index is made with use, 512 dimensions.",
  ]);
});
