// Builds the web console in console/: one entry, views that are loaded when they are opened, and the licences of the
// packages in the bundle. File names carry a content hash, so that browsers may cache them forever.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { replaceFile } from "./replace-file.ts";
import { root } from "./repository.ts";

const source = join(root, "console");
const target = join(root, "dist/assets/console");

/** Browsers of the last two years: the style sheet uses `light-dark()`. */
export const BROWSERS = ["chrome123", "firefox120", "safari17.5"];

type BuiltConsole = {
  /** The files that the first view loads, with their compressed sizes. */
  firstLoad: Record<string, number>;
  firstLoadBytes: number;
};

/** Writes missing files, and removes files of earlier builds. */
export async function buildConsole(): Promise<BuiltConsole> {
  const { outputFiles, metafile } = await bundle();
  const files = new Map<string, string | Uint8Array>(
    outputFiles.map(({ path, contents }) => [basename(path), contents]),
  );
  const icon = await readFile(join(root, "src/http/docs-page/icon.svg"));
  const licences = await readLicences(metafile);
  const names = {
    "main.js": findName(files, /^main-\w+\.js$/),
    "main.css": findName(files, /^main-\w+\.css$/),
    "icon.svg": addHash("icon.svg", icon),
    "licences.txt": addHash("licences.txt", licences),
  };
  files.set(names["icon.svg"], icon).set(names["licences.txt"], licences);
  let page = await readFile(join(source, "page.html"), "utf8");
  for (const [name, hashedName] of Object.entries(names)) {
    if (!page.includes(`"/console/${name}"`))
      throw new Error(`The page of the console does not name ${name}`);
    page = page.replace(`"/console/${name}"`, `"/console/${hashedName}"`);
  }
  files.set("page.html", page);
  await writeFiles(files);

  const loaded = ["page.html", names["main.css"], ...listStaticImports(metafile, names["main.js"])];
  const firstLoad = Object.fromEntries(
    loaded.map((name) => [name, gzipSync(files.get(name) ?? "").byteLength]),
  );
  return { firstLoad, firstLoadBytes: Object.values(firstLoad).reduce((sum, bytes) => sum + bytes, 0) };
}

function bundle() {
  return build({
    absWorkingDir: root,
    entryPoints: { main: join(source, "main.tsx") },
    outdir: target,
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: BROWSERS,
    platform: "browser",
    jsx: "automatic",
    jsxImportSource: "preact",
    alias: { "kioku/client": join(root, "client/index.ts") },
    define: { "process.env.NODE_ENV": '"production"' },
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    logLevel: "silent",
  });
}

/** Returns a file and the files that it imports, directly or not, without those that it imports lazily. */
function listStaticImports({ outputs }: Metafile, entry: string): string[] {
  const byName = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const found = new Set([entry]);
  for (const name of found)
    for (const { path, kind } of byName.get(name)?.imports ?? [])
      if (kind === "import-statement") found.add(basename(path));
  return [...found];
}

/** Returns the licences of the packages whose files are in the bundle. */
async function readLicences({ inputs }: Metafile): Promise<string> {
  const packages = new Set(
    Object.keys(inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
  );
  const texts = [...packages].sort().map(async (name) => {
    const folder = join(root, "node_modules", name);
    const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one));
    if (file === undefined) throw new Error(`The package ${name} has no licence file`);
    return `${name}\n\n${(await readFile(join(folder, file), "utf8")).trim()}\n`;
  });
  return (await Promise.all(texts)).join("\n\n");
}

async function writeFiles(files: ReadonlyMap<string, string | Uint8Array>): Promise<void> {
  await mkdir(target, { recursive: true });
  const present = await readdir(target);
  // Apart from the page, the name is a hash of the contents: a file that has it is up to date.
  for (const [name, contents] of files)
    if (name === "page.html" || !present.includes(name)) await replaceFile(join(target, name), contents);
  for (const name of present) if (!files.has(name)) await rm(join(target, name), { force: true });
}

function findName(files: ReadonlyMap<string, unknown>, pattern: RegExp): string {
  const name = [...files.keys()].find((file) => pattern.test(file));
  if (name === undefined) throw new Error(`The build of the console has no file like ${pattern.source}`);
  return name;
}

function addHash(name: string, contents: string | Uint8Array): string {
  const hash = createHash("sha256").update(contents).digest("hex").slice(0, 8).toUpperCase();
  const extension = extname(name);
  return `${name.slice(0, -extension.length)}-${hash}${extension}`;
}
