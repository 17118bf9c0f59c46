// `npm run costs [-- --quick] [-- --samples 100] [-- --size 5000]`: counts the billed usage of each call on the local
// service, and the costs of a million such calls at the prices in lib/report/prices.ts. Once with the embedded embedder
// and index, once with stand-ins for Workers AI and Vectorize.
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { buildWorker } from "../scripts/lib/build-worker.ts";
import { readChildrenCpuMs } from "./lib/children-cpu-time.ts";
import { type Call, post } from "./lib/connection.ts";
import { getItem } from "./lib/get-item.ts";
import { loadSizes } from "./lib/load/load-memories.ts";
import { loadVectors } from "./lib/load/load-vectors.ts";
import { type CostOperation, createCostOperations, prepareCosts } from "./lib/operations/cost-operations.ts";
import { renderCostReport, type Usage } from "./lib/report/cost-report.ts";
import { createProgress } from "./lib/report/progress.ts";
import { createTemporaryFolder, runBenchmark } from "./lib/run-benchmark.ts";
import { describeNewIndex } from "./lib/service-index.ts";
import { type CountingService, startCountingService } from "./lib/start-counting-service.ts";

/** The sums that the counting service reports. */
type Counts = Omit<Usage, "requests" | "cpuMs">;

/** The work after an answer, such as embedding, is over when nothing was counted for this long. */
const QUIET_MS = 1_000;
const WARM_UP = 20;

const options = readOptions();
const progress = createProgress();

await runBenchmark(async () => {
  const folder = await createTemporaryFolder();
  progress.begin("Building");
  await buildWorker();
  const embedded = getItem(await loadSizes(folder, [options.size], progress.note), 0);
  const cloudFolder = join(folder, "cloud");
  await cp(embedded.folder, cloudFolder, { recursive: true });
  await loadVectors(embedded, await describeNewIndex(join(folder, "empty")), progress);
  const embeddedUsage = await countAll(embedded.folder, {});
  const cloudUsage = await countAll(cloudFolder, { CLOUD: "1" });
  // The stand-ins compute locally what Cloudflare's services compute elsewhere.
  for (const [name, use] of Object.entries(cloudUsage)) use.cpuMs = embeddedUsage[name]?.cpuMs ?? null;
  progress.end();
  return renderCostReport(
    { embedded: embeddedUsage, cloud: cloudUsage },
    { ...options, bytes: embedded.bytes },
  );
});

function readOptions(): { samples: number; size: number } {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      samples: { type: "string" },
      size: { type: "string" },
    },
  });
  return {
    samples: readCount("samples", values.samples, values.quick ? 30 : 100),
    size: readCount("size", values.size, values.quick ? 1_000 : 5_000),
  };
}

function readCount(name: string, text: string | undefined, usual: number): number {
  const count = Number(text ?? usual);
  if (Number.isInteger(count) && count > 0) return count;
  throw new Error(`--${name} takes a whole number: ${text}`);
}

/** Returns the usage of each call by its name. */
async function countAll(persist: string, bindings: { CLOUD?: string }): Promise<Record<string, Usage>> {
  const service = await startCountingService(persist, bindings);
  try {
    if (bindings.CLOUD) await embedAll(service);
    progress.begin("Preparing");
    await prepareCosts((call) => send(service.url, service.key, call));
    const usage: Record<string, Usage> = {};
    for (const operation of createCostOperations(options.size)) {
      progress.begin(`Counting ${operation.name}`);
      usage[operation.name] = await countOne(service, operation);
    }
    return usage;
  } finally {
    await service.dispose();
  }
}

/** Embeds the memories, which were loaded without vectors. */
async function embedAll({ url, adminKey }: CountingService): Promise<void> {
  progress.begin("Embedding");
  for (let finished = false; !finished; )
    ({ finished } = await send<{ finished: boolean }>(url, adminKey, post("/v1/admin/reembed", {})));
}

async function countOne(
  { url, key }: CountingService,
  { once = false, call }: CostOperation,
): Promise<Usage> {
  const { samples } = options;
  const sendCall = (i: number) => send(url, key, call(i, samples));
  if (!once) for (let i = 0; i < WARM_UP; i += 1) await sendCall(samples + i);
  const before = await waitUntilQuiet(url);
  const cpuBefore = await readChildrenCpuMs();
  for (let i = 0; i < (once ? 1 : samples); i += 1) await sendCall(i);
  const after = await waitUntilQuiet(url);
  const cpuAfter = await readChildrenCpuMs();
  const perSample = (unit: keyof Counts) => (after[unit] - before[unit]) / samples;
  return {
    requests: once ? 1 / samples : 1,
    cpuMs: cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / samples,
    d1RowsRead: perSample("d1RowsRead"),
    d1RowsWritten: perSample("d1RowsWritten"),
    objectRequests: perSample("objectRequests"),
    objectMs: perSample("objectMs"),
    objectRoundTrips: perSample("objectRoundTrips"),
    objectRowsRead: perSample("objectRowsRead"),
    objectRowsWritten: perSample("objectRowsWritten"),
    embeddedTokens: perSample("embeddedTokens"),
    vectorQueries: perSample("vectorQueries"),
  };
}

/** Returns the sums, once nothing waits to be embedded and they no longer change. */
async function waitUntilQuiet(url: string): Promise<Counts> {
  const read = async () => {
    const answer = await fetch(`${url}/bench/counts`);
    return answer.json<{ sums: Counts; waiting: number }>();
  };
  for (let before = await read(); ; ) {
    await wait(QUIET_MS);
    const now = await read();
    if (now.waiting === 0 && JSON.stringify(now) === JSON.stringify(before)) return now.sums;
    before = now;
  }
}

async function send<T>(url: string, key: string, { method = "GET", path, body }: Call): Promise<T> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json<T>();
}
