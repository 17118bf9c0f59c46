// `npm run bench sparql [-- --quick] [-- --samples 30] [-- --sizes 100000]`: SPARQL over HTTP at several numbers of
// triples, as ratios to one D1 read, beside an in-memory engine (oxigraph) with the same data in the same run.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { buildWorker } from "../scripts/lib/build-worker.ts";
import { loadStatements } from "../scripts/lib/conformance/suite-service.ts";
import { loadOnDemand } from "../scripts/lib/load-on-demand.ts";
import { root } from "../scripts/lib/repository.ts";
import { startFloorWorker, startService, startWorker, TENANT } from "./lib/benchmark-servers.ts";
import { connect, connectToService, type MeasuredConnection, post } from "./lib/connection.ts";
import { GRAPH_QUERIES } from "./lib/data/graph-queries.ts";
import { generateStatements } from "./lib/data/statements.ts";
import { applyMigrations, readDatabaseId } from "./lib/load/load-memories.ts";
import { getSummary, measure, type Operation } from "./lib/measure.ts";
import { createFloorOperations } from "./lib/operations/core-operations.ts";
import { describeConditions, formatCount } from "./lib/report/format.ts";
import { renderTable } from "./lib/report/markdown-table.ts";
import { createProgress } from "./lib/report/progress.ts";
import { createTemporaryFolder, runBenchmark } from "./lib/run-benchmark.ts";
import { readSizeOptions } from "./lib/size-options.ts";
import type { LoadedStatement } from "./workers/statement-loader.ts";

const options = readSizeOptions({
  sizes: process.argv.includes("--quick") ? "10000" : "100000,500000",
  usual: { warmUp: 3, samples: 30 },
  quick: { warmUp: 2, samples: 10 },
});

/** The part of oxigraph that is used. */
type Oxigraph = {
  Store: new () => {
    load(text: string, options: { format: string }): void;
    query(query: string, options: { results_format: string }): unknown;
  };
};

const FLOOR = "one D1 read";
const PER_LOAD = 20_000;

await runBenchmark(async (defer) => {
  const progress = createProgress().note;
  const folder = await createTemporaryFolder();
  await buildWorker();
  const floor = await startFloorWorker(folder);
  defer(floor.dispose);
  const floorConnection = connect(floor.url, { idle: "/route" });
  defer(floorConnection.close);
  await floorConnection.send({ method: "POST", path: "/prepare" });
  const floors = createFloorOperations(floorConnection).filter(({ name }) => name === FLOOR);

  const reports: string[] = [];
  for (const size of options.sizes) {
    const statements = generateStatements(size);
    progress(`loading ${formatCount(statements.length)} triples`);
    const persist = join(folder, String(size));
    await loadService(persist, statements);
    const service = await startService(persist, { EMBEDDER: "none", RATE_LIMIT_READ: "0" });
    const connection = connectToService(service);
    const { memory, loadMs } = await loadInMemory(statements);
    try {
      const operations = createOperations(connection, memory);
      const rows = await countRows(operations);
      const summaries = await measure([...floors, ...operations], { ...options, progress });
      const p50 = (name: string) => getSummary(summaries, name).p50;
      reports.push(
        `${formatCount(statements.length)} triples; ${FLOOR}: ${p50(FLOOR).toFixed(2)} ms. oxigraph first loads them, in ${(loadMs / 1_000).toFixed(1)} s.`,
        renderTable(
          ["query", "rows", "p50 ms", "p95 ms", `p50 / ${FLOOR}`, "oxigraph p50 ms"],
          "lrrrrr",
          GRAPH_QUERIES.map(({ name }) => [
            name,
            formatCount(rows.get(name) ?? 0),
            p50(name).toFixed(1),
            getSummary(summaries, name).p95.toFixed(1),
            (p50(name) / p50(FLOOR)).toFixed(1),
            p50(inMemoryName(name)).toFixed(1),
          ]),
        ),
      );
    } finally {
      connection.close();
      await service.dispose();
    }
  }
  return [describeConditions(options.samples), ...reports].join("\n\n");
});

async function loadService(persist: string, statements: readonly LoadedStatement[]): Promise<void> {
  await applyMigrations(persist);
  const loader = await startWorker("statement-loader.ts", {
    persist,
    d1Databases: { DB: await readDatabaseId() },
  });
  try {
    for (let at = 0; at < statements.length; at += PER_LOAD)
      await loadStatements(loader.url, TENANT, statements.slice(at, at + PER_LOAD));
  } finally {
    await loader.dispose();
  }
}

/** Loads the same triples and the ontology into an engine in memory. Its queries are timed without HTTP. */
async function loadInMemory(statements: readonly LoadedStatement[]) {
  const { Store } = await loadOnDemand<Oxigraph>("oxigraph");
  const store = new Store();
  const folder = join(root, "ontology");
  for (const file of await readdir(folder))
    if (file.endsWith(".ttl"))
      store.load(await readFile(join(folder, file), "utf8"), { format: "text/turtle" });
  const lines = statements.map(toNTriples).join("");
  const started = performance.now();
  store.load(lines, { format: "application/n-triples" });
  const loadMs = performance.now() - started;
  const memory: MeasuredConnection = {
    idle: { path: "ASK {}" },
    async send({ path }) {
      const begun = performance.now();
      const text = String(store.query(path, { results_format: "application/sparql-results+json" }));
      return { status: 200, text, ms: performance.now() - begun };
    },
  };
  return { memory, loadMs };
}

/** The generated texts need no escapes. */
function toNTriples([subject, predicate, object]: LoadedStatement): string {
  const value =
    typeof object === "string"
      ? `<${object}>`
      : "language" in object
        ? `"${object.value}"@${object.language}`
        : `"${object.value}"^^<${object.datatype}>`;
  return `<${subject}> <${predicate}> ${value} .\n`;
}

function inMemoryName(name: string): string {
  return `${name} (in memory)`;
}

function createOperations(connection: MeasuredConnection, memory: MeasuredConnection): Operation[] {
  return GRAPH_QUERIES.flatMap(({ name, query, withoutInference = query }) => [
    { name, connection, call: () => post("/v1/sparql", { query, infer: withoutInference !== query }) },
    { name: inMemoryName(name), connection: memory, call: () => ({ path: withoutInference }) },
  ]);
}

/** Returns the number of rows of each query. Throws if the two engines differ: the time of a wrong answer means nothing. */
async function countRows(operations: readonly Operation[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { name, connection, call } of operations) {
    const { status, text } = await connection.send(call(0));
    if (status !== 200) throw new Error(`${name} answered ${status}: ${text}`);
    const { results } = JSON.parse(text) as { results: { bindings: unknown[] } };
    counts.set(name, results.bindings.length);
  }
  for (const { name } of GRAPH_QUERIES) {
    const [here, there] = [counts.get(name), counts.get(inMemoryName(name))];
    if (here !== there || !here) throw new Error(`${name} has ${here} rows, and ${there} in oxigraph`);
  }
  return counts;
}
