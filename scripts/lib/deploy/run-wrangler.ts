// Runs wrangler for a deployment: `read` queries the account, `change` changes it. A failure becomes one error with
// wrangler's own reason, shortened, and how to fix it.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

const REASON_LINES = 4;
const REASON_CHARACTERS = 600;

/** A failure whose message is shown to the user, without a stack. */
export class DeployError extends Error {}

export interface WranglerResult {
  /** Null when a signal ended it. */
  status: number | null;
  stdout: string;
  stderr: string;
}

export type RunWrangler = (args: string[], env: Record<string, string>) => Promise<WranglerResult>;

/** Prints a line of progress. */
export type Say = (line: string) => void;

interface CallOptions {
  /** How to fix a failure. */
  fix: string;
  env?: Record<string, string>;
}

interface TolerantOptions extends CallOptions {
  /** A failure whose reason matches gives null instead of an error. */
  absent: RegExp;
}

/** An entry of the file that wrangler writes for programs. */
export interface OutputEntry {
  type: string;
  targets?: string[];
}

export type Wrangler = ReturnType<typeof createWrangler>;

/** With `dryRun` nothing is changed: `say` gets the commands instead. */
export function createWrangler({ run, say, dryRun }: { run: RunWrangler; say: Say; dryRun: boolean }) {
  async function call(args: string[], options: CallOptions | TolerantOptions): Promise<string | null> {
    const { status, stdout, stderr } = await run(args, options.env ?? {});
    if (status === 0) return stdout;
    const reason = extractReason(stdout, stderr);
    if ("absent" in options && options.absent.test(reason)) return null;
    throw new DeployError(`wrangler ${args.join(" ")} failed: ${reason}\n${options.fix}`);
  }

  /** Returns the parsed answer, trusted to be of type `Answer`; null when the requested resource is absent. */
  function read<Answer>(args: string[], options: TolerantOptions): Promise<Answer | null>;
  function read<Answer>(args: string[], options: CallOptions): Promise<Answer>;
  async function read<Answer>(args: string[], options: CallOptions): Promise<Answer | null> {
    const stdout = await call(args, options);
    if (stdout === null) return null;
    try {
      return JSON.parse(stdout);
    } catch (error) {
      throw new DeployError(`wrangler ${args.join(" ")} did not answer in JSON.\n${options.fix}`, {
        cause: error,
      });
    }
  }

  /** Returns wrangler's output; null in a dry run, or when `absent` matches: somebody else has made the change. */
  async function change(args: string[], options: CallOptions | TolerantOptions): Promise<string | null> {
    if (!dryRun) return call(args, options);
    say(`  would run: wrangler ${args.join(" ")}`);
    return null;
  }

  /** Returns the entries of wrangler's output file. */
  async function changeWithOutput(args: string[], options: CallOptions): Promise<OutputEntry[]> {
    const folder = await mkdtemp(join(tmpdir(), "kioku-deploy-"));
    try {
      const path = join(folder, "output.ndjson");
      await change(args, { ...options, env: { WRANGLER_OUTPUT_FILE_PATH: path } });
      const lines = dryRun ? "" : await readFile(path, "utf8").catch(() => "");
      return lines
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  return { read, change, changeWithOutput };
}

/** Runs the wrangler beside this code, without prompts, metrics or log files. */
export function createWranglerRunner(cwd: string): RunWrangler {
  const program = createRequire(import.meta.url).resolve("wrangler");
  return (args, env) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [program, ...args], {
        cwd,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          ...process.env,
          CI: "true",
          NO_COLOR: "1",
          WRANGLER_SEND_METRICS: "false",
          WRANGLER_WRITE_LOGS: "false",
          // Answers in JSON are log lines, which a higher level in the user's environment would suppress.
          WRANGLER_LOG: "log",
          ...env,
        },
      });
      const output = { stdout: "", stderr: "" };
      for (const stream of ["stdout", "stderr"] as const)
        child[stream].setEncoding("utf8").on("data", (text: string) => {
          output[stream] += text;
        });
      child.once("error", reject);
      child.once("close", (status) => resolve({ status, ...output }));
    });
}

/** Extracts the first lines of the error, without colours, marks and advice on logging in. */
function extractReason(stdout: string, stderr: string): string {
  const text = stripVTControlCharacters(`${stderr}\n${stdout}`);
  const [, error = text] = /\[ERROR\]\s*([\s\S]*)/.exec(text) ?? [];
  const lines = error
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line && !/Logs were written|--temporary|If you think this is a bug/.test(line));
  const reason = lines.slice(0, REASON_LINES).join(" ").slice(0, REASON_CHARACTERS);
  return reason || "it gave no reason.";
}
