// `npm run bench:experience [-- --quick] [-- --samples 100] [-- --sizes 1000,10000]`: how long consolidation and
// maintenance take as episodes become more, and how long an agent waits for what it should know before a task, beside
// one recall. The sizes are episodes of a project. See README.md.

import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildWorker } from "../scripts/lib/worker.mjs";
import {
  consolidateTwice,
  loadProject,
  maintainProject,
  primeOperations,
} from "./lib/experience-operations.mjs";
import { indexed } from "./lib/load-conversations.mjs";
import { connect, measure, summary } from "./lib/measure.mjs";
import { count } from "./lib/operations.mjs";
import { readSizes } from "./lib/options.mjs";
import { showProgress } from "./lib/progress.mjs";
import { startService } from "./lib/server.mjs";
import { table } from "./lib/table.mjs";
import { conditions, timesTable } from "./lib/times.mjs";

/** A short run is measured several times, each in a project of its own, and its median counts. */
const PROJECTS = 3;
const CONCURRENCY = 4;
/** Consolidated untimed before the others: the first run of all loads the model. */
const WARM_UP = { project: "warm-up", size: 50 };

const options = readSizes({
  sizes: process.argv.includes("--quick") ? "200,1000" : "1000,10000",
  usual: { warmUp: 20, samples: 200 },
  quick: { warmUp: 10, samples: 40 },
});
const progress = showProgress();
const folder = await mkdtemp(join(tmpdir(), "kioku-bench-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

/** What is closed when the run is over, the last first. */
const running = [];
try {
  progress.begin("Building");
  await buildWorker();
  progress.end();
  const service = await startService(join(folder, "service"));
  running.push(service.dispose);
  const connection = connect(service.url, {
    idle: "/health",
    headers: { Authorization: `Bearer ${service.key}` },
  });
  running.push(connection.close);

  const projects = projectsOf(options.sizes);
  for (const project of [WARM_UP, ...projects])
    await loadProject(service, project, { concurrency: CONCURRENCY, progress });
  await indexed(service, progress);

  const consolidated = await inTurn(projects, "Consolidating", (project) =>
    consolidateTwice(connection, project),
  );
  await indexed(service, progress);
  const operations = options.sizes.flatMap((size) =>
    primeOperations(
      connection,
      projects.find((project) => project.size === size),
    ),
  );
  const waits = await measure(operations, { ...options, progress: progress.note });
  const maintained = await inTurn(projects, "Maintaining", async (project) => ({
    maintenance: await maintainProject(connection, project),
  }));
  console.log(
    [
      conditions(options.samples),
      runsTable(projects, consolidated, maintained),
      growth(projects, consolidated, maintained),
      timesTable(operations, waits),
    ]
      .filter(Boolean)
      .join("\n\n"),
  );
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
} finally {
  for (const stop of running.toReversed()) await stop();
}
progress.end();

/** Warmed up, then one project after the other. */
async function inTurn(projects, label, work) {
  await work(WARM_UP);
  const results = [];
  for (const project of projects) {
    progress.begin(`${label} ${project.project}`);
    results.push(await work(project));
    progress.end();
  }
  return results;
}

/** Several projects of each size, but one of the largest. */
function projectsOf(sizes) {
  return sizes.flatMap((size, i) =>
    Array.from({ length: i === sizes.length - 1 ? 1 : PROJECTS }, (_, n) => ({
      project: `project-${size}-${n + 1}`,
      size,
    })),
  );
}

/** The median over the projects of a size. */
function medianOf(projects, results, size, what) {
  return summary(results.filter((_, i) => projects[i].size === size).map((result) => result[what])).p50;
}

function runsTable(projects, consolidated, maintained) {
  const rows = options.sizes.map((size) => {
    const of = (what) => medianOf(projects, consolidated, size, what);
    const seconds = (ms) => (ms / 1_000).toFixed(2);
    return [
      count(size),
      count(of("clusters")),
      count(of("patterns")),
      seconds(of("first")),
      (of("first") / size).toFixed(2),
      seconds(of("second")),
      seconds(medianOf(projects, maintained, size, "maintenance")),
    ];
  });
  const head = ["episodes", "clusters", "patterns", "first run s", "ms an episode", "second run s"];
  return table([...head, "maintenance s"], "rrrrrrr", rows);
}

/** How much longer the largest size takes than the smallest, beside how much larger it is. */
function growth(projects, consolidated, maintained) {
  const [small, large] = [options.sizes[0], options.sizes.at(-1)];
  if (small === large) return null;
  const ratio = (results, what) =>
    (medianOf(projects, results, large, what) / medianOf(projects, results, small, what)).toFixed(1);
  return [
    `${count(large)} / ${count(small)} episodes: ${(large / small).toFixed(1)}.`,
    `First run: ${ratio(consolidated, "first")}, second run: ${ratio(consolidated, "second")},`,
    `maintenance: ${ratio(maintained, "maintenance")}.`,
  ].join(" ");
}
