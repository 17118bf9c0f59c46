// `npm run bench edge [-- --only recall] [-- --cloud] [-- --repeat 2] [-- --samples 100] [-- --size 5000] [-- --trace]`:
// counts what an operation costs at the edge: network trips on the answer's path, rows and requests. The counts do not
// depend on the machine. `--budgets` prints those of the test in lib/edge/budgets.ts. See README.md.
import { parseArgs } from "node:util";
import { buildWorker } from "../scripts/lib/build-worker.ts";
import type { EdgeBudget } from "./lib/edge/budgets.ts";
import {
  BUDGET_SIZES,
  createBudgetOperations,
  measureBudget,
  renderBudgets,
} from "./lib/edge/check-budgets.ts";
import { createEdgeOperations, type EdgeOperation } from "./lib/edge/edge-operations.ts";
import { renderEdge, renderTrace } from "./lib/edge/edge-report.ts";
import { measureEdge } from "./lib/edge/measure-edge.ts";
import { startPreparedService } from "./lib/edge/prepared-service.ts";
import { renderTableBytes } from "./lib/edge/table-bytes.ts";
import { formatCount } from "./lib/report/format.ts";
import { createProgress } from "./lib/report/progress.ts";
import { createTemporaryFolder, type Defer, runBenchmark } from "./lib/run-benchmark.ts";

/** Far above what the machine itself takes for a call. */
const LATENCIES = { d1: 120, object: 80, vectorize: 80, ai: 80 };

const options = readOptions();
const progress = createProgress();

await runBenchmark(async (defer) => {
  await buildWorker();
  return options.budgets ? reportBudgets(defer) : reportCounts(defer);
});

async function reportCounts(defer: Defer): Promise<string> {
  const sizes = { memories: options.size, messages: 200, episodes: 120 };
  const { service, tables } = await startPreparedService(await createTemporaryFolder(), sizes, {
    cloud: options.cloud,
    embeds: false,
    progress,
  });
  defer(service.dispose);
  const operations = selectOperations(createEdgeOperations(sizes));
  const results = [];
  progress.begin("Operations traced", operations.length);
  for (const operation of operations) {
    const result = await measureEdge(service, operation, { ...options, latencies: LATENCIES });
    if (options.trace) progress.note(renderTrace(result));
    results.push(result);
    progress.add(1);
  }
  progress.end();
  return [
    renderEdge(results),
    `Trips with ${LATENCIES.d1} ms to D1 and ${LATENCIES.object} ms to an object; rows and requests are the mean of ` +
      `${options.samples.reads} calls that read or ${options.samples.writes} that write.`,
    renderTableBytes(tables, options.size),
    `Over ${formatCount(options.size)} memories, without free pages.`,
  ].join("\n\n");
}

async function reportBudgets(defer: Defer): Promise<string> {
  const prepared = { cloud: false, embeds: true, progress };
  const { service } = await startPreparedService(await createTemporaryFolder(), BUDGET_SIZES, prepared);
  defer(service.dispose);
  const budgets: [string, EdgeBudget][] = [];
  for (const operation of selectOperations(createBudgetOperations())) {
    progress.begin(operation.name);
    budgets.push([operation.name, await measureBudget(service, operation)]);
  }
  progress.end();
  return renderBudgets(budgets);
}

function selectOperations(operations: readonly EdgeOperation[]): EdgeOperation[] {
  const selected = operations.filter(({ name }) => name.includes(options.only));
  if (selected.length === 0) throw new Error(`--only matches no operation: ${options.only}`);
  return selected;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: "string", default: "" },
      cloud: { type: "boolean", default: false },
      repeat: { type: "string", default: "2" },
      samples: { type: "string", default: "100" },
      size: { type: "string", default: "5000" },
      trace: { type: "boolean", default: false },
      budgets: { type: "boolean", default: false },
    },
  });
  const readCount = (name: "repeat" | "samples" | "size") => {
    const count = Number(values[name]);
    if (Number.isInteger(count) && count > 0) return count;
    throw new Error(`--${name} takes a whole number: ${values[name]}`);
  };
  const samples = readCount("samples");
  return {
    ...values,
    repeat: readCount("repeat"),
    samples: { reads: samples, writes: Math.ceil(samples / 5) },
    size: readCount("size"),
  };
}
