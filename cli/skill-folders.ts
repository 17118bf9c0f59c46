// Folders of the Agent Skills standard: each has a SKILL.md and may have scripts, references and assets. The service
// stores the SKILL.md; other files are named, so that nobody takes them for stored. Paths are relative to `cwd`, and are
// shown as they were given.
import { isUtf8 } from "node:buffer";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { CommandError } from "./failures";

export type SkillFolder = {
  path: string;
  /** The path of its SKILL.md. */
  file: string;
  /** Paths within the folder of the files that a skill does not hold. */
  others: string[];
};

/** Some products write it in lower case. */
const FILE_NAMES = ["SKILL.md", "skill.md"];

/** Returns the folder if it is a skill, or else the skills directly in it. */
export async function findSkillFolders(cwd: string, path: string): Promise<SkillFolder[]> {
  const names = await readdir(resolve(cwd, path)).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`Cannot read the folder ${path} (${error.code}). Check the path.`);
  });
  const own = await describeFolder(cwd, path);
  if (own !== null) return [own];
  const inside = names.map((name) => join(path, name));
  const found = await Promise.all(inside.sort().map((folder) => describeFolder(cwd, folder)));
  const folders = found.filter((folder) => folder !== null);
  if (folders.length > 0) return folders;
  throw new CommandError(
    `There is no SKILL.md in ${path}, nor in a folder in it. Name a folder that has one.`,
  );
}

/** Returns a folder with a SKILL.md, which may be a link to one; null for anything else. */
async function describeFolder(cwd: string, path: string): Promise<SkillFolder | null> {
  const folder = resolve(cwd, path);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    // A file, or a link that leads nowhere.
    if (error.code === "ENOTDIR" || error.code === "ENOENT") return [];
    throw new CommandError(`Cannot read the folder ${path} (${error.code}). Check its permissions.`);
  });
  const name = FILE_NAMES.find((one) => names.includes(one));
  if (name === undefined) return null;
  const file = join(path, name);
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const others = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((one) => one !== name);
  return { path, file, others: others.sort() };
}

export async function readSkillFile(cwd: string, { file }: SkillFolder): Promise<string> {
  const bytes = await readFile(resolve(cwd, file));
  if (!isUtf8(bytes)) throw new CommandError(`${file} is not UTF-8. Save it as UTF-8.`);
  return bytes.toString("utf8");
}

/** Returns the path of the SKILL.md of a skill, in a folder of its name. */
export function getSkillFilePath(path: string, markdown: string): string {
  // The first field of the front matter; in quotes if YAML would take it for a number or a boolean.
  const name = /^---\nname: ("?)([a-z0-9-]+)\1\n/.exec(markdown)?.[2];
  if (name === undefined)
    throw new CommandError("The service gave a skill without a name. It may be of an earlier version.");
  return join(path, name, "SKILL.md");
}

/** Writes a SKILL.md with its folder. Throws if another one is there, unless it may be replaced. */
export async function writeSkillFile(
  cwd: string,
  file: string,
  markdown: string,
  { replace }: { replace: boolean },
): Promise<void> {
  const target = resolve(cwd, file);
  await mkdir(dirname(target), { recursive: true });
  const there = await readFile(target, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (there !== null && there !== markdown && !replace)
    throw new CommandError(
      `${file} is there with another content. Replace it with --force, or export into another folder.`,
    );
  await writeFile(target, markdown);
}
