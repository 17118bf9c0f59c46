// `npm run bench:vectors [-- --quick] [-- --sizes 10000,100000]`: the embedded vector index at several sizes: how
// long a query takes, warm and just after a restart, how fast vectors go in, and what they weigh on disk.

import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { connect, measure } from "./lib/measure.mjs";
import { readSizes } from "./lib/options.mjs";
import { startWorker } from "./lib/server.mjs";
import { table } from "./lib/table.mjs";

const DIMENSIONS = 512;
const LIMIT = 50;
const PER_CALL = 1_000;
const RESTARTS = 5;

const options = readSizes({
  sizes: "10000,100000",
  usual: { warmUp: 20, samples: 100 },
  quick: { warmUp: 10, samples: 40 },
});
const progress = (line) => process.stderr.write(`${line}\n`);
const folder = await mkdtemp(join(tmpdir(), "kioku-bench-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

try {
  const rows = [];
  for (const size of options.sizes) rows.push(...(await benchmark(size)));
  console.log(report(rows));
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
}

async function benchmark(size) {
  const persist = join(folder, String(size));
  let server = await open(persist);
  const perSecond = await fill(server.connection, size);
  const bytes = Number((await ask(server.connection, "/bytes", { to: size })).text);
  await server.close();

  const cold = [];
  for (let i = 0; i < RESTARTS; i += 1) {
    server = await open(persist);
    // The Worker itself is awake; what is left is the object that reads its vectors.
    await server.connection.send(server.connection.idle);
    cold.push((await ask(server.connection, "/query", question(i, {}))).ms);
    await server.close();
  }
  progress(`${count(size)}: restarted ${RESTARTS} times`);

  server = await open(persist);
  try {
    await ask(server.connection, "/floats/fill", { from: 0, to: size, dimensions: DIMENSIONS });
    const floats = `plain loop over floats, ${count(size)}`;
    const operations = [
      operation(server.connection, `query, ${count(size)}`, "/query", {}),
      operation(server.connection, `query of what is live, ${count(size)}`, "/query", { live: true }),
      operation(server.connection, `query in one of 100 sessions, ${count(size)}`, "/query", {
        live: true,
        scope: { kind: "session", token: "session-7" },
      }),
      operation(server.connection, floats, "/floats/query", {}),
    ];
    const results = await measure(operations, { ...options, progress });
    const loop = results.get(floats).p50;
    return [
      ...operations.map(({ name }) => {
        const { p50, p95 } = results.get(name);
        return [name, p50.toFixed(2), p95.toFixed(2), name === floats ? "" : `${(loop / p50).toFixed(1)} ×`];
      }),
      [
        `first query after a restart, ${count(size)}`,
        median(cold).toFixed(2),
        Math.max(...cold).toFixed(2),
        "",
      ],
      [`vectors written a second, ${count(size)}`, count(Math.round(perSecond)), "", ""],
      [`bytes on disk a vector, ${count(size)}`, count(Math.round(bytes / size)), "", ""],
    ];
  } finally {
    await server.close();
  }
}

async function open(persist) {
  const server = await startWorker("vector-index.ts", {
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

/** Gives the vectors written a second, without the time it takes to make them. */
async function fill(connection, size) {
  let ms = 0;
  for (let from = 0; from < size; from += PER_CALL) {
    const range = { from, to: Math.min(size, from + PER_CALL), dimensions: DIMENSIONS };
    ms += (await ask(connection, "/fill", range)).ms - (await ask(connection, "/make", range)).ms;
    if (range.to % 10_000 === 0) progress(`wrote ${range.to} of ${size} vectors`);
  }
  return size / (ms / 1_000);
}

function question(number, filter) {
  return { number: 0x40000000 + number, dimensions: DIMENSIONS, limit: LIMIT, filter };
}

function operation(connection, name, path, filter) {
  return {
    name,
    connection,
    call: (i) => ({ method: "POST", path, body: question(i, filter) }),
    found: (matches) => matches.length === LIMIT,
  };
}

async function ask(connection, path, body) {
  const answer = await connection.send({ method: "POST", path, body });
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return answer;
}

function report(rows) {
  return [
    `${options.samples} samples a row, ${DIMENSIONS} dimensions, ${LIMIT} matches, Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model.trim()}`,
    table(["", "p50 ms", "p95 ms", "faster than the loop"], "lrrr", rows),
  ].join("\n\n");
}

function median(list) {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
}

function count(number) {
  return number.toLocaleString("en");
}
