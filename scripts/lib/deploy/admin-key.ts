// The admin key of a new deployment. It is uploaded together with the code, so that no version runs without it, and is
// kept in a file until it has been shown: a run after an interrupted one continues with the same key.
import { randomBytes } from "node:crypto";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { readCode } from "../errors.ts";
import { DeployError } from "./run-wrangler.ts";

/** A guessed admin key opens every tenant. */
const MIN_LENGTH = 32;

/** Reads the user's own key, before anything is created. */
export async function readKeyFile(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new DeployError(`--admin-key-file cannot be read (${readCode(error)}): ${path}`);
  });
  const key = text.trim();
  if (key.length < MIN_LENGTH || /\s/.test(key))
    throw new DeployError(
      `The key in ${path} must have at least ${MIN_LENGTH} characters and no spaces, for example of: openssl rand -hex 32`,
    );
  return key;
}

/** Writes wrangler's secrets file with the user's own key, that of an interrupted run, or a new one. */
export async function writePendingKey(path: string, ownKey: string | null): Promise<string> {
  const key = ownKey ?? (await readPendingKey(path)) ?? randomBytes(32).toString("hex");
  await writeFile(path, `${JSON.stringify({ ADMIN_KEY: key })}\n`, { mode: 0o600 });
  await chmod(path, 0o600);
  return key;
}

/** Reads the key that an interrupted run may have set and has not shown. */
export async function readPendingKey(path: string): Promise<string | null> {
  const text = await readFile(path, "utf8").catch(() => null);
  return text === null ? null : JSON.parse(text).ADMIN_KEY;
}

export async function removePendingKey(path: string): Promise<void> {
  await rm(path, { force: true });
}
