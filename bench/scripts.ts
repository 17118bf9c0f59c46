// `npm run bench scripts [-- --url <url> --key <key>]`: recall in languages other than English, on test/data/scripts.json.
// Prints for each language how high the right memory ranks, and how many hits questions have that no memory answers.
// With --url it asks a running service, for example an earlier version; its tenant should be empty.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildWorker } from "../scripts/lib/build-worker.ts";
import { root } from "../scripts/lib/repository.ts";
import { startService } from "./lib/benchmark-servers.ts";
import { renderTable } from "./lib/report/markdown-table.ts";
import { computeRecall, computeReciprocalRank, type Ranks } from "./lib/report/ranking-quality.ts";
import { createTemporaryFolder, runBenchmark } from "./lib/run-benchmark.ts";

/** The facts, questions with the index of the fact that answers them, and questions that no fact answers. */
interface LanguageSet {
  facts: string[];
  questions: [question: string, fact: number][];
  unanswerable: string[];
}

interface RecallBody {
  memories: { content: string }[];
}

/** Sends a request that must succeed. */
type Send = (path: string, body: object) => Promise<unknown>;

const { url, key, errors } = parseArgs({
  options: { url: { type: "string" }, key: { type: "string" }, errors: { type: "boolean", default: false } },
}).values;

await runBenchmark(async (defer) => {
  const sets: Record<string, LanguageSet> = JSON.parse(
    await readFile(join(root, "test/data/scripts.json"), "utf8"),
  );
  const send = url === undefined ? await startOwn(defer) : createSend(url, key ?? "");
  const rows: string[][] = [];
  const wrong: string[] = [];
  for (const [language, set] of Object.entries(sets)) {
    rows.push([language, ...(await measureLanguage(send, language, set, wrong))]);
  }
  const table = renderTable(
    [
      "language",
      "questions",
      "MRR",
      "R@1",
      "R@3",
      "hits a question",
      "unanswerable",
      "their hits",
      "with hits",
    ],
    "lrrrrrrrr",
    rows,
  );
  return errors ? [table, "", ...wrong].join("\n") : table;
});

async function startOwn(defer: (dispose: () => Promise<void>) => void): Promise<Send> {
  await buildWorker();
  const service = await startService(await createTemporaryFolder());
  defer(service.dispose);
  return createSend(service.url, service.key);
}

function createSend(base: string, secret: string): Send {
  return async (path, body) => {
    const answer = await fetch(`${base}${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
}

/** Returns the cells of a row, and adds the questions whose answer is not first to `wrong`. */
async function measureLanguage(
  send: Send,
  language: string,
  { facts, questions, unanswerable }: LanguageSet,
  wrong: string[],
): Promise<string[]> {
  const user_id = `speaker-${language}`;
  for (const content of facts) await send("/v1/remember", { user_id, content });
  const ask = async (query: string) => {
    const { memories } = (await send("/v1/recall", { user_id, query })) as RecallBody;
    return memories.map(({ content }) => content);
  };
  const ranks: Ranks[] = [];
  let found = 0;
  for (const [question, fact] of questions) {
    const hits = await ask(question);
    found += hits.length;
    const at = hits.indexOf(facts[fact] ?? "");
    ranks.push([at === -1 ? null : at + 1]);
    if (at !== 0) wrong.push(`${language}: ${question} → ${hits.slice(0, 3).join(" | ") || "nothing"}`);
  }
  const counts: number[] = [];
  for (const question of unanswerable) {
    const hits = await ask(question);
    counts.push(hits.length);
    if (hits.length > 0) wrong.push(`${language}: ${question} has hits: ${hits.join(" | ")}`);
  }
  const average = (measure: (one: Ranks) => number) =>
    ((100 * ranks.reduce((sum, one) => sum + measure(one), 0)) / ranks.length).toFixed(1);
  return [
    String(questions.length),
    average(computeReciprocalRank),
    average((one) => computeRecall(one, 1)),
    average((one) => computeRecall(one, 3)),
    (found / questions.length).toFixed(1),
    String(unanswerable.length),
    String(counts.reduce((sum, count) => sum + count, 0)),
    String(counts.filter((count) => count > 0).length),
  ];
}
