// `npm run bench:scaling [-- --memories 100000000] [-- --tenants 10000] [-- --bytes 2643] [-- --recalls 200] …`: the
// arithmetic of a large service: databases, bytes and dollars. The costs of calls are those of lib/edge/budgets.ts, the
// prices those of lib/report/prices.ts; nothing is measured here. See docs/scaling.md.
import { parseArgs } from "node:util";
import { EDGE_BUDGETS } from "./lib/edge/budgets.ts";
import { formatCount } from "./lib/report/format.ts";
import { renderTable } from "./lib/report/markdown-table.ts";
import { computeDollars, computeDollarsPerMillion, PRICES_DATE } from "./lib/report/prices.ts";

/** The size limit of a D1 database, and how full a database gets before tenants are moved away. */
const CAPACITY_BYTES = 10e9;
const FILL = 0.7;
const DAYS = 30;
const GIGABYTE = 1e9;

const { values } = parseArgs({
  options: {
    memories: { type: "string", default: "100000000" },
    tenants: { type: "string", default: "10000" },
    bytes: { type: "string", default: "2643" },
    recalls: { type: "string", default: "200" },
    remembers: { type: "string", default: "50" },
    messages: { type: "string", default: "400" },
  },
});
const read = (name: keyof typeof values): number => {
  const number = Number(values[name]);
  if (!(number > 0)) throw new Error(`--${name} takes a number above 0: ${values[name]}`);
  return number;
};

const [memories, tenants, bytes] = [read("memories"), read("tenants"), read("bytes")];
const stored = memories * bytes;
const perDay = {
  "recall hybrid, tenant": read("recalls"),
  remember: read("remembers"),
  "add message": read("messages"),
};

/** The dollars of a million calls, without reads, time and CPU, which `npm run costs` measures. */
function priceMillion(operation: string): number {
  const budget = EDGE_BUDGETS[operation];
  if (budget === undefined) throw new Error(`There is no budget of ${operation}`);
  const [d1RowsWritten = 0, objectRowsWritten = 0] = budget.rows.split("+").map(Number);
  const [, objectRequests = 0] = budget.requests.split("+").map(Number);
  const dollars = computeDollarsPerMillion({ requests: 1, d1RowsWritten, objectRowsWritten, objectRequests });
  return Object.values(dollars).reduce((sum, each) => sum + each, 0);
}

const calls = Object.entries(perDay).map(([operation, daily]) => {
  const monthly = daily * tenants * DAYS;
  const million = priceMillion(operation);
  return { operation, daily, monthly, million, dollars: (monthly / 1e6) * million };
});
const storage = computeDollars("d1GbMonths", stored / GIGABYTE);
const total = storage + calls.reduce((sum, { dollars }) => sum + dollars, 0);

console.log(
  [
    renderTable("quantity|value".split("|"), "lr", [
      ["memories", formatCount(memories)],
      ["tenants", formatCount(tenants)],
      ["bytes a memory", formatCount(bytes)],
      ["stored", `${formatCount(Math.round(stored / GIGABYTE))} GB`],
      [
        `databases of ${CAPACITY_BYTES / GIGABYTE} GB, ${FILL * 100} % full`,
        formatCount(Math.ceil(stored / (CAPACITY_BYTES * FILL))),
      ],
      ["memories of one database", formatCount(Math.floor((CAPACITY_BYTES * FILL) / bytes))],
      ["D1 storage, $ a month", formatCount(Math.round(storage))],
    ]),
    renderTable(
      ["call", "a tenant and day", "a month", "$ per million", "$ a month"],
      "lrrrr",
      calls.map(({ operation, daily, monthly, million, dollars }) => [
        operation,
        formatCount(daily),
        formatCount(monthly),
        million.toFixed(2),
        formatCount(Math.round(dollars)),
      ]),
    ),
    `In all ${formatCount(Math.round(total))} $ a month, at the prices of ${PRICES_DATE}, without included usage, rows read, time and CPU.`,
  ].join("\n\n"),
);
