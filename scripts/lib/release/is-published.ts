// Asks the registry for a version, so that an interrupted release can be run again.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { readMessage } from "../errors.ts";

/** A published version cannot be published again. Throws if the registry does not answer. */
export async function isPublished(name: string, version: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)("npm", ["view", `${name}@${version}`, "version"]);
    return stdout.trim() === version;
  } catch (error) {
    // npm fails for a package, or a version, that does not exist.
    if (/\bE404\b/.test(readMessage(error))) return false;
    throw error;
  }
}
