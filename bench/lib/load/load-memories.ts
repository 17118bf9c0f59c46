// A state folder per size, each filled once: a larger one is a copy of the next smaller, carried on.
import { cp, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { memoryAt } from "./memories.mjs";
import { startService, startWorker, TENANT } from "./server.mjs";

const PER_CALL = 1_000;

/** Gives `{ size, folder, bytes }` for each size, in ascending order. */
export async function loadSizes(folder, sizes, progress) {
  const loaded = [];
  for (const size of sizes) {
    const target = join(folder, String(size));
    const before = loaded.at(-1);
    if (before === undefined) await prepare(target);
    else await cp(before.folder, target, { recursive: true });
    loaded.push({ size, folder: target, bytes: await fill(target, before?.size ?? 0, size, progress) });
  }
  return loaded;
}

/** Starting the service once applies the migrations. */
async function prepare(folder) {
  await mkdir(folder, { recursive: true });
  const service = await startService(folder);
  await service.dispose();
}

/** Gives the size of the database, as SQLite counts its pages. */
async function fill(folder, from, to, progress) {
  const loader = await startWorker("loader.ts", { persist: folder, d1Databases: { DB: await databaseId() } });
  const started = performance.now();
  let bytes = 0;
  try {
    for (let at = from; at < to; at += PER_CALL) {
      const memories = Array.from({ length: Math.min(PER_CALL, to - at) }, (_, i) => ({
        op: `load-${at + i}`,
        memory: memoryAt(at + i),
      }));
      const body = JSON.stringify({ tenant: TENANT, memories });
      const answer = await fetch(loader.url, { method: "POST", body });
      if (!answer.ok) throw new Error(`Loading stopped at ${at}: ${await answer.text()}`);
      const result = await answer.json();
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
export async function databaseId() {
  const config = await readFile(join(import.meta.dirname, "../../wrangler.toml"), "utf8");
  return /^database_id = "([^"]+)"/m.exec(config)[1];
}
