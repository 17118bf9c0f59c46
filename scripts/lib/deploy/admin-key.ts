// The admin key of a new deployment. It goes up together with the code, so that no version runs without it, and lies
// in a file until it has been shown: a run that was interrupted in between goes on with the same key.
import { randomBytes } from "node:crypto";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { DeployError } from "./deploy-wrangler.mjs";

/** A guessed admin key opens every tenant. */
const MIN_LENGTH = 32;

/** A key from a file of one's own; it is read before anything is made. */
export async function readGivenKey(path) {
  const text = await readFile(path, "utf8").catch((error) => {
    throw new DeployError(`--admin-key-file cannot be read (${error.code}): ${path}`);
  });
  const key = text.trim();
  if (key.length < MIN_LENGTH || /\s/.test(key))
    throw new DeployError(
      `The key in ${path} must have at least ${MIN_LENGTH} characters and no spaces, for example of: openssl rand -hex 32`,
    );
  return key;
}

/** The secrets file in `path`, as wrangler reads it; the key of an interrupted run is kept. */
export async function prepareKey(path, given) {
  const key = given ?? (await pendingKey(path)) ?? randomBytes(32).toString("hex");
  await writeFile(path, `${JSON.stringify({ ADMIN_KEY: key })}\n`, { mode: 0o600 });
  await chmod(path, 0o600);
  return key;
}

/** The key that an interrupted run may have set, and has not shown. */
export async function pendingKey(path) {
  const text = await readFile(path, "utf8").catch(() => null);
  return text === null ? null : JSON.parse(text).ADMIN_KEY;
}

export async function forgetKey(path) {
  await rm(path, { force: true });
}
