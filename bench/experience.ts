// `npm run bench experience [-- --quick] [-- --samples 100] [-- --sizes 1000,10000]`: how the times of consolidation
// and maintenance grow with the number of episodes, and how long an agent waits for its briefing before a task, beside
// one recall. The sizes are episodes of a project. See README.md.
import { join } from "node:path";
import { buildWorker } from "../scripts/lib/build-worker.ts";
import { startService } from "./lib/benchmark-servers.ts";
import { connectToService } from "./lib/connection.ts";
import { getItem } from "./lib/get-item.ts";
import { measure, summarise } from "./lib/measure.ts";
import {
  consolidateTwice,
  createPrimeOperations,
  loadProject,
  maintainProject,
  type Project,
} from "./lib/operations/experience-operations.ts";
import { describeConditions, formatCount } from "./lib/report/format.ts";
import { renderTable } from "./lib/report/markdown-table.ts";
import { createProgress } from "./lib/report/progress.ts";
import { renderTimes } from "./lib/report/times-table.ts";
import { createTemporaryFolder, runBenchmark } from "./lib/run-benchmark.ts";
import { waitForIndex } from "./lib/service-index.ts";
import { readSizeOptions } from "./lib/size-options.ts";

/** Short runs are measured several times, each in a project of its own, and their median counts. */
const PROJECTS = 3;
const CONCURRENCY = 4;
/** Runs first and untimed, because the first run loads the model. */
const WARM_UP: Project = { project: "warm-up", size: 50 };

/** The measurements of one project. */
interface ProjectResult {
  size: number;
  clusters: number;
  patterns: number;
  /** Milliseconds, here and below. */
  first: number;
  second: number;
  maintenance: number;
}

type Measured = Exclude<keyof ProjectResult, "size">;

const options = readSizeOptions({
  sizes: process.argv.includes("--quick") ? "200,1000" : "1000,10000",
  usual: { warmUp: 20, samples: 200 },
  quick: { warmUp: 10, samples: 40 },
});
const progress = createProgress();

await runBenchmark(async (defer) => {
  const folder = await createTemporaryFolder();
  progress.begin("Building");
  await buildWorker();
  progress.end();
  const service = await startService(join(folder, "service"));
  defer(service.dispose);
  const connection = connectToService(service);
  defer(connection.close);

  const projects = listProjects(options.sizes);
  for (const project of [WARM_UP, ...projects])
    await loadProject(service, project, { concurrency: CONCURRENCY, progress });
  await waitForIndex(service, progress);

  const consolidations = await runInTurn(projects, "Consolidating", (project) =>
    consolidateTwice(connection, project),
  );
  await waitForIndex(service, progress);
  const operations = options.sizes.flatMap((size) =>
    projects
      .filter((project) => project.size === size)
      .slice(0, 1)
      .flatMap((project) => createPrimeOperations(connection, project)),
  );
  const summaries = await measure(operations, { ...options, progress: progress.note });
  const maintenances = await runInTurn(projects, "Maintaining", (project) =>
    maintainProject(connection, project),
  );
  const results = projects.map(({ size }, i) => ({
    size,
    ...getItem(consolidations, i),
    maintenance: getItem(maintenances, i),
  }));
  return [
    describeConditions(options.samples),
    renderRuns(results),
    describeGrowth(results),
    renderTimes(operations, summaries),
  ]
    .filter(Boolean)
    .join("\n\n");
});

/** Warms up, then runs one project after the other. */
async function runInTurn<T>(
  projects: readonly Project[],
  label: string,
  work: (project: Project) => Promise<T>,
): Promise<T[]> {
  await work(WARM_UP);
  const results: T[] = [];
  for (const project of projects) {
    progress.begin(`${label} ${project.project}`);
    results.push(await work(project));
    progress.end();
  }
  return results;
}

/** Lists several projects of each size, but one of the largest. */
function listProjects(sizes: readonly number[]): Project[] {
  return sizes.flatMap((size, i) =>
    Array.from({ length: i === sizes.length - 1 ? 1 : PROJECTS }, (_, n) => ({
      project: `project-${size}-${n + 1}`,
      size,
    })),
  );
}

/** Returns the median over the projects of a size. */
function computeMedian(results: readonly ProjectResult[], size: number, measured: Measured): number {
  return summarise(results.filter((result) => result.size === size).map((result) => result[measured])).p50;
}

function renderRuns(results: readonly ProjectResult[]): string {
  const formatSeconds = (ms: number) => (ms / 1_000).toFixed(2);
  const rows = options.sizes.map((size) => {
    const median = (measured: Measured) => computeMedian(results, size, measured);
    return [
      formatCount(size),
      formatCount(median("clusters")),
      formatCount(median("patterns")),
      formatSeconds(median("first")),
      (median("first") / size).toFixed(2),
      formatSeconds(median("second")),
      formatSeconds(median("maintenance")),
    ];
  });
  const head = ["episodes", "clusters", "patterns", "first run s", "ms an episode", "second run s"];
  return renderTable([...head, "maintenance s"], "rrrrrrr", rows);
}

/** Compares the growth of the times with that of the sizes. */
function describeGrowth(results: readonly ProjectResult[]): string | null {
  const [small, large] = [getItem(options.sizes, 0), getItem(options.sizes, -1)];
  if (small === large) return null;
  const ratio = (measured: Measured) =>
    (computeMedian(results, large, measured) / computeMedian(results, small, measured)).toFixed(1);
  return [
    `${formatCount(large)} / ${formatCount(small)} episodes: ${(large / small).toFixed(1)}.`,
    `First run: ${ratio("first")}, second run: ${ratio("second")},`,
    `maintenance: ${ratio("maintenance")}.`,
  ].join(" ");
}
