// Starts the servers of a benchmark: the service as `npm start` serves it, and the small Workers of bench/workers, all
// on workerd with a socket of their own, so that requests to either take the same path.
import { randomBytes } from "node:crypto";
import { extname, join } from "node:path";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptionsShape } from "miniflare";
import type { LocalServer } from "../../scripts/lib/local-server.ts";
import { MODULE_TYPES } from "../../scripts/lib/module-types.ts";
import { root } from "../../scripts/lib/repository.ts";

const HOST = "127.0.0.1";

export const TENANT = "bench";

/** A service with a key for one tenant. */
export interface BenchmarkService extends LocalServer {
  key: string;
  tenant: string;
  /** Undefined for a running service whose admin key is not known. */
  adminKey: string | undefined;
}

/** A service that was started here. */
export interface OwnService extends BenchmarkService {
  adminKey: string;
}

/** Serves the built service over `persist`; `env` overrides its configuration. */
export async function startService(persist: string, env: Record<string, string> = {}): Promise<OwnService> {
  // Read when the module loads: a developer's own settings must not affect the measurements.
  process.env.KIOKU_DEV_VARS = join(persist, "dev.vars");
  const { startServer } = await import("../../scripts/lib/local-server.ts");
  const adminKey = randomBytes(32).toString("hex");
  const server = await startServer({ port: 0, persist, adminKey, log: () => {}, env });
  const key = await createKey(server.url, adminKey);
  return { ...server, key, adminKey, tenant: TENANT };
}

/** Creates a key for a tenant. */
export async function createKey(url: string, adminKey: string, tenant = TENANT): Promise<string> {
  const answer = await fetch(`${url}/v1/keys`, {
    method: "POST",
    headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ tenant }),
  });
  if (answer.status !== 201) throw new Error(`POST /v1/keys answered ${answer.status}`);
  return (await answer.json<{ key: string }>()).key;
}

/** Bundles and serves a file of bench/workers, or `source` in its place, with the bindings in `options`. */
export async function startWorker(
  entry: string,
  { persist, source, ...options }: V4WorkerOptionsShape & { persist: string; source?: string },
): Promise<LocalServer> {
  const bundle = await build({
    absWorkingDir: root,
    ...(source === undefined
      ? { entryPoints: [join(root, "bench/workers", entry)] }
      : { stdin: { contents: source, resolveDir: root, sourcefile: entry, loader: "ts" } }),
    outdir: root,
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    loader: { ".wasm": "copy" },
    logLevel: "silent",
  });
  // workerd starts with the first module, which must be the Worker.
  const modules = bundle.outputFiles
    .map(({ path, contents }) => ({ type: MODULE_TYPES[extname(path)] ?? "ESModule", path, contents }))
    .toSorted((a, b) => Number(b.type === "ESModule") - Number(a.type === "ESModule"));
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: HOST,
      port: 0,
      cf: false,
      log: new Log(LogLevel.NONE),
      // Keeps the Worker's log out of the results.
      handleStructuredLogs: () => {},
      resourcePersistencePath: join(persist, "v3"),
      workers: [
        {
          name: entry,
          compatibilityDate: "2026-09-01",
          compatibilityFlags: ["nodejs_compat"],
          modules,
          unsafeDirectSockets: [{ host: HOST, port: 0 }],
          ...options,
        },
      ],
    }),
  );
  await runtime.ready;
  return { url: (await runtime.unsafeGetDirectURL(entry)).origin, dispose: () => runtime.dispose() };
}

/** Starts the Worker of the platform's floors. */
export function startFloorWorker(folder: string): Promise<LocalServer> {
  return startWorker("floor.ts", {
    persist: join(folder, "floor"),
    d1Databases: { DB: "floor" },
    durableObjects: { OBJECTS: { className: "FloorObject", useSQLite: true } },
  });
}
