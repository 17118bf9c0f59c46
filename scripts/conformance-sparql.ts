// `npm run conformance:sparql -- <folder> [--category <name>]`: runs a W3C SPARQL test suite through the HTTP
// endpoint of a service of its own. Prints passes by category, and every failure by name; exits with 1 below 97 %.
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { renderTable } from "../bench/lib/report/markdown-table.ts";
import { buildWorker } from "./lib/build-worker.ts";
import { readSuite, type SuiteFile, type SuiteTest } from "./lib/conformance/read-manifest.ts";
import {
  listDataFiles,
  runEvaluationTest,
  runProtocolTest,
  runSyntaxTest,
  type Verdict,
} from "./lib/conformance/run-test.ts";
import { type SuiteService, startSuiteService } from "./lib/conformance/suite-service.ts";
import { readMessage } from "./lib/errors.ts";

/** The share of passed tests, of those that are not skipped. */
const REQUIRED_SHARE = 0.97;

const { values, positionals } = parseArgs({
  options: { category: { type: "string" } },
  allowPositionals: true,
});
const [suiteFolder] = positionals;
if (suiteFolder === undefined || !existsSync(suiteFolder))
  throw new Error("Name the folder of a suite: npm run conformance:sparql -- rdf-tests/sparql/sparql11");

const tests = (await readSuite(resolve(suiteFolder))).filter(
  ({ category }) => values.category === undefined || category === values.category,
);
if (tests.length === 0) throw new Error(`No tests in ${suiteFolder}: it must have files named manifest.ttl.`);

const folder = await mkdtemp(join(tmpdir(), "kioku-conformance-"));
let service: SuiteService | undefined;
try {
  await buildWorker();
  service = await startSuiteService(folder, await Promise.all(tests.map(listFiles)));
  const verdicts: { test: SuiteTest; verdict: Verdict | null }[] = [];
  for (const test of tests) verdicts.push({ test, verdict: await runTest(service, test) });
  report(verdicts);
} finally {
  await service?.dispose();
  await rm(folder, { recursive: true, force: true });
}

async function listFiles(test: SuiteTest): Promise<readonly SuiteFile[]> {
  // A test without its query fails when it is run.
  if (test.kind === "evaluation") return listDataFiles(test).catch(() => []);
  return test.kind === "protocol" ? test.named : [];
}

/** Returns null for a test that is skipped. */
async function runTest(suite: SuiteService, test: SuiteTest): Promise<Verdict | null> {
  try {
    switch (test.kind) {
      case "evaluation":
        return await runEvaluationTest(suite, test);
      case "syntax":
        return await runSyntaxTest(suite, test);
      case "protocol":
        return await runProtocolTest(suite, test);
      case "skipped":
        return null;
    }
  } catch (error) {
    return { passed: false, reason: `the runner failed: ${readMessage(error)}` };
  }
}

function report(results: readonly { test: SuiteTest; verdict: Verdict | null }[]): void {
  const count = (items: typeof results, matches: (verdict: Verdict | null) => boolean) =>
    items.filter(({ verdict }) => matches(verdict)).length;
  const toRow = (name: string, items: typeof results) => {
    const [passed, skipped] = [
      count(items, (one) => one?.passed === true),
      count(items, (one) => one === null),
    ];
    const run = items.length - skipped;
    const share = run === 0 ? "" : `${((100 * passed) / run).toFixed(1)} %`;
    return [name, ...[passed, run - passed, skipped].map(String), share];
  };
  const categories = [...Map.groupBy(results, ({ test }) => test.category)].map(([name, items]) =>
    toRow(name, items),
  );
  const columns = ["category", "passed", "failed", "skipped", "share"];
  console.log(renderTable(columns, "lrrrr", [...categories, toRow("all", results)]));

  const evaluated = results.filter(
    ({ test, verdict }) => test.kind === "evaluation" && verdict?.inSql !== undefined,
  );
  const inSql = count(evaluated, (verdict) => verdict?.inSql === true);
  console.log(`\n${inSql} of ${evaluated.length} answered evaluation tests ran in SQL alone.`);
  const byValue = count(results, (verdict) => verdict?.byValue === true);
  console.log(`${byValue} results equal the expected ones by the value of their numbers, not by their form.`);
  const reasons = Map.groupBy(
    results.flatMap(({ test }) => (test.kind === "skipped" ? [test.reason] : [])),
    (reason) => reason,
  );
  for (const [reason, skipped] of reasons) console.log(`${skipped.length} skipped: ${reason}`);
  for (const { test, verdict } of results)
    if (verdict?.passed === false) console.log(`FAILED ${test.category} ${test.name}: ${verdict.reason}`);

  const run = count(results, (verdict) => verdict !== null);
  const passed = count(results, (verdict) => verdict?.passed === true);
  if (passed < REQUIRED_SHARE * run) process.exitCode = 1;
}
