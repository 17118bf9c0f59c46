// `npm run bench core [-- --quick] [-- --samples 100] [-- --sizes 1000,10000]`: how long an agent waits for the most
// frequent calls, at several sizes of memory, beside the cost of the platform alone in the same run. See README.md.
import { buildWorker } from "../scripts/lib/build-worker.ts";
import { startFloorWorker, startService } from "./lib/benchmark-servers.ts";
import { connect, connectToService } from "./lib/connection.ts";
import { type LoadedState, loadSizes } from "./lib/load/load-memories.ts";
import { measure, type Operation } from "./lib/measure.ts";
import {
  addConversations,
  createFloorOperations,
  createSessionOperations,
  createSizedOperations,
  USUAL_SIZE,
} from "./lib/operations/core-operations.ts";
import { describeConditions, formatCount } from "./lib/report/format.ts";
import { renderTable } from "./lib/report/markdown-table.ts";
import { createProgress } from "./lib/report/progress.ts";
import { renderTimes } from "./lib/report/times-table.ts";
import { createTemporaryFolder, type Defer, runBenchmark } from "./lib/run-benchmark.ts";
import { readSizeOptions } from "./lib/size-options.ts";

const options = readSizeOptions({
  sizes: "1000,10000,100000",
  usual: { warmUp: 50, samples: 300 },
  quick: { warmUp: 20, samples: 60 },
});

await runBenchmark(async (defer) => {
  const progress = createProgress().note;
  const folder = await createTemporaryFolder();
  await buildWorker();
  const loaded = await loadSizes(folder, options.sizes, progress);
  const operations = await startServers(folder, loaded, defer);
  const summaries = await measure(operations, { ...options, progress });
  return [describeConditions(options.samples), renderTimes(operations, summaries), renderSizes(loaded)].join(
    "\n\n",
  );
});

/** Starts all servers at once, one for each size and one for the floors, so that they can be measured in turn. */
async function startServers(
  folder: string,
  loaded: readonly LoadedState[],
  defer: Defer,
): Promise<Operation[]> {
  const floor = await startFloorWorker(folder);
  defer(floor.dispose);
  const floorConnection = connect(floor.url, { idle: "/route" });
  defer(floorConnection.close);
  await floorConnection.send({ method: "POST", path: "/prepare" });
  const operations = createFloorOperations(floorConnection);

  const usual = options.sizes.includes(USUAL_SIZE) ? USUAL_SIZE : options.sizes.at(-1);
  for (const { size, folder: persist } of loaded) {
    // By text alone: `bench hybrid` measures semantic search.
    const service = await startService(persist, { EMBEDDER: "none" });
    defer(service.dispose);
    const connection = connectToService(service);
    defer(connection.close);
    operations.push(...createSizedOperations(connection, size));
    if (size === usual) {
      await addConversations(connection);
      operations.push(...createSessionOperations(connection, size));
    }
  }
  return operations;
}

function renderSizes(loaded: readonly LoadedState[]): string {
  const rows = loaded.map(({ size, bytes }) => [size, bytes, Math.round(bytes / size)].map(formatCount));
  return renderTable(["memories", "bytes on disk", "bytes a memory"], "rrr", rows);
}
