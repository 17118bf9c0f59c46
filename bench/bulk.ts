// `npm run bench bulk [-- --seconds 5] [-- --memories 2000]`: writes a second with the embedder on, beside bare D1 batch
// writes in the same run: one client, 32 clients on 32 sessions, and batches of 500. Then the D1 rows of a memory,
// written singly and in batches, the embedding included.
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildWorker } from "../scripts/lib/build-worker.ts";
import { startFloorWorker, startService } from "./lib/benchmark-servers.ts";
import { type Call, connect, connectToService, post, sendOk } from "./lib/connection.ts";
import { generateMemory } from "./lib/data/memories.ts";
import { startTracedService } from "./lib/edge/traced-service.ts";
import { getItem } from "./lib/get-item.ts";
import { loadSizes } from "./lib/load/load-memories.ts";
import { loadVectors } from "./lib/load/load-vectors.ts";
import { describeMachine } from "./lib/report/format.ts";
import { renderTable } from "./lib/report/markdown-table.ts";
import { createProgress } from "./lib/report/progress.ts";
import { createTemporaryFolder, type Defer, runBenchmark } from "./lib/run-benchmark.ts";
import { describeNewIndex } from "./lib/service-index.ts";

/** Memories of one call, the limit of the API. */
const BATCH_SIZE = 500;
const CLIENTS = 32;
/** Memories that are there before: a write into an empty database would be faster. */
const LOADED = 1_000;

const { seconds, memories: counted } = readOptions();
const progress = createProgress();
/** The number of the next memory that is not stored yet. */
let next = 1_000_000;

await runBenchmark(async (defer) => {
  const folder = await createTemporaryFolder();
  progress.begin("Building");
  await buildWorker();
  const state = getItem(await loadSizes(folder, [LOADED], progress.note), 0);
  await loadVectors(state, await describeNewIndex(join(folder, "empty")), progress);
  const loaded = state.folder;
  const [single, bulk] = [join(folder, "single"), join(folder, "bulk")];
  for (const copy of [single, bulk]) await cp(loaded, copy, { recursive: true });
  const rates = await measureRates(folder, loaded, defer);
  const rows = [
    await countRows("remember", single, rememberSingly),
    await countRows(`batches of ${BATCH_SIZE}`, bulk, rememberInBatches),
  ];
  progress.end();
  return [
    `${describeMachine()}; ${seconds} s each, embedder on`,
    renderTable(["call", "clients", "memories a second", "of bare D1 batch writes"], "lrrr", rates),
    renderTable(["written by", "memories", "D1 rows a memory", "D1 calls a memory"], "lrrr", rows),
  ].join("\n\n");
}, "bench bulk");

function readOptions(): { seconds: number; memories: number } {
  const { values } = parseArgs({
    options: { seconds: { type: "string", default: "5" }, memories: { type: "string", default: "2000" } },
  });
  const [perCall, all] = [Number(values.seconds), Number(values.memories)];
  if (!(perCall > 0 && all >= BATCH_SIZE))
    throw new Error(`--seconds takes a number, --memories one from ${BATCH_SIZE}`);
  return { seconds: perCall, memories: all };
}

/** Returns a memory that is not stored yet, as a client sends it. */
function createInput() {
  const { content, type, confidence, rationale, evidence, source_type } = generateMemory(next++);
  return { content, type, confidence, evidence, source_type, ...(rationale && { rationale }) };
}

function createBatch(): Call {
  const memories = Array.from({ length: BATCH_SIZE }, () => ({ ...createInput(), project_id: "atlas" }));
  return post("/v1/memories/batch", { memories });
}

type Load = { name: string; clients: number; memories: number; call: (client: number) => Call };

async function measureRates(folder: string, persist: string, defer: Defer): Promise<string[][]> {
  const floor = await startFloorWorker(folder);
  defer(floor.dispose);
  const service = await startService(persist, { RATE_LIMIT_READ: "0", RATE_LIMIT_WRITE: "0" });
  defer(service.dispose);
  const openFloor = () => connect(floor.url, { idle: "/route" });
  const openService = () => connectToService(service);
  await sendOk(openFloor(), post("/prepare", {}));
  for (let i = 0; i < CLIENTS; i += 1)
    await sendOk(openService(), post("/v1/sessions", { id: `load-${i}`, promotion: { enabled: false } }));
  const remember = (client: number) => post(`/v1/sessions/load-${client}/remember`, createInput());
  const note = () =>
    post("/d1", { id: crypto.randomUUID(), text: "The user prefers answer over the others" });
  const loads: (Load & { open: typeof openFloor })[] = [
    { name: "bare D1 batch write", clients: 1, memories: 1, call: note, open: openFloor },
    { name: "remember", clients: 1, memories: 1, call: remember, open: openService },
    { name: "bare D1 batch write", clients: CLIENTS, memories: 1, call: note, open: openFloor },
    {
      name: `remember, ${CLIENTS} sessions`,
      clients: CLIENTS,
      memories: 1,
      call: remember,
      open: openService,
    },
    {
      name: `batches of ${BATCH_SIZE}`,
      clients: 1,
      memories: BATCH_SIZE,
      call: createBatch,
      open: openService,
    },
  ];
  const floors = new Map<number, number>();
  const rows: string[][] = [];
  for (const { open, ...load } of loads) {
    progress.begin(`Measuring ${load.name}`);
    const rate = await measureRate(load, open);
    if (!floors.has(load.clients)) floors.set(load.clients, rate);
    const share = rate / (floors.get(load.clients) ?? rate);
    progress.note(`${load.name}, ${load.clients} clients: ${rate.toFixed(0)} a second`);
    rows.push([load.name, `${load.clients}`, rate.toFixed(0), share.toFixed(2)]);
  }
  return rows;
}

async function measureRate(
  { clients, memories, call }: Load,
  open: () => ReturnType<typeof connect>,
): Promise<number> {
  const connections = Array.from({ length: clients }, open);
  const started = performance.now();
  const until = started + seconds * 1_000;
  let written = 0;
  await Promise.all(
    connections.map(async (connection, client) => {
      while (performance.now() < until) {
        await sendOk(connection, call(client));
        written += memories;
      }
    }),
  );
  const rate = (written / (performance.now() - started)) * 1_000;
  for (const connection of connections) connection.close();
  return rate;
}

type Send = (call: Call) => Promise<unknown>;

async function rememberSingly(send: Send): Promise<number> {
  await send(post("/v1/sessions", { id: "counted", project_id: "atlas", promotion: { enabled: false } }));
  const written = Math.ceil(counted / 10);
  for (let i = 0; i < written; i += 1) await send(post("/v1/sessions/counted/remember", createInput()));
  return written;
}

async function rememberInBatches(send: Send): Promise<number> {
  const batches = Math.ceil(counted / BATCH_SIZE);
  for (let i = 0; i < batches; i += 1) await send(createBatch());
  return batches * BATCH_SIZE;
}

/** Counts what a way of writing costs until everything is embedded. */
async function countRows(
  name: string,
  persist: string,
  write: (send: Send) => Promise<number>,
): Promise<string[]> {
  progress.begin(`Counting ${name}`);
  const service = await startTracedService(persist);
  try {
    await service.runLaterAlarms();
    await service.take();
    const written = await write(service.send);
    await service.runLaterAlarms();
    const { events } = await service.take();
    const calls = events.filter(({ kind }) => kind === "d1");
    const rows = calls.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
    return [name, `${written}`, (rows / written).toFixed(2), (calls.length / written).toFixed(2)];
  } finally {
    await service.dispose();
  }
}
