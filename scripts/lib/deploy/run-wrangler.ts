// Wrangler as deployment uses it: `read` asks the account, `change` changes it. Whatever fails becomes one error with
// wrangler's own reason, shortened, and what to do about it.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

const REASON_LINES = 4;
const REASON_CHARACTERS = 600;

/** A failure that is shown as it stands, without a stack. */
export class DeployError extends Error {}

/**
 * `run(args, env)` gives `{ status, stdout, stderr }`. With `dryRun` nothing is changed: `say` gets the command that
 * would have been run.
 */
export function createWrangler({ run, say, dryRun }) {
  async function call(args, { fix, absent, env = {} }) {
    const { status, stdout, stderr } = await run(args, env);
    if (status === 0) return stdout;
    const reason = reasonOf(stdout, stderr);
    if (absent?.test(reason)) return null;
    throw new DeployError(`wrangler ${args.join(" ")} failed: ${reason}\n${fix}`);
  }

  return {
    /** The parsed answer; null when the reason for a failure matches `absent`: what was asked for is not there. */
    async read(args, options) {
      const stdout = await call(args, options);
      if (stdout === null) return null;
      try {
        return JSON.parse(stdout);
      } catch (error) {
        throw new DeployError(`wrangler ${args.join(" ")} did not answer in JSON.\n${options.fix}`, {
          cause: error,
        });
      }
    },

    /** The text wrangler wrote; null in a dry run, or when somebody else was faster: `absent` matches the reason. */
    async change(args, options) {
      if (!dryRun) return call(args, options);
      say(`  would run: wrangler ${args.join(" ")}`);
      return null;
    },

    /** The entries of wrangler's own output file, which are for programs to read. */
    async changeWithOutput(args, options) {
      const folder = await mkdtemp(join(tmpdir(), "kioku-deploy-"));
      try {
        const path = join(folder, "output.ndjson");
        await this.change(args, { ...options, env: { WRANGLER_OUTPUT_FILE_PATH: path } });
        const lines = dryRun ? "" : await readFile(path, "utf8").catch(() => "");
        return lines
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line));
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Runs the wrangler of this repository: never asks, sends no metrics, and leaves no log files. */
export function wranglerRunner(root) {
  // The program itself, not its launcher: the launcher refuses Node 20, on which this much works.
  const program = createRequire(import.meta.url).resolve("wrangler");
  return (args, env) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [program, ...args], {
        cwd: root,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          ...process.env,
          CI: "true",
          NO_COLOR: "1",
          WRANGLER_SEND_METRICS: "false",
          WRANGLER_WRITE_LOGS: "false",
          ...env,
        },
      });
      const written = { stdout: "", stderr: "" };
      for (const stream of ["stdout", "stderr"])
        child[stream].setEncoding("utf8").on("data", (text) => {
          written[stream] += text;
        });
      child.once("error", reject);
      child.once("close", (status) => resolve({ status, ...written }));
    });
}

/** The first lines of the error itself, without colours, marks and advice on logging in. */
function reasonOf(stdout, stderr) {
  const text = stripVTControlCharacters(`${stderr}\n${stdout}`);
  const [, error = text] = /\[ERROR\]\s*([\s\S]*)/.exec(text) ?? [];
  const lines = error
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line && !/Logs were written|--temporary|If you think this is a bug/.test(line));
  const reason = lines.slice(0, REASON_LINES).join(" ").slice(0, REASON_CHARACTERS);
  return reason || "it gave no reason.";
}
