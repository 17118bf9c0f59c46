// A backup: an export of the service in JSON lines, written as it comes, and read back in parts.
import { createReadStream } from "node:fs";
import { isKiokuError, type Kioku } from "../../client/index";
import { isJsonObject } from "../../src/kernel/json";
import {
  createDigest,
  type ExportEnd,
  type ExportHeader,
  LINES_FORMAT,
} from "../../src/transfer/line-format";
import { CommandError } from "../failures";
import { splitLines } from "../input";
import type { Counts } from "./report";

/** The size of a part: far below the limit of a call, and written to the database in a moment. */
const PART_CHARS = 256 * 1024;

/** Yields the text of an export as it comes, with the number of lines that end in it. Returns its end line. */
export async function* streamBackup(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<{ text: string; lines: number }, ExportEnd, undefined> {
  const decoder = new TextDecoder();
  let last = "";
  let partial = "";
  const cutOff = "The export was cut off: the service stopped in the middle of it. Export again.";
  const reader = stream.getReader();
  while (true) {
    const { value, done } = await reader.read().catch((error: unknown) => {
      throw new CommandError(cutOff, { cause: error });
    });
    if (done) break;
    const text = decoder.decode(value, { stream: true });
    const lines = `${partial}${text}`.split("\n");
    partial = lines.pop() ?? "";
    last = lines.at(-1) ?? last;
    yield { text, lines: lines.length };
  }
  const end = parseObject(last);
  if (end?.kind !== "end" || partial !== "") throw new CommandError(cutOff);
  return end as unknown as ExportEnd;
}

export function readBackupLines(path: string): AsyncGenerator<string> {
  return splitLines(createReadStream(path, { encoding: "utf8" }));
}

/** Returns the header if the line begins a backup, null if another kind of file. */
export function parseHeader(line: string): ExportHeader | null {
  const value = parseObject(line);
  return value?.kind === "kioku" && value.format !== 1 ? (value as unknown as ExportHeader) : null;
}

/** Reads a whole backup and compares it with its end line, so that an incomplete or changed file changes nothing. */
export async function verifyBackup(path: string): Promise<ExportEnd> {
  const digest = createDigest();
  const counts: Record<string, number> = {};
  let lines = 0;
  let end: ExportEnd | null = null;
  let number = 0;
  for await (const line of readBackupLines(path)) {
    number += 1;
    if (number === 1) checkFormat(line);
    if (number === 1 || line === "") continue;
    if (end !== null) throw new CommandError(`Line ${number} comes after the end line. Export again.`);
    const value = parseObject(line);
    if (value === null) throw new CommandError(`Line ${number} is not a JSON object. Export again.`);
    if (value.kind === "end") {
      end = value as unknown as ExportEnd;
      continue;
    }
    const kind = String(value.kind);
    counts[kind] = (counts[kind] ?? 0) + 1;
    lines += 1;
    digest.add(`${line}\n`);
  }
  if (end === null)
    throw new CommandError(`The file is cut off after line ${number}: it has no end line. Export again.`);
  if (end.lines !== lines)
    throw new CommandError(
      `Line ${number}: lines is ${end.lines}, and there are ${lines}: some are missing or were added. Export again.`,
    );
  if (end.digest !== undefined && end.digest !== digest.finish())
    throw new CommandError(
      `Line ${number}: digest is not that of the lines: one was changed. Export again, or remove digest from that line if you changed it on purpose.`,
    );
  return { ...end, counts };
}

function checkFormat(line: string): void {
  const format = parseHeader(line)?.format;
  if (format === LINES_FORMAT) return;
  throw new CommandError(
    `Line 1: format ${String(format)} is not ${LINES_FORMAT}. Use the version of kioku that wrote it.`,
  );
}

/** Imports a verified backup part by part. Returns how many records of each kind were added or there already. */
export async function importBackup(
  api: Kioku,
  path: string,
  step: (count: number) => void,
): Promise<Record<string, Counts>> {
  const imported: Record<string, Counts> = {};
  for await (const { text, firstLine, lines } of splitBackup(path)) {
    try {
      const answer = await api.import(text);
      for (const [kind, { added, known }] of Object.entries(answer.imported)) {
        const before = imported[kind] ?? { added: 0, known: 0 };
        imported[kind] = { added: before.added + added, known: before.known + known };
      }
    } catch (error) {
      throw toFileLine(error, firstLine);
    }
    step(lines);
  }
  return imported;
}

type Part = {
  text: string;
  lines: number /** The number of its first record in the file. */;
  firstLine: number;
};

/** Splits a backup into parts, each with the header of the file and an end line of its own. */
async function* splitBackup(path: string): AsyncGenerator<Part> {
  let header = "";
  let held: string[] = [];
  let chars = 0;
  let number = 0;
  const takePart = (): Part => {
    const part = { text: formatPart(header, held), lines: held.length, firstLine: number - held.length };
    held = [];
    chars = 0;
    return part;
  };
  for await (const line of readBackupLines(path)) {
    number += 1;
    if (number === 1) header = line;
    else if (line !== "" && parseObject(line)?.kind !== "end") {
      if (held.length > 0 && chars + line.length > PART_CHARS) yield takePart();
      held.push(line);
      chars += line.length;
    }
  }
  if (held.length > 0) yield takePart();
}

function formatPart(header: string, lines: readonly string[]): string {
  const digest = createDigest();
  const counts: Record<string, number> = {};
  for (const line of lines) {
    digest.add(`${line}\n`);
    const kind = String(parseObject(line)?.kind);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  const end: ExportEnd = { kind: "end", lines: lines.length, counts, digest: digest.finish() };
  return [header, ...lines, JSON.stringify(end)].map((line) => `${line}\n`).join("");
}

/** The service counts the lines of the part: its header is line 1. */
function toFileLine(error: unknown, firstLine: number): unknown {
  if (!isKiokuError(error)) return error;
  const [whole, number] = /^Line (\d+):/.exec(error.detail) ?? [];
  if (whole === undefined) return error;
  const line = firstLine + Number(number) - 2;
  const rest = error.detail.slice(whole.length).trim();
  return new CommandError(
    `Line ${line}: ${rest} The records before this part are imported; the same command continues from there.`,
  );
}

function parseObject(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : null;
  } catch {
    // The caller names the line.
    return null;
  }
}
