// What others install: the client and the adapters as plain modules with their declarations, and the command line, in
// dist/package. Types are checked by `npm run types`; here they are only written down.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { replaceFile } from "./replace-file.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const packagePath = join(root, "dist/package");

export async function buildPackage() {
  const files = new Map([...(await modules()), ...(await declarations()), await manifest()]);
  for (const [path, contents] of files) {
    await mkdir(dirname(path), { recursive: true });
    await replaceFile(path, contents);
  }
  await removeOthers(files);
}

/** An adapter shares the client's code with the client: whoever uses both has one of it. */
async function modules() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: await entries(),
    outdir: packagePath,
    bundle: true,
    splitting: true,
    write: false,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    packages: "external",
    logLevel: "error",
  });
  return outputFiles.map(({ path, contents }) => [path, contents]);
}

async function entries() {
  const folder = join(root, "adapters");
  const adapters = existsSync(folder) ? (await readdir(folder)).filter((name) => name.endsWith(".ts")) : [];
  return Object.fromEntries([
    ["client", join(root, "client/index.ts")],
    ["cli", join(root, "cli/index.ts")],
    ...adapters.map((name) => [basename(name, ".ts"), join(folder, name)]),
  ]);
}

async function declarations() {
  const types = join(packagePath, "types");
  await mkdir(join(root, "dist"), { recursive: true });
  const folder = await mkdtemp(join(root, "dist/types-"));
  try {
    const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
    spawnSync(process.execPath, [tsc, "-p", join(root, "tsconfig.package.json"), "--outDir", folder]);
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".d.ts"));
    return await Promise.all(
      names.map(async (name) => {
        const text = await readFile(join(folder, name), "utf8");
        return [join(types, name), withExtensions(text, dirname(join(folder, name)))];
      }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Node's own resolution, which TypeScript follows for some, wants whole file names. */
function withExtensions(text, folder) {
  return text.replaceAll(/((?:from|import) ?\(?")(\.{1,2}\/[^"]*|\.{1,2})"/g, (_, before, path) => {
    const file = existsSync(join(folder, `${path}.d.ts`)) ? path : `${path}/index`;
    return `${before}${file}.js"`;
  });
}

/** The folder is a package by itself: whoever installs it does not get what the service is made of. */
async function manifest() {
  const whole = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const { name, version, description, license, type, engines, exports, bin } = whole;
  const text = JSON.stringify({ name, version, description, license, type, engines, exports, bin }, null, 2);
  return [join(packagePath, "package.json"), text.replaceAll("./dist/package/", "./")];
}

/** Pieces of an earlier build have names that nobody asks for any more. */
async function removeOthers(files) {
  const built = (await readdir(packagePath, { recursive: true })).filter((name) =>
    /\.(js|d\.ts)$/.test(name),
  );
  const others = built.map((name) => join(packagePath, name)).filter((path) => !files.has(path));
  for (const path of others) await rm(path, { force: true });
}
