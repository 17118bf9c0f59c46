// Renders the counts of the operations as a table, and every trip of an operation as a list.
import { renderTable } from "../report/markdown-table.ts";
import { computeDollarsPerMillion } from "../report/prices.ts";
import { countTrips, type Trip } from "./critical-path.ts";
import type { EdgeResult, EdgeUsage } from "./measure-edge.ts";

const HEAD = [
  ...["operation", "trips on path (D1 + object)", "beside", "after"],
  ...["rows written (D1 + object)", "rows read (D1 + object)", "requests (D1 + object)", "$ per million"],
];

export function renderEdge(results: readonly EdgeResult[]): string {
  const rows = results.map(({ name, trips: { path, beside, after }, usage }) => [
    name,
    formatTrips(path),
    formatTrips(beside),
    ...(usage === null ? ["", "", "", "", ""] : [formatTrips(after), ...formatUsage(usage)]),
  ]);
  return renderTable(HEAD, "lrrrrrrr", rows);
}

function formatUsage(usage: EdgeUsage): string[] {
  return [
    formatPair(usage.d1RowsWritten, usage.objectRowsWritten),
    formatPair(usage.d1RowsRead, usage.objectRowsRead),
    formatPair(usage.d1Requests, usage.objectRequests),
    computeDollars(usage).toFixed(2),
  ];
}

/** Without what depends on the machine or the text, which `npm run costs` adds: time, tokens, dimensions. */
function computeDollars({ d1Requests: _, ...usage }: EdgeUsage): number {
  const dollars = computeDollarsPerMillion({ requests: 1, ...usage });
  return Object.values(dollars).reduce((sum, each) => sum + each, 0);
}

/** Names Vectorize (V) and Workers AI (A) only where they are called. */
function formatTrips(trips: readonly Trip[]): string {
  const { d1, object, vectorize, ai } = countTrips(trips);
  return `${d1}+${object}${vectorize > 0 ? `+${vectorize}V` : ""}${ai > 0 ? `+${ai}A` : ""}`;
}

function formatPair(d1: number, object: number): string {
  return `${formatMean(d1)}+${formatMean(object)}`;
}

export function formatMean(number: number): string {
  return number >= 10 ? number.toFixed(0) : String(Math.round(number * 10) / 10);
}

/** Renders every trip of an operation, and the rows that its objects wrote in all samples. */
export function renderTrace({ name, trips, statements }: EdgeResult): string {
  const { path, beside, after, answerMs, pathMs } = trips;
  const renderTrips = (when: string, list: readonly Trip[]) =>
    list.flatMap(({ kind, caller, name: called, rowsRead, rowsWritten, statements: own }) =>
      kind === "d1"
        ? [
            `  ${when.padEnd(6)} ${kind} ${caller} [${rowsRead} read, ${rowsWritten} written]`,
            ...own.map((one) => `           ${one.name} [${one.rowsRead} read, ${one.rowsWritten} written]`),
          ]
        : [`  ${when.padEnd(6)} ${kind} ${caller} → ${called}`],
    );
  return [
    `${name}: answered after ${answerMs} ms, of which the path explains ${pathMs}`,
    ...renderTrips("path", path),
    ...renderTrips("beside", beside),
    ...renderTrips("after", after),
    ...Object.entries(statements).map(([statement, rows]) => `  rows   ${rows} ${statement}`),
  ].join("\n");
}
