// Starts the service with its billed usage counted (bench/workers/counting-service.ts).
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { LocalServer } from "../../scripts/lib/local-server.ts";
import { root } from "../../scripts/lib/repository.ts";
import { createKey, startWorker } from "./benchmark-servers.ts";
import { readDatabaseId } from "./load/load-memories.ts";

export interface CountingService extends LocalServer {
  key: string;
  adminKey: string;
}

export async function startCountingService(
  persist: string,
  bindings: { CLOUD?: string },
): Promise<CountingService> {
  const adminKey = randomBytes(32).toString("hex");
  const bindObject = (className: string) => ({
    className,
    useSQLite: true,
    unsafeUniqueKey: `kioku-${className}`,
  });
  const server = await startWorker("counting-service.ts", {
    persist,
    d1Databases: { DB: await readDatabaseId() },
    durableObjects: {
      SESSIONS: bindObject("SessionObject"),
      VECTOR_INDEX: bindObject("VectorIndexObject"),
      INDEXER: bindObject("IndexerObject"),
      PROJECTS: bindObject("ProjectObject"),
      USAGE: bindObject("UsageObject"),
    },
    serviceBindings: { ASSETS: { disk: { path: join(root, "dist/assets") } } },
    bindings: { ADMIN_KEY: adminKey, RATE_LIMIT_READ: "0", RATE_LIMIT_WRITE: "0", ...bindings },
  });
  return { ...server, adminKey, key: await createKey(server.url, adminKey) };
}
