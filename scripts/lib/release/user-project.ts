// A project of a user in a temporary folder, in which commands run as in a shell with one version of Node.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import type { NodeVersion } from "./find-node.ts";

export interface UserProject {
  folder: string;
  write(path: string, contents: string): Promise<void>;
  /** Runs Node, and returns what it prints. Throws with everything that was printed if it fails. */
  node(...args: string[]): Promise<string>;
  npm(...args: string[]): Promise<string>;
  /** Starts npm in a process group of its own. */
  startNpm(...args: string[]): ChildProcess;
}

export async function createUserProject(folder: string, { path }: NodeVersion): Promise<UserProject> {
  const npmPath = process.env.npm_execpath;
  if (npmPath === undefined) throw new Error("Run it through npm: npm run release -- --dry-run");
  await mkdir(folder, { recursive: true });

  const spawnNode = (args: readonly string[], detached: boolean): ChildProcess =>
    spawn(path, args, {
      cwd: folder,
      detached,
      stdio: ["ignore", "pipe", "pipe"],
      env: createEnvironment(path),
    });

  const run = async (args: readonly string[]): Promise<string> => {
    const child = spawnNode(args, false);
    const output = collectOutput(child);
    const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}:\n${output.all()}`);
    return output.printed();
  };

  const write = (file: string, contents: string) => writeFile(join(folder, file), contents);
  await write("package.json", JSON.stringify({ name: "user", version: "1.0.0", private: true }));
  return {
    folder,
    write,
    node: (...args) => run(args),
    npm: (...args) => run([npmPath, ...args]),
    startNpm: (...args) => spawnNode([npmPath, ...args], true),
  };
}

/** Nothing of npm's settings for the repository reaches the project. */
function createEnvironment(nodePath: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_cache)|INIT_CWD|NODE_OPTIONS|KIOKU_|PORT$|HOST$)/.test(name),
  );
  const folders = (process.env.PATH ?? "").split(delimiter).filter((one) => !one.includes("node_modules"));
  return { ...Object.fromEntries(own), PATH: [dirname(nodePath), ...folders].join(delimiter) };
}

export function collectOutput(child: ChildProcess) {
  let printed = "";
  let all = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    all += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    all += text;
  });
  return { printed: () => printed, all: () => all };
}
