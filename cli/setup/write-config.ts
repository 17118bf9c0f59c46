// Replaces a configuration file at once, so that its program never reads half of it.
import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { CommandError } from "../failures";

/** Returns an empty text for a file that is not there. Refuses bytes that would not be written back as they were. */
export async function readConfig(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return Buffer.alloc(0);
    throw new CommandError(`Cannot read ${path} (${error.code}).`);
  });
  if (!isUtf8(bytes)) throw new CommandError(`${path} is not UTF-8. Save it as UTF-8; nothing was written.`);
  return bytes.toString("utf8");
}

/**
 * Writes the file if it is still as it was shown, and not read-only. Links and permissions stay; a new file is readable by
 * its owner only.
 */
export async function writeConfig(path: string, before: string, after: string): Promise<void> {
  if ((await readConfig(path)) !== before)
    throw new CommandError(`${path} has changed meanwhile, and was not written. Run the command again.`);
  const target = await realpath(path).catch(() => path);
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => 0o600,
  );
  // Replacing it would only need permission to write to its folder.
  if ((mode & 0o200) === 0)
    throw new CommandError(`${path} is read-only, and was not written. Make it writable first.`);
  try {
    await mkdir(dirname(path), { recursive: true });
    const temporary = `${target}.${randomUUID().slice(0, 8)}`;
    try {
      await writeFile(temporary, after, { mode: 0o600 });
      // Not by `writeFile`, which leaves out what the umask has.
      await chmod(temporary, mode);
      await rename(temporary, target);
    } finally {
      // It may have a key in it.
      await rm(temporary, { force: true });
    }
  } catch (error) {
    throw new CommandError(`Cannot write ${path} (${(error as NodeJS.ErrnoException).code}).`);
  }
}
