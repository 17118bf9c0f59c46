// Writes the files of a package to its folder, and removes files of earlier builds.
import { chmod, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { replaceFile } from "../replace-file.ts";
import { root } from "../repository.ts";
import { createPackageManifest } from "./package-manifest.ts";

/** Contents by path, relative to the package. */
export type PackageFiles = ReadonlyMap<string, string | Uint8Array>;

/** Adds the manifest, the README and the licence of packages/`name`. */
export async function writePackage(name: string, folder: string, files: PackageFiles): Promise<void> {
  const manifest = await createPackageManifest(name);
  const all = new Map<string, string | Uint8Array>([
    ...files,
    ["package.json", `${JSON.stringify(manifest, null, 2)}\n`],
    ["README.md", await readFile(join(root, "packages", name, "README.md"))],
    ["LICENSE", await readFile(join(root, "LICENSE"))],
  ]);
  for (const [path, contents] of all) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await replaceFile(join(folder, path), contents);
  }
  // npm makes them executable when it links them, but not again after another build.
  for (const path of Object.values(manifest.bin)) await chmod(join(folder, path), 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    // A file that begins with a dot is the temporary one of another build.
    const isStale = entry.isFile() && !entry.name.startsWith(".") && !all.has(toPackagePath(folder, path));
    if (isStale) await rm(path, { force: true });
  }
}

function toPackagePath(folder: string, path: string): string {
  return path.slice(folder.length + 1).replaceAll("\\", "/");
}

/** Returns the licence texts of the bundled packages, as their licences require. `inputs` are paths of an esbuild metafile. */
export async function collectLicences(inputs: readonly string[]): Promise<string> {
  const packages = new Set(inputs.flatMap((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  const texts = [...packages].sort().map(async (path) => {
    const name = path.slice("node_modules/".length);
    const file = (await readdir(join(root, path))).find((entry) => /^licen[cs]e/i.test(entry));
    if (file !== undefined) return `${name}\n\n${await readFile(join(root, path, file), "utf8")}`;
    const { license } = JSON.parse(await readFile(join(root, path, "package.json"), "utf8"));
    if (license === undefined) throw new Error(`${path} has no licence`);
    return `${name}\n\n${license}\n`;
  });
  return (await Promise.all(texts)).join("\n");
}
