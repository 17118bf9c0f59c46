// Renders the counted usage and its costs as tables. docs/costs.md contains them as printed.
import { formatCount } from "./format.ts";
import { renderTable } from "./markdown-table.ts";
import {
  computeDollars,
  computeDollarsPerMillion,
  D1_ROUND_TRIP_MS,
  OBJECT_GB,
  PRICES,
  PRICES_DATE,
} from "./prices.ts";

/** The dimensions of the vectors in Vectorize: those of bge-m3. */
const DIMENSIONS = 1_024;
const MILLION = 1e6;

const TITLES = {
  embedded: "With the embedded embedder and index",
  cloud: "With Workers AI and Vectorize",
};

/** The usage of one call, on average. */
export interface Usage {
  requests: number;
  /** Null where it cannot be measured. */
  cpuMs: number | null;
  d1RowsRead: number;
  d1RowsWritten: number;
  objectRequests: number;
  objectMs: number;
  objectRoundTrips: number;
  objectRowsRead: number;
  objectRowsWritten: number;
  embeddedTokens: number;
  vectorQueries: number;
}

/** By the name of the call. */
export type UsageByCall = Readonly<Record<string, Usage>>;

export interface CostRun {
  samples: number;
  /** The number of memories. */
  size: number;
  /** The size of the database. */
  bytes: number;
}

export function renderCostReport(
  results: { embedded?: UsageByCall; cloud?: UsageByCall },
  { samples, size, bytes }: CostRun,
): string {
  const renderPart = (title: string, usage: UsageByCall | undefined) =>
    usage === undefined
      ? []
      : [
          `### ${title}`,
          `What a call uses, the mean of ${samples}, with all that follows from it:`,
          renderUsage(usage),
          "What a million of them cost, in dollars:",
          renderCosts(usage),
        ];
  return [
    ...renderPart(TITLES.embedded, results.embedded),
    ...renderPart(TITLES.cloud, results.cloud),
    "### Storage",
    renderStorage(bytes / size),
    "### Prices",
    `Workers Paid, read on ${PRICES_DATE}, beyond what the plan's 5 dollars a month include:`,
    renderPrices(),
    `Counted with ${formatCount(size)} memories of one tenant. An object's time is what it took here and ` +
      `${D1_ROUND_TRIP_MS} ms for each of its round trips to D1.`,
  ].join("\n\n");
}

function renderUsage(usage: UsageByCall): string {
  const rows = Object.entries(usage).map(([name, use]) => [
    name,
    ...[use.cpuMs, use.d1RowsRead, use.d1RowsWritten, use.objectRequests, computeObjectMs(use)].map(
      formatAmount,
    ),
    ...[use.objectRowsRead, use.objectRowsWritten, use.embeddedTokens, use.vectorQueries].map(formatAmount),
  ]);
  const head = ["call", "CPU ms", "D1 read", "D1 written", "object requests", "object ms"];
  return renderTable(
    [...head, "object rows read", "written", "tokens embedded", "Vectorize queries"],
    "lrrrrrrrrr",
    rows,
  );
}

/** How long objects are active for a call. */
function computeObjectMs({ objectMs, objectRoundTrips }: Usage): number {
  return objectMs + objectRoundTrips * D1_ROUND_TRIP_MS;
}

function renderCosts(usage: UsageByCall): string {
  const rows = Object.entries(usage).map(([name, use]) => {
    const cost = computeDollarsPerMillion(toBilledUnits(use));
    const workers = cost.requests + cost.cpuMs;
    const d1 = cost.d1RowsRead + cost.d1RowsWritten;
    const objects = cost.objectRequests + cost.objectGbSeconds + cost.objectRowsRead + cost.objectRowsWritten;
    const { queriedDimensions: vectorize, embeddedTokens: ai } = cost;
    const sum = workers + d1 + objects + vectorize + ai;
    return [name, ...[workers, d1, objects, vectorize, ai, sum].map((dollars) => dollars.toFixed(2))];
  });
  const head = ["call", "Workers", "D1", "Durable Objects", "Vectorize", "Workers AI", "sum"];
  return renderTable(head, "lrrrrrr", rows);
}

function toBilledUnits(use: Usage) {
  return {
    requests: use.requests,
    cpuMs: use.cpuMs ?? 0,
    d1RowsRead: use.d1RowsRead,
    d1RowsWritten: use.d1RowsWritten,
    objectRequests: use.objectRequests,
    objectGbSeconds: (computeObjectMs(use) / 1_000) * OBJECT_GB,
    objectRowsRead: use.objectRowsRead,
    objectRowsWritten: use.objectRowsWritten,
    queriedDimensions: use.vectorQueries * DIMENSIONS,
    embeddedTokens: use.embeddedTokens,
  };
}

function renderStorage(bytesPerMemory: number): string {
  const gigabytes = (bytesPerMemory * MILLION) / 1e9;
  const dimensions = DIMENSIONS * MILLION;
  const database = computeDollars("d1GbMonths", gigabytes).toFixed(2);
  const stored = computeDollars("storedDimensions", dimensions).toFixed(2);
  const queried = computeDollars("queriedDimensions", dimensions).toFixed(2);
  return (
    `A million memories are ${gigabytes.toFixed(1)} GB in D1, ${database} dollars a month, ` +
    `and with Vectorize ${formatCount(dimensions)} dimensions: ${stored} dollars a month ` +
    `for keeping them, and ${queried} in a month in which they are queried.`
  );
}

export function renderPrices(): string {
  const rows = Object.values(PRICES).map(({ what, price, per, included, source }) => [
    what,
    `${price} per ${formatCount(per)}`,
    included,
    source,
  ]);
  return renderTable(["unit", "dollars", "included a month", "source"], "lrrl", rows);
}

function formatAmount(number: number | null): string {
  if (number === null) return "";
  if (number === 0) return "0";
  return number < 10 ? number.toFixed(2) : formatCount(Math.round(number));
}
