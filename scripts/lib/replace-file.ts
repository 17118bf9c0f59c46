// Writes a file whole or not at all.
import { rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Two builds at once, or a kill during one, never leave half a file for a server to load. */
export async function replaceFile(path, contents) {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}`);
  try {
    await writeFile(temporary, contents);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
