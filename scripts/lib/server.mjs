// Serves the built Worker on workerd through miniflare, over the same local data as `wrangler dev`.
// What wrangler.toml says about bindings is read from there and not repeated here.
import { spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { basename, dirname, extname, join, resolve } from "node:path";
import { moduleTypes, root, workerPath } from "./worker.mjs";

// Both are CommonJS in one file of megabytes: `import` would parse it twice more, to find out that it is and what it
// exports, for half a second of every start.
const require = createRequire(import.meta.url);
const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = require("miniflare");
const wrangler = require("wrangler");

// Read by wrangler and miniflare when they need them. Nothing leaves this machine, and wrangler's remarks about
// files it found do not belong among the Worker's log lines.
Object.assign(process.env, {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_WRITE_LOGS: "false",
  WRANGLER_LOG: "error",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
});

/** Where local data and local secrets live; both can be moved, so that tests never touch a developer's own. */
export const stateDir = resolve(root, process.env.KIOKU_STATE_DIR ?? ".wrangler/state");
export const devVarsPath = resolve(root, process.env.KIOKU_DEV_VARS ?? ".dev.vars");

/** On Cloudflare the cron trigger in wrangler.toml does this; workerd alone has no clock for it. */
const SWEEP_MS = 60_000;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Applies pending migrations, then serves dist/worker.js until `dispose()`.
 * Port 0 takes a free one. `log(level, message)` gets every line the Worker writes.
 */
export async function startServer({
  port = 8787,
  host = "127.0.0.1",
  persist = stateDir,
  adminKey,
  log = writeLog,
  env = {},
} = {}) {
  const already = await runningServer(persist);
  if (already) throw new Error(`Kioku already serves this data at ${already}. Stop it first.`);
  if (port !== 0) await assertFree(port, host);
  await mkdir(persist, { recursive: true });

  const config = wrangler.unstable_readConfig(
    { config: join(root, "wrangler.toml") },
    { hideWarnings: true },
  );
  const { workerOptions } = wrangler.unstable_getMiniflareWorkerOptions(config, undefined, {
    envFiles: [devVarsPath],
  });
  const { modulesRules: _, assets, ...bindings } = workerOptions;
  // The layout of `wrangler dev`: one folder per version of the format.
  const storage = { resourcePersistencePath: join(persist, "v3"), handleStructuredLogs: toLog(log) };
  const modules = await readModules();

  await migrate(storage, config.d1_databases[0]);

  const runtime = await launch({
    ...storage,
    workers: [
      {
        ...bindings,
        name: config.name,
        modules,
        // The folder itself: miniflare's own assets would put their router before every request.
        serviceBindings: {
          ...bindings.serviceBindings,
          [assets.binding]: { disk: { path: assets.directory } },
        },
        bindings: { ...bindings.bindings, ...env, ...(adminKey && { ADMIN_KEY: adminKey }) },
        // Requests go straight to the Worker: miniflare's own entry costs each about 0.3 ms, answers
        // /cdn-cgi itself, and shows the stack of an uncaught error to the caller.
        unsafeDirectSockets: [{ host, port }],
      },
    ],
  });
  const url = (await runtime.unsafeGetDirectURL(config.name)).origin;
  const stopSweep = sweep(await runtime.getWorker(config.name), config.triggers.crons?.[0], log);
  await writeFile(runningPath(persist), JSON.stringify({ pid: process.pid, url }));

  return {
    url,
    async dispose() {
      stopSweep();
      try {
        await runtime.dispose();
        await Promise.all(endingGuards);
      } finally {
        await rm(runningPath(persist), { force: true });
      }
    },
  };
}

/** The address of the server that holds this data, if one does: two would each run the same session. */
export async function runningServer(persist = stateDir) {
  try {
    const { pid, url } = JSON.parse(await readFile(runningPath(persist), "utf8"));
    process.kill(pid, 0);
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) });
    return answer.ok ? url : null;
  } catch {
    // No file, a process that was killed, or a number that belongs to another process by now.
    return null;
  }
}

/** The admin key in .dev.vars, or undefined when there is no file or no key in it. */
export async function readAdminKey() {
  const text = await readFile(devVarsPath, "utf8").catch((error) => {
    if (error.code === "ENOENT") return "";
    throw new Error(`Cannot read ${devVarsPath} (${error.code}).`, { cause: error });
  });
  const [, ...forms] = text.match(ADMIN_KEY_LINE) ?? [];
  return forms.find(Boolean)?.trim() || undefined;
}

export const ADMIN_KEY_LINE =
  /^[ \t]*(?:export[ \t]+)?ADMIN_KEY[ \t]*=[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^#\n]*)).*$/m;

/**
 * Brings the database up to date, with wrangler's own bookkeeping. A migration and its record are one batch,
 * so a kill leaves both or neither. It runs before the Worker is there: no request sees an old schema.
 */
async function migrate(
  storage,
  { binding, database_id, migrations_dir, migrations_table = "d1_migrations" },
) {
  const folder = join(root, migrations_dir ?? "migrations");
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".sql")).sort();
  const runtime = await launch({
    ...storage,
    workers: [{ modules: true, script: "", d1Databases: { DB: database_id ?? binding } }],
  });
  try {
    const db = await runtime.getD1Database("DB");
    await db.prepare(createTable(migrations_table)).run();
    const { results } = await db.prepare(`SELECT name FROM "${migrations_table}"`).all();
    const applied = new Set(results.map((row) => row.name));
    for (const name of names.filter((name) => !applied.has(name))) {
      const statements = wrangler.unstable_splitSqlQuery(await readFile(join(folder, name), "utf8"));
      const record = db.prepare(`INSERT INTO "${migrations_table}" (name) VALUES (?)`).bind(name);
      await db.batch([...statements.map((sql) => db.prepare(sql)), record]).catch((error) => {
        throw new Error(`Migration ${name} failed: ${error.message}`, { cause: error });
      });
    }
  } finally {
    await runtime.dispose();
  }
}

/** Word for word what `wrangler d1 migrations apply` creates. */
const createTable = (name) => `CREATE TABLE IF NOT EXISTS "${name}"(
		id         INTEGER PRIMARY KEY AUTOINCREMENT,
		name       TEXT UNIQUE,
		applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);`;

async function launch(options) {
  const before = SIGNALS.map((signal) => process.listeners(signal));
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
  SIGNALS.forEach((signal, i) => {
    for (const added of process.listeners(signal).filter((listener) => !before[i].includes(listener)))
      process.off(signal, added);
  });
  try {
    await runtime.ready;
  } catch (error) {
    await runtime.dispose().catch(() => {});
    throw error;
  }
  return runtime;
}

async function readModules() {
  const folder = dirname(workerPath);
  const files = await readdir(folder).catch(() => []);
  if (!files.includes(basename(workerPath))) throw new Error(`${workerPath} is missing: npm run build`);
  const extra = files.filter((file) => extname(file) in moduleTypes);
  return Promise.all(
    [basename(workerPath), ...extra].map(async (file) => ({
      type: moduleTypes[extname(file)] ?? "ESModule",
      path: join(folder, file),
      contents: await readFile(join(folder, file)),
    })),
  );
}

/** Calls the Worker's scheduled handler every minute; never keeps the process alive. */
function sweep(worker, cron, log) {
  const timer = setInterval(() => {
    worker.scheduled({ cron, scheduledTime: new Date() }).catch((error) => {
      log("error", `The scheduled handler failed: ${error.message}`);
    });
  }, SWEEP_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Asked before workerd is, whose own refusal is a page of stack. */
function assertFree(port, host) {
  return new Promise((done, refuse) => {
    const probe = createServer();
    probe.once("error", ({ code }) => {
      const inUse = `Port ${port} on ${host} is in use. Choose another: PORT=8788 npm start`;
      refuse(new Error(code === "EADDRINUSE" ? inUse : `Cannot listen on ${host}:${port} (${code}).`));
    });
    probe.listen(port, host, () => probe.close(done));
  });
}

const runningPath = (persist) => join(persist, "server.json");

const toLog = (log) => (line) => log(line.level, line.message);

function writeLog(level, message) {
  const stream = level === "error" || level === "warn" ? process.stderr : process.stdout;
  stream.write(`${message}\n`);
}

// A workerd outlives a parent that is killed with -9, and keeps its port and its data open. So each gets a
// guard that waits on a pipe from this process: however this process ends, the pipe closes and workerd goes.
const endingGuards = new Set();

subscribe("child_process", ({ process: child }) => {
  child.once("spawn", () => {
    if (!basename(child.spawnfile).startsWith("workerd") || process.platform === "win32") return;
    const guard = spawn("sh", ["-c", 'read -r _; kill -9 "$0" 2>/dev/null', String(child.pid)], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    guard.unref();
    guard.stdin.unref();
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
