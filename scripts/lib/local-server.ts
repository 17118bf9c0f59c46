// Serves the built Worker on workerd through miniflare, over the same local data as `wrangler dev`.
import { createServer } from "node:net";
import { setInterval } from "node:timers";
import type { Miniflare, V4SharedOptions } from "miniflare";
import { createFileCompactor, type LocalFileCompactor } from "./compaction/compact-files.ts";
import { readCode, readMessage } from "./errors.ts";
import { type Installation, repositoryInstallation } from "./installation.ts";
import { ensureDataFolder, getStoragePath } from "./local/data-folder.ts";
import { disposeRuntime, launchRuntime } from "./local/launch-runtime.ts";
import { migrateDatabases } from "./local/migrate-databases.ts";
import { claimData, noteRunningServer, removeRunningServer } from "./local/running-server.ts";
import { nameDatabases, readLocalWorker, readModules } from "./local/worker-options.ts";

// wrangler and miniflare read these when needed: nothing leaves this machine, and wrangler's own remarks stay out of
// the Worker's log.
Object.assign(process.env, {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_WRITE_LOGS: "false",
  WRANGLER_LOG: "error",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
});
// On a machine with two cores, V8 has one background thread. If that waits for a garbage collection while the main thread
// waits for it to sweep, workerd hangs and uses a whole core: so the main thread sweeps by itself.
process.env.MINIFLARE_WORKERD_V8_FLAGS ??= "--single-threaded-gc";

/** Replaces the cron trigger in wrangler.toml: workerd alone has no scheduler. */
const CRON_INTERVAL_MS = 30_000;

/** Receives every line that the Worker writes. */
export type WriteLog = (level: string, message: string) => void;

export interface ServerOptions {
  installation?: Installation;
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
  /** A Worker of one file that calls the service, which it has as the binding KIOKU. */
  caller?: { name: string; script: string; bindings: Record<string, string> };
  /** Lets MCP clients sign in: docs/oauth.md. */
  oauth?: boolean;
}

export interface LocalServer {
  url: string;
  /** The address of the calling Worker. */
  callerUrl?: string;
  dispose(): Promise<void>;
}

/** Applies pending migrations, then serves the built Worker until `dispose()`. */
export async function startServer({
  installation = repositoryInstallation,
  port = 8787,
  host = "127.0.0.1",
  persist = installation.stateDir,
  adminKey,
  log = writeLog,
  env = {},
  shards = readShards(),
  caller,
  oauth = readOAuth(),
}: ServerOptions = {}): Promise<LocalServer> {
  await assertFree(port, host, installation);
  await ensureDataFolder(persist);
  await claimData(persist);

  const worker = readLocalWorker(installation, installation.findDevVars(persist));
  const { name, cron, assets, bindings } = worker;
  const storage: V4SharedOptions = {
    resourcePersistencePath: getStoragePath(persist),
    handleStructuredLogs: ({ level, message }) => log(level, message),
  };
  const modules = await readModules(installation);

  const databases = nameDatabases(worker, shards);
  await migrateDatabases(persist, storage, databases, worker);
  const compactor = createFileCompactor(persist, name);
  await compactPending(compactor, log);

  const runtime = await launchRuntime({
    ...storage,
    unsafeTriggerHandlers: true,
    workers: [
      {
        ...bindings,
        name,
        modules,
        d1Databases: databases,
        kvNamespaces: oauth ? { OAUTH_KV: "oauth" } : {},
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
      ...(caller === undefined
        ? []
        : [
            {
              name: caller.name,
              modules: [{ type: "ESModule" as const, path: "caller.js", contents: caller.script }],
              compatibilityDate: bindings.compatibilityDate ?? "",
              bindings: caller.bindings,
              serviceBindings: { KIOKU: name },
              unsafeDirectSockets: [{ host, port: 0 }],
            },
          ]),
    ],
  });
  const url = (await runtime.unsafeGetDirectURL(name)).origin;
  const stopCron = startCron(runtime, cron, log);
  await noteRunningServer(persist, { pid: process.pid, url });

  return {
    url,
    ...(caller && { callerUrl: (await runtime.unsafeGetDirectURL(caller.name)).origin }),
    async dispose() {
      stopCron();
      try {
        await disposeRuntime(runtime);
        await compactPending(compactor, log);
      } finally {
        await compactor.dispose();
        await removeRunningServer(persist);
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

/** Reads from KIOKU_OAUTH whether OAuth is on. */
function readOAuth(): boolean {
  const text = process.env.KIOKU_OAUTH ?? "off";
  if (text !== "on" && text !== "off") throw new Error(`KIOKU_OAUTH takes on or off: ${text}`);
  return text === "on";
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
export function assertFree(
  port: number,
  host: string,
  { describeCommand }: Pick<Installation, "describeCommand"> = repositoryInstallation,
  command: "start" | "dev" = "start",
): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => {
      const code = readCode(error);
      const other = describeCommand(command, `--port ${port + 1}`);
      const inUse = `Port ${port} on ${host} is in use. Choose another: ${other}`;
      reject(new Error(code === "EADDRINUSE" ? inUse : `Cannot listen on ${host}:${port} (${code}).`));
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

export function writeLog(level: string, message: string): void {
  const stream = level === "error" || level === "warn" ? process.stderr : process.stdout;
  stream.write(`${message}\n`);
}
