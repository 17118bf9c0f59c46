// `npm run bench cognition [-- --quick] [-- --samples 100] [-- --sizes 1000,100000]`: how long an agent waits for a
// change of its spaces, for its thread and for a directive, beside the cost of one write in an object in the same run.
// The sizes are lengths of the thread. See README.md.
import { join } from "node:path";
import { buildWorker } from "../scripts/lib/build-worker.ts";
import { startFloorWorker, startService } from "./lib/benchmark-servers.ts";
import { connect, connectToService, post } from "./lib/connection.ts";
import { getItem } from "./lib/get-item.ts";
import { measure, type Operation } from "./lib/measure.ts";
import {
  ASKING,
  createAppendOperations,
  createDirectiveOperations,
  createReadOperations,
  createSpaceOperations,
  loadThread,
  prepareSpaces,
} from "./lib/operations/cognition-operations.ts";
import { createFloorOperations, FLOORS } from "./lib/operations/core-operations.ts";
import { describeConditions } from "./lib/report/format.ts";
import { createProgress } from "./lib/report/progress.ts";
import { renderTimes } from "./lib/report/times-table.ts";
import { createTemporaryFolder, type Defer, runBenchmark } from "./lib/run-benchmark.ts";
import { listenToSignals } from "./lib/signal-listener.ts";
import { readSizeOptions } from "./lib/size-options.ts";

const options = readSizeOptions({
  sizes: "1000,100000",
  usual: { warmUp: 50, samples: 300 },
  quick: { warmUp: 20, samples: 60 },
});
const progress = createProgress().note;

await runBenchmark(async (defer) => {
  const folder = await createTemporaryFolder();
  await buildWorker();
  const operations = [...(await startFloors(folder, defer)), ...(await startCognition(folder, defer))];
  const summaries = await measure(operations, { ...options, progress });
  return [describeConditions(options.samples), renderTimes(operations, summaries)].join("\n\n");
});

/** The cost of one write on this machine in this run. */
async function startFloors(folder: string, defer: Defer): Promise<Operation[]> {
  const floor = await startFloorWorker(folder);
  defer(floor.dispose);
  const connection = connect(floor.url, { idle: "/route" });
  defer(connection.close);
  await connection.send({ method: "POST", path: "/prepare" });
  return createFloorOperations(connection).filter(({ name }) => [FLOORS.write, FLOORS.object].includes(name));
}

async function startCognition(folder: string, defer: Defer): Promise<Operation[]> {
  const service = await startService(join(folder, "service"), { EMBEDDER: "none" });
  defer(service.dispose);
  const connection = connectToService(service);
  defer(connection.close);
  await prepareSpaces(connection);
  const threads = options.sizes.map((size) => ({ session: `thread-${size}`, size }));
  const twin = { session: "thread-twin", size: getItem(options.sizes, 0) };
  for (const thread of [...threads, twin]) await loadThread(connection, thread, progress);

  await connection.send(post("/v1/sessions", { id: ASKING }));
  const listener = await listenToSignals(connection, { url: service.url, key: service.key, session: ASKING });
  defer(listener.close);
  return [
    ...createSpaceOperations(connection),
    ...createAppendOperations(connection),
    ...createReadOperations(connection, threads, twin),
    ...createDirectiveOperations(listener),
  ];
}
