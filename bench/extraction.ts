// `npm run bench extraction [-- --errors]`: recall and precision of the rules that choose the sentences of a conversation
// worth remembering, by category. The rules are developed on the dev sets; the held half is only measured.
// `--errors` lists the errors of the dev sets.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { importSource } from "../scripts/lib/import-source.ts";
import { root } from "../scripts/lib/repository.ts";
import type { Role } from "../src/memories/message-schemas.ts";
import { renderTable } from "./lib/report/markdown-table.ts";

/** A labelled sentence of test/data/statements-*.json. */
interface Statement {
  text: string;
  role: Role;
  keep: boolean;
  category: string;
}

const DEV_SETS = ["dev", "dev-2"];
const HELD_SET = "held";
const HEAD = ["category", "sentences", "to keep", "kept", "wrongly kept", "recall", "precision"];

const { errors } = parseArgs({ options: { errors: { type: "boolean", default: false } } }).values;
const { extractCandidates } = await importSource<
  typeof import("../src/facts/extraction/extract-candidates.ts")
>("src/facts/extraction/extract-candidates.ts");

for (const set of [...DEV_SETS, HELD_SET]) {
  const statements = await loadStatements(set);
  const categories = [...new Set(statements.map(({ category }) => category))];
  const rows = categories.map((category) =>
    measure(
      category,
      statements.filter((one) => one.category === category),
    ),
  );
  console.log(`\n${set}\n`);
  console.log(renderTable(HEAD, "lrrrrrr", [...rows, measure("total", statements)]));
}

if (errors) {
  const statements = (await Promise.all(DEV_SETS.map(loadStatements))).flat();
  for (const { text, role, keep, category } of statements) {
    if (isKept({ text, role }) !== keep)
      console.log(`${keep ? "missed" : "wrongly kept"}, ${category}, ${role}: ${text}`);
  }
}

async function loadStatements(set: string): Promise<Statement[]> {
  return JSON.parse(await readFile(join(root, `test/data/statements-${set}.json`), "utf8"));
}

function isKept({ text, role }: Pick<Statement, "text" | "role">): boolean {
  return extractCandidates({ id: "1", role, content: text, timestamp: "" }).length > 0;
}

/** Returns a row under HEAD. */
function measure(name: string, statements: readonly Statement[]): string[] {
  const kept = statements.filter(isKept);
  const right = kept.filter(({ keep }) => keep).length;
  const wanted = statements.filter(({ keep }) => keep).length;
  const formatShare = (part: number, whole: number) => (whole === 0 ? "–" : (part / whole).toFixed(3));
  const counts = [statements.length, wanted, kept.length, kept.length - right].map(String);
  return [name, ...counts, formatShare(right, wanted), formatShare(right, kept.length)];
}
