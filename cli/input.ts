// Reads input from a file, or from stdin if the path is -.
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CommandError } from "./failures";

export async function openInput(path: string, stdin: Readable): Promise<Readable> {
  if (path === "-") return stdin;
  await checkFile(path);
  return createReadStream(path);
}

/** Returns the path of a file that can be read several times. Stdin is kept in a file until `remove`. */
export async function openFile(
  path: string,
  stdin: Readable,
): Promise<{ path: string; remove: () => Promise<void> }> {
  if (path !== "-") {
    await checkFile(path);
    return { path, remove: async () => {} };
  }
  const folder = await mkdtemp(join(tmpdir(), "kioku-"));
  const kept = join(folder, "stdin");
  await pipeline(stdin, createWriteStream(kept, { mode: 0o600 }));
  return { path: kept, remove: () => rm(folder, { recursive: true }) };
}

async function checkFile(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`Cannot read ${path} (${error.code}). Check the path, or use - for stdin.`);
  });
  if (found.isDirectory()) throw new CommandError(`${path} is a folder. Name a file in it.`);
}

export async function readAll(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

export function readLines(input: Readable): AsyncIterable<string> {
  return createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}
