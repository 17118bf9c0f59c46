// The table of a run: each row's median beside that of the row it is compared with.
import { cpus } from "node:os";
import { table } from "./table.mjs";

/** Says under what conditions the times were taken. */
export function conditions(samples) {
  return `${samples} samples a row, Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model.trim()}`;
}

/** `floor` names the row that an operation is compared with, `aim` what the ratio should not exceed. */
export function timesTable(operations, results) {
  const rows = operations.map(({ name, floor, aim }) => {
    const { p50, p95 } = results.get(name);
    const ratio = results.has(floor) ? p50 / results.get(floor).p50 : null;
    return [
      name,
      p50.toFixed(2),
      p95.toFixed(2),
      ratio === null ? "" : floor,
      ratio === null ? "" : ratio.toFixed(2),
      aim && ratio !== null ? `≤ ${aim}` : "",
      aim && ratio !== null ? (ratio <= aim ? "met" : "missed") : "",
    ];
  });
  return table(["operation", "p50 ms", "p95 ms", "floor", "p50 / floor", "aim", "result"], "lrrlrll", rows);
}
