// `npm run bench duplicates [-- --errors fit|held]`: precision and recall of the near-duplicate rule on labelled pairs,
// beside simpler rules in the same run. Vectors come from the embedded embedder, run in Node.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { scheduler } from "node:timers/promises";
import { parseArgs } from "node:util";
import { importSource } from "../scripts/lib/import-source.ts";
import { buildModel } from "../scripts/lib/model/build-model.ts";
import { root } from "../scripts/lib/repository.ts";
import type { MemoryType } from "../src/ontology/generated/terms.generated.ts";
import { getItem } from "./lib/get-item.ts";
import { renderTable } from "./lib/report/markdown-table.ts";

/** A labelled pair of test/data/near-duplicates.json. */
interface Pair {
  type: MemoryType;
  a: string;
  b: string;
  duplicate: boolean;
  split: string;
}

type PairWithCosine = Pair & { cosine: number };
type Rule = (pair: PairWithCosine) => boolean;

const SPLITS = ["fit", "held"];
const { errors } = parseArgs({ options: { errors: { type: "string" } } }).values;

// Workers have it as a global, and the embedder uses it between texts.
Object.assign(globalThis, { scheduler });
const { createUseLiteEmbedder } = await importSource<
  typeof import("../src/models/use-lite/use-lite-embedder.ts")
>("src/models/use-lite/use-lite-embedder.ts");
const { normaliseContent } = await importSource<typeof import("../src/language/normalise-text.ts")>(
  "src/language/normalise-text.ts",
);
const { isNearDuplicate } = await importSource<
  typeof import("../src/language/near-duplicates/near-duplicate.ts")
>("src/language/near-duplicates/near-duplicate.ts");
const { parseStatement } = await importSource<
  typeof import("../src/language/near-duplicates/parse-statement.ts")
>("src/language/near-duplicates/parse-statement.ts");

const pairs: Pair[] = JSON.parse(await readFile(join(root, "test/data/near-duplicates.json"), "utf8"));
const cosines = await computeCosines(pairs);
const rows = pairs.map((pair, at) => ({ ...pair, cosine: getItem(cosines, at) }));
const selectSplit = (split: string) => rows.filter((row) => row.split === split);

const judge = ({ type, a, b }: Pair, cosine: number | null) =>
  isNearDuplicate(parseStatement({ type, content: a }), parseStatement({ type, content: b }), cosine);
const ownRule: Rule = (pair) => judge(pair, pair.cosine).duplicate;
const threshold = findBestThreshold(selectSplit("fit"));
const USUAL = 0.9;

const RULES: readonly (readonly [name: string, rule: Rule])[] = [
  ["the rule", ownRule],
  ["the rule without vectors", (pair) => judge(pair, null).duplicate],
  ["equal normalised text", ({ a, b }) => normaliseContent(a) === normaliseContent(b)],
  [`cosine alone, ≥ ${threshold.toFixed(2)}, the best F1 on fit`, ({ cosine }) => cosine >= threshold],
  [`cosine alone, ≥ ${USUAL}, a usual choice`, ({ cosine }) => cosine >= USUAL],
];
const HEAD = ["pairs", "duplicates", "merged", "false merges", "precision", "recall"];

for (const split of SPLITS) {
  const results = RULES.map(([name, rule]) => [name, ...measureRule(selectSplit(split), rule)]);
  console.log(`\n${split}\n`);
  console.log(renderTable(["rule", ...HEAD], "lrrrrrr", results));
}
const types = [...new Set(rows.map(({ type }) => type))];
const byType = SPLITS.flatMap((split) =>
  types.map((type) => ({ type, split, pairs: selectSplit(split).filter((row) => row.type === type) })),
)
  .filter(({ pairs }) => pairs.length > 0)
  .map(({ type, split, pairs }) => [type, split, ...measureRule(pairs, ownRule)]);
console.log("\nthe rule by type\n");
console.log(renderTable(["type", "split", ...HEAD], "llrrrrrr", byType));

if (errors !== undefined) {
  for (const row of selectSplit(errors)) {
    const { duplicate, why } = judge(row, row.cosine);
    if (duplicate === row.duplicate) continue;
    const kind = duplicate ? "false merge" : `missed (${why})`;
    console.log(`\n${kind}, ${row.type}, cosine ${row.cosine.toFixed(3)}\n  ${row.a}\n  ${row.b}`);
  }
}

/** Returns the cells of a row under HEAD. */
function measureRule(pairs: readonly PairWithCosine[], rule: Rule): string[] {
  const merged = pairs.filter(rule);
  const right = countDuplicates(merged);
  const duplicates = countDuplicates(pairs);
  const formatShare = (part: number, whole: number) => (whole === 0 ? "–" : (part / whole).toFixed(3));
  return [
    ...[pairs.length, duplicates, merged.length, merged.length - right].map(String),
    formatShare(right, merged.length),
    formatShare(right, duplicates),
  ];
}

/** Returns the cosine with the best F1. */
function findBestThreshold(pairs: readonly PairWithCosine[]): number {
  const duplicates = countDuplicates(pairs);
  const computeF1 = (least: number) => {
    const merged = pairs.filter(({ cosine }) => cosine >= least);
    return (2 * countDuplicates(merged)) / (merged.length + duplicates);
  };
  return pairs
    .map(({ cosine }) => cosine)
    .reduce((best, cosine) => (computeF1(cosine) > computeF1(best) ? cosine : best));
}

function countDuplicates(pairs: readonly Pair[]): number {
  return pairs.filter(({ duplicate }) => duplicate).length;
}

async function computeCosines(pairs: readonly Pair[]): Promise<number[]> {
  const { path } = await buildModel();
  const file = await readFile(path);
  const embedder = createUseLiteEmbedder({ load: async () => new Uint8Array(file).buffer });
  const texts = pairs.flatMap(({ a, b }) => [a, b]);
  const vectors = await embedder.embed(texts, "document");
  return pairs.map((_, at) => computeDot(getItem(vectors, 2 * at), getItem(vectors, 2 * at + 1)));
}

function computeDot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}
