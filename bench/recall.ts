// `npm run bench:recall -- --data <file>`: how much of what answers a question recall finds, in conversations that
// nobody wrote for this service, and how long the asker waits. See README.md.
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { basename, extname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildWorker } from "../scripts/lib/worker.mjs";
import { askQuestions, usesUntil } from "./lib/ask.mjs";
import { readConversations, spread } from "./lib/conversations.mjs";
import { indexed, loadConversations } from "./lib/load-conversations.mjs";
import { summary } from "./lib/measure.mjs";
import { showProgress } from "./lib/progress.mjs";
import { averages, MEASURES } from "./lib/quality.mjs";
import { makeKey, startService, TENANT } from "./lib/server.mjs";
import { table } from "./lib/table.mjs";

const STORES = ["messages", "memories"];
const MODES = ["hybrid", "rrf", "semantic", "text"];

/** What the published scores of the data with numbered categories leave out. */
const LEFT_OUT = "5 adversarial";

/** In a kept folder: which data it holds, and which turns its hits stand for. */
const RECORD = "loaded.json";

const options = readOptions();
const progress = showProgress();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

try {
  if (options.url === undefined) {
    progress.begin("Building");
    await buildWorker();
    progress.end();
  }
  const measured = [];
  for (const path of options.data) measured.push(await measureFile(path));
  if (options.json)
    await writeFile(options.json, `${JSON.stringify({ about: about(), measured }, null, 1)}\n`);
  console.log([about(), ...measured.map(report)].join("\n\n"));
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
}
progress.end();

/** Each file has a service to itself, so that no score depends on what else was measured. */
async function measureFile(path) {
  const name = basename(path, extname(path));
  const conversations = (await readConversations(path)).slice(0, options.conversations);
  const questions = spread(
    conversations.flatMap((conversation) => conversation.questions),
    options.questions,
  );
  const folder = options.url === undefined ? await folderFor(name) : null;
  progress.begin(`Starting the service for ${name}`);
  const service = await open(folder);
  progress.end();
  try {
    const { loaded, index } = await load(service, folder, path, conversations);
    const { store, modes } = options;
    const results = await askQuestions(service, conversations, loaded, { questions, store, modes, progress });
    const until = conversations.every((conversation) => usesUntil(conversation, store));
    return { name, index, until, results };
  } finally {
    await service.dispose();
  }
}

async function folderFor(name) {
  if (options.keep) {
    const folder = resolve(options.keep, `${name}-${options.store}`);
    await mkdir(folder, { recursive: true });
    const files = await readdir(folder);
    if (files.length > 0 && !files.includes(RECORD))
      throw new Error(`${folder} was not loaded to the end: remove it`);
    return folder;
  }
  const folder = await mkdtemp(join(tmpdir(), "kioku-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(folder) {
  if (folder !== null) return startService(folder);
  const { url, adminKey, tenant } = options;
  return {
    url,
    adminKey,
    tenant,
    key: options.key ?? (await makeKey(url, adminKey)),
    dispose: async () => {},
  };
}

/** Loads the conversations, unless a kept folder holds them already. */
async function load(service, folder, path, conversations) {
  const { store, concurrency } = options;
  const data = createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
  const kept = folder === null ? null : await readRecord(folder);
  if (kept !== null) {
    const missing = conversations.filter(({ id }) => !(id in kept.loaded));
    if (kept.data !== data || missing.length > 0) throw new Error(`${folder} holds other data: remove it`);
    progress.note(`Loaded already, at ${kept.at}: ${folder}`);
    return { loaded: kept.loaded, index: await indexed(service, progress) };
  }
  const at = new Date().toISOString();
  const run = at.replaceAll(/\D/g, "").slice(0, 14);
  const loaded = await loadConversations(service, conversations, { store, run, concurrency, progress });
  const index = await indexed(service, progress);
  if (folder !== null) await writeFile(join(folder, RECORD), JSON.stringify({ at, data, loaded }));
  return { loaded, index };
}

async function readRecord(folder) {
  try {
    return JSON.parse(await readFile(join(folder, RECORD), "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

function about() {
  return `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model.trim()}`;
}

function report({ name, index, until, results }) {
  const { store, modes, detailed } = options;
  const [{ level }] = results;
  const head = (first) => [first, "n", ...Object.keys(MEASURES[level])];
  const align = `l${"r".repeat(head("").length - 1)}`;
  const { headline, rows } = groupsOf(results);
  const parts = [
    `## ${name}: ${level}s that answer, in ${store}`,
    index && `Embedder ${index.embedder}, ${index.dimensions} dimensions, index ${index.index}.`,
    pastRemark(results, until),
    ...modes.map((mode) => fallbackRemark(results, mode)),
    table(
      head(`mode (${headline.name})`),
      align,
      modes.map((mode) => row(mode, level, headline.results, mode)),
    ),
    ...detailed.map((mode) =>
      table(
        head(mode),
        align,
        rows.map((group) => row(group.name, level, group.results, mode)),
      ),
    ),
    latency(results),
  ];
  return parts.filter(Boolean).join("\n\n");
}

/** The categories, then what they come to: without the one that published scores leave out, and with it. */
function groupsOf(results) {
  const categories = [...new Set(results.map(({ category }) => category))].sort().map((name) => ({
    name,
    results: results.filter(({ category }) => category === name),
  }));
  const published = results.filter(({ category }) => category !== LEFT_OUT);
  const headline = { name: "1 to 4", results: published };
  const all = { name: "all", results };
  if (published.length === 0 || published.length === results.length)
    return { headline: all, rows: [...categories, all] };
  return { headline, rows: [...categories, headline, all] };
}

function row(name, level, results, mode) {
  const scores = averages(
    level,
    results.map(({ modes }) => modes[mode].ranks),
  );
  return [name, String(results.length), ...Object.values(scores).map((score) => (100 * score).toFixed(1))];
}

/** How it was kept from a question what came after it. */
function pastRemark(results, until) {
  const late = results.reduce((sum, result) => sum + result.late, 0);
  if (results[0].level === "turn") return null;
  const how = until ? "the service left them out (`until`)" : "they were taken out of the answers";
  return `Only sessions before the asking one count: ${how}. Later hits in the answers: ${late}.`;
}

/** The service may answer in another mode than asked: then its figures are not of the mode they stand under. */
function fallbackRemark(results, mode) {
  const others = results.filter(({ modes }) => !modes[mode].asAsked).length;
  return others > 0 && `NOT ${mode}: ${others} of ${results.length} ${mode} answers were found otherwise.`;
}

function latency(results) {
  const times = options.modes.map((mode) => ({
    mode,
    ...summary(results.map(({ modes }) => modes[mode].ms)),
  }));
  const text = times.find(({ mode }) => mode === "text");
  return table(
    ["latency", "p50 ms", "p95 ms", "p50 / text"],
    "lrrr",
    times.map(({ mode, p50, p95 }) => [mode, p50.toFixed(2), p95.toFixed(2), (p50 / text.p50).toFixed(2)]),
  );
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      data: { type: "string", multiple: true, default: [] },
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
  const problem = problemWith(values);
  if (problem) {
    console.error(`bench: ${problem}`);
    process.exit(2);
  }
  const detailed = values.mode === "all" ? MODES : [values.mode];
  return {
    data: values.data,
    store: values.store,
    detailed,
    // Text is asked in any case: the others' times are compared with it.
    modes: MODES.filter((mode) => mode === "text" || detailed.includes(mode)),
    questions: Number(values["limit-questions"] ?? Number.POSITIVE_INFINITY),
    conversations: Number(values["limit-conversations"] ?? Number.POSITIVE_INFINITY),
    concurrency: Number(values.concurrency),
    keep: values.keep,
    json: values.json,
    url: values.url?.replace(/\/$/, ""),
    key: values.key,
    adminKey: values["admin-key"],
    // A key made here is for the benchmark's tenant; `npm start` makes one for the tenant local.
    tenant: values.key === undefined ? TENANT : (values.tenant ?? "local"),
  };
}

function problemWith(values) {
  if (values.data.length === 0) return "name a file: npm run bench:recall -- --data <file>";
  if (!STORES.includes(values.store)) return `--store is one of ${STORES.join(", ")}: ${values.store}`;
  if (!["all", ...MODES].includes(values.mode))
    return `--mode is one of all, ${MODES.join(", ")}: ${values.mode}`;
  for (const name of ["limit-questions", "limit-conversations", "concurrency"]) {
    if (values[name] !== undefined && !/^[1-9]\d*$/.test(values[name]))
      return `--${name} takes a whole number: ${values[name]}`;
  }
  if (values.url && values.keep)
    return "--keep is for a service that is started here, --url for one that runs";
  if (values.url && !values.key && !values["admin-key"])
    return "--url needs --key, or --admin-key to make one";
  return null;
}
