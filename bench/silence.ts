// `npm run bench silence [-- --data <file> [--store messages|memories]]`: whether recall finds what was said, and nothing
// else. Facts on unrelated subjects are stored in one session, one after another, and for comparison each in a session of
// its own, where it has no context. Then queries are asked that nothing answers: of these facts, and of the conversations
// in `--data`. Questions that name the user have facts of their own.
import { readFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { parseArgs } from "node:util";
import { buildWorker } from "../scripts/lib/build-worker.ts";
import { root } from "../scripts/lib/repository.ts";
import { type OwnService, startService } from "./lib/benchmark-servers.ts";
import { type Connection, connectToService, post, sendOk } from "./lib/connection.ts";
import { readConversations } from "./lib/data/conversations.ts";
import { loadConversations, STORES, type Store } from "./lib/load/load-conversations.ts";
import { describeMachine } from "./lib/report/format.ts";
import { renderTable } from "./lib/report/markdown-table.ts";
import { createProgress } from "./lib/report/progress.ts";
import { createTemporaryFolder, runBenchmark } from "./lib/run-benchmark.ts";
import { waitForIndex } from "./lib/service-index.ts";

interface Facts {
  facts: { content: string; question: string }[];
  nonsense: string[];
  off_topic: string[];
}

interface NamedQuestions {
  people: { name: string; facts: { said: string; noted: string; question: string }[]; answered: string[] }[];
  /** With `{name}` in place of the user. */
  off_topic: string[];
}

interface Hits {
  confidence: "none" | "weak" | "good";
  memories: { content: string }[];
}

/** The facts of one session, and each in its own. */
const LAYOUTS = { "one session": "together", "a session each": "apart" } as const;

/** How the facts of a user are stored: in the user's words or a note's, as memories or as messages. */
const RECORDS = {
  "memories by the user": { store: "memories", wording: "said", hasName: false },
  "memories about the user": { store: "memories", wording: "noted", hasName: false },
  "messages with a name": { store: "messages", wording: "said", hasName: true },
  "messages without a name": { store: "messages", wording: "said", hasName: false },
} as const;

const { data, store: onlyStore } = parseArgs({
  options: {
    data: { type: "string", multiple: true, default: [] as string[] },
    store: { type: "string" },
  },
}).values;
const stores = STORES.filter((store) => onlyStore === undefined || store === onlyStore);
if (stores.length === 0) {
  console.error(`bench: --store is one of ${STORES.join(", ")}: ${onlyStore}`);
  process.exit(2);
}
const progress = createProgress();

await runBenchmark(async () => {
  progress.begin("Building");
  await buildWorker();
  progress.end();
  const set: Facts = JSON.parse(await readFile(join(root, "test/data/jumping-topics.json"), "utf8"));
  const named: NamedQuestions = JSON.parse(
    await readFile(join(root, "test/data/named-questions.json"), "utf8"),
  );
  const service = await startService(await createTemporaryFolder());
  const connection = connectToService(service);
  try {
    const found = await measureFacts(service, connection, set);
    const byName = await measureNamedQuestions(service, connection, named);
    const silent = [await measureSilence(connection, "facts", "together", set)];
    for (const path of data)
      for (const store of stores) silent.push(...(await measureConversations(service, { path, store, set })));
    return [describeMachine(), found, byName, renderSilence(silent)].join("\n\n");
  } finally {
    connection.close();
    await service.dispose();
  }
});

async function measureFacts(service: OwnService, connection: Connection, { facts }: Facts): Promise<string> {
  for (const agent of Object.values(LAYOUTS))
    for (const [i, { content }] of facts.entries()) {
      const session = agent === "together" ? agent : `${agent}-${i}`;
      await sendOk(connection, post(`/v1/sessions/${session}/remember`, { agent_id: agent, content }));
    }
  await waitForIndex(service, progress);
  const rows: string[][] = [];
  for (const [layout, agent] of Object.entries(LAYOUTS)) {
    let [first, reciprocal, hits, good] = [0, 0, 0, 0];
    for (const { content, question } of facts) {
      const { memories, confidence } = await ask(connection, question, inAgent(agent));
      const place = memories.findIndex((hit) => hit.content === content);
      if (place === 0) first += 1;
      if (place >= 0) reciprocal += 1 / (place + 1);
      if (confidence === "good") good += 1;
      hits += memories.length;
    }
    const n = facts.length;
    rows.push([
      layout,
      `${n}`,
      percent(first / n),
      percent(reciprocal / n),
      (hits / n).toFixed(2),
      percent(good / n),
    ]);
  }
  return renderTable(["facts in", "n", "first %", "MRR", "hits", "good %"], "lrrrrr", rows);
}

/** Asks questions that name the user, in the user's scope. */
async function measureNamedQuestions(
  service: OwnService,
  connection: Connection,
  { people, off_topic }: NamedQuestions,
): Promise<string> {
  const rows: string[][] = [];
  for (const [layout, { store, wording, hasName }] of Object.entries(RECORDS)) {
    const answerable = { n: 0, found: 0, first: 0, good: 0 };
    const unanswerable = { n: 0, hits: 0, answered: 0, good: 0 };
    for (const { name, facts, answered } of people) {
      const id = `${name.toLowerCase()}-${Object.keys(RECORDS).indexOf(layout)}`;
      const owner = { user_id: id };
      if (store === "messages") {
        const speaker = hasName ? { name } : {};
        const messages = facts.map((fact) => ({ role: "user", ...speaker, content: fact[wording] }));
        await sendOk(connection, post(`/v1/sessions/${id}/messages`, { ...owner, messages }));
      } else
        for (const [i, fact] of facts.entries())
          await sendOk(
            connection,
            post(`/v1/sessions/${id}-${i}/remember`, { ...owner, content: fact[wording] }),
          );
      await waitForIndex(service, progress);
      const askUser = (query: string) =>
        ask(connection, query, { user_id: id, scope: "user", sources: [store] });
      for (const fact of facts) {
        const { memories, confidence } = await askUser(fact.question);
        const place = memories.findIndex((hit) => hit.content === fact[wording]);
        answerable.n += 1;
        if (place >= 0) answerable.found += 1;
        if (place === 0) answerable.first += 1;
        if (confidence === "good") answerable.good += 1;
      }
      for (const query of off_topic.filter((one) => !answered.includes(one))) {
        const { memories, confidence } = await askUser(query.replace("{name}", name));
        unanswerable.n += 1;
        unanswerable.hits += memories.length;
        if (memories.length > 0) unanswerable.answered += 1;
        if (confidence === "good") unanswerable.good += 1;
      }
    }
    rows.push([
      layout,
      `${answerable.n}`,
      percent(answerable.found / answerable.n),
      percent(answerable.first / answerable.n),
      percent(answerable.good / answerable.n),
      `${unanswerable.n}`,
      (unanswerable.hits / unanswerable.n).toFixed(2),
      percent(unanswerable.answered / unanswerable.n),
      percent(unanswerable.good / unanswerable.n),
    ]);
  }
  return renderTable(
    [
      "questions that name the user, of",
      "n",
      "found %",
      "first %",
      "good %",
      "unanswerable",
      "hits of 10",
      "with hits %",
      "good %",
    ],
    "lrrrrrrrr",
    rows,
  );
}

interface Silence {
  name: string;
  queries: string;
  n: number;
  hits: number;
  answered: number;
  good: number;
}

async function measureConversations(
  service: OwnService,
  { path, store, set }: { path: string; store: Store; set: Facts },
): Promise<Silence[][]> {
  const conversations = await readConversations(path);
  const run = `${store}${Date.now()}`;
  const loaded = await loadConversations(service, conversations, { store, run, concurrency: 4, progress });
  await waitForIndex(service, progress);
  const name = `${basename(path, extname(path))} as ${store}`;
  const measured: Silence[][] = [];
  // A new connection: the service closes one that is idle while the conversations are loaded.
  const connection = connectToService(service);
  try {
    for (const { agent } of Object.values(loaded))
      measured.push(await measureSilence(connection, name, agent, set, { sources: [store] }));
  } finally {
    connection.close();
  }
  // One row for all conversations of a file.
  return [
    [0, 1].map((i) => {
      const rows = measured.flatMap((group) => group[i] ?? []);
      const sum = (read: (row: Silence) => number) => rows.reduce((total, row) => total + read(row), 0);
      return {
        name,
        queries: rows[0]?.queries ?? "",
        n: sum((row) => row.n),
        hits: sum((row) => row.hits),
        answered: sum((row) => row.answered),
        good: sum((row) => row.good),
      };
    }),
  ];
}

async function measureSilence(
  connection: Connection,
  name: string,
  agent: string,
  { nonsense, off_topic }: Facts,
  options: object = {},
): Promise<Silence[]> {
  const measured: Silence[] = [];
  for (const [queries, list] of Object.entries({ nonsense, "off-topic": off_topic })) {
    const row: Silence = { name, queries, n: list.length, hits: 0, answered: 0, good: 0 };
    for (const query of list) {
      const { memories, confidence } = await ask(connection, query, { ...inAgent(agent), ...options });
      row.hits += memories.length;
      if (memories.length > 0) row.answered += 1;
      if (confidence === "good") row.good += 1;
    }
    measured.push(row);
  }
  return measured;
}

function inAgent(agent: string): object {
  return { agent_id: agent, scope: "agent" };
}

async function ask(connection: Connection, query: string, options: object): Promise<Hits> {
  const call = post("/v1/recall", { query, limit: 10, min_confidence: 0, ...options });
  return JSON.parse((await sendOk(connection, call)).text);
}

function renderSilence(groups: readonly Silence[][]): string {
  return renderTable(
    ["queries that nothing answers", "of", "n", "hits of 10", "with hits %", "good %"],
    "llrrrr",
    groups
      .flat()
      .map(({ name, queries, n, hits, answered, good }) => [
        queries,
        name,
        `${n}`,
        (hits / n).toFixed(2),
        percent(answered / n),
        percent(good / n),
      ]),
  );
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}
