// What was counted and what it costs, as tables. Both are also in docs/deploy.md, as they are printed.
import { count } from "./operations.mjs";
import { D1_ROUND_TRIP_MS, dollarsPerMillion, OBJECT_GB, PRICES, PRICES_DATE } from "./prices.mjs";
import { table } from "./table.mjs";

/** Of the vectors that Vectorize holds and is asked for: bge-m3's. */
const DIMENSIONS = 1_024;
const MILLION = 1e6;

const TITLES = {
  embedded: "With the embedded embedder and index",
  cloud: "With Workers AI and Vectorize",
};

export function costReport(results, { samples, size, bytes }) {
  const parts = Object.entries(results).flatMap(([kind, used]) => [
    `### ${TITLES[kind]}`,
    `What a call uses, the mean of ${samples}, with all that follows from it:`,
    usageTable(used),
    "What a million of them cost, in dollars:",
    costTable(used),
  ]);
  return [
    ...parts,
    "### Storage",
    storage(bytes / size),
    "### Prices",
    `Workers Paid, read on ${PRICES_DATE}, beyond what the plan's 5 dollars a month include:`,
    priceTable(),
    `Counted with ${count(size)} memories of one tenant. An object's time is what it took here and ` +
      `${D1_ROUND_TRIP_MS} ms for each of its round trips to D1.`,
  ].join("\n\n");
}

function usageTable(used) {
  const rows = Object.entries(used).map(([name, use]) => [
    name,
    ...[use.cpuMs, use.d1RowsRead, use.d1RowsWritten, use.objectRequests, objectMs(use)].map(shown),
    ...[use.objectRowsRead, use.objectRowsWritten, use.embeddedTokens, use.vectorQueries].map(shown),
  ]);
  const head = ["call", "CPU ms", "D1 read", "D1 written", "object requests", "object ms"];
  return table(
    [...head, "object rows read", "written", "tokens embedded", "Vectorize queries"],
    "lrrrrrrrrr",
    rows,
  );
}

/** How long objects are active for a call. */
function objectMs({ objectMs: here, objectRoundTrips }) {
  return here + objectRoundTrips * D1_ROUND_TRIP_MS;
}

function costTable(used) {
  const rows = Object.entries(used).map(([name, use]) => {
    const cost = dollarsPerMillion(billed(use));
    const workers = cost.requests + cost.cpuMs;
    const d1 = cost.d1RowsRead + cost.d1RowsWritten;
    const objects = cost.objectRequests + cost.objectGbSeconds + cost.objectRowsRead + cost.objectRowsWritten;
    const { queriedDimensions: vectorize, embeddedTokens: ai } = cost;
    const sum = workers + d1 + objects + vectorize + ai;
    return [name, ...[workers, d1, objects, vectorize, ai, sum].map((dollars) => dollars.toFixed(2))];
  });
  const head = ["call", "Workers", "D1", "Durable Objects", "Vectorize", "Workers AI", "sum"];
  return table(head, "lrrrrrr", rows);
}

/** What was counted, in the units that have a price. */
function billed(use) {
  return {
    requests: use.requests,
    cpuMs: use.cpuMs ?? 0,
    d1RowsRead: use.d1RowsRead,
    d1RowsWritten: use.d1RowsWritten,
    objectRequests: use.objectRequests,
    objectGbSeconds: (objectMs(use) / 1_000) * OBJECT_GB,
    objectRowsRead: use.objectRowsRead,
    objectRowsWritten: use.objectRowsWritten,
    queriedDimensions: use.vectorQueries * DIMENSIONS,
    embeddedTokens: use.embeddedTokens,
  };
}

function storage(bytesPerMemory) {
  const gigabytes = (bytesPerMemory * MILLION) / 1e9;
  const dimensions = DIMENSIONS * MILLION;
  const dollars = (unit, amount) => ((amount * PRICES[unit].price) / PRICES[unit].per).toFixed(2);
  return (
    `A million memories are ${gigabytes.toFixed(1)} GB in D1, ${dollars("d1GbMonths", gigabytes)} dollars a month, ` +
    `and with Vectorize ${count(dimensions)} dimensions: ${dollars("storedDimensions", dimensions)} dollars a month ` +
    `for keeping them, and ${dollars("queriedDimensions", dimensions)} in a month in which they are queried.`
  );
}

export function priceTable() {
  const rows = Object.values(PRICES).map(({ what, price, per, included, source }) => [
    what,
    `${price} per ${count(per)}`,
    included,
    source,
  ]);
  return table(["unit", "dollars", "included a month", "source"], "lrrl", rows);
}

function shown(number) {
  if (number === null) return "";
  if (number === 0) return "0";
  return number < 10 ? number.toFixed(2) : count(Math.round(number));
}
