// `npm run costs [-- --quick] [-- --samples 100] [-- --size 5000]`: what each call uses of what Cloudflare bills,
// counted on the local service, and what a million such calls cost at the prices in lib/prices.mjs. Once with the
// embedded embedder and index, once with Workers AI and Vectorize, whose parts are counted at stand-ins.

import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { buildWorker, root } from "../scripts/lib/worker.mjs";
import { costOperations, prepare } from "./lib/cost-operations.mjs";
import { costReport } from "./lib/cost-report.mjs";
import { databaseId, loadSizes } from "./lib/load.mjs";
import { readIndex } from "./lib/load-conversations.mjs";
import { loadVectors } from "./lib/load-vectors.mjs";
import { childrenCpuMs } from "./lib/process-time.mjs";
import { showProgress } from "./lib/progress.mjs";
import { makeKey, startService, startWorker, TENANT } from "./lib/server.mjs";

/** What comes after an answer, as embedding does, is over when nothing was counted for this long. */
const QUIET_MS = 1_000;
const WARM_UP = 20;

const options = readOptions();
const progress = showProgress();
const folder = await mkdtemp(join(tmpdir(), "kioku-bench-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

try {
  progress.begin("Building");
  await buildWorker();
  const [embedded] = await loadSizes(folder, [options.size], progress.note);
  const cloud = join(folder, "cloud");
  await cp(embedded.folder, cloud, { recursive: true });
  await loadVectors(embedded, await describeIndex(), progress);
  const results = {
    embedded: await countAll(embedded.folder, {}),
    cloud: await countAll(cloud, { CLOUD: "1" }),
  };
  // The stand-ins compute here what Cloudflare's services compute elsewhere.
  for (const [name, use] of Object.entries(results.cloud)) use.cpuMs = results.embedded[name].cpuMs;
  console.log(costReport(results, { ...options, bytes: embedded.bytes }));
} catch (error) {
  console.error(`bench: ${error.message}${error.cause ? ` (${error.cause.message})` : ""}`);
  process.exitCode = 1;
}
progress.end();

function readOptions() {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      samples: { type: "string" },
      size: { type: "string" },
    },
  });
  const samples = Number(values.samples ?? (values.quick ? 30 : 100));
  const size = Number(values.size ?? (values.quick ? 1_000 : 5_000));
  for (const [name, value] of Object.entries({ samples, size }))
    if (!Number.isInteger(value) || value < 1)
      throw new Error(`--${name} takes a whole number: ${values[name]}`);
  return { samples, size };
}

/** What a new service says about its index. */
async function describeIndex() {
  const service = await startService(join(folder, "empty"));
  return readIndex(service).finally(service.dispose);
}

/** What each call uses, by its name. */
async function countAll(persist, bindings) {
  const service = await startCounting(persist, bindings);
  try {
    if (bindings.CLOUD) await embedAll(service);
    progress.begin("Preparing");
    await prepare((path, body) => post(service, service.key, path, body));
    const used = {};
    for (const operation of costOperations(options.size)) {
      progress.begin(`Counting ${operation.name}`);
      used[operation.name] = await countOne(service, operation);
    }
    return used;
  } finally {
    await service.dispose();
  }
}

async function startCounting(persist, bindings) {
  const adminKey = randomBytes(32).toString("hex");
  const object = (className) => ({ className, useSQLite: true, unsafeUniqueKey: `kioku-${className}` });
  const server = await startWorker("costs.ts", {
    persist,
    d1Databases: { DB: await databaseId() },
    durableObjects: {
      SESSIONS: object("SessionObject"),
      VECTOR_INDEX: object("VectorIndexObject"),
      INDEXER: object("IndexerObject"),
      PROJECTS: object("ProjectObject"),
    },
    serviceBindings: { ASSETS: { disk: { path: join(root, "dist/assets") } } },
    bindings: { ADMIN_KEY: adminKey, RATE_LIMIT_READ: "0", RATE_LIMIT_WRITE: "0", ...bindings },
  });
  return { ...server, adminKey, key: await makeKey(server.url, adminKey), tenant: TENANT };
}

/** The memories were loaded without vectors. */
async function embedAll(service) {
  progress.begin("Embedding");
  for (let finished = false; !finished; )
    ({ finished } = await post(service, service.adminKey, "/v1/admin/reembed", {}));
}

async function countOne(service, { once = false, call }) {
  const send = (i) => post(service, service.key, ...call(i, options.samples));
  if (!once) for (let i = 0; i < WARM_UP; i += 1) await send(options.samples + i);
  const before = await settled(service);
  const cpuBefore = await childrenCpuMs();
  for (let i = 0; i < (once ? 1 : options.samples); i += 1) await send(i);
  const after = await settled(service);
  const cpuAfter = await childrenCpuMs();
  const each = (from, to) => (to - from) / options.samples;
  return {
    requests: once ? 1 / options.samples : 1,
    cpuMs: cpuBefore === null ? null : each(cpuBefore, cpuAfter),
    ...Object.fromEntries(Object.keys(after).map((name) => [name, each(before[name], after[name])])),
  };
}

/** The sums, once nothing waits to be embedded and they no longer change. */
async function settled({ url }) {
  const read = async () => (await fetch(`${url}/bench/counts`)).json();
  for (let before = await read(); ; ) {
    await wait(QUIET_MS);
    const now = await read();
    if (now.waiting === 0 && JSON.stringify(now) === JSON.stringify(before)) return now.sums;
    before = now;
  }
}

async function post({ url }, key, path, body) {
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}
