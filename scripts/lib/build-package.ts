// Builds the npm package in dist/package: the client and the adapters as plain modules with their declarations, and the
// command line. `npm run types` checks the types; this build only emits them.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";
import { replaceFile } from "./replace-file.ts";
import { root } from "./repository.ts";

export const packagePath = join(root, "dist/package");

/** Path and contents. */
type OutputFile = [string, string | Uint8Array];

export async function buildPackage(): Promise<void> {
  const files = new Map([...(await bundleModules()), ...(await emitDeclarations()), await createManifest()]);
  for (const [path, contents] of files) {
    await mkdir(dirname(path), { recursive: true });
    await replaceFile(path, contents);
  }
  await removeStaleFiles(files);
}

/** The frameworks that adapters are for: their users have them installed. Other packages are bundled. */
const FRAMEWORKS = ["@anthropic-ai/*", "@langchain/*", "ai", "openai"];

/** Code splitting lets the adapters share the client's code with the client. */
async function bundleModules(): Promise<OutputFile[]> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: await listEntryPoints(),
    outdir: packagePath,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    external: ["node:*", ...FRAMEWORKS],
    logLevel: "error",
  });
  return [
    ...outputFiles.map(({ path, contents }): OutputFile => [path, contents]),
    [join(packagePath, "licences.txt"), await collectLicences(Object.keys(metafile.inputs))],
  ];
}

/** Returns the licence texts of the bundled packages, as their licences require. */
async function collectLicences(inputs: readonly string[]): Promise<string> {
  const packages = new Set(inputs.flatMap((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  const texts = [...packages].sort().map(async (path) => {
    const file = (await readdir(join(root, path))).find((name) => /^licen[cs]e/i.test(name));
    if (file === undefined) throw new Error(`${path} has no licence file`);
    return `${path.slice("node_modules/".length)}\n\n${await readFile(join(root, path, file), "utf8")}`;
  });
  return (await Promise.all(texts)).join("\n");
}

async function listEntryPoints(): Promise<Record<string, string>> {
  const folder = join(root, "adapters");
  const adapters = (await readdir(folder)).filter((name) => name.endsWith(".ts"));
  return Object.fromEntries([
    ["client", join(root, "client/index.ts")],
    ["cli", join(root, "cli/index.ts")],
    ...adapters.map((name) => [basename(name, ".ts"), join(folder, name)]),
  ]);
}

async function emitDeclarations(): Promise<OutputFile[]> {
  const types = join(packagePath, "types");
  await mkdir(join(root, "dist"), { recursive: true });
  const folder = await mkdtemp(join(root, "dist/types-"));
  try {
    const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
    spawnSync(process.execPath, [tsc, "-p", join(root, "tsconfig.package.json"), "--outDir", folder]);
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".d.ts"));
    return await Promise.all(
      names.map(async (name): Promise<OutputFile> => {
        const text = await readFile(join(folder, name), "utf8");
        return [join(types, name), addExtensions(text, dirname(join(folder, name)))];
      }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Node's module resolution, which some TypeScript users follow, needs file extensions. */
function addExtensions(text: string, folder: string): string {
  return text.replaceAll(
    /((?:from|import) ?\(?")(\.{1,2}\/[^"]*|\.{1,2})"/g,
    (_, before: string, path: string) => {
      const file = existsSync(join(folder, `${path}.d.ts`)) ? path : `${path}/index`;
      return `${before}${file}.js"`;
    },
  );
}

/** The package's own manifest leaves out the service's dependencies and scripts. */
async function createManifest(): Promise<OutputFile> {
  const whole = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const { name, version, description, license, type, engines, exports, bin } = whole;
  const text = JSON.stringify({ name, version, description, license, type, engines, exports, bin }, null, 2);
  return [join(packagePath, "package.json"), text.replaceAll("./dist/package/", "./")];
}

/** Chunks of earlier builds have other names. */
async function removeStaleFiles(files: ReadonlyMap<string, unknown>): Promise<void> {
  const built = (await readdir(packagePath, { recursive: true })).filter((name) =>
    /\.(js|d\.ts)$/.test(name),
  );
  const stale = built.map((name) => join(packagePath, name)).filter((path) => !files.has(path));
  for (const path of stale) await rm(path, { force: true });
}
