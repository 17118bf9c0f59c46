// Measures the operations on a small service, and compares them with their budgets.
import { EDGE_BUDGETS, type EdgeBudget } from "./budgets.ts";
import { countTrips } from "./critical-path.ts";
import { createEdgeOperations, type EdgeOperation } from "./edge-operations.ts";
import { type EdgeResult, type EdgeRounds, measureEdge } from "./measure-edge.ts";
import type { TracedService } from "./traced-service.ts";

export const BUDGET_SIZES = { memories: 100, messages: 20, episodes: 10 };

/** The budgets hold for these numbers of calls: a shared write costs each of few calls more than each of many. */
const ROUNDS: EdgeRounds = {
  latencies: { d1: 60, object: 40, vectorize: 40, ai: 40 },
  repeat: 1,
  samples: { reads: 10, writes: 4 },
};

/** On a busy machine an unrelated task may fall into a measurement, but not into each of so many. */
const ATTEMPTS = 3;

/** The counts of an operation that overlaps another vary with its timing, so it has no budget. */
export function createBudgetOperations(): EdgeOperation[] {
  return createEdgeOperations(BUDGET_SIZES).filter(({ rightBefore }) => rightBefore === undefined);
}

/** Returns the counts of an operation in the form of its budget. */
export async function measureBudget(
  service: TracedService,
  operation: EdgeOperation,
  attempt = 0,
): Promise<EdgeBudget> {
  return toBudget(await measureEdge(service, operation, ROUNDS, attempt));
}

function toBudget({ name, trips, usage }: EdgeResult): EdgeBudget {
  if (usage === null) throw new Error(`The rows of ${name} were not counted`);
  const { d1, object } = countTrips(trips.path);
  return {
    trips: formatBudget(d1, object),
    rows: formatBudget(usage.d1RowsWritten, usage.objectRowsWritten),
    requests: formatBudget(usage.d1Requests, usage.objectRequests),
  };
}

function formatBudget(...counts: number[]): string {
  return counts.map((count) => Math.round(count * 100) / 100).join("+");
}

/** Returns a line for each figure that exceeds its budget in every attempt. */
export async function listExcess(service: TracedService, operation: EdgeOperation): Promise<string[]> {
  const { name } = operation;
  const budget = EDGE_BUDGETS[name];
  if (budget === undefined) throw new Error(`bench/lib/edge/budgets.ts has no budget for "${name}"`);
  let excess: Excess[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const found = compareWithBudget(await measureBudget(service, operation, attempt), budget);
    excess = attempt === 0 ? found : found.filter(({ what }) => excess.some((one) => one.what === what));
    if (excess.length === 0) break;
  }
  return excess.map(({ what, count, most }) => `${name}: ${count} ${what}, budget ${most}`);
}

/** A figure above its budget. */
interface Excess {
  what: string;
  count: number;
  most: number;
}

const LABELS: readonly (readonly [figure: keyof EdgeBudget, label: string])[] = [
  ["trips", "trips on the path"],
  ["rows", "rows written"],
  ["requests", "requests"],
];

export function compareWithBudget(measured: EdgeBudget, budget: EdgeBudget): Excess[] {
  return LABELS.flatMap(([figure, label]) => {
    const limits = parseBudget(budget[figure]);
    return parseBudget(measured[figure]).flatMap((count, at) => {
      const most = limits[at] ?? 0;
      return count > most ? [{ what: `${label} (${at === 0 ? "D1" : "objects"})`, count, most }] : [];
    });
  });
}

function parseBudget(text: string): number[] {
  return text.split("+").map(Number);
}

export function renderBudgets(budgets: readonly (readonly [name: string, budget: EdgeBudget])[]): string {
  return budgets
    .map(([name, { trips, rows, requests }]) => {
      const key = /^\w+$/.test(name) ? name : `"${name}"`;
      return `  ${key}: { trips: "${trips}", rows: "${rows}", requests: "${requests}" },`;
    })
    .join("\n");
}
