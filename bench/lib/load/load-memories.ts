// Fills a state folder for each size. A larger one is a copy of the next smaller one, continued.
import { cp, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { LocalServer } from "../../../scripts/lib/local-server.ts";
import { root } from "../../../scripts/lib/repository.ts";
import { startService, startWorker, TENANT } from "../benchmark-servers.ts";
import { generateMemory, generateMessage } from "../data/memories.ts";

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
    const bytes = await loadMemories(target, { from: before?.size ?? 0, to: size }, progress);
    loaded.push({ size, folder: target, bytes });
  }
  return loaded;
}

/** Starting the service applies the migrations. */
export async function applyMigrations(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const service = await startService(folder);
  await service.dispose();
}

/** Loads memories for a tenant, and returns the size of the database. */
export async function loadMemories(
  folder: string,
  { from, to, tenant = TENANT }: { from: number; to: number; tenant?: string },
  progress: (line: string) => void,
): Promise<number> {
  const loader = await startLoader(folder);
  const started = performance.now();
  let bytes = 0;
  try {
    for (let at = from; at < to; at += PER_CALL) {
      const memories = Array.from({ length: Math.min(PER_CALL, to - at) }, (_, i) => ({
        op: `load-${at + i}`,
        memory: generateMemory(at + i),
      }));
      const result = await send(loader.url, { tenant, memories });
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

const PER_SESSION = 250;

/** The agent of the loaded messages. */
export const AGENT = "talker";

/** Loads messages of one agent for the benchmark's tenant, in sessions of their own. */
export async function loadMessages(folder: string, count: number): Promise<void> {
  const loader = await startLoader(folder);
  try {
    for (let at = 0; at < count; at += PER_SESSION) {
      const messages = Array.from({ length: Math.min(PER_SESSION, count - at) }, (_, position) => ({
        ...generateMessage(at + position),
        position,
        id: `message-${position}`,
        name: null,
        timestamp: new Date(Date.UTC(2026, 0, 1) + (at + position) * 60_000).toISOString(),
      }));
      await send(loader.url, {
        tenant: TENANT,
        conversation: { session_id: `talk-${at}`, agent_id: AGENT, messages },
      });
    }
  } finally {
    await loader.dispose();
  }
}

async function startLoader(folder: string): Promise<LocalServer> {
  return startWorker("memory-loader.ts", {
    persist: folder,
    d1Databases: { DB: await readDatabaseId() },
  });
}

async function send(url: string, load: unknown): Promise<{ written: number; bytes: number }> {
  // A connection of its own: the server may close an idle one just when the next load is sent.
  const headers = { Connection: "close" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(load) });
  if (!answer.ok) throw new Error(`Loading stopped: ${await answer.text()}`);
  return answer.json<{ written: number; bytes: number }>();
}

/** The database's file is named after the id in wrangler.toml. */
export async function readDatabaseId(): Promise<string> {
  const config = await readFile(join(root, "wrangler.toml"), "utf8");
  const id = /^database_id = "([^"]+)"/m.exec(config)?.[1];
  if (id === undefined) throw new Error("wrangler.toml has no database_id");
  return id;
}
