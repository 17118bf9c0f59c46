// `npm run bench layouts [-- --size 5000]`: the bytes that the triples of a memory take, in the present table and in other
// layouts of the same triples, each with its index by object. See docs/decisions/0039-bytes-of-a-memory.md.
import type { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { buildWorker } from "../scripts/lib/build-worker.ts";
import { openStateDatabase, readTableBytes, sumBytes } from "./lib/edge/table-bytes.ts";
import { getItem } from "./lib/get-item.ts";
import { loadSizes } from "./lib/load/load-memories.ts";
import { formatCount } from "./lib/report/format.ts";
import { renderTable } from "./lib/report/markdown-table.ts";
import { createProgress } from "./lib/report/progress.ts";
import { createTemporaryFolder, runBenchmark } from "./lib/run-benchmark.ts";

interface Layout {
  name: string;
  /** Expressions of the columns of `statements s` that differ from the present ones. */
  columns?: Partial<Record<"tenant" | "subject" | "key" | "datatype", string>>;
  /** The columns of the index by object. */
  index?: string;
  /** Which statements the index has. */
  where?: string;
}

const COVERING = "tenant, key, predicate, literal, position";
const RESOURCES = "(datatype = '' OR predicate < 8)";

const SHORT = { memory: "m", session: "s", agent: "a", project: "p", evidence: "e" };
/** Builds an expression with `m:` for `jido:memory_`, and so on. */
const shorten = (column: string) =>
  Object.entries(SHORT).reduce(
    (sql, [kind, short]) => `replace(${sql}, 'jido:${kind}_', '${short}:')`,
    column,
  );
const BINARY_ID = "unhex(substr(s.subject, length('jido:memory_') + 1))";
const SHORT_KEY = `iif(s.datatype = '', ${shorten("s.key")}, s.key)`;

const LAYOUTS: readonly Layout[] = [
  { name: "present" },
  { name: "index without hasSourceType", where: `${RESOURCES} AND predicate <> 12` },
  { name: "index that does not cover the view", index: "tenant, key, predicate" },
  { name: "datatypes as numbers", columns: { datatype: "iif(s.datatype = '', '', length(s.datatype))" } },
  { name: "tenants as numbers", columns: { tenant: "1" } },
  { name: "short prefixes of instances", columns: { subject: shorten("s.subject"), key: SHORT_KEY } },
  { name: "ids of memories in 16 bytes", columns: { subject: BINARY_ID } },
  {
    name: "all of these",
    columns: {
      tenant: "1",
      subject: BINARY_ID,
      key: SHORT_KEY,
      datatype: "iif(s.datatype = '', '', length(s.datatype))",
    },
    index: "tenant, key, predicate",
    where: `${RESOURCES} AND predicate <> 12`,
  },
];

const { values } = parseArgs({ options: { size: { type: "string", default: "5000" } } });
const size = Number(values.size);
if (!(Number.isInteger(size) && size > 0)) throw new Error(`--size takes a whole number: ${values.size}`);
const progress = createProgress();

await runBenchmark(async (defer) => {
  await buildWorker();
  progress.begin("Loading");
  const loaded = getItem(await loadSizes(await createTemporaryFolder(), [size], progress.note), 0);
  progress.end();
  const db = await openStateDatabase(loaded.folder);
  defer(async () => db.close());
  const perMemory = (bytes: number) => formatCount(Math.round(bytes / size));
  const rows = LAYOUTS.map((layout) => {
    const { table, index } = measureLayout(db, layout);
    return [layout.name, ...[table, index, table + index].map(perMemory)];
  });
  return [
    renderTable(["layout", "table", "index by object", "bytes a memory"], "lrrr", rows),
    `Over ${formatCount(size)} memories, written in their order.`,
  ].join("\n\n");
});

function measureLayout(db: DatabaseSync, layout: Layout): { table: number; index: number } {
  const { columns = {}, index = COVERING, where = RESOURCES } = layout;
  const select = ["tenant", "subject", "predicate", "key", "datatype", "graph", "literal", "position"].map(
    (name) => columns[name as keyof typeof columns] ?? `s.${name}`,
  );
  db.exec(`CREATE TABLE layout (tenant, subject, predicate, key, datatype, graph, literal, position,
    PRIMARY KEY (tenant, subject, predicate, key, datatype, graph)) WITHOUT ROWID`);
  db.exec(`CREATE INDEX layout_by_object ON layout (${index}) WHERE ${where}`);
  db.exec(`INSERT INTO layout SELECT ${select.join(", ")} FROM memories m
    CROSS JOIN statements s ON s.tenant = m.tenant AND s.subject = 'jido:memory_' || m.id ORDER BY m.seq, s.position`);
  const tables = readTableBytes(db);
  const find = (wanted: string) => sumBytes(tables.filter(({ name }) => name === wanted));
  const bytes = { table: find("layout"), index: find("layout_by_object") };
  db.exec("DROP TABLE layout");
  return bytes;
}
