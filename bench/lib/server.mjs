// The servers of a benchmark: the service as `npm start` serves it, and the small Workers beside it, all on
// workerd with a socket of their own, so that a request to either passes the same machinery.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

const root = join(import.meta.dirname, "../..");
const HOST = "127.0.0.1";

export const TENANT = "bench";

/** Bundles and serves the service's own Worker over `persist`, with a key for the benchmark's tenant. */
export async function startService(persist) {
  // Read when the module loads: a developer's own settings must not reach what is measured.
  process.env.KIOKU_DEV_VARS = join(persist, "dev.vars");
  const { startServer } = await import("../../scripts/lib/server.mjs");
  const adminKey = randomBytes(32).toString("hex");
  const server = await startServer({ port: 0, persist, adminKey, log: () => {} });
  const answer = await fetch(`${server.url}/v1/keys`, {
    method: "POST",
    headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ tenant: TENANT }),
  });
  if (answer.status !== 201) throw new Error(`POST /v1/keys answered ${answer.status}`);
  const { key } = await answer.json();
  return { ...server, key };
}

/** Bundles and serves a Worker of this folder; `options` are its bindings, as miniflare takes them. */
export async function startWorker(entry, { persist, ...options }) {
  const bundle = await build({
    absWorkingDir: root,
    entryPoints: [join(root, "bench", entry)],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    logLevel: "silent",
  });
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: HOST,
      port: 0,
      cf: false,
      log: new Log(LogLevel.NONE),
      resourcePersistencePath: join(persist, "v3"),
      workers: [
        {
          name: entry,
          compatibilityDate: "2026-09-01",
          compatibilityFlags: ["nodejs_compat"],
          modules: true,
          script: bundle.outputFiles[0].text,
          unsafeDirectSockets: [{ host: HOST, port: 0 }],
          ...options,
        },
      ],
    }),
  );
  await runtime.ready;
  return { url: (await runtime.unsafeGetDirectURL(entry)).origin, dispose: () => runtime.dispose() };
}
