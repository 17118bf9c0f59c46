// The coding agent of the examples, run as its README says: the scripted model stands in for a language model.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChatRequest, type Reply, startChatCompletions } from "../conformance/support/chat-completions";
import { fresh } from "../conformance/support/client";
import { bodyOf } from "../conformance/support/expectations";
import { sharedServer } from "../conformance/support/http-service";
import { root, runToEnd } from "./kioku-command";

const example = join(root, "examples/coding-agent");
const service = sharedServer();
const model = await startChatCompletions(answer);
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kioku-coding-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await model.close();
});

/** Tries to leave its workspace, and gives up. */
function answer({ messages }: ChatRequest): Reply {
  const call = (name: string, args: object): Reply => ({
    tool_calls: [
      { id: fresh("call"), type: "function", function: { name, arguments: JSON.stringify(args) } },
    ],
  });
  return messages.at(-1)?.role === "tool"
    ? call("finish", { outcome: "failure", errors: [{ type: "Blocked", message: "outside" }] })
    : call("read_file", { path: "../../etc/passwd" });
}

function settings(more: Record<string, string>) {
  return {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    KIOKU_URL: service.api.url(""),
    KIOKU_API_KEY: service.api.key ?? "",
    ...more,
  };
}

const masked = (text: string) =>
  text
    .trimEnd()
    .replaceAll(/ep-[0-9a-f]{32}/g, "<id>")
    .replaceAll(/\d{4}-\d\d-\d\d/g, "<day>")
    .split("\n");

describe("the coding agent", () => {
  it("does a second task with what the first one learnt, as its README says", async () => {
    const readme = await readFile(join(example, "README.md"), "utf8");
    const block = /```sh\n(cd examples[\s\S]*?)```/.exec(readme)?.[1] ?? "";
    const output = /```text\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
    const commands = block
      .replace(/^export KIOKU_URL.*$/m, "")
      .replaceAll("/tmp/kioku-sample", join(folder, "sample"))
      .replace("PROJECT_ID=sample", `PROJECT_ID=${fresh("project")}`);
    const { code, out, err } = await runToEnd("sh", ["-ec", commands], { env: settings({}) });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(masked(out)).toEqual(masked(output));
  });

  it("keeps a model within its workspace, and records a failure as one", async () => {
    const [workspace, project] = [join(folder, "other"), fresh("project")];
    await cp(join(example, "sample"), workspace, { recursive: true });
    const env = settings({ ...model.settings, PROJECT_ID: project, WORKSPACE: workspace });
    const args = [join(example, "index.mjs"), "Read the passwords"];
    const { code, out } = await runToEnd(process.execPath, args, { env });
    expect({ code, out }).toMatchObject({ code: 1, out: expect.stringContaining("failure after 1 steps") });
    const sent = model.asked.at(-1)?.request.messages.at(-1)?.content;
    expect(sent).toContain("outside of the workspace");
    const { data } = bodyOf(
      await service.api.get<{ data: { outcome: string }[] }>(`/v1/episodes?project_id=${project}`),
      200,
    );
    expect(data).toMatchObject([{ outcome: "failure", errors_encountered: [{ type: "Blocked" }] }]);
  });

  it("gives its keys to no test, which a model may have written", async () => {
    const workspace = join(folder, "curious");
    await mkdir(workspace);
    await writeFile(
      join(workspace, "env.test.mjs"),
      'for (const name of ["KIOKU_API_KEY", "LLM_API_KEY"]) if (process.env[name]) throw new Error(name);',
    );
    const env = settings({ LLM_API_KEY: "sk-1", PROJECT_ID: fresh("project"), WORKSPACE: workspace });
    const args = [join(example, "index.mjs"), "Fix the failing test env.test.mjs"];
    const { out } = await runToEnd(process.execPath, args, { env });
    expect(out).toContain("run_tests env.test.mjs: pass\n");
  });

  it("works without memory that does not answer, and says so", async () => {
    const workspace = join(folder, "alone");
    await cp(join(example, "sample"), workspace, { recursive: true });
    const env = settings({ KIOKU_URL: "http://127.0.0.1:1", PROJECT_ID: "p", WORKSPACE: workspace });
    const args = [join(example, "index.mjs"), "Fix the failing test price.test.mjs"];
    const { code, out, err } = await runToEnd(process.execPath, args, { env });
    expect({ code, out, err }).toMatchObject({
      code: 0,
      out: expect.stringContaining("success after 4 steps"),
    });
    expect(err).toMatch(/^memory: /);
  });

  it("names what is not set", async () => {
    const { code, err } = await runToEnd(process.execPath, [join(example, "index.mjs"), "Fix it"], {});
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining("KIOKU_URL, KIOKU_API_KEY"),
    });
  });
});
