// Bundles the Worker for local serving. Deployment is left to wrangler, which bundles the same way.
import { mkdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { type BuildFailure, build } from "esbuild";
import { buildAssets } from "./build-assets.ts";
import { readMessage } from "./errors.ts";
import { repositoryInstallation } from "./installation.ts";
import { replaceFile } from "./replace-file.ts";
import { root } from "./repository.ts";

const { workerPath } = repositoryInstallation;

export interface BuiltWorker {
  path: string;
  bytes: number;
  gzipBytes: number;
  /** The source files, relative to the repository. */
  inputs: string[];
}

/** Bundles src/index.ts into dist/worker.js, and builds the Worker's assets. */
export async function buildWorker(): Promise<BuiltWorker> {
  await buildAssets();
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { worker: join(root, "src/index.ts") },
    outdir: dirname(workerPath),
    bundle: true,
    write: false,
    metafile: true,
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
  }).catch((error: unknown) => {
    throw new Error(`The Worker does not build: ${describeBuildFailure(error)}`, { cause: error });
  });

  await mkdir(dirname(workerPath), { recursive: true });
  for (const { path, contents } of outputFiles) await replaceFile(path, contents);

  const worker = outputFiles.find(({ path }) => path === workerPath);
  if (worker === undefined) throw new Error(`The build did not write ${workerPath}`);
  const { byteLength } = worker.contents;
  return {
    path: workerPath,
    bytes: byteLength,
    gzipBytes: gzipSync(worker.contents).byteLength,
    inputs: Object.keys(metafile.inputs),
  };
}

export function formatKib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

function describeBuildFailure(error: unknown): string {
  const [first] = isBuildFailure(error) ? error.errors : [];
  if (first === undefined) return readMessage(error);
  const { location, text } = first;
  return location ? `${relative(root, join(root, location.file))}:${location.line}: ${text}` : text;
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors);
}
