// Fills a state folder for each size. A larger one is a copy of the next smaller one, continued.
import { cp, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../../scripts/lib/repository.ts";
import { startService, startWorker, TENANT } from "../benchmark-servers.ts";
import { generateMemory } from "../data/memories.ts";

const PER_CALL = 1_000;

export interface LoadedState {
  size: number;
  folder: string;
  /** The size of the database, as SQLite counts its pages. */
  bytes: number;
}

/** `sizes` are in ascending order. */
export async function loadSizes(
  folder: string,
  sizes: readonly number[],
  progress: (line: string) => void,
): Promise<LoadedState[]> {
  const loaded: LoadedState[] = [];
  for (const size of sizes) {
    const target = join(folder, String(size));
    const before = loaded.at(-1);
    if (before === undefined) await applyMigrations(target);
    else await cp(before.folder, target, { recursive: true });
    const bytes = await loadMemories(target, before?.size ?? 0, size, progress);
    loaded.push({ size, folder: target, bytes });
  }
  return loaded;
}

/** Starting the service applies the migrations. */
async function applyMigrations(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const service = await startService(folder);
  await service.dispose();
}

/** Returns the size of the database. */
async function loadMemories(
  folder: string,
  from: number,
  to: number,
  progress: (line: string) => void,
): Promise<number> {
  const loader = await startWorker("memory-loader.ts", {
    persist: folder,
    d1Databases: { DB: await readDatabaseId() },
  });
  const started = performance.now();
  let bytes = 0;
  try {
    for (let at = from; at < to; at += PER_CALL) {
      const memories = Array.from({ length: Math.min(PER_CALL, to - at) }, (_, i) => ({
        op: `load-${at + i}`,
        memory: generateMemory(at + i),
      }));
      const body = JSON.stringify({ tenant: TENANT, memories });
      const answer = await fetch(loader.url, { method: "POST", body });
      if (!answer.ok) throw new Error(`Loading stopped at ${at}: ${await answer.text()}`);
      const result = await answer.json<{ written: number; bytes: number }>();
      if (result.written !== memories.length) throw new Error(`Some of the memories from ${at} were not new`);
      bytes = result.bytes;
      const done = at + memories.length;
      if (done % 10_000 === 0 || done === to) {
        const seconds = ((performance.now() - started) / 1_000).toFixed(0);
        progress(`loaded ${done} of ${to} memories, ${seconds} s`);
      }
    }
  } finally {
    await loader.dispose();
  }
  return bytes;
}

/** The database's file is named after the id in wrangler.toml. */
export async function readDatabaseId(): Promise<string> {
  const config = await readFile(join(root, "wrangler.toml"), "utf8");
  const id = /^database_id = "([^"]+)"/m.exec(config)?.[1];
  if (id === undefined) throw new Error("wrangler.toml has no database_id");
  return id;
}
