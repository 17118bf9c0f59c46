// `npm run eval -- --data <file>`: measures recall on your own questions, with the options and the service of your choice,
// and compares several. See docs/evaluation.md.
import { writeFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { buildWorker } from "../scripts/lib/build-worker.ts";
import { askQuestions } from "./lib/ask-questions.ts";
import { type BenchmarkService, startService } from "./lib/benchmark-servers.ts";
import { type Connection, connectToService, post, sendOk } from "./lib/connection.ts";
import { readConversations, takeEvenly } from "./lib/data/conversations.ts";
import { EVAL_USAGE, type EvalOptions, readEvalOptions } from "./lib/eval-options.ts";
import { type LoadedConversations, loadConversations } from "./lib/load/load-conversations.ts";
import { renderEvaluation } from "./lib/report/evaluation-report.ts";
import { createProgress } from "./lib/report/progress.ts";
import { createTemporaryFolder, type Defer, runBenchmark } from "./lib/run-benchmark.ts";

/** Sessions that are loaded at a time. */
const CONCURRENCY = 4;
const POLL_MS = 1_000;
/** Each call erases a batch of a large agent, and asks to be repeated. */
const ERASE_ATTEMPTS = 100;

const progress = createProgress();

await runBenchmark(async (defer) => {
  const options = readEvalOptions(process.argv.slice(2), process.env);
  return options === null ? EVAL_USAGE : evaluate(options, defer);
}, "eval");

async function evaluate(options: EvalOptions, defer: Defer): Promise<string> {
  const { store, variants } = options;
  const conversations = (await readConversations(options.data)).slice(0, options.conversations);
  const asked = conversations.flatMap((conversation) => conversation.questions);
  if (asked.length === 0) throw new Error(`${options.data} has no questions`);
  const service = await openService(options, defer);
  const connection = connectToService(service);
  defer(() => connection.close());
  const run = `eval-${new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14)}`;
  const loaded: LoadedConversations = {};
  defer(() => eraseConversations(connection, loaded));
  await loadConversations(service, conversations, { store, run, concurrency: CONCURRENCY, progress, loaded });
  await waitUntilEmbedded(connection, loaded);
  const questions = takeEvenly(asked, options.questions);
  const results = await askQuestions(service, conversations, loaded, {
    questions,
    store,
    variants,
    progress,
  });
  if (options.json) await writeFile(options.json, `${JSON.stringify({ variants, results }, null, 1)}\n`);
  const [first] = results;
  const names = variants.map(({ name }) => name);
  return [
    `## ${basename(options.data, extname(options.data))}: ${first?.level}s that answer, in ${store}`,
    renderEvaluation(results, { ...options, variants: names }),
  ].join("\n\n");
}

async function openService({ running, settings }: EvalOptions, defer: Defer): Promise<BenchmarkService> {
  if (running !== null) return { ...running, adminKey: undefined, tenant: "", dispose: async () => {} };
  progress.begin("Starting a service");
  await buildWorker();
  const service = await startService(await createTemporaryFolder(), settings);
  defer(service.dispose);
  progress.end();
  return service;
}

/** Waits until no semantic recall is incomplete. Without an embedder there is nothing to wait for. */
async function waitUntilEmbedded(connection: Connection, loaded: LoadedConversations): Promise<void> {
  progress.begin("Waiting for the embeddings");
  for (const { agent } of Object.values(loaded)) {
    const call = post("/v1/recall", {
      ...{ agent_id: agent, scope: "agent", sources: ["memories", "messages"] },
      ...{ query: "hello", mode: "semantic", limit: 1, ranking: { rerank: false } },
    });
    for (;;) {
      const { degraded = "" }: { degraded?: string } = JSON.parse((await sendOk(connection, call)).text);
      if (!/not everything is embedded|being re-embedded/i.test(degraded)) break;
      await wait(POLL_MS);
    }
  }
  progress.end();
}

/** Erases everything that this run stored. */
async function eraseConversations(connection: Connection, loaded: LoadedConversations): Promise<void> {
  progress.begin("Erasing the conversations");
  for (const { agent } of Object.values(loaded)) {
    let status = 503;
    for (let attempt = 1; status === 503 && attempt <= ERASE_ATTEMPTS; attempt += 1)
      ({ status } = await connection.send({ method: "DELETE", path: `/v1/agents/${agent}` }));
    if (status !== 200 && status !== 404)
      progress.note(`Agent ${agent} could not be erased (status ${status}): DELETE /v1/agents/${agent}`);
  }
  progress.end();
}
