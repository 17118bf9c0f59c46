// What docs/costs.md says is what `npm run costs` prints: its prices, and the sums that follow from them.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { renderCostReport, renderPrices } from "../../bench/lib/report/cost-report";
import { computeDollarsPerMillion } from "../../bench/lib/report/prices";
import { runToEnd } from "./kioku-command";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const page = readFileSync(join(root, "docs/costs.md"), "utf8");

const NOTHING = {
  ...{ requests: 0, cpuMs: 0, d1RowsRead: 0, d1RowsWritten: 0, objectRequests: 0, objectMs: 0 },
  ...{ objectRoundTrips: 0, objectRowsRead: 0, objectRowsWritten: 0, embeddedTokens: 0, vectorQueries: 0 },
};

/** The last column of the row with this name, in the table of costs. */
function sumOf(usage: Partial<typeof NOTHING>): number {
  const report = renderCostReport(
    { embedded: { call: { ...NOTHING, ...usage } } },
    { samples: 1, size: 1, bytes: 1 },
  );
  const costs = report.slice(report.indexOf("in dollars"));
  return Number(/^\| call +\|.*\| +([\d.]+) \|$/m.exec(costs.slice(costs.indexOf("--:")))?.[1]);
}

describe("the costs", () => {
  it("in the document stand beside the prices that they were computed with", () => {
    expect(page).toContain(renderPrices());
  });

  it("of a million calls are the units of one, at their price for a million", () => {
    expect(computeDollarsPerMillion({ requests: 1, d1RowsWritten: 40 })).toEqual({
      requests: 0.3,
      d1RowsWritten: 40,
    });
  });

  it.each([
    ["a request to the Worker", { requests: 1 }, 0.3],
    ["fifty milliseconds of CPU", { cpuMs: 50 }, 1],
    ["a thousand rows read in D1", { d1RowsRead: 1_000 }, 1],
    ["a row written in D1", { d1RowsWritten: 1 }, 1],
    ["two requests to objects", { objectRequests: 2 }, 0.3],
    ["ten seconds of an object, as 128 MB", { objectMs: 10_000 }, 16],
    ["a round trip of an object to D1, at 10 ms", { objectRoundTrips: 100 }, 1.6],
    ["a row written in an object", { objectRowsWritten: 1 }, 1],
    ["a query of Vectorize, at 1,024 dimensions", { vectorQueries: 1 }, 10.24],
    ["a thousand tokens embedded", { embeddedTokens: 1_000 }, 12],
  ])("count %s", (_, usage, dollars) => {
    expect(sumOf(usage)).toBe(dollars);
  });
});

describe("the arithmetic of a large service", () => {
  it("in the document is what `npm run bench scaling` prints with the figures that were measured last", async () => {
    const { code, out } = await runToEnd(process.execPath, ["bench/scaling.ts"], {});
    expect(code).toBe(0);
    expect(readFileSync(join(root, "docs/scaling.md"), "utf8")).toContain(out.trim());
  });
});
