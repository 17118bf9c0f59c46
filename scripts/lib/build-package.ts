// Builds the npm package `kioku` in dist/package: the client and the adapters as ES modules with their declarations, and the
// command line. `npm run types` checks the types; this build only emits them.
import { readdir } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { build, transform } from "esbuild";
import { emitDeclarations } from "./package/emit-declarations.ts";
import { collectLicences, type PackageFiles, writePackage } from "./package/write-package.ts";
import { root } from "./repository.ts";

export const packagePath = join(root, "dist/package");

export async function buildPackage(): Promise<void> {
  const entries = await listEntryPoints();
  const files = new Map([
    ...(await bundleModules({ ...entries, cli: "cli/index" })),
    ...(await emitDeclarations(entries)),
    ...Object.keys(entries).map((name) => [`${name}.cjs`, createCommonJsEntry(name)] as const),
  ]);
  await writePackage("kioku", packagePath, files);
}

/**
 * `require("kioku")` loads the ES module, which Node does since 20.19: a program that uses both has one client, and the
 * package has one copy of the code. The call stands in a file of the package, because Node warns about one in a program.
 */
function createCommonJsEntry(name: string): string {
  return `module.exports = require("./${name}.js");\n`;
}

const TARGET = "es2022";

/** The frameworks that adapters are for: their users have them installed. Other packages are bundled. */
const FRAMEWORKS = ["@anthropic-ai/*", "@langchain/*", "ai", "openai"];

/** Code splitting lets the adapters share the client's code with the client. */
async function bundleModules(entries: Readonly<Record<string, string>>): Promise<PackageFiles> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.entries(entries).map(([name, path]) => ({ in: join(root, `${path}.ts`), out: name })),
    outdir: packagePath,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: TARGET,
    external: ["node:*", ...FRAMEWORKS],
    logLevel: "error",
  });
  return new Map<string, string | Uint8Array>([
    ...(await Promise.all(
      outputFiles.map(
        async ({ path, text }) => [relative(packagePath, path), await minify(path, text)] as const,
      ),
    )),
    ["licences.txt", await collectLicences(Object.keys(metafile.inputs))],
  ]);
}

/** An uncaught error prints the line that threw it. */
const MAX_LINE_CHARS = 160;

/** Names stay, and lines are short, where error traces and debuggers of a program show them. */
async function minify(path: string, text: string): Promise<string> {
  const isShown = basename(path) !== "cli.js";
  const { code } = await transform(text, {
    minify: true,
    keepNames: isShown,
    ...(isShown && { lineLimit: MAX_LINE_CHARS }),
    format: "esm",
    target: TARGET,
  });
  return code;
}

/** Returns the source of each entry point but the command line, without its ending. */
async function listEntryPoints(): Promise<Record<string, string>> {
  const adapters = (await readdir(join(root, "adapters"))).filter((name) => name.endsWith(".ts"));
  return Object.fromEntries([
    ["client", "client/index"],
    ...adapters.map((name) => [basename(name, ".ts"), `adapters/${basename(name, ".ts")}`]),
  ]);
}
