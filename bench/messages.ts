// `npm run bench messages [-- --quick] [-- --sizes 6000,60000]`: how recall over the messages of one agent grows with
// their number. Every question names a year, which all messages have in their date. See README.md.
import { join } from "node:path";
import { buildWorker } from "../scripts/lib/build-worker.ts";
import { type BenchmarkService, startService } from "./lib/benchmark-servers.ts";
import { type Connection, connectToService, post } from "./lib/connection.ts";
import { generateQuery } from "./lib/data/memories.ts";
import { getItem } from "./lib/get-item.ts";
import { AGENT, applyMigrations, loadMessages } from "./lib/load/load-memories.ts";
import { loadVectors } from "./lib/load/load-vectors.ts";
import { acceptIf, getSummary, measure, type Operation } from "./lib/measure.ts";
import { describeConditions, formatCount } from "./lib/report/format.ts";
import { renderTable } from "./lib/report/markdown-table.ts";
import { createProgress } from "./lib/report/progress.ts";
import { createTemporaryFolder, runBenchmark } from "./lib/run-benchmark.ts";
import { describeNewIndex } from "./lib/service-index.ts";
import { readSizeOptions } from "./lib/size-options.ts";

const MODES = ["text", "hybrid"] as const;

const options = readSizeOptions({
  sizes: "6000,60000",
  usual: { warmUp: 20, samples: 100 },
  quick: { warmUp: 10, samples: 30 },
});
const progress = createProgress();

await runBenchmark(async () => {
  const folder = await createTemporaryFolder();
  progress.begin("Building");
  await buildWorker();
  progress.end();
  const index = await describeNewIndex(join(folder, "empty"));
  const services: BenchmarkService[] = [];
  const connections: Connection[] = [];
  const operations: Operation[] = [];
  try {
    for (const size of options.sizes) {
      const persist = join(folder, String(size));
      progress.note(`Loading ${formatCount(size)} messages`);
      await applyMigrations(persist);
      await loadMessages(persist, size);
      await loadVectors({ folder: persist, size, kind: "message" }, index, progress);
      const service = await startService(persist);
      services.push(service);
      const connection = connectToService(service);
      connections.push(connection);
      operations.push(...MODES.map((mode) => createRecall(connection, size, mode)));
    }
    const summaries = await measure(operations, { ...options, progress: progress.note });
    const smallest = getItem(options.sizes, 0);
    const rows = options.sizes.flatMap((size) =>
      MODES.map((mode) => {
        const { p50, p95 } = getSummary(summaries, nameOperation(mode, size));
        const growth = p50 / getSummary(summaries, nameOperation(mode, smallest)).p50;
        return [mode, formatCount(size), p50.toFixed(2), p95.toFixed(2), growth.toFixed(2)];
      }),
    );
    return [
      describeConditions(options.samples),
      renderTable(["mode", "messages", "p50 ms", "p95 ms", "p50 / smallest"], "lrrrr", rows),
    ].join("\n\n");
  } finally {
    for (const connection of connections) connection.close();
    for (const service of services) await service.dispose();
  }
});

function nameOperation(mode: string, size: number): string {
  return `${mode} ${size}`;
}

function createRecall(connection: Connection, size: number, mode: (typeof MODES)[number]): Operation {
  const ids = { agent_id: AGENT, scope: "agent", sources: ["messages"] };
  return {
    name: nameOperation(mode, size),
    connection,
    call: (round) =>
      post("/v1/recall", { ...ids, mode, query: `${generateQuery(round, size)} in 2026?`, min_relevance: 0 }),
    accept: acceptIf(({ count }: { count: number }) => count > 0),
  };
}
