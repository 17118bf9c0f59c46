// `npm run ontology`: checks the Turtle files in ontology/ and writes the TypeScript generated from them to src/ontology/generated/.
//
//   node scripts/ontology.ts [root]           checks, then writes
//   node scripts/ontology.ts --check [root]   checks, also that the generated files are up to date

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readCode, readMessage } from "./lib/errors.ts";
import { findOntologyProblems } from "./lib/ontology/find-ontology-problems.ts";
import { generateOntologyCode } from "./lib/ontology/generate-ontology-code.ts";
import { type Ontology, readOntology } from "./lib/ontology/read-ontology.ts";
import { root as repository } from "./lib/repository.ts";

const { values, positionals } = parseArgs({
  options: { check: { type: "boolean", default: false } },
  allowPositionals: true,
});
const [root = repository] = positionals;
const target = join(root, "src", "ontology", "generated");

const problems = run();
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function run(): string[] {
  let ontology: Ontology;
  try {
    ontology = readOntology(join(root, "ontology"));
  } catch (error) {
    // A file that is not Turtle is reported like any other problem, without a stack.
    return [readMessage(error)];
  }
  const inconsistencies = findOntologyProblems(ontology);
  if (inconsistencies.length > 0) return inconsistencies;
  const files = Object.entries(generateOntologyCode(ontology));
  if (values.check)
    return files
      .filter(([name, text]) => readIfPresent(join(target, name)) !== text)
      .map(([name]) => `src/ontology/generated/${name} is stale: run \`npm run ontology\``);
  mkdirSync(target, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(target, name), text);
  return [];
}

function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (readCode(error) === "ENOENT") return null;
    throw error;
  }
}
