// `npm run bench:cognition [-- --quick] [-- --samples 100] [-- --sizes 1000,100000]`: how long an agent waits for a
// change of its spaces, for its thread and for a directive, beside what one write in an object costs in the same run.
// The sizes are lengths of the thread. See README.md.

import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildWorker } from "../scripts/lib/worker.mjs";
import {
  ASKING,
  appendOperations,
  directiveOperations,
  loadThread,
  prepareSpaces,
  readOperations,
  spaceOperations,
} from "./lib/cognition-operations.mjs";
import { connect, measure } from "./lib/measure.mjs";
import { FLOORS, floorOperations } from "./lib/operations.mjs";
import { readSizes } from "./lib/options.mjs";
import { startService, startWorker } from "./lib/server.mjs";
import { listen } from "./lib/signals.mjs";
import { conditions, timesTable } from "./lib/times.mjs";

const options = readSizes({
  sizes: "1000,100000",
  usual: { warmUp: 50, samples: 300 },
  quick: { warmUp: 20, samples: 60 },
});
const progress = (line) => process.stderr.write(`${line}\n`);
const folder = await mkdtemp(join(tmpdir(), "kioku-bench-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

/** What is closed when the run is over, the last first. */
const running = [];
try {
  await buildWorker();
  const operations = [...(await floors()), ...(await cognition())];
  const results = await measure(operations, { ...options, progress });
  console.log([conditions(options.samples), timesTable(operations, results)].join("\n\n"));
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
} finally {
  for (const stop of running.toReversed()) await stop();
}

/** What one write costs on this machine at this hour. */
async function floors() {
  const floor = await startWorker("floor.ts", {
    persist: join(folder, "floor"),
    d1Databases: { DB: "floor" },
    durableObjects: { OBJECTS: { className: "FloorObject", useSQLite: true } },
  });
  running.push(floor.dispose);
  const connection = open(floor.url, { idle: "/route" });
  await connection.send({ method: "POST", path: "/prepare" });
  return floorOperations(connection).filter(({ name }) => [FLOORS.write, FLOORS.object].includes(name));
}

async function cognition() {
  const service = await startService(join(folder, "service"), { EMBEDDER: "none" });
  running.push(service.dispose);
  const connection = open(service.url, {
    idle: "/health",
    headers: { Authorization: `Bearer ${service.key}` },
  });
  await prepareSpaces(connection);
  const threads = options.sizes.map((size) => ({ session: `thread-${size}`, size }));
  const twin = { session: "thread-twin", size: options.sizes[0] };
  for (const { session, size } of [...threads, twin]) await loadThread(connection, session, size, progress);

  await connection.send({ method: "POST", path: "/v1/sessions", body: { id: ASKING } });
  const listening = await listen(connection, { url: service.url, key: service.key, session: ASKING });
  running.push(listening.close);
  return [
    ...spaceOperations(connection),
    ...appendOperations(connection),
    ...readOperations(connection, threads, twin),
    ...directiveOperations(listening),
  ];
}

function open(url, options) {
  const connection = connect(url, options);
  running.push(connection.close);
  return connection;
}
