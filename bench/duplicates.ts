// `npm run bench:duplicates [-- --errors fit|held]`: how often the near-duplicate rule is right on labelled pairs,
// beside two simpler rules in the same run. Vectors come from the embedded embedder, run in Node.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { scheduler } from "node:timers/promises";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { buildModel } from "../scripts/lib/model.mjs";
import { table } from "./lib/table.mjs";

const root = join(import.meta.dirname, "..");
const SPLITS = ["fit", "held"];
const { errors } = parseArgs({ options: { errors: { type: "string" } } }).values;

const { createUseLiteEmbedder, isNearDuplicate, normaliseContent, readStatement } = await bundled();
const pairs = JSON.parse(await readFile(join(root, "test/data/near-duplicates.json"), "utf8"));
const cosines = await cosinesOf(pairs);
const rows = pairs.map((pair, at) => ({ ...pair, cosine: cosines[at] }));
const of = (split) => rows.filter((row) => row.split === split);

const verdict = ({ type, a, b, cosine }) =>
  isNearDuplicate(readStatement({ type, content: a }), readStatement({ type, content: b }), cosine);
const rule = (row) => verdict(row).duplicate;
const textOnly = (row) => verdict({ ...row, cosine: null }).duplicate;
const exact = ({ a, b }) => normaliseContent(a) === normaliseContent(b);
const threshold = bestThreshold(of("fit"));
const USUAL = 0.9;

const RULES = [
  ["the rule", rule],
  ["the rule without vectors", textOnly],
  ["equal normalised text", exact],
  [`cosine alone, ≥ ${threshold.toFixed(2)}, the best F1 on fit`, ({ cosine }) => cosine >= threshold],
  [`cosine alone, ≥ ${USUAL}, a usual choice`, ({ cosine }) => cosine >= USUAL],
];
const HEAD = ["pairs", "duplicates", "merged", "false merges", "precision", "recall"];

for (const split of SPLITS) {
  console.log(`\n${split}\n`);
  console.log(
    table(
      ["rule", ...HEAD],
      "lrrrrrr",
      RULES.map(([name, judge]) => [name, ...measured(of(split), judge)]),
    ),
  );
}
console.log("\nthe rule by type\n");
const types = [...new Set(rows.map(({ type }) => type))];
const byType = SPLITS.flatMap((split) =>
  types.map((type) => [
    type,
    split,
    ...measured(
      of(split).filter((row) => row.type === type),
      rule,
    ),
  ]),
);
console.log(
  table(
    ["type", "split", ...HEAD],
    "llrrrrrr",
    byType.filter(([, , pairs]) => pairs !== "0"),
  ),
);

if (errors !== undefined) {
  for (const row of of(errors)) {
    const { duplicate, why } = verdict(row);
    if (duplicate === row.duplicate) continue;
    const kind = duplicate ? "false merge" : `missed (${why})`;
    console.log(`\n${kind}, ${row.type}, cosine ${row.cosine.toFixed(3)}\n  ${row.a}\n  ${row.b}`);
  }
}

function measured(rows, judge) {
  const merged = rows.filter(judge);
  const right = merged.filter(({ duplicate }) => duplicate).length;
  const duplicates = rows.filter(({ duplicate }) => duplicate).length;
  const share = (part, whole) => (whole === 0 ? "–" : (part / whole).toFixed(3));
  return [
    ...[rows.length, duplicates, merged.length, merged.length - right].map(String),
    share(right, merged.length),
    share(right, duplicates),
  ];
}

/** The cosine that divides the pairs best, as far as one can. */
function bestThreshold(rows) {
  const duplicates = rows.filter(({ duplicate }) => duplicate).length;
  const f1 = (least) => {
    const merged = rows.filter(({ cosine }) => cosine >= least);
    return (2 * merged.filter(({ duplicate }) => duplicate).length) / (merged.length + duplicates);
  };
  return rows.map(({ cosine }) => cosine).reduce((best, cosine) => (f1(cosine) > f1(best) ? cosine : best));
}

async function cosinesOf(pairs) {
  const { path } = await buildModel();
  const file = await readFile(path);
  const embedder = createUseLiteEmbedder({ load: async () => new Uint8Array(file).buffer });
  const texts = pairs.flatMap(({ a, b }) => [a, b]);
  const vectors = await embedder.embed(texts, "document");
  return pairs.map((_, at) => dot(vectors[2 * at], vectors[2 * at + 1]));
}

function dot(a, b) {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}

/** The service's own modules for Node: a .wasm import is a compiled module, as in a Worker. */
async function bundled() {
  globalThis.scheduler ??= scheduler;
  const wasm = {
    name: "wasm",
    setup(builder) {
      builder.onLoad({ filter: /\.wasm$/ }, async ({ path }) => {
        const bytes = (await readFile(path)).toString("base64");
        return {
          contents: `export default new WebAssembly.Module(Buffer.from(${JSON.stringify(bytes)}, "base64"));`,
        };
      });
    },
  };
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: {
      resolveDir: root,
      contents: `
        export { createUseLiteEmbedder } from "./src/embedding/use-lite/embedder";
        export { normaliseContent } from "./src/memory-text";
        export { isNearDuplicate, readStatement } from "./src/promotion/near-duplicate";`,
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    plugins: [wasm],
    logLevel: "silent",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
