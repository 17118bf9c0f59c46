// Checks the Turtle files in ontology/ and writes the TypeScript made from them to src/ontology/.
//
//   node scripts/ontology.mjs [root]           check, then write
//   node scripts/ontology.mjs --check [root]   check, and check that what was written is up to date

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readOntology } from "./lib/ontology.mjs";
import { generate } from "./lib/ontology-code.mjs";
import { problems } from "./lib/ontology-problems.mjs";

const { values, positionals } = parseArgs({
  options: { check: { type: "boolean", default: false } },
  allowPositionals: true,
});
const root = positionals[0] ?? join(import.meta.dirname, "..");
const target = join(root, "src", "ontology");

const found = run();
for (const problem of found) console.error(problem);
process.exitCode = found.length > 0 ? 1 : 0;

function run() {
  const ontology = readOrExplain(join(root, "ontology"));
  if (typeof ontology === "string") return [ontology];
  const inconsistencies = problems(ontology);
  if (inconsistencies.length > 0) return inconsistencies;
  const files = Object.entries(generate(ontology));
  if (values.check)
    return files
      .filter(([name, text]) => current(join(target, name)) !== text)
      .map(([name]) => `src/ontology/${name} is stale: run \`npm run ontology\``);
  mkdirSync(target, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(target, name), text);
  return [];
}

/** A file that is not Turtle is reported like any other problem, without a stack. */
function readOrExplain(directory) {
  try {
    return readOntology(directory);
  } catch (error) {
    return error.message;
  }
}

function current(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
