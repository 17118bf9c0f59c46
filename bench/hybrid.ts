// `npm run bench hybrid [-- --quick] [-- --sizes 10000,100000]`: the cost of hybrid search for a reader beside text
// search, and the cost of embedding for a writer. See README.md.
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { buildWorker } from "../scripts/lib/build-worker.ts";
import { type BenchmarkService, startService } from "./lib/benchmark-servers.ts";
import { type Connection, connectToService } from "./lib/connection.ts";
import { getItem } from "./lib/get-item.ts";
import { loadSizes } from "./lib/load/load-memories.ts";
import { loadVectors } from "./lib/load/load-vectors.ts";
import { getSummary, measure, type Operation, type Summaries } from "./lib/measure.ts";
import {
  createModeOperations,
  createRememberOperation,
  nameRecall,
  type RecallMode,
} from "./lib/operations/core-operations.ts";
import { describeConditions, formatCount } from "./lib/report/format.ts";
import { renderTable } from "./lib/report/markdown-table.ts";
import { createProgress } from "./lib/report/progress.ts";
import { createTemporaryFolder, runBenchmark } from "./lib/run-benchmark.ts";
import { describeNewIndex, type IndexState, readIndexState } from "./lib/service-index.ts";
import { readSizeOptions } from "./lib/size-options.ts";

const EMBEDDERS = { on: "embedded", off: "none" };

interface ServiceSettings {
  persist: string;
  embedder: string;
  createOperations(connection: Connection): Operation[];
}

const options = readSizeOptions({
  sizes: "10000,100000",
  usual: { warmUp: 50, samples: 300 },
  quick: { warmUp: 20, samples: 60 },
});
const progress = createProgress();

await runBenchmark(async () => {
  const folder = await createTemporaryFolder();
  progress.begin("Building");
  await buildWorker();
  progress.end();
  const index = await describeNewIndex(join(folder, "empty"));
  const loaded = await loadSizes(folder, options.sizes, progress.note);
  const smallest = getItem(loaded, 0);
  const plain = join(folder, "plain");
  await cp(smallest.folder, plain, { recursive: true });
  for (const state of loaded) await loadVectors(state, index, progress);
  const recalls = await measureTogether(
    loaded.map(({ size, folder: persist }) => ({
      persist,
      embedder: EMBEDDERS.on,
      createOperations: (connection) => createModeOperations(connection, size),
    })),
  );
  // Separate from the recalls, which would embed new memories on their way.
  const writes = await measureTogether([
    {
      persist: smallest.folder,
      embedder: EMBEDDERS.on,
      createOperations: (connection) => [createRememberOperation(connection, "on")],
    },
    {
      persist: plain,
      embedder: EMBEDDERS.off,
      createOperations: (connection) => [createRememberOperation(connection, "off")],
    },
  ]);
  progress.end();
  return renderReport(index, recalls, writes);
});

/** Starts all services at once, so that their operations can be measured in turn. */
async function measureTogether(settings: readonly ServiceSettings[]): Promise<Summaries> {
  const services: BenchmarkService[] = [];
  const connections: Connection[] = [];
  const operations: Operation[] = [];
  try {
    for (const { persist, embedder, createOperations } of settings) {
      const service = await startService(persist, { EMBEDDER: embedder });
      services.push(service);
      const connection = connectToService(service);
      connections.push(connection);
      if (embedder === EMBEDDERS.on) await assertIndexed(service);
      operations.push(...createOperations(connection));
    }
    return await measure(operations, { ...options, progress: progress.note });
  } finally {
    for (const connection of connections) connection.close();
    for (const service of services) await service.dispose();
  }
}

/** A service that still embeds loaded memories would be measured as too slow. */
async function assertIndexed(service: BenchmarkService): Promise<void> {
  const waiting = (await readIndexState(service))?.waiting ?? 0;
  if (waiting > 0)
    throw new Error(`${formatCount(waiting)} memories that were loaded still wait to be embedded`);
}

function renderReport(
  { embedder, dimensions, index }: IndexState,
  recalls: Summaries,
  writes: Summaries,
): string {
  const { sizes, samples } = options;
  const getRecall = (mode: RecallMode, size: number) => getSummary(recalls, nameRecall(mode, size));
  const rows = sizes.map((size) => {
    const [text, hybrid] = [getRecall("text", size), getRecall("hybrid", size)];
    const times = [text.p50, text.p95, hybrid.p50, hybrid.p95, hybrid.p50 / text.p50];
    return [formatCount(size), ...times.map((time) => time.toFixed(2))];
  });
  const [small, large] = [getItem(sizes, 0), getItem(sizes, -1)];
  const growth = getRecall("hybrid", large).p50 / getRecall("hybrid", small).p50;
  const [on, off] = [getSummary(writes, "on"), getSummary(writes, "off")];
  return [
    describeConditions(samples),
    `Embedder ${embedder}, ${dimensions} dimensions, index ${index}.`,
    renderTable(
      ["memories", "text p50 ms", "text p95 ms", "hybrid p50 ms", "hybrid p95 ms", "hybrid / text"],
      "rrrrrr",
      rows,
    ),
    sizes.length > 1 &&
      `Hybrid at ${formatCount(large)} / hybrid at ${formatCount(small)}: ${growth.toFixed(2)}`,
    renderTable(["remember", "p50 ms", "p95 ms"], "lrr", [
      [`embedder ${EMBEDDERS.on}`, on.p50.toFixed(2), on.p95.toFixed(2)],
      [`embedder ${EMBEDDERS.off}`, off.p50.toFixed(2), off.p95.toFixed(2)],
      ["difference", (on.p50 - off.p50).toFixed(2), (on.p95 - off.p95).toFixed(2)],
    ]),
  ]
    .filter(Boolean)
    .join("\n\n");
}
