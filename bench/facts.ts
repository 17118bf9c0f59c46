// `npm run bench facts [-- --errors] [--sets dev,dev-2]`: precision and recall of the rule by which a changed fact
// replaces the old one, on labelled pairs of statements. The held set was not looked at while the rules were written, so
// `--errors` prints the wrong answers of the development sets only.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { importSource } from "../scripts/lib/import-source.ts";
import { root } from "../scripts/lib/repository.ts";
import { renderTable } from "./lib/report/markdown-table.ts";

/** A labelled pair of test/data/fact-changes-*.json. */
interface FactChange {
  old: string;
  new: string;
  supersedes: boolean;
  category: string;
}

const { errors, sets } = parseArgs({
  options: {
    errors: { type: "boolean", default: false },
    sets: { type: "string", default: "dev,dev-2,held" },
  },
}).values;
const { deriveTopicKey, replacesFact } = await importSource<
  typeof import("../src/facts/topics/topic-key.ts")
>("src/facts/topics/topic-key.ts");

const HEAD = ["pairs", "changes", "replaced", "wrongly", "precision", "recall"];

for (const set of sets.split(",")) {
  const pairs: FactChange[] = JSON.parse(
    await readFile(join(root, `test/data/fact-changes-${set}.json`), "utf8"),
  );
  const byCategory = [...Map.groupBy(pairs, ({ category }) => category)].map(([category, group]) => [
    category,
    ...measureRule(group),
  ]);
  console.log(`\n${set}\n`);
  console.log(
    renderTable(["category", ...HEAD], "lrrrrrr", [...byCategory, ["total", ...measureRule(pairs)]]),
  );
  if (errors && set !== "held") printErrors(pairs);
}

/** Returns the cells of a row under HEAD. */
function measureRule(pairs: readonly FactChange[]): string[] {
  const replaced = pairs.filter((pair) => replacesFact(pair.old, pair.new));
  const right = countChanges(replaced);
  const changes = countChanges(pairs);
  const formatShare = (part: number, whole: number) => (whole === 0 ? "–" : (part / whole).toFixed(3));
  return [
    ...[pairs.length, changes, replaced.length, replaced.length - right].map(String),
    formatShare(right, replaced.length),
    formatShare(right, changes),
  ];
}

function countChanges(pairs: readonly FactChange[]): number {
  return pairs.filter(({ supersedes }) => supersedes).length;
}

function printErrors(pairs: readonly FactChange[]): void {
  for (const pair of pairs) {
    if (replacesFact(pair.old, pair.new) === pair.supersedes) continue;
    console.log(`\n${pair.supersedes ? "missed" : "wrongly replaced"}, ${pair.category}`);
    for (const content of [pair.old, pair.new]) console.log(`  ${content} -> ${deriveTopicKey(content)}`);
  }
}
