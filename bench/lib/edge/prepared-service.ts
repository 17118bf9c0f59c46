// Starts a traced service with memories, their vectors, and what the operations need.
import { join } from "node:path";
import { post } from "../connection.ts";
import { getItem } from "../get-item.ts";
import { loadSizes } from "../load/load-memories.ts";
import { loadVectors } from "../load/load-vectors.ts";
import type { Progress } from "../report/progress.ts";
import { describeNewIndex } from "../service-index.ts";
import { type EdgeSizes, prepareEdge } from "./edge-operations.ts";
import { openStateDatabase, readTableBytes, type TableBytes } from "./table-bytes.ts";
import { startTracedService, type TracedService } from "./traced-service.ts";

export interface PreparedService {
  service: TracedService;
  /** The sizes of the tables with the loaded memories alone. */
  tables: TableBytes[];
}

export interface PreparedOptions {
  /** Uses fakes of Workers AI and Vectorize in place of the embedded embedder and index. */
  cloud: boolean;
  /** Embeds the memories instead of loading made-up vectors, which takes less time for few and more for many. */
  embeds: boolean;
  progress: Progress;
}

export async function startPreparedService(
  folder: string,
  sizes: EdgeSizes,
  { cloud, embeds, progress }: PreparedOptions,
): Promise<PreparedService> {
  progress.begin("Loading");
  const loaded = getItem(await loadSizes(folder, [sizes.memories], progress.note), 0);
  const loadsVectors = !cloud && !embeds;
  if (loadsVectors) await loadVectors(loaded, await describeNewIndex(join(folder, "empty")), progress);
  const database = await openStateDatabase(loaded.folder);
  const tables = readTableBytes(database);
  database.close();
  const service = await startTracedService(loaded.folder, cloud ? { CLOUD: "1" } : {});
  progress.begin("Preparing");
  try {
    if (!loadsVectors) await embedAll(service);
    await prepareEdge(service.send, sizes);
    await service.runLaterAlarms();
  } catch (error) {
    await service.dispose();
    throw error;
  }
  progress.end();
  return { service, tables };
}

/** Embeds the memories, which were loaded without vectors. */
async function embedAll(service: TracedService): Promise<void> {
  for (let finished = false; !finished; )
    ({ finished } = await service.sendAsAdmin<{ finished: boolean }>(post("/v1/admin/reembed", {})));
}
