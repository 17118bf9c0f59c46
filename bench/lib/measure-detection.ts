// Compares the findings of the privacy gate with labelled lines.
import { findSensitive } from "../../src/trust/privacy/find-sensitive.ts";
import { PERSONAL_CATEGORIES } from "../../src/trust/privacy/privacy-schemas.ts";

export type Detection = { labelled: number; found: number; right: number; precision: number; recall: number };

type LabelledLine = { text: string; values: { kind: string; value: string }[] };

/** Returns the counts of each kind, of all kinds, and the lines with a wrong or missing finding. */
export function measureDetection(lines: readonly LabelledLine[]): {
  byKind: Map<string, Detection>;
  total: Detection;
  wrong: string[];
} {
  const counts = new Map<string, { labelled: number; found: number; right: number }>();
  const of = (kind: string) => {
    const known = counts.get(kind) ?? { labelled: 0, found: 0, right: 0 };
    counts.set(kind, known);
    return known;
  };
  const wrong: string[] = [];
  for (const { text, values } of lines) {
    const findings = findSensitive(text, PERSONAL_CATEGORIES);
    const left = [...values];
    for (const { kind, start, end } of findings) {
      of(kind).found += 1;
      const at = left.findIndex(
        (label) => label.kind === kind && text.slice(start, end).includes(label.value),
      );
      if (at === -1)
        wrong.push(`wrong ${kind}: ${JSON.stringify(text.slice(start, end))} in ${JSON.stringify(text)}`);
      else {
        of(kind).right += 1;
        left.splice(at, 1);
      }
    }
    for (const { kind } of values) of(kind).labelled += 1;
    for (const { kind, value } of left)
      wrong.push(`missed ${kind}: ${JSON.stringify(value)} in ${JSON.stringify(text)}`);
  }
  const byKind = new Map(
    [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, one]) => [kind, toDetection(one)]),
  );
  const sum = { labelled: 0, found: 0, right: 0 };
  for (const one of counts.values()) {
    sum.labelled += one.labelled;
    sum.found += one.found;
    sum.right += one.right;
  }
  return { byKind, total: toDetection(sum), wrong };
}

function toDetection({
  labelled,
  found,
  right,
}: {
  labelled: number;
  found: number;
  right: number;
}): Detection {
  return { labelled, found, right, precision: right / found, recall: right / labelled };
}
