// `npm run bench neighbours [-- --quick] [-- --samples 100] [-- --size 20000] [-- --keep folder]`: how long one tenant
// waits for a recall while another one sends the most expensive recalls it can. See README.md.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildWorker } from "../scripts/lib/build-worker.ts";
import { readCode } from "../scripts/lib/errors.ts";
import { createKey, type OwnService, startService } from "./lib/benchmark-servers.ts";
import { type Call, connectToService, post, sendOk } from "./lib/connection.ts";
import { generateQuery } from "./lib/data/memories.ts";
import { COMMON_WORDS } from "./lib/data/words.ts";
import { getItem } from "./lib/get-item.ts";
import { loadMemories, loadMessages, loadSizes } from "./lib/load/load-memories.ts";
import { loadVectors } from "./lib/load/load-vectors.ts";
import { type Summary, summarise } from "./lib/measure.ts";
import { describeConditions, formatCount } from "./lib/report/format.ts";
import { renderTable } from "./lib/report/markdown-table.ts";
import { createProgress } from "./lib/report/progress.ts";
import { createTemporaryFolder, runBenchmark } from "./lib/run-benchmark.ts";
import { describeNewIndex } from "./lib/service-index.ts";

const VICTIM = "victim";
const VICTIM_MEMORIES = 1_000;
const IN_FLIGHT = 8;
const WORDS_PER_QUERY = 32;
const AIM = 3;
const WARM_UP = 20;

/** Without the limits on reads, only the cost of each query is bounded. */
const UNLIMITED = { READ_MS_IN_FLIGHT: "0", READ_MS_PER_MINUTE: "0" };

interface Attack {
  victim: Summary;
  /** Answers to the attacker by status, and their times if they succeeded. */
  statuses: Map<number, number>;
  attacker: Summary | null;
}

const options = readOptions();
const progress = createProgress();

await runBenchmark(async () => {
  progress.begin("Building");
  await buildWorker();
  progress.end();
  const folder = await prepareState();
  const rows: [name: string, alone: Summary, attack: Attack][] = [];
  for (const [name, env] of [
    ["limits off", UNLIMITED],
    ["limits on", {}],
  ] as const) {
    const service = await startService(folder, env);
    try {
      const key = await createKey(service.url, service.adminKey, VICTIM);
      progress.begin(`Measuring with ${name}`);
      const alone = await measureVictim({ ...service, key });
      rows.push([name, alone, await attack(service, key)]);
      progress.end();
    } finally {
      await service.dispose();
    }
  }
  return renderReport(rows);
});

/** Loads both tenants, unless a kept folder holds them already. */
async function prepareState(): Promise<string> {
  const { keep, size } = options;
  const folder = keep === undefined ? await createTemporaryFolder() : resolve(keep);
  const target = join(folder, String(size));
  if (existsSync(target)) return target;
  const index = await describeNewIndex(join(folder, "empty"));
  await loadSizes(folder, [size], progress.note);
  await loadMessages(target, size);
  await loadMemories(target, { from: 0, to: VICTIM_MEMORIES, tenant: VICTIM }, progress.note);
  await loadVectors({ folder: target, size }, index, progress);
  await loadVectors({ folder: target, size, kind: "message" }, index, progress);
  await loadVectors({ folder: target, size: VICTIM_MEMORIES, tenant: VICTIM }, index, progress);
  return target;
}

async function measureVictim(service: { url: string; key: string }): Promise<Summary> {
  const connection = connectToService(service);
  const times: number[] = [];
  try {
    for (let i = 0; i < WARM_UP + options.samples; i += 1) {
      const call = createRecall(generateQuery(i, VICTIM_MEMORIES));
      const { ms } = await repeatReset(() => sendOk(connection, call));
      if (i >= WARM_UP) times.push(ms);
    }
  } finally {
    connection.close();
  }
  return summarise(times);
}

/** Measures the victim while several connections of the attacker send one expensive recall after another. */
async function attack({ url, key }: OwnService, victimKey: string): Promise<Attack> {
  const statuses = new Map<number, number>();
  const times: number[] = [];
  let isOver = false;
  const attackers = Array.from({ length: IN_FLIGHT }, async (_, attacker) => {
    const connection = connectToService({ url, key });
    try {
      for (let i = 0; !isOver; i += 1) {
        const call = createRecall(createExpensiveQuery(attacker + i * IN_FLIGHT));
        const { status, ms } = await repeatReset(() => connection.send(call));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 200) times.push(ms);
      }
    } finally {
      connection.close();
    }
  });
  const victim = await measureVictim({ url, key: victimKey }).finally(() => {
    isOver = true;
  });
  await Promise.all(attackers);
  return { victim, statuses, attacker: times.length === 0 ? null : summarise(times) };
}

/** On a busy machine, a call may go into a connection that the server is just closing. */
async function repeatReset<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (readCode(error) !== "ECONNRESET") throw error;
    return send();
  }
}

function createRecall(query: string): Call {
  return post("/v1/recall", { query, scope: "tenant", sources: ["memories", "messages"] });
}

/** Common words, others in each query: they stand in most of the texts. */
function createExpensiveQuery(index: number): string {
  return Array.from({ length: WORDS_PER_QUERY }, (_, i) =>
    getItem(COMMON_WORDS, (i * 3 + index * 7) % 120),
  ).join(" ");
}

function renderReport(rows: readonly [string, Summary, Attack][]): string {
  const size = formatCount(options.size);
  return [
    describeConditions(options.samples),
    `Attacker: ${IN_FLIGHT} recalls of ${WORDS_PER_QUERY} common words in flight, over ${size} memories and ${size} messages.`,
    renderTable(
      [
        "",
        "alone p50 ms",
        "attacked p50 ms",
        "attacked p95 ms",
        "p50 ratio",
        `aim ≤ ${AIM}`,
        "attacker p50 ms",
        "answers",
      ],
      "lrrrrlrl",
      rows.map(([name, alone, { victim, attacker, statuses }]) => {
        const ratio = victim.p50 / alone.p50;
        return [
          name,
          alone.p50.toFixed(2),
          victim.p50.toFixed(2),
          victim.p95.toFixed(2),
          ratio.toFixed(2),
          ratio <= AIM ? "met" : "missed",
          attacker?.p50.toFixed(2) ?? "",
          [...statuses].map(([status, count]) => `${count} × ${status}`).join(", "),
        ];
      }),
    ),
  ].join("\n\n");
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      samples: { type: "string" },
      size: { type: "string", default: "20000" },
      keep: { type: "string" },
    },
  });
  return {
    samples: readNumber("samples", values.samples ?? (values.quick ? "30" : "100")),
    size: readNumber("size", values.size),
    keep: values.keep,
  };
}

function readNumber(name: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} takes a whole number: ${text}`);
  return Number(text);
}
