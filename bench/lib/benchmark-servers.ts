// The servers of a benchmark: the service as `npm start` serves it, and the small Workers beside it, all on
// workerd with a socket of their own, so that a request to either passes the same machinery.
import { randomBytes } from "node:crypto";
import { extname, join } from "node:path";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { moduleTypes } from "../../scripts/lib/worker.mjs";

const root = join(import.meta.dirname, "../..");
const HOST = "127.0.0.1";

export const TENANT = "bench";

/**
 * Serves the service's own Worker, as it was built, over `persist`, with a key for the benchmark's tenant; `env` is
 * put over its configuration.
 */
export async function startService(persist, env = {}) {
  // Read when the module loads: a developer's own settings must not reach what is measured.
  process.env.KIOKU_DEV_VARS = join(persist, "dev.vars");
  const { startServer } = await import("../../scripts/lib/server.mjs");
  const adminKey = randomBytes(32).toString("hex");
  const server = await startServer({ port: 0, persist, adminKey, log: () => {}, env });
  const key = await makeKey(server.url, adminKey);
  return { ...server, key, adminKey, tenant: TENANT };
}

/** A key for the benchmark's tenant. */
export async function makeKey(url, adminKey) {
  const answer = await fetch(`${url}/v1/keys`, {
    method: "POST",
    headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ tenant: TENANT }),
  });
  if (answer.status !== 201) throw new Error(`POST /v1/keys answered ${answer.status}`);
  return (await answer.json()).key;
}

/** Bundles and serves a Worker of this folder; `options` are its bindings, as miniflare takes them. */
export async function startWorker(entry, { persist, ...options }) {
  const bundle = await build({
    absWorkingDir: root,
    entryPoints: [join(root, "bench", entry)],
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
  // The Worker itself is the one that workerd starts with.
  const modules = bundle.outputFiles
    .map(({ path, contents }) => ({ type: moduleTypes[extname(path)] ?? "ESModule", path, contents }))
    .toSorted((a, b) => Number(b.type === "ESModule") - Number(a.type === "ESModule"));
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: HOST,
      port: 0,
      cf: false,
      log: new Log(LogLevel.NONE),
      // What the Worker logs does not belong among the results.
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
