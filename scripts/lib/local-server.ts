// Serves the built Worker on workerd through miniflare, over the same local data as `wrangler dev`.
// Bindings come from wrangler.toml.
import { type ChildProcess, spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, Socket } from "node:net";
import { basename, dirname, extname, join, resolve } from "node:path";
import { setInterval } from "node:timers";
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  type V4MiniflareOptions,
  type V4SharedOptions,
  type V4WorkerOptionsShape,
} from "miniflare";
import wrangler from "wrangler";
import { listAppliedMigrations } from "./applied-migrations.ts";
import { MODULE_TYPES, workerPath } from "./build-worker.ts";
import { createFileCompactor, type LocalFileCompactor } from "./compaction/compact-files.ts";
import { readCode, readMessage } from "./errors.ts";
import { root } from "./repository.ts";

// wrangler and miniflare read these when needed: nothing leaves this machine, and wrangler's own remarks stay out of
// the Worker's log.
Object.assign(process.env, {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_WRITE_LOGS: "false",
  WRANGLER_LOG: "error",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
});

/** The folder of local data and the file of local secrets. Tests move both, to leave a developer's own alone. */
export const stateDir = resolve(root, process.env.KIOKU_STATE_DIR ?? ".wrangler/state");
export const devVarsPath = resolve(root, process.env.KIOKU_DEV_VARS ?? ".dev.vars");

/** Replaces the cron trigger in wrangler.toml: workerd alone has no scheduler. */
const CRON_INTERVAL_MS = 30_000;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type D1Config = ReturnType<typeof wrangler.unstable_readConfig>["d1_databases"][number];

/** Receives every line that the Worker writes. */
export type WriteLog = (level: string, message: string) => void;

export interface ServerOptions {
  /** 0 takes a free one. */
  port?: number;
  host?: string;
  /** The folder of the data. */
  persist?: string;
  adminKey?: string;
  log?: WriteLog;
  /** Variables that override wrangler.toml and .dev.vars. */
  env?: Record<string, string>;
  /** Databases besides the first one: docs/scaling.md. */
  shards?: number;
}

export interface LocalServer {
  url: string;
  dispose(): Promise<void>;
}

/** Applies pending migrations, then serves dist/worker.js until `dispose()`. */
export async function startServer({
  port = 8787,
  host = "127.0.0.1",
  persist = stateDir,
  adminKey,
  log = writeLog,
  env = {},
  shards = readShards(),
}: ServerOptions = {}): Promise<LocalServer> {
  const running = await findRunningServer(persist);
  if (running) throw new Error(`Kioku already serves this data at ${running}. Stop it first.`);
  if (port !== 0) await assertFree(port, host);
  await mkdir(persist, { recursive: true });

  const { name, cron, database, assets, bindings } = readWorkerOptions();
  const storage: V4SharedOptions = {
    // The layout of `wrangler dev`: one folder per version of the format.
    resourcePersistencePath: join(persist, "v3"),
    handleStructuredLogs: ({ level, message }) => log(level, message),
  };
  const modules = await readModules();

  const databases = nameDatabases(database, shards);
  await applyMigrations(persist, storage, databases, database);
  const compactor = createFileCompactor(persist, name);
  await compactPending(compactor, log);

  const runtime = await launch({
    ...storage,
    unsafeTriggerHandlers: true,
    workers: [
      {
        ...bindings,
        name,
        modules,
        d1Databases: databases,
        // The folder itself: miniflare's own assets would put their router before every request.
        serviceBindings: {
          ...bindings.serviceBindings,
          [assets.binding]: { disk: { path: assets.path } },
          FILE_COMPACTOR: ({ method, url }) => compactor.handle(method, new URL(url)),
        },
        bindings: { ...bindings.bindings, ...env, ...(adminKey && { ADMIN_KEY: adminKey }) },
        // Requests go straight to the Worker: miniflare's own entry costs each about 0.3 ms, answers
        // /cdn-cgi itself, and shows the stack of an uncaught error to the caller.
        unsafeDirectSockets: [{ host, port }],
      },
    ],
  });
  const url = (await runtime.unsafeGetDirectURL(name)).origin;
  const stopCron = startCron(runtime, cron, log);
  await writeFile(runningPath(persist), JSON.stringify({ pid: process.pid, url }));

  return {
    url,
    async dispose() {
      stopCron();
      try {
        await runtime.dispose();
        await Promise.all(endingGuards);
        await compactPending(compactor, log);
      } finally {
        await compactor.dispose();
        await rm(runningPath(persist), { force: true });
      }
    },
  };
}

/** A failure is reported and keeps nobody from using the service: the next start or stop tries again. */
async function compactPending(compactor: LocalFileCompactor, log: WriteLog): Promise<void> {
  try {
    await compactor.compactPending();
  } catch (error) {
    log("error", `Erased text may be left in local files: ${readMessage(error)}`);
  }
}

/** Reads the number of further databases from KIOKU_SHARDS. */
function readShards(): number {
  const text = process.env.KIOKU_SHARDS ?? "0";
  if (!/^\d{1,2}$/.test(text)) throw new Error(`KIOKU_SHARDS takes a whole number below 100: ${text}`);
  return Number(text);
}

/** Returns the id of each database by its binding. */
function nameDatabases({ binding, database_id }: D1Config, shards: number): Record<string, string> {
  const first = database_id ?? binding;
  const further = Array.from({ length: shards }, (_, i) => [`${binding}_${i + 1}`, `${first}-${i + 1}`]);
  return { [binding]: first, ...Object.fromEntries(further) };
}

function readWorkerOptions() {
  const config = wrangler.unstable_readConfig(
    { config: join(root, "wrangler.toml") },
    { hideWarnings: true },
  );
  // wrangler reads `envFiles`, but its types do not list it.
  const options = { envFiles: [devVarsPath], overrides: {} };
  const { workerOptions } = wrangler.unstable_getMiniflareWorkerOptions(config, undefined, options);
  const { modulesRules: _rules, assets: _assets, ...bindings } = workerOptions;
  const { name, assets, triggers } = config;
  const [database] = config.d1_databases;
  if (!name || !database || !assets?.binding || !assets.directory)
    throw new Error(
      "wrangler.toml must have a name, a D1 database, and assets with a binding and a directory",
    );
  return {
    name,
    cron: triggers.crons?.[0],
    database,
    assets: { binding: assets.binding, path: join(root, assets.directory) },
    bindings: bindings as V4WorkerOptionsShape,
  };
}

/** Returns the address of the server that holds this data: two would each run the same session. */
export async function findRunningServer(persist = stateDir): Promise<string | null> {
  try {
    const { pid, url }: { pid: number; url: string } = JSON.parse(
      await readFile(runningPath(persist), "utf8"),
    );
    process.kill(pid, 0);
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) });
    return answer.ok ? url : null;
  } catch {
    // There is no file, the process was killed, or its id belongs to another process now.
    return null;
  }
}

/** Reads the admin key in .dev.vars; undefined without a file or without a key in it. */
export async function readAdminKey(): Promise<string | undefined> {
  const text = await readFile(devVarsPath, "utf8").catch((error: unknown) => {
    const code = readCode(error);
    if (code === "ENOENT") return "";
    throw new Error(`Cannot read ${devVarsPath} (${code}).`, { cause: error });
  });
  const [, ...forms] = text.match(ADMIN_KEY_LINE) ?? [];
  return forms.find(Boolean)?.trim() || undefined;
}

export const ADMIN_KEY_LINE =
  /^[ \t]*(?:export[ \t]+)?ADMIN_KEY[ \t]*=[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^#\n]*)).*$/m;

/**
 * Applies the pending migrations of each database, with wrangler's own bookkeeping. A migration and its record are one
 * batch, so a kill leaves both or neither. It runs before the Worker starts: no request sees an old schema.
 */
async function applyMigrations(
  persist: string,
  storage: V4SharedOptions,
  databases: Record<string, string>,
  { migrations_dir = "migrations", migrations_table = "d1_migrations" }: D1Config,
): Promise<void> {
  const folder = join(root, migrations_dir);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  const applied = await listAppliedMigrations(persist, Object.values(databases));
  // Starting a runtime takes most of a second.
  if (applied.every((list) => names.every((name) => list.includes(name)))) return;
  const runtime = await launch({
    ...storage,
    workers: [{ modules: true, script: MIGRATOR, d1Databases: databases }],
  });
  try {
    for (const binding of Object.keys(databases)) {
      const send = async <Answer>(work: object) => {
        const body = JSON.stringify({ binding, table: migrations_table, ...work });
        const answer = await runtime.dispatchFetch("http://localhost/", { method: "POST", body });
        if (!answer.ok) throw new Error(await answer.text());
        return (await answer.json()) as Answer;
      };
      const present = await send<string[]>({ create: createMigrationsTable(migrations_table) });
      for (const name of names.filter((name) => !present.includes(name))) {
        const statements = wrangler.unstable_splitSqlQuery(await readFile(join(folder, name), "utf8"));
        await send({ name, statements }).catch((error: unknown) => {
          throw new Error(`Migration ${name} failed: ${readMessage(error)}`, { cause: error });
        });
      }
    }
  } finally {
    await runtime.dispose();
  }
}

/**
 * The Worker that applies migrations: it creates the table of applied ones and lists them, or applies one. Statements are
 * prepared inside workerd, because each call of a binding from this process would wait for a request.
 */
const MIGRATOR = `export default {
  async fetch(request, env) {
    const { binding, table, create, name, statements } = await request.json();
    const db = env[binding];
    try {
      if (create !== undefined) {
        await db.prepare(create).run();
        const { results } = await db.prepare(\`SELECT name FROM "\${table}"\`).all();
        return Response.json(results.map((row) => row.name));
      }
      const record = db.prepare(\`INSERT INTO "\${table}" (name) VALUES (?)\`).bind(name);
      await db.batch([...statements.map((sql) => db.prepare(sql)), record]);
      return Response.json(null);
    } catch (error) {
      return new Response(error.message, { status: 500 });
    }
  },
};`;

/** Word for word the table of `wrangler d1 migrations apply`. */
function createMigrationsTable(name: string): string {
  return `CREATE TABLE IF NOT EXISTS "${name}"(
		id         INTEGER PRIMARY KEY AUTOINCREMENT,
		name       TEXT UNIQUE,
		applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);`;
}

async function launch(options: V4MiniflareOptions): Promise<Miniflare> {
  const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      log: new Log(LogLevel.NONE),
      ...options,
    }),
  );
  // Miniflare ends the process at the first signal; when to stop is the caller's decision.
  for (const [signal, listeners] of before)
    for (const added of process.listeners(signal).filter((listener) => !listeners.includes(listener)))
      process.off(signal, added);
  try {
    await runtime.ready;
  } catch (error) {
    // The reason for the failed start matters more than that of a failed clean-up.
    await runtime.dispose().catch(() => {});
    throw error;
  }
  return runtime;
}

async function readModules() {
  const folder = dirname(workerPath);
  const files = await readdir(folder).catch((): string[] => []);
  if (!files.includes(basename(workerPath))) throw new Error(`${workerPath} is missing: npm run build`);
  const extra = files.filter((file) => extname(file) in MODULE_TYPES);
  return Promise.all(
    [basename(workerPath), ...extra].map(async (file) => ({
      type: MODULE_TYPES[extname(file)] ?? "ESModule",
      path: join(folder, file),
      contents: await readFile(join(folder, file)),
    })),
  );
}

/**
 * Calls the Worker's scheduled handler every half minute, without keeping the process alive. Uses a request, because
 * `getWorker()` blocks this process until workerd answers, while workerd blocks until this process reads its log: with
 * many overdue alarms at the start they deadlock.
 */
function startCron(runtime: Miniflare, cron: string | undefined, log: WriteLog): () => void {
  const query = new URLSearchParams(cron === undefined ? {} : { cron });
  const timer = setInterval(async () => {
    try {
      const response = await runtime.dispatchFetch(`http://localhost/cdn-cgi/local/scheduled?${query}`);
      const body = await response.text();
      if (!response.ok) log("error", `The scheduled handler failed: ${body}`);
    } catch (error) {
      log("error", `The scheduled handler failed: ${readMessage(error)}`);
    }
  }, CRON_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Checks the port before workerd does, whose refusal is a page of stack trace. */
function assertFree(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => {
      const code = readCode(error);
      const inUse = `Port ${port} on ${host} is in use. Choose another: PORT=8788 npm start`;
      reject(new Error(code === "EADDRINUSE" ? inUse : `Cannot listen on ${host}:${port} (${code}).`));
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

function runningPath(persist: string): string {
  return join(persist, "server.json");
}

function writeLog(level: string, message: string): void {
  const stream = level === "error" || level === "warn" ? process.stderr : process.stdout;
  stream.write(`${message}\n`);
}

// workerd outlives a parent that is killed with -9, and keeps its port and its data open. So each workerd gets a guard
// that waits on a pipe from this process: however this process ends, the pipe closes and the guard kills workerd.
const endingGuards = new Set<Promise<unknown>>();

subscribe("child_process", (message) => {
  const { process: child } = message as { process: ChildProcess };
  child.once("spawn", () => {
    if (!basename(child.spawnfile).startsWith("workerd") || process.platform === "win32") return;
    const guard = spawn("sh", ["-c", 'read -r _; kill -9 "$0" 2>/dev/null', String(child.pid)], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    guard.unref();
    if (guard.stdin instanceof Socket) guard.stdin.unref();
    // The pipe breaks when the guard ends first.
    guard.stdin.on("error", () => {});
    child.once("exit", () => {
      // A signal to the whole group has ended the guard already.
      if (guard.exitCode !== null || guard.signalCode !== null) return;
      guard.ref();
      const ended = once(guard, "exit").finally(() => endingGuards.delete(ended));
      endingGuards.add(ended);
      guard.kill("SIGKILL");
    });
  });
});
