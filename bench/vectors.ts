// `npm run bench vectors [-- --quick] [-- --sizes 10000,100000]`: the embedded vector index at several sizes: query
// times, warm and just after a restart, the speed of writes, and the size on disk.
import { join } from "node:path";
import { startWorker } from "./lib/benchmark-servers.ts";
import { type Connection, connect, post, sendOk } from "./lib/connection.ts";
import { acceptIf, getSummary, measure, type Operation, summarise } from "./lib/measure.ts";
import { describeMachine, formatCount } from "./lib/report/format.ts";
import { renderTable } from "./lib/report/markdown-table.ts";
import { createProgress } from "./lib/report/progress.ts";
import { createTemporaryFolder, runBenchmark } from "./lib/run-benchmark.ts";
import { readSizeOptions } from "./lib/size-options.ts";

const DIMENSIONS = 512;
const LIMIT = 50;
const PER_CALL = 1_000;
const RESTARTS = 5;

interface IndexServer {
  connection: Connection;
  close(): Promise<void>;
}

const options = readSizeOptions({
  sizes: "10000,100000",
  usual: { warmUp: 20, samples: 100 },
  quick: { warmUp: 10, samples: 40 },
});
const progress = createProgress().note;

await runBenchmark(async () => {
  const folder = await createTemporaryFolder();
  const rows: string[][] = [];
  for (const size of options.sizes) rows.push(...(await measureSize(join(folder, String(size)), size)));
  return [
    `${options.samples} samples a row, ${DIMENSIONS} dimensions, ${LIMIT} matches, ${describeMachine()}`,
    renderTable(["", "p50 ms", "p95 ms", "faster than the loop"], "lrrr", rows),
  ].join("\n\n");
});

/** Returns the rows of the table for one size. */
async function measureSize(persist: string, size: number): Promise<string[][]> {
  let server = await startIndexServer(persist);
  const perSecond = await fillIndex(server.connection, size);
  const bytes = Number((await sendOk(server.connection, post("/bytes", { to: size }))).text);
  await server.close();

  const cold: number[] = [];
  for (let i = 0; i < RESTARTS; i += 1) {
    server = await startIndexServer(persist);
    // Wakes the Worker, so that only the object's loading of its vectors is measured.
    await server.connection.send(server.connection.idle);
    cold.push((await sendOk(server.connection, post("/query", createQuery(i, {})))).ms);
    await server.close();
  }
  progress(`${formatCount(size)}: restarted ${RESTARTS} times`);

  server = await startIndexServer(persist);
  try {
    const fill = { from: 0, to: size, dimensions: DIMENSIONS };
    await sendOk(server.connection, post("/floats/fill", fill));
    const floats = `plain loop over floats, ${formatCount(size)}`;
    const operations = [
      createOperation(server.connection, `query, ${formatCount(size)}`, "/query", {}),
      createOperation(server.connection, `query of what is live, ${formatCount(size)}`, "/query", {
        live: true,
      }),
      createOperation(server.connection, `query in one of 100 sessions, ${formatCount(size)}`, "/query", {
        live: true,
        scope: { kind: "session", token: "session-7" },
      }),
      createOperation(server.connection, floats, "/floats/query", {}),
    ];
    const summaries = await measure(operations, { ...options, progress });
    const loop = getSummary(summaries, floats).p50;
    return [
      ...operations.map(({ name }) => {
        const { p50, p95 } = getSummary(summaries, name);
        return [name, p50.toFixed(2), p95.toFixed(2), name === floats ? "" : `${(loop / p50).toFixed(1)} ×`];
      }),
      [
        `first query after a restart, ${formatCount(size)}`,
        summarise(cold).p50.toFixed(2),
        Math.max(...cold).toFixed(2),
        "",
      ],
      [`vectors written a second, ${formatCount(size)}`, formatCount(Math.round(perSecond)), "", ""],
      [`bytes on disk a vector, ${formatCount(size)}`, formatCount(Math.round(bytes / size)), "", ""],
    ];
  } finally {
    await server.close();
  }
}

async function startIndexServer(persist: string): Promise<IndexServer> {
  const server = await startWorker("measured-index.ts", {
    persist,
    durableObjects: {
      VECTOR_INDEX: { className: "MeasuredIndexObject", useSQLite: true },
      FLOATS: { className: "FloatObject", useSQLite: true },
    },
  });
  const connection = connect(server.url, { idle: "/" });
  return {
    connection,
    async close() {
      connection.close();
      await server.dispose();
    },
  };
}

/** Returns the vectors written per second, without the time that it takes to generate them. */
async function fillIndex(connection: Connection, size: number): Promise<number> {
  let ms = 0;
  for (let from = 0; from < size; from += PER_CALL) {
    const range = { from, to: Math.min(size, from + PER_CALL), dimensions: DIMENSIONS };
    const fill = await sendOk(connection, post("/fill", range));
    const generation = await sendOk(connection, post("/make", range));
    ms += fill.ms - generation.ms;
    if (range.to % 10_000 === 0) progress(`wrote ${range.to} of ${size} vectors`);
  }
  return size / (ms / 1_000);
}

function createQuery(number: number, filter: object) {
  return { number: 0x40000000 + number, dimensions: DIMENSIONS, limit: LIMIT, filter };
}

function createOperation(connection: Connection, name: string, path: string, filter: object): Operation {
  return {
    name,
    connection,
    call: (i) => post(path, createQuery(i, filter)),
    accept: acceptIf<unknown[]>((matches) => matches.length === LIMIT),
  };
}
