// Renders the times of a run: each operation's median beside that of its floor.
import { getSummary, type Operation, type Summaries } from "../measure.ts";
import { renderTable } from "./markdown-table.ts";

export function renderTimes(operations: readonly Operation[], summaries: Summaries): string {
  const rows = operations.map(({ name, floor = "", aim }) => {
    const { p50, p95 } = getSummary(summaries, name);
    const floorP50 = summaries.get(floor)?.p50;
    return [name, p50.toFixed(2), p95.toFixed(2), ...compareWithFloor(p50, floor, floorP50, aim)];
  });
  return renderTable(
    ["operation", "p50 ms", "p95 ms", "floor", "p50 / floor", "aim", "result"],
    "lrrlrll",
    rows,
  );
}

function compareWithFloor(p50: number, floor: string, floorP50: number | undefined, aim: number | undefined) {
  if (floorP50 === undefined) return ["", "", "", ""];
  const ratio = p50 / floorP50;
  if (aim === undefined) return [floor, ratio.toFixed(2), "", ""];
  return [floor, ratio.toFixed(2), `≤ ${aim}`, ratio <= aim ? "met" : "missed"];
}
