// `npm run bench privacy [-- --errors] [--sets dev,held]`: precision and recall of the privacy gate's detectors, by kind,
// on labelled lines. A value is found if it is covered by a finding of its kind; every other finding is wrong. The held
// set is for totals: `--errors` prints the wrong answers of the dev set only.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { importSource } from "../scripts/lib/import-source.ts";
import { root } from "../scripts/lib/repository.ts";
import { renderTable } from "./lib/report/markdown-table.ts";

/** A labelled line of test/data/privacy-*.json. */
interface LabelledLine {
  text: string;
  values: { kind: string; value: string }[];
}

const { errors, sets } = parseArgs({
  options: {
    errors: { type: "boolean", default: false },
    sets: { type: "string", default: "dev,held" },
  },
}).values;
const { measureDetection } = await importSource<typeof import("./lib/measure-detection.ts")>(
  "bench/lib/measure-detection.ts",
);

for (const set of sets.split(",")) {
  const lines: LabelledLine[] = JSON.parse(
    await readFile(join(root, `test/data/privacy-${set}.json`), "utf8"),
  );
  const { byKind, total, wrong } = measureDetection(lines);
  const format = (share: number) => (Number.isNaN(share) ? "–" : share.toFixed(3));
  const toRow = (kind: string, { labelled, found, right, precision, recall }: typeof total) => [
    kind,
    ...[labelled, found, right].map(String),
    format(precision),
    format(recall),
  ];
  console.log(
    `\n${set}: ${lines.length} lines, ${lines.filter(({ values }) => values.length === 0).length} of them without a value\n`,
  );
  console.log(
    renderTable(["kind", "values", "findings", "right", "precision", "recall"], "lrrrrr", [
      ...[...byKind].map(([kind, counts]) => toRow(kind, counts)),
      toRow("total", total),
    ]),
  );
  if (errors && set !== "held") for (const line of wrong) console.log(line);
}
