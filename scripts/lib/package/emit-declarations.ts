// Emits the type declarations of the package `kioku` for both module systems of Node. A declaration file is an ES module or
// a CommonJS module by its ending, and TypeScript refuses CommonJS code that imports an ES module's declarations.
//
// The client's declarations are there once, as CommonJS, which both may import. Those of the adapters are there twice: each
// refers to the declarations of a framework for its own module system.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, posix } from "node:path";
import { root } from "../repository.ts";
import type { PackageFiles } from "./write-package.ts";

type ModuleSystem = "esm" | "cjs";

const ENDINGS = { esm: ".d.ts", cjs: ".d.cts" };

/** Frameworks that are ES modules only. CommonJS declarations name their types with an import attribute. */
const ESM_FRAMEWORKS = ["ai"];

/** `entries` are the source files by the name of the entry point, relative to the repository and without their ending. */
export async function emitDeclarations(entries: Readonly<Record<string, string>>): Promise<PackageFiles> {
  await mkdir(join(root, "dist"), { recursive: true });
  const folder = await mkdtemp(join(root, "dist/types-"));
  try {
    runTypeScript(folder);
    const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith(".d.ts"));
    const files = new Map<string, string>();
    for (const path of paths.map((path) => path.replaceAll("\\", "/"))) {
      const text = shorten(await readFile(join(folder, path), "utf8"));
      for (const system of listModuleSystems(path))
        files.set(
          `types/${path.replace(/\.d\.ts$/, ENDINGS[system])}`,
          convertImports(text, join(folder, path), system),
        );
    }
    const entryPaths = Object.entries(entries).flatMap(([name, source]) =>
      (["esm", "cjs"] as const).map((system) => {
        const path = `${name}${ENDINGS[system]}`;
        files.set(path, `export * from "./types/${source}${findEnding(source, system)}";\n`);
        return path;
      }),
    );
    return selectReachable(files, entryPaths);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runTypeScript(folder: string): void {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  // `npm run types` reports errors of types.
  spawnSync(process.execPath, [tsc, "-p", join(root, "tsconfig.package.json"), "--outDir", folder]);
}

function listModuleSystems(path: string): ModuleSystem[] {
  return path.startsWith("adapters/") ? ["esm", "cjs"] : ["cjs"];
}

/** Returns the ending with which a declaration of one module system imports the declarations of `path`. */
function findEnding(path: string, system: ModuleSystem): string {
  return system === "esm" && listModuleSystems(path).includes("esm") ? ".js" : ".cjs";
}

/**
 * Indents by one column, and drops the descriptions of whole operations, which no editor shows: nobody completes the key of
 * a map of types.
 */
function shorten(text: string): string {
  return text
    .replaceAll(/^ *\/\*\*.*\*\/\n(?= *"[A-Z]+ \/)/gm, "")
    .replaceAll(/^(?: {4})+/gm, (spaces) => " ".repeat(spaces.length / 4));
}

/** Returns the files that the entry points refer to, directly or not. */
function selectReachable(files: ReadonlyMap<string, string>, entries: readonly string[]): PackageFiles {
  const found = new Set(entries);
  for (const path of found)
    for (const [, specifier = ""] of (files.get(path) ?? "").matchAll(/(?:from|import) ?\(?"(\.[^"]+)"/g)) {
      const target = posix.join(posix.dirname(path), specifier);
      found.add(target.replace(/\.js$/, ENDINGS.esm).replace(/\.cjs$/, ENDINGS.cjs));
    }
  return new Map([...found].map((path) => [path, files.get(path) ?? ""]));
}

/** Adds the file extensions that Node's module resolution needs. */
function convertImports(text: string, file: string, system: ModuleSystem): string {
  const folder = dirname(file);
  const relative = text.replaceAll(
    /((?:from|import) ?\(?")(\.{1,2}\/[^"]*|\.{1,2})"/g,
    (_, before: string, path: string) => {
      const target = existsSync(join(folder, `${path}.d.ts`)) ? path : `${path}/index`;
      const isAdapter = /\/adapters\//.test(join(folder, target).replaceAll("\\", "/"));
      return `${before}${target}${findEnding(isAdapter ? "adapters/" : "client/", system)}"`;
    },
  );
  if (system === "esm") return relative;
  return relative.replaceAll(
    /^import (?:type )?\{([^}]*)\} from "([^"]+)";$/gm,
    (line, names: string, module: string) =>
      ESM_FRAMEWORKS.includes(module)
        ? `import type {${names.replaceAll(/\btype /g, "")}} from "${module}" with { "resolution-mode": "import" };`
        : line,
  );
}
