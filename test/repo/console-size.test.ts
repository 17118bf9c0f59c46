// The console's size budget: what a browser loads before it shows the first view.
import { expect, it } from "vitest";
import { buildConsole } from "../../scripts/lib/build-console";

const BUDGET_BYTES = 250 * 1_024;

it("loads the first view of the console within its budget, and heavy views on demand", async () => {
  const { firstLoad, firstLoadBytes } = await buildConsole();
  expect(Object.keys(firstLoad)).toContain("page.html");
  expect(firstLoadBytes).toBeGreaterThan(10_000);
  expect(firstLoadBytes).toBeLessThanOrEqual(BUDGET_BYTES);
  expect(Object.keys(firstLoad).filter((name) => name.startsWith("plot-days"))).toEqual([]);
});
