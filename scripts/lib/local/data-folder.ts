// The folder of a local service's data.
import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The files with keys and memories. */
const OWN_FILES = ["v3", "local-key", "server.json", "compaction.json", ".dev.vars", "*.admin-key.json"];

/** Creates the folder. Before there is data in it, has git ignore its keys and memories. */
export async function ensureDataFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const ignoreFile = join(folder, ".gitignore");
  if (existsSync(ignoreFile) || existsSync(getStoragePath(folder))) return;
  // A folder with other files may be that of a project, which git must not ignore.
  const ignored = (await readdir(folder)).length === 0 ? ["*"] : OWN_FILES.map((name) => `/${name}`);
  await writeFile(ignoreFile, `${ignored.join("\n")}\n`);
}

/** Returns where databases and objects are. The layout of `wrangler dev`: one folder per version of the format. */
export function getStoragePath(folder: string): string {
  return join(folder, "v3");
}
