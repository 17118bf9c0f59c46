// docs/sparql.md states the limits that the code has.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { MAX_PARTS } from "../../../src/graph/evaluate/estimate-work";
import { MAX_DIGITS, MAX_TEXT_CHARS } from "../../../src/graph/functions/expression-error";
import { SPARQL_LIMITS } from "../../../src/graph/query";
import { LIMITS } from "../../../src/kernel/limits";

it("the page has the limits of queries", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/sparql.md"), "utf8");
  expect(page).toContain(`at most ${LIMITS.sparqlChars.toLocaleString("en-US")} characters`);
  expect(page).toContain(`at most ${LIMITS.sparqlGraphs} graphs`);
  expect(page).toContain(`at most ${SPARQL_LIMITS.rows.toLocaleString("en-US")} rows`);
  expect(page).toContain(`${SPARQL_LIMITS.milliseconds / 1_000} seconds at most`);
  expect(page).toContain(`groups of more than ${MAX_PARTS} patterns`);
  expect(page).toContain(`computed text has at most ${MAX_TEXT_CHARS.toLocaleString("en-US")} characters`);
  expect(page).toContain(`computed number ${MAX_DIGITS.toLocaleString("en-US")} digits`);
  expect(SPARQL_LIMITS.work).toBe(1_000_000);
});
