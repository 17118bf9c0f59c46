// The command line, run in this process, which takes a tenth of the time of a process of its own, or as a user runs it:
// the file that package.json names, in a process and a folder of its own.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";

export const root = join(import.meta.dirname, "../..");
const { bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { bin: { kioku: string } };
export const kiokuFile = join(root, bin.kioku);

export type Outcome = { code: number | null; out: string; err: string };
export type Call = { env?: NodeJS.ProcessEnv; cwd?: string; input?: string };
/** `isTTY` has a person at a terminal type the input. */
export type CommandCall = Call & { isTTY?: boolean };

/** Runs a command line to its end. Nothing of the tester's own environment reaches it. */
export async function kioku(
  args: readonly string[],
  { env = {}, cwd = "/", input = "", isTTY = false }: CommandCall = {},
): Promise<Outcome> {
  // Imported when needed: most test files only run other programs.
  const [{ COMMANDS }, { run }, { createTerminal }] = await Promise.all([
    import("../../cli/commands/index"),
    import("../../cli/run"),
    import("../../cli/terminal"),
  ]);
  const outcome: Outcome = { code: null, out: "", err: "" };
  const collect = (name: "out" | "err") =>
    new Writable({
      decodeStrings: false,
      write(text: string, _encoding, done) {
        outcome[name] += text;
        done();
      },
    });
  const streams = {
    stdout: Object.assign(collect("out"), { isTTY }),
    stderr: Object.assign(collect("err"), { isTTY }),
    stdin: Object.assign(Readable.from([Buffer.from(input)]), { isTTY }),
  };
  outcome.code = await run(COMMANDS, args, {
    terminal: createTerminal(streams, env),
    env,
    cwd,
    version: "0.0.0",
    program: kiokuFile,
  });
  return outcome;
}

/** Runs the built file in a process of its own. Nothing of the tester's own environment reaches it but the path. */
export function spawnKioku(args: readonly string[], { cwd = "/", ...call }: Call = {}): Promise<Outcome> {
  return runToEnd(process.execPath, [kiokuFile, ...args], { cwd, ...call });
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
