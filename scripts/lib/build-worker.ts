// Bundles the Worker for local serving and measuring. Deployment is left to wrangler, which bundles the same way.
import { mkdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { buildAssets } from "./assets.mjs";
import { replaceFile } from "./replace-file.mjs";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const workerPath = join(root, "dist/worker.js");

/** Imports that workerd loads as modules of their own, as wrangler's default rules have it. */
export const moduleTypes = { ".wasm": "CompiledWasm", ".bin": "Data" };

/** Bundles src/index.ts into dist/worker.js, and makes the assets that it asks for. */
export async function buildWorker() {
  await buildAssets();
  const result = await build({
    absWorkingDir: root,
    entryPoints: { worker: join(root, "src/index.ts") },
    outdir: dirname(workerPath),
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    loader: { ".sql": "text", ".txt": "text", ".html": "text", ".wasm": "copy", ".bin": "copy" },
    assetNames: "[name]",
    define: { "process.env.NODE_ENV": '"production"' },
    keepNames: true,
    sourcemap: "linked",
    logLevel: "silent",
  }).catch((failure) => {
    throw new Error(`The Worker does not build: ${describe(failure)}`, { cause: failure });
  });

  await mkdir(dirname(workerPath), { recursive: true });
  for (const file of result.outputFiles) await replaceFile(file.path, file.contents);

  const code = result.outputFiles.find((file) => file.path === workerPath).contents;
  return { path: workerPath, bytes: code.byteLength, gzipBytes: gzipSync(code).byteLength };
}

function describe(failure) {
  const [first] = failure.errors ?? [];
  if (!first) return failure.message;
  const at = first.location
    ? `${relative(root, join(root, first.location.file))}:${first.location.line}: `
    : "";
  return `${at}${first.text}`;
}
