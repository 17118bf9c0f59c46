// Reads input from a file, or from stdin if the path is -.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { CommandError } from "./failures";

export async function openInput(path: string, stdin: Readable): Promise<Readable> {
  if (path === "-") return stdin;
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`Cannot read ${path} (${error.code}). Check the path, or use - for stdin.`);
  });
  if (found.isDirectory()) throw new CommandError(`${path} is a folder. Name a file in it.`);
  return createReadStream(path);
}

export async function readAll(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

export function readLines(input: Readable): AsyncIterable<string> {
  return createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}
