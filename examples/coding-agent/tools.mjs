// The model's tools: files and tests of one workspace, and finish.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { relative, resolve } from "node:path";

const TEST_TIMEOUT_MS = 30_000;
const OUTPUT_CHARS = 4_000;

const PATH = { path: { type: "string", description: "Relative to the workspace" } };

function define(name, description, properties, required = Object.keys(properties)) {
  return {
    type: "function",
    function: { name, description, parameters: { type: "object", properties, required } },
  };
}

const DEFINITIONS = [
  define("read_file", "Read a file", PATH),
  define("write_file", "Replace a file", { ...PATH, content: { type: "string" } }),
  define("run_tests", "Run a test file with node --test", PATH),
  define(
    "finish",
    "End the task",
    {
      outcome: { type: "string", enum: ["success", "failure", "partial"] },
      errors: {
        type: "array",
        description: "Errors that you met",
        items: {
          type: "object",
          properties: {
            type: { type: "string", description: "Such as TypeError" },
            message: { type: "string" },
            resolution: { type: "string", description: "What resolved it" },
          },
          required: ["type", "message"],
        },
      },
    },
    ["outcome"],
  ),
];

export function createTools(workspace) {
  /** Returns a path within the workspace; throws for any other. */
  function locate(path) {
    const found = resolve(workspace, String(path));
    if (relative(workspace, found).startsWith("..")) throw new Error(`${path} is outside of the workspace`);
    return found;
  }

  const run = {
    read_file: async ({ path }) => ({ content: await readFile(locate(path), "utf8"), result: "ok" }),
    async write_file({ path, content }) {
      await writeFile(locate(path), String(content));
      return { content: `wrote ${path}`, result: "ok" };
    },
    run_tests: ({ path }) => runTests(workspace, locate(path)),
  };

  return {
    definitions: DEFINITIONS,

    /** Runs a tool call. A failure is returned as a result, so that the model can correct the call. */
    async run({ function: { name, arguments: given } }) {
      try {
        const args = JSON.parse(given || "{}");
        if (name === "finish") return { finished: args };
        if (!Object.hasOwn(run, name)) throw new Error(`there is no tool ${name}`);
        const { content, result, error } = await run[name](args);
        const action = { action: name, target: String(args.path), result, ...(error && { error }) };
        return { content, action };
      } catch (error) {
        const content = `${name} failed: ${error.message}`;
        return { content, action: { action: name, result: "error", error: content } };
      }
    },
  };
}

function runTests(workspace, file) {
  const args = ["--test", "--test-reporter=tap", file];
  // The model may have written the test: it does not get the agent's keys. Node does not run tests from within its own
  // test runner with NODE_TEST_CONTEXT.
  const { KIOKU_API_KEY: _key, LLM_API_KEY: _modelKey, NODE_TEST_CONTEXT: _context, ...env } = process.env;
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd: workspace, env, timeout: TEST_TIMEOUT_MS }, (failure, stdout) => {
      const output = stdout.slice(-OUTPUT_CHARS);
      if (failure === null) return done({ content: `pass\n${output}`, result: "pass" });
      const read = (field) => new RegExp(`^ +${field}: '(.*)'$`, "m").exec(stdout)?.[1];
      const error = `${read("name") ?? "Error"}: ${read("error") ?? failure.message}`;
      done({ content: `fail: ${error}\n${output}`, result: "fail", error });
    });
  });
}
