// `npm run bench scaling [-- --memories 100000000] [-- --tenants 10000] [-- --recalls 200] …`: the arithmetic of a large
// service: databases, bytes and dollars. Nothing is measured here: what a call uses, and the bytes of a memory, are those
// that `npm run bench edge` and `npm run costs` have printed into bench/README.md and docs/costs.md; the prices are those
// of lib/report/prices.ts. See docs/scaling.md.
import { parseArgs } from "node:util";
import { formatCount } from "./lib/report/format.ts";
import { renderTable } from "./lib/report/markdown-table.ts";
import { parseNumber, parsePair, readMeasuredRow } from "./lib/report/measured-figures.ts";
import {
  computeDollars,
  computeDollarsPerMillion,
  OBJECT_GB,
  PRICES_DATE,
  type PricedUnit,
} from "./lib/report/prices.ts";

/** The size limit of a D1 database, and how full a database gets before tenants are moved away. */
const CAPACITY_BYTES = 10e9;
const FILL = 0.7;
const DAYS = 30;
const GIGABYTE = 1e9;

const { values } = parseArgs({
  options: {
    memories: { type: "string", default: "100000000" },
    tenants: { type: "string", default: "10000" },
    bytes: { type: "string" },
    recalls: { type: "string", default: "200" },
    remembers: { type: "string", default: "50" },
    messages: { type: "string", default: "400" },
    dimensions: { type: "string", default: "1024" },
  },
});
const read = (name: keyof typeof values): number => {
  const number = Number(values[name]);
  if (!(number > 0)) throw new Error(`--${name} takes a number above 0: ${values[name]}`);
  return number;
};

/** A kind of call: its row in the table of `npm run bench edge`, and in that of `npm run costs`. */
const CALLS = [
  { edge: "recall hybrid, tenant", costs: "recall, hybrid", daily: read("recalls") },
  { edge: "remember", costs: "remember", daily: read("remembers") },
  { edge: "add message", costs: "add message", daily: read("messages") },
];

const [memories, tenants, dimensions] = [read("memories"), read("tenants"), read("dimensions")];
const bytes =
  values.bytes === undefined
    ? parseNumber(
        (await readMeasuredRow("bench/README.md", "table or index | bytes a memory", "all"))(
          "bytes a memory",
        ),
      )
    : read("bytes");
const stored = memories * bytes;
const databases = Math.ceil(stored / (CAPACITY_BYTES * FILL));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Returns the dollars of a million calls: for rows written, for rows read, and for requests, CPU and time. */
async function priceMillion({ edge, costs }: (typeof CALLS)[number]) {
  const counted = await readMeasuredRow("bench/README.md", "operation | trips on path (D1 + object)", edge);
  const timed = await readMeasuredRow("docs/costs.md", "call | CPU ms", costs);
  const [d1RowsWritten, objectRowsWritten] = parsePair(counted("rows written (D1 + object)"));
  const [d1RowsRead, objectRowsRead] = parsePair(counted("rows read (D1 + object)"));
  const [, objectRequests] = parsePair(counted("requests (D1 + object)"));
  const cpuMs = parseNumber(timed("CPU ms"));
  const objectGbSeconds = (parseNumber(timed("object ms")) / 1_000) * OBJECT_GB;
  return {
    written: priceUsage({ d1RowsWritten, objectRowsWritten }),
    read: priceUsage({ d1RowsRead, objectRowsRead }),
    rest: priceUsage({ requests: 1, objectRequests, cpuMs, objectGbSeconds }),
  };
}

function priceUsage<Unit extends PricedUnit>(usage: Readonly<Record<Unit, number>>): number {
  return sum(Object.values<number>(computeDollarsPerMillion(usage)));
}

const calls = await Promise.all(
  CALLS.map(async (call) => {
    const monthly = call.daily * tenants * DAYS;
    const million = await priceMillion(call);
    return { ...call, monthly, million, dollars: (monthly / 1e6) * sum(Object.values(million)) };
  }),
);
const storage = computeDollars("d1GbMonths", stored / GIGABYTE);
const ofCalls = sum(calls.map(({ dollars }) => dollars));

/** A hybrid recall asks Vectorize for memories and for messages. Vectors that are queried count once a month, too. */
const queries = 2 * (calls[0]?.monthly ?? 0);
const vectorize =
  computeDollars("storedDimensions", memories * dimensions) +
  computeDollars("queriedDimensions", (memories + queries) * dimensions);

const dollars = (amount: number) => formatCount(Math.round(amount));

console.log(
  [
    renderTable("quantity|value".split("|"), "lr", [
      ["memories", formatCount(memories)],
      ["tenants", formatCount(tenants)],
      ["bytes a memory in D1", formatCount(bytes)],
      ["stored in D1", `${formatCount(Math.round(stored / GIGABYTE))} GB`],
      [`databases of ${CAPACITY_BYTES / GIGABYTE} GB, ${FILL * 100} % full`, formatCount(databases)],
      ["tenants of one database", formatCount(Math.floor(tenants / databases))],
      ["memories of one database", formatCount(Math.floor((CAPACITY_BYTES * FILL) / bytes))],
    ]),
    renderTable(
      ["$ per million calls", "rows written", "rows read", "requests, CPU, objects' time", "sum"],
      "lrrrr",
      calls.map(({ edge, million }) => [
        edge,
        million.written.toFixed(2),
        million.read.toFixed(2),
        million.rest.toFixed(2),
        sum(Object.values(million)).toFixed(2),
      ]),
    ),
    renderTable(["$ a month", "a tenant and day", "a month", "$"], "lrrr", [
      ...calls.map(({ edge, daily, monthly, dollars: amount }) => [
        edge,
        formatCount(daily),
        formatCount(monthly),
        dollars(amount),
      ]),
      ["D1 storage", "", `${formatCount(Math.round(stored / GIGABYTE))} GB`, dollars(storage)],
      ["in all", "", "", dollars(ofCalls + storage)],
      [
        `Vectorize, queries of ${formatCount(dimensions)} dimensions`,
        "",
        formatCount(queries),
        dollars(vectorize),
      ],
      ["in all with Vectorize", "", "", dollars(ofCalls + storage + vectorize)],
    ]),
    `At the prices of ${PRICES_DATE}, without the plan's 5 $ a month and what it includes.`,
  ].join("\n\n"),
);
