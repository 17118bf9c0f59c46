// `npm run bench <name> [-- options]`: runs one benchmark. Without a name, lists them.
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";

const SELF = basename(import.meta.filename);

const names = (await readdir(import.meta.dirname))
  .filter((file) => file.endsWith(".ts") && file !== SELF)
  .map((file) => file.slice(0, -".ts".length))
  .sort();

/** Returns the sentence after the command in the first comment of a benchmark. */
async function describe(name: string): Promise<string> {
  const text = await readFile(join(import.meta.dirname, `${name}.ts`), "utf8");
  const comment = [...text.matchAll(/^\/\/ ?(.*)\n/gm)].map(([, line]) => line).join(" ");
  return /`:? ([^.:]+[.:]?)/.exec(comment)?.[1] ?? comment;
}

// A benchmark reads its options as if it were the command itself.
const [name] = process.argv.splice(2, 1);
if (name !== undefined && names.includes(name)) {
  await import(join(import.meta.dirname, `${name}.ts`));
} else {
  if (name !== undefined) console.error(`bench: there is no benchmark "${name}".\n`);
  console.log("npm run bench <name> [-- options]\n");
  for (const known of names) console.log(`  ${known.padEnd(12)} ${await describe(known)}`);
  process.exitCode = name === undefined ? 0 : 1;
}
