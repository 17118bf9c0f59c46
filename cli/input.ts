// Reads input from a file, or from stdin if the path is -.
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Context } from "./command";
import { CommandError } from "./failures";
import { removeAtExit } from "./remove-at-exit";

type Source = Pick<Context, "cwd" | "terminal">;

export async function openInput({ cwd, terminal }: Source, path: string): Promise<Readable> {
  if (path === "-") return terminal.input;
  await checkFile(cwd, path);
  return createReadStream(resolve(cwd, path));
}

/** Returns the path of a file that can be read several times. Stdin is kept in a file until `remove`. */
export async function openFile(
  { cwd, terminal }: Source,
  path: string,
): Promise<{ path: string; remove: () => void }> {
  if (path !== "-") {
    await checkFile(cwd, path);
    return { path: resolve(cwd, path), remove: () => {} };
  }
  const folder = await mkdtemp(join(tmpdir(), "kioku-"));
  const remove = removeAtExit(folder);
  const kept = join(folder, "stdin");
  await pipeline(terminal.input, createWriteStream(kept, { mode: 0o600 }));
  return { path: kept, remove };
}

async function checkFile(cwd: string, path: string): Promise<void> {
  const found = await stat(resolve(cwd, path)).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`Cannot read ${path} (${error.code}). Check the path, or use - for stdin.`);
  });
  if (found.isDirectory()) throw new CommandError(`${path} is a folder. Name a file in it.`);
}

export async function readAll(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

/** Yields lines. Only a line feed ends one: readline also splits at separators that JSON has in texts. */
export async function* splitLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let partial = "";
  for await (const chunk of chunks) {
    const lines = `${partial}${chunk}`.split("\n");
    partial = lines.pop() ?? "";
    yield* lines;
  }
  if (partial !== "") yield partial;
}

export function readLines(input: Readable): AsyncIterable<string> {
  return createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}
