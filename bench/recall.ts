// `npm run bench recall -- --data <file>`: how much of a question's evidence recall finds, in conversations that nobody
// wrote for this service, and how long the answers take. See README.md.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildWorker } from "../scripts/lib/build-worker.ts";
import { readCode } from "../scripts/lib/errors.ts";
import {
  askQuestions,
  canUseUntil,
  getVariantResult,
  type QuestionResult,
  type RecallVariant,
} from "./lib/ask-questions.ts";
import { type BenchmarkService, createKey, startService, TENANT } from "./lib/benchmark-servers.ts";
import { type Conversation, readConversations, takeEvenly } from "./lib/data/conversations.ts";
import { getItem } from "./lib/get-item.ts";
import {
  type LoadedConversations,
  loadConversations,
  STORES,
  type Store,
} from "./lib/load/load-conversations.ts";
import { summarise } from "./lib/measure.ts";
import { describeMachine } from "./lib/report/format.ts";
import { renderTable } from "./lib/report/markdown-table.ts";
import { createProgress } from "./lib/report/progress.ts";
import { groupResults, type QuestionGroup } from "./lib/report/question-groups.ts";
import { averageMeasures, type Level, MEASURES } from "./lib/report/ranking-quality.ts";
import { createTemporaryFolder, runBenchmark } from "./lib/run-benchmark.ts";
import { type IndexState, waitForIndex } from "./lib/service-index.ts";

const MODES = ["hybrid", "rrf", "semantic", "text"] as const;
type Mode = (typeof MODES)[number];

/** The file in a kept folder that records its data, and the turns behind its hits. */
const RECORD = "loaded.json";

interface LoadRecord {
  at: string;
  /** A hash of the data file. */
  data: string;
  loaded: LoadedConversations;
}

interface FileResult {
  name: string;
  index: IndexState | null;
  /** The service left out later sessions. */
  until: boolean;
  results: QuestionResult[];
}

/** A service that runs already. */
interface RunningService {
  url: string;
  key: string | undefined;
  adminKey: string | undefined;
  tenant: string;
}

const options = readOptions();
const progress = createProgress();

await runBenchmark(async () => {
  if (options.running === null) {
    progress.begin("Building");
    await buildWorker();
    progress.end();
  }
  const measured: FileResult[] = [];
  for (const path of options.data) measured.push(await measureFile(path));
  const about = describeMachine();
  if (options.json) await writeFile(options.json, `${JSON.stringify({ about, measured }, null, 1)}\n`);
  progress.end();
  return [about, ...measured.map(renderReport)].join("\n\n");
});

/** Each file has a service of its own, so that no score depends on other files. */
async function measureFile(path: string): Promise<FileResult> {
  const name = basename(path, extname(path));
  const conversations = (await readConversations(path)).slice(0, options.conversations);
  const questions = takeEvenly(
    conversations.flatMap((conversation) => conversation.questions),
    options.questions,
  );
  const folder = options.running === null ? await prepareFolder(name) : null;
  progress.begin(`Starting the service for ${name}`);
  const service = folder === null ? await openRunningService() : await startService(folder);
  progress.end();
  try {
    const { loaded, index } = await load(service, folder, path, conversations);
    const { store } = options;
    const variants = options.modes.map(toVariant);
    const results = await askQuestions(service, conversations, loaded, {
      questions,
      store,
      variants,
      progress,
    });
    const until = conversations.every((conversation) => canUseUntil(conversation, store));
    return { name, index, until, results };
  } finally {
    await service.dispose();
  }
}

function toVariant(mode: Mode): RecallVariant {
  const options = mode === "rrf" ? { mode: "hybrid", ranking: { fusion: "rrf" } } : { mode };
  return { name: mode, options };
}

async function prepareFolder(name: string): Promise<string> {
  if (!options.keep) return createTemporaryFolder();
  const folder = resolve(options.keep, `${name}-${options.store}`);
  await mkdir(folder, { recursive: true });
  const files = await readdir(folder);
  if (files.length > 0 && !files.includes(RECORD))
    throw new Error(`${folder} was not loaded to the end: remove it`);
  return folder;
}

async function openRunningService(): Promise<BenchmarkService> {
  if (options.running === null) throw new Error("--url is missing");
  const { url, adminKey, tenant } = options.running;
  const key = options.running.key ?? (adminKey && (await createKey(url, adminKey)));
  if (!key) throw new Error("--url needs --key, or --admin-key to make one");
  return { url, adminKey, tenant, key, dispose: async () => {} };
}

/** Loads the conversations, unless a kept folder holds them already. */
async function load(
  service: BenchmarkService,
  folder: string | null,
  path: string,
  conversations: readonly Conversation[],
): Promise<{ loaded: LoadedConversations; index: IndexState | null }> {
  const { store, concurrency } = options;
  const data = createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
  const record = folder === null ? null : await readRecord(folder);
  if (record !== null) {
    const missing = conversations.filter(({ id }) => !(id in record.loaded));
    if (record.data !== data || missing.length > 0) throw new Error(`${folder} holds other data: remove it`);
    progress.note(`Loaded already, at ${record.at}: ${folder}`);
    return { loaded: record.loaded, index: await waitForIndex(service, progress) };
  }
  const at = new Date().toISOString();
  const run = at.replaceAll(/\D/g, "").slice(0, 14);
  const loaded = await loadConversations(service, conversations, { store, run, concurrency, progress });
  const index = await waitForIndex(service, progress);
  if (folder !== null) await writeFile(join(folder, RECORD), JSON.stringify({ at, data, loaded }));
  return { loaded, index };
}

async function readRecord(folder: string): Promise<LoadRecord | null> {
  try {
    return JSON.parse(await readFile(join(folder, RECORD), "utf8"));
  } catch (error) {
    if (readCode(error) === "ENOENT") return null;
    throw error;
  }
}

function renderReport({ name, index, until, results }: FileResult): string {
  const { store, modes, detailed } = options;
  const { level } = getItem(results, 0);
  const createHead = (first: string) => [first, "n", ...Object.keys(MEASURES[level])];
  const align = `l${"r".repeat(createHead("").length - 1)}`;
  const { headline, groups } = groupResults(results);
  const parts = [
    `## ${name}: ${level}s that answer, in ${store}`,
    index && `Embedder ${index.embedder}, ${index.dimensions} dimensions, index ${index.index}.`,
    level === "session" && describeLateHits(results, until),
    ...modes.map((mode) => describeFallback(results, mode)),
    renderTable(
      createHead(`mode (${headline.name})`),
      align,
      modes.map((mode) => createRow({ name: mode, results: headline.results }, level, mode)),
    ),
    ...detailed.map((mode) =>
      renderTable(
        createHead(mode),
        align,
        groups.map((group) => createRow(group, level, mode)),
      ),
    ),
    renderLatency(results),
  ];
  return parts.filter(Boolean).join("\n\n");
}

function createRow({ name, results }: QuestionGroup, level: Level, mode: Mode): string[] {
  const scores = averageMeasures(
    level,
    results.map((result) => getVariantResult(result, mode).ranks),
  );
  return [name, String(results.length), ...Object.values(scores).map((score) => (100 * score).toFixed(1))];
}

function describeLateHits(results: readonly QuestionResult[], until: boolean): string {
  const late = results.reduce((sum, result) => sum + result.late, 0);
  const how = until ? "the service left them out (`until`)" : "they were taken out of the answers";
  return `Only sessions before the asking one count: ${how}. Later hits in the answers: ${late}.`;
}

/** The service may search in another mode than requested: then the figures are not of the mode they stand under. */
function describeFallback(results: readonly QuestionResult[], mode: Mode): string | null {
  const others = results.filter((result) => getVariantResult(result, mode).fallback !== null).length;
  if (others === 0) return null;
  return `NOT ${mode}: ${others} of ${results.length} ${mode} answers were found otherwise.`;
}

function renderLatency(results: readonly QuestionResult[]): string {
  const summariseMode = (mode: Mode) => summarise(results.map((result) => getVariantResult(result, mode).ms));
  const text = summariseMode("text");
  const rows = options.modes.map((mode) => {
    const { p50, p95 } = summariseMode(mode);
    return [mode, p50.toFixed(2), p95.toFixed(2), (p50 / text.p50).toFixed(2)];
  });
  return renderTable(["latency", "p50 ms", "p95 ms", "p50 / text"], "lrrr", rows);
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      data: { type: "string", multiple: true, default: [] as string[] },
      store: { type: "string", default: "messages" },
      mode: { type: "string", default: "hybrid" },
      "limit-questions": { type: "string" },
      "limit-conversations": { type: "string" },
      concurrency: { type: "string", default: "4" },
      keep: { type: "string" },
      url: { type: "string" },
      key: { type: "string" },
      "admin-key": { type: "string" },
      tenant: { type: "string" },
      json: { type: "string" },
    },
  });
  const { data, keep, json, url, key, "admin-key": adminKey } = values;
  if (data.length === 0) refuse("name a file: npm run bench recall -- --data <file>");
  if (url && keep) refuse("--keep is for a service that is started here, --url for one that runs");
  if (url && !key && !adminKey) refuse("--url needs --key, or --admin-key to make one");
  const detailed = values.mode === "all" ? MODES : [readMode(values.mode)];
  return {
    data,
    store: readStore(values.store),
    detailed,
    // Text is always asked: the times of the others are compared with it.
    modes: MODES.filter((mode) => mode === "text" || detailed.includes(mode)),
    questions: readLimit("limit-questions", values["limit-questions"]),
    conversations: readLimit("limit-conversations", values["limit-conversations"]),
    concurrency: readLimit("concurrency", values.concurrency),
    keep,
    json,
    // A key that is created here is for the benchmark's tenant; `npm start` creates one for the tenant local.
    running: url ? createRunningService(url, key, adminKey, values.tenant) : null,
  };
}

function createRunningService(
  url: string,
  key: string | undefined,
  adminKey: string | undefined,
  tenant = "local",
): RunningService {
  return { url: url.replace(/\/$/, ""), key, adminKey, tenant: key === undefined ? TENANT : tenant };
}

function readMode(text: string): Mode {
  return MODES.find((mode) => mode === text) ?? refuse(`--mode is one of all, ${MODES.join(", ")}: ${text}`);
}

function readStore(text: string): Store {
  return STORES.find((store) => store === text) ?? refuse(`--store is one of ${STORES.join(", ")}: ${text}`);
}

/** An absent limit is infinite. */
function readLimit(name: string, text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (!/^[1-9]\d*$/.test(text)) refuse(`--${name} takes a whole number: ${text}`);
  return Number(text);
}

function refuse(problem: string): never {
  console.error(`bench: ${problem}`);
  process.exit(2);
}
