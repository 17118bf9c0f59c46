// The service as a user runs it, for black-box tests: `npm start` in a process group of its own,
// over a temporary folder, so that it can be stopped, killed and started again on the same data.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const scripts = join(dirname(fileURLToPath(import.meta.url)), "../../../scripts");

export interface TestServerOptions {
  /** Variables of the Worker, as a user would set them in .dev.vars. */
  env?: Record<string, string>;
  /** A state folder to use and to keep; without it a temporary one is made, and removed by `stop`. */
  persist?: string;
  /** Databases besides the first one; without it, as many as KIOKU_SHARDS says, so that every suite can run on several. */
  shards?: number;
  /** Lets MCP clients sign in. */
  oauth?: boolean;
}

export interface TestServer {
  url: string;
  adminKey: string;
  /** Read and write, tenant `local`. */
  key: string;
  /** The folder with all its data. */
  state: string;
  /** Everything the process has written so far. */
  output(): string;
  /** Ends it as Ctrl-C would. */
  stop(): Promise<void>;
  /** Ends the whole process group at once, as a power cut would. */
  kill9(): Promise<void>;
  /** Starts it again, on the same data and the same port, with more variables; stops it first if it still runs. */
  restart(env?: Record<string, string>): Promise<void>;
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const state = options.persist ?? (await mkdtemp(join(tmpdir(), "kioku-")));
  const devVars = join(state, "dev.vars");
  if (options.env && !existsSync(devVars)) {
    await writeFile(devVars, linesOf(options.env));
  }

  const settings = {
    KIOKU_SHARDS: String(options.shards ?? process.env.KIOKU_SHARDS ?? 0),
    KIOKU_OAUTH: options.oauth === true ? "on" : "off",
  };
  // Tests read events from the log.
  const logged = { args: ["--verbose"] };
  let run = spawnStart(state, "0", settings, logged);
  const server: TestServer = {
    url: "",
    adminKey: "",
    key: "",
    state,
    output: () => run.output(),
    async stop() {
      await run.signal("SIGTERM");
      if (!options.persist) await rm(state, { recursive: true, force: true });
    },
    kill9: () => run.signal("SIGKILL"),
    async restart(env = {}) {
      await run.signal("SIGTERM");
      await appendFile(devVars, linesOf(env));
      run = spawnStart(state, new URL(server.url).port, settings, logged);
      await arrive();
    },
  };

  async function arrive(): Promise<void> {
    server.url = await run.ready();
    server.adminKey = /^ADMIN_KEY="?([^"\n]+)/m.exec(await readFile(devVars, "utf8"))?.[1] ?? "";
    server.key = await readFile(join(state, "local-key"), "utf8");
  }

  await arrive();
  return server;
}

function linesOf(env: Record<string, string>): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}\n`)
    .join("");
}

export interface Run {
  child: ChildProcess;
  output(): string;
  /** Its address, once /health answers there. */
  ready(): Promise<string>;
  /** Its exit code; null when a signal ended it. */
  exited: Promise<number | null>;
  /** Signals the whole process group, and waits until the process has ended. */
  signal(signal: NodeJS.Signals): Promise<void>;
}

/** Caches the compiled code of wrangler and miniflare, which takes half a second of every start. */
const compileCache = join(scripts, "../node_modules/.cache/kioku-tests");

/** Runs scripts/start.ts over a state folder, without waiting for it. setup.ts builds the Worker once. */
export function spawnStart(
  state: string,
  port: string,
  env: Record<string, string> = {},
  { script = "start.ts", args = [] }: { script?: string; args?: readonly string[] } = {},
): Run {
  const child = spawn(process.execPath, [join(scripts, script), ...args], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      KIOKU_STATE_DIR: state,
      KIOKU_DEV_VARS: join(state, "dev.vars"),
      PORT: port,
      KIOKU_BUILT: "1",
      NODE_COMPILE_CACHE: compileCache,
      ...env,
    },
  });
  let text = "";
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code));
  });
  // A test that fails half-way must not leave a server behind.
  const killGroup = (): void => sendToGroup(child, "SIGKILL");
  process.once("exit", killGroup);

  const ready = new Promise<string>((resolve, reject) => {
    let isReady = false;
    const read = (chunk: Buffer): void => {
      text += chunk.toString();
      // Searched only until it is found: later output is megabytes.
      const url = isReady ? undefined : /is ready at (http:\S+)/.exec(text)?.[1];
      if (url === undefined) return;
      isReady = true;
      resolve(url);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    void exited.then((code) => {
      process.off("exit", killGroup);
      reject(new Error(`the server ended with ${code}: ${text}`));
    }, reject);
  });
  // A run that is meant to fail is never asked whether it is ready.
  ready.catch(() => {});

  return {
    child,
    output: () => text,
    async ready() {
      const url = await ready;
      const health = await fetch(`${url}/health`);
      if (!health.ok) throw new Error(`/health answered ${health.status}`);
      return url;
    },
    exited,
    async signal(signal) {
      sendToGroup(child, signal);
      await exited;
    },
  };
}

function sendToGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, signal);
}
