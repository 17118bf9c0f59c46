// The command line as a user runs it: the file that package.json names, in a process and a folder of its own.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../..");
const { bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { bin: { kioku: string } };

export type Outcome = { code: number | null; out: string; err: string };
export type Call = { env?: NodeJS.ProcessEnv; cwd?: string; input?: string };

/** Runs it to its end. Nothing of the tester's own environment reaches it but the path. */
export function kioku(
  args: readonly string[],
  { env = {}, cwd = "/", input = "" }: Call = {},
): Promise<Outcome> {
  return runToEnd(process.execPath, [join(root, bin.kioku), ...args], { env, cwd, input });
}

/** Never wait for a process in place: the connections of the other tests would time out meanwhile. */
export function runToEnd(
  file: string,
  args: readonly string[],
  { env = {}, cwd = root, input = "" }: Call,
): Promise<Outcome> {
  const child = spawn(file, args, { cwd, env: { PATH: process.env.PATH ?? "", ...env } });
  const outcome: Outcome = { code: null, out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    outcome.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    outcome.err += text;
  });
  // A command that fails early does not read what it is given.
  child.stdin.on("error", () => {}).end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ ...outcome, code }));
  });
}
