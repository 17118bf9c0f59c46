// `npm run bench:core [-- --quick] [-- --samples 100] [-- --sizes 1000,10000]`: how long an agent waits for the calls
// it makes most, at several sizes of memory, beside what the platform alone costs in the same run. See README.md.

import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildWorker } from "../scripts/lib/worker.mjs";
import { loadSizes } from "./lib/load.mjs";
import { connect, measure } from "./lib/measure.mjs";
import {
  converse,
  count,
  floorOperations,
  sessionOperations,
  sizedOperations,
  USUAL_SIZE,
} from "./lib/operations.mjs";
import { readSizes } from "./lib/options.mjs";
import { startService, startWorker } from "./lib/server.mjs";
import { table } from "./lib/table.mjs";
import { conditions, timesTable } from "./lib/times.mjs";

const options = readSizes({
  sizes: "1000,10000,100000",
  usual: { warmUp: 50, samples: 300 },
  quick: { warmUp: 20, samples: 60 },
});
const progress = (line) => process.stderr.write(`${line}\n`);
const folder = await mkdtemp(join(tmpdir(), "kioku-bench-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

const running = [];
try {
  await buildWorker();
  const loaded = await loadSizes(folder, options.sizes, progress);
  const operations = await start(loaded);
  const results = await measure(operations, { ...options, progress });
  console.log(report(loaded, operations, results));
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
} finally {
  for (const { connection, server } of running) {
    connection.close();
    await server.dispose();
  }
}

/** All servers run at once, one for each size and one for the floors, so that all can be measured in turn. */
async function start(loaded) {
  const floor = await startWorker("floor.ts", {
    persist: join(folder, "floor"),
    d1Databases: { DB: "floor" },
    durableObjects: { OBJECTS: { className: "FloorObject", useSQLite: true } },
  });
  const floors = open(floor, { idle: "/route" });
  await floors.send({ method: "POST", path: "/prepare" });
  const operations = floorOperations(floors);

  const usual = options.sizes.includes(USUAL_SIZE) ? USUAL_SIZE : options.sizes.at(-1);
  for (const { size, folder: persist } of loaded) {
    // By text alone: what meaning adds is what `bench:hybrid` measures.
    const service = await startService(persist, { EMBEDDER: "none" });
    const headers = { Authorization: `Bearer ${service.key}` };
    const connection = open(service, { idle: "/health", headers });
    operations.push(...sizedOperations(connection, size));
    if (size === usual) {
      await converse(connection);
      operations.push(...sessionOperations(connection, size));
    }
  }
  return operations;
}

function open(server, options) {
  const connection = connect(server.url, options);
  running.push({ connection, server });
  return connection;
}

function report(loaded, operations, results) {
  const sizes = loaded.map(({ size, bytes }) => [count(size), count(bytes), count(Math.round(bytes / size))]);
  return [
    conditions(options.samples),
    timesTable(operations, results),
    table(["memories", "bytes on disk", "bytes a memory"], "rrr", sizes),
  ].join("\n\n");
}
