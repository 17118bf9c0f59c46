// Deletes the data of a local service: what it has stored in its folder, and nothing else there. Settings and the admin key
// stay.
import { existsSync } from "node:fs";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { assertNotRunning } from "./running-server.ts";

/** Databases and objects; the key of the tenant `local`, which is in a database; the state of compaction. */
const OWN_FILES = ["v3", "local-key", "compaction.json"];

/** Files that a reset leaves, and the JSON files that `kioku-server deploy` keeps in the same folder. */
const KEPT_FILE = /^(\.gitignore|\.dev\.vars|.+\.json)$/;

export interface ResetOptions {
  stateDir: string;
  /** The folder as the user knows it. */
  shownDir: string;
  /** Without it, asks once. */
  yes: boolean;
}

/** Throws if the user refuses. The service must not run. */
export async function resetData({ stateDir, shownDir, yes }: ResetOptions): Promise<void> {
  const present = OWN_FILES.filter((name) => existsSync(join(stateDir, name)));
  if (present.length === 0) {
    await assertEmpty(stateDir, shownDir);
    console.log(`There is no data in ${shownDir}.`);
    return;
  }
  await assertOwnData(stateDir, shownDir);
  const bytes = await measureFiles(stateDir, present);
  const what = `the data in ${shownDir} (${present.join(", ")}: ${(bytes / 1e6).toFixed(1)} MB)`;
  if (!yes && !(await confirm(`Delete ${what}? [y/N] `))) throw new Error("Nothing was deleted.");
  // A service may have started while the question waited.
  await assertNotRunning(stateDir);
  for (const name of present) await rm(join(stateDir, name), { recursive: true, force: true });
  console.log(`Deleted ${what}.`);
}

/** The data of every project with wrangler has the same layout: only the key tells that it is Kioku's. */
async function assertOwnData(stateDir: string, shownDir: string): Promise<void> {
  const key = await readFile(join(stateDir, "local-key"), "utf8").catch(() => "");
  if (key.startsWith("kioku_")) return;
  throw new Error(
    `${shownDir} has no key of Kioku in local-key, so its data may be another program's. Nothing was deleted. ` +
      "A start without --reset makes the key.",
  );
}

/** Somebody who resets a folder expects data of Kioku there: other files mean that it is the wrong folder. */
async function assertEmpty(stateDir: string, shownDir: string): Promise<void> {
  const names = await readdir(stateDir).catch((): string[] => []);
  const other = names.find((name) => !KEPT_FILE.test(name));
  if (other === undefined) return;
  throw new Error(
    `${shownDir} has no data of Kioku, but other files (${other}). Nothing was deleted. Check --data, or start without --reset.`,
  );
}

async function measureFiles(folder: string, names: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const name of names) {
    const path = join(folder, name);
    const details = await stat(path);
    bytes += details.isDirectory() ? await measureFiles(path, await readdir(path)) : details.size;
  }
  return bytes;
}

async function confirm(question: string): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  // The prompt takes Ctrl-C from the process.
  prompt.once("SIGINT", () => process.exit(130));
  try {
    return /^y(es)?$/i.test((await prompt.question(question)).trim());
  } finally {
    prompt.close();
  }
}
