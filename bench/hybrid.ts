// `npm run bench:hybrid [-- --quick] [-- --sizes 10000,100000]`: what searching by meaning costs the asker beside
// searching by words, and what being embedded costs a memory's writer. See README.md.

import { rmSync } from "node:fs";
import { cp, mkdtemp } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { buildWorker } from "../scripts/lib/worker.mjs";
import { loadSizes } from "./lib/load.mjs";
import { readIndex } from "./lib/load-conversations.mjs";
import { loadVectors } from "./lib/load-vectors.mjs";
import { connect, measure } from "./lib/measure.mjs";
import { count, modeName, modeOperations, rememberOperation } from "./lib/operations.mjs";
import { readSizes } from "./lib/options.mjs";
import { showProgress } from "./lib/progress.mjs";
import { startService } from "./lib/server.mjs";
import { table } from "./lib/table.mjs";

const EMBEDDERS = { on: "embedded", off: "none" };

const options = readSizes({
  sizes: "10000,100000",
  usual: { warmUp: 50, samples: 300 },
  quick: { warmUp: 20, samples: 60 },
});
const progress = showProgress();
const folder = await mkdtemp(join(tmpdir(), "kioku-bench-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

try {
  progress.begin("Building");
  await buildWorker();
  progress.end();
  const index = await describeIndex();
  const loaded = await loadSizes(folder, options.sizes, progress.note);
  const [smallest] = loaded;
  const plain = join(folder, "plain");
  await cp(smallest.folder, plain, { recursive: true });
  for (const state of loaded) await loadVectors(state, index, progress);
  const recalls = await measureOn(
    loaded.map((state) => ({ persist: state.folder, env: { EMBEDDER: EMBEDDERS.on } })),
    (connections) => connections.flatMap((connection, i) => modeOperations(connection, loaded[i].size)),
  );
  // Not among the recalls: these would embed on their way what was just written.
  const writes = await measureOn(
    [
      { persist: smallest.folder, env: { EMBEDDER: EMBEDDERS.on } },
      { persist: plain, env: { EMBEDDER: EMBEDDERS.off } },
    ],
    ([on, off]) => [rememberOperation(on, "on"), rememberOperation(off, "off")],
  );
  console.log(report(index, recalls, writes));
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
}
progress.end();

/** What a new service says about its index. */
async function describeIndex() {
  const service = await startService(join(folder, "empty"), { EMBEDDER: EMBEDDERS.on });
  const index = await readIndex(service).finally(service.dispose);
  if (index === null) throw new Error("This service has no GET /v1/admin/index, and so no index to measure");
  return index;
}

/** Starts a service for each of `services`, all at once, so that their operations can be taken in turn. */
async function measureOn(services, toOperations) {
  const running = [];
  const connections = [];
  try {
    for (const { persist, env } of services) {
      const service = await startService(persist, env);
      running.push(service);
      const headers = { Authorization: `Bearer ${service.key}` };
      connections.push(connect(service.url, { idle: "/health", headers }));
      if (env.EMBEDDER === EMBEDDERS.on) await assertIndexed(service);
    }
    return await measure(toOperations(connections), { ...options, progress: progress.note });
  } finally {
    for (const connection of connections) connection.close();
    for (const service of running) await service.dispose();
  }
}

/** A service that is still embedding what was loaded has no time of its own to show. */
async function assertIndexed(service) {
  const { waiting } = await readIndex(service);
  if (waiting > 0) throw new Error(`${count(waiting)} memories that were loaded still wait to be embedded`);
}

function report({ embedder, dimensions, index }, recalls, writes) {
  const { sizes, samples } = options;
  const at = (mode, size) => recalls.get(modeName(mode, size));
  const rows = sizes.map((size) => {
    const [text, hybrid] = [at("text", size), at("hybrid", size)];
    const times = [text.p50, text.p95, hybrid.p50, hybrid.p95, hybrid.p50 / text.p50];
    return [count(size), ...times.map((time) => time.toFixed(2))];
  });
  const [small, large] = [sizes[0], sizes.at(-1)];
  const growth = at("hybrid", large).p50 / at("hybrid", small).p50;
  const [on, off] = [writes.get("on"), writes.get("off")];
  return [
    `${samples} samples a row, Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model.trim()}`,
    `Embedder ${embedder}, ${dimensions} dimensions, index ${index}.`,
    table(
      ["memories", "text p50 ms", "text p95 ms", "hybrid p50 ms", "hybrid p95 ms", "hybrid / text"],
      "rrrrrr",
      rows,
    ),
    sizes.length > 1 && `Hybrid at ${count(large)} / hybrid at ${count(small)}: ${growth.toFixed(2)}`,
    table(["remember", "p50 ms", "p95 ms"], "lrr", [
      [`embedder ${EMBEDDERS.on}`, on.p50.toFixed(2), on.p95.toFixed(2)],
      [`embedder ${EMBEDDERS.off}`, off.p50.toFixed(2), off.p95.toFixed(2)],
      ["difference", (on.p50 - off.p50).toFixed(2), (on.p95 - off.p95).toFixed(2)],
    ]),
  ]
    .filter(Boolean)
    .join("\n\n");
}
