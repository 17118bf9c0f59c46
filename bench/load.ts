// `npm run bench load [-- --seconds 4] [-- --size 5000] [-- --clients 1,8,32] [-- --only remember] [-- --embedder none]`:
// calls a second and their times with several clients, beside the rate of a bare D1 batch write. See README.md.
import { parseArgs } from "node:util";
import { buildWorker } from "../scripts/lib/build-worker.ts";
import { startFloorWorker, startService } from "./lib/benchmark-servers.ts";
import { type Call, type Connection, connect, connectToService, post, sendOk } from "./lib/connection.ts";
import { getItem } from "./lib/get-item.ts";
import { loadSizes } from "./lib/load/load-memories.ts";
import { loadVectors } from "./lib/load/load-vectors.ts";
import { measureThroughput, type Throughput } from "./lib/measure-throughput.ts";
import { BARE_WRITE, createLoadOperations, LOAD_SESSION_IDS } from "./lib/operations/load-operations.ts";
import { describeMachine, formatCount } from "./lib/report/format.ts";
import { renderTable } from "./lib/report/markdown-table.ts";
import { createProgress } from "./lib/report/progress.ts";
import { createTemporaryFolder, runBenchmark } from "./lib/run-benchmark.ts";
import { describeNewIndex, waitForIndex } from "./lib/service-index.ts";

const options = readOptions();
const progress = createProgress();

await runBenchmark(async (defer) => {
  const folder = await createTemporaryFolder();
  await buildWorker();
  const loaded = getItem(await loadSizes(folder, [options.size], progress.note), 0);
  if (options.embedder !== "none")
    await loadVectors(loaded, await describeNewIndex(`${folder}/empty`), progress);
  const service = await startService(loaded.folder, {
    RATE_LIMIT_READ: "0",
    RATE_LIMIT_WRITE: "0",
    EMBEDDER: options.embedder,
  });
  defer(service.dispose);
  const open = () => connectToService(service);
  await sendAll(
    open,
    LOAD_SESSION_IDS.map((id) => post("/v1/sessions", { id, promotion: { enabled: false } })),
  );
  const floor = await startFloorWorker(folder);
  defer(floor.dispose);
  const openFloor = () => connect(floor.url, { idle: "/route" });
  await sendAll(openFloor, [post("/prepare", {})]);

  const rows: string[][] = [];
  const countUp = createCounter();
  for (const { name, call } of createLoadOperations(options.size)) {
    if (!name.includes(options.only)) continue;
    for (const count of options.clients) {
      progress.begin(`${name}, ${count} clients`);
      if (options.embedder !== "none") await waitForIndex(service, progress);
      // Just before and just after: the machine may be busier at another time.
      const measureFloor = () =>
        measureThroughput({ count, open: openFloor }, () => BARE_WRITE.call(countUp()), options.seconds / 2);
      const before = await measureFloor();
      const result = await measureThroughput({ count, open }, () => call(countUp()), options.seconds);
      const after = await measureFloor();
      rows.push(renderRow(name, count, result, (before.callsPerSecond + after.callsPerSecond) / 2));
    }
  }
  progress.end();
  if (rows.length === 0) throw new Error(`--only matches no operation: ${options.only}`);
  const head = ["operation", "clients", "calls/s", "p50 ms", "p99 ms", "bare D1 write/s", "share", "errors"];
  return [
    renderTable(head, "lrrrrrrr", rows),
    `${options.seconds} s a row, ${formatCount(options.size)} memories, embedder ${options.embedder}, ${describeMachine()}`,
  ].join("\n\n");
});

async function sendAll(open: () => Connection, calls: readonly Call[]): Promise<void> {
  const connection = open();
  try {
    for (const call of calls) await sendOk(connection, call);
  } finally {
    connection.close();
  }
}

function createCounter(): () => number {
  let next = 0;
  return () => next++;
}

function renderRow(name: string, clients: number, result: Throughput, floor: number): string[] {
  const { callsPerSecond, p50, p99, errors } = result;
  return [
    name,
    String(clients),
    callsPerSecond.toFixed(1),
    p50?.toFixed(1) ?? "",
    p99?.toFixed(1) ?? "",
    floor.toFixed(1),
    (callsPerSecond / floor).toFixed(2),
    String(errors),
  ];
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "4" },
      size: { type: "string", default: "5000" },
      clients: { type: "string", default: "1,8,32" },
      only: { type: "string", default: "" },
      embedder: { type: "string", default: "embedded" },
    },
  });
  const readCount = (name: string, text: string) => {
    const count = Number(text);
    if (Number.isInteger(count) && count > 0) return count;
    throw new Error(`--${name} takes a whole number: ${text}`);
  };
  return {
    ...values,
    seconds: readCount("seconds", values.seconds),
    size: readCount("size", values.size),
    clients: values.clients.split(",").map((text) => readCount("clients", text)),
  };
}
