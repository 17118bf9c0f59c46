// The `console` blocks of the documents, run line by line: the command line prints what is printed there, but for ids,
// keys, scores and times. A line with … alone stands for the rest.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fresh } from "../conformance/support/client";
import { sharedServer } from "../conformance/support/http-service";
import { kiokuFile, root, runToEnd } from "./kioku-command";

const service = sharedServer();
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kioku-docs-"));
});
afterAll(() => rm(folder, { recursive: true }));

type Step = { command: string; output: string };

/** All steps of a page: its blocks are one session of a shell. */
function stepsIn(page: string): Step[] {
  const blocks = [...page.matchAll(/```console\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
  return blocks
    .join("")
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [command = "", ...output] = text.split("\n");
      return { command, output: output.join("\n") };
    });
}

function masked(text: string): string[] {
  return text
    .trimEnd()
    .replaceAll(/\b[0-9a-f]{32}\b/g, "<id>")
    .replaceAll(/\bkey_[0-9a-f]{24}\b/g, "<key id>")
    .replaceAll(/\bTenant [\w-]+/g, "Tenant <name>")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "<time>")
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "<url>")
    .replaceAll(/\b\d\.\d\d\b/g, "<score>")
    .split("\n");
}

const MARK = "-- next --";

/** Makes the folder that of a local service: the command line finds its address, its key and its admin key there. */
async function writeLocalService(): Promise<void> {
  const state = join(folder, ".kioku");
  await mkdir(state, { recursive: true });
  await writeFile(join(state, "local-key"), (await service.tenant()).key ?? "");
  await writeFile(join(state, "server.json"), JSON.stringify({ pid: process.pid, url: service.api.url("") }));
  await writeFile(join(state, ".dev.vars"), `ADMIN_KEY=${service.admin.key}\n`);
}

describe.each(["docs/cli.md", "docs/mcp.md"])("the command line in %s", (path) => {
  it("prints what it says there", async () => {
    const page = await readFile(join(root, path), "utf8");
    // Tenants of the page's own: others may have run it before.
    const suffix = fresh("t");
    const steps = stepsIn(page);
    expect(steps.length).toBeGreaterThan(0);
    const script = steps
      .map(({ command }) => command.replaceAll(/(keys create \w+)/g, `$1-${suffix}`))
      .join(`\necho "${MARK}"\n`)
      .replaceAll("npx kioku", `"${process.execPath}" "${kiokuFile}"`);
    await writeLocalService();
    const { out } = await runToEnd("sh", ["-c", `exec 2>&1\n${script}`], { cwd: folder });
    const printed = out.replaceAll(`-${suffix}`, "").split(`${MARK}\n`);
    steps.forEach(({ command, output }, at) => {
      const expected = masked(output);
      const rest = expected.indexOf("…");
      const shown = masked(printed[at] ?? "");
      expect(rest < 0 ? shown : shown.slice(0, rest), command).toEqual(
        rest < 0 ? expected : expected.slice(0, rest),
      );
    });
  });
});
