// `npm run fuzz [-- --requests 20000 --seed 1 --lanes 8]`: sends generated requests to a service of its own and
// compares every answer with the OpenAPI document. With --url and --key, to a running one.
// Prints the status counts, the problems and the slowest calls; exits with 1 if there is a problem.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { renderTable } from "../bench/lib/report/markdown-table.ts";
import { type CampaignReport, runCampaign } from "./lib/fuzz/run-campaign.ts";
import { startFuzzTarget } from "./lib/fuzz/start-target.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    lanes: { type: "string", default: "8" },
    url: { type: "string" },
    key: { type: "string" },
  },
});
const [requests, seed, lanes] = [values.requests, values.seed, values.lanes].map((text) => {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`"${text}" is no positive whole number.`);
  return number;
}) as [number, number, number];
if ((values.url === undefined) !== (values.key === undefined))
  throw new Error("--url and --key go together: the service, and a key of a tenant for tests alone.");

const folder = await mkdtemp(join(tmpdir(), "kioku-fuzz-"));
const target =
  values.url === undefined || values.key === undefined
    ? await startFuzzTarget(folder)
    : {
        url: values.url.replace(/\/$/, ""),
        keys: [{ secret: values.key, canRead: true }] as const,
        dispose: async () => {},
      };
try {
  const onProgress = (answered: number) => {
    if (answered % 1_000 === 0) console.error(`${answered} of ${requests} answered`);
  };
  const report = await runCampaign({ ...target, requests, seed, lanes, onProgress });
  printReport(report);
  if (report.findings.length > 0) process.exitCode = 1;
} finally {
  await target.dispose();
  await rm(folder, { recursive: true, force: true });
}

function printReport({ sent, operations, statuses, findings, slowest }: CampaignReport): void {
  console.log(`${sent} requests to ${operations} operations, seed ${seed}\n`);
  const counts = [...statuses]
    .toSorted(([a], [b]) => a - b)
    .map(([status, count]) => [status, count].map(String));
  console.log(`${renderTable(["status", "answers"], "rr", counts)}\n`);
  const calls = slowest.map(({ operation, status, ms }) => [operation, String(status), ms.toFixed(0)]);
  console.log(`${renderTable(["slowest calls", "status", "ms"], "lrr", calls)}\n`);
  console.log(findings.length === 0 ? "No problems." : `${findings.length} problems:`);
  for (const { operation, problem, count, request } of findings) {
    console.log(`\n${count} x ${operation}: ${problem}`);
    console.log(`  ${request.method} ${request.path.slice(0, 300)}`);
    if (request.body !== undefined) console.log(`  ${request.body.slice(0, 600)}`);
  }
}
