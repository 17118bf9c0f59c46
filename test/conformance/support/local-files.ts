// Searches the local files of a service for words: in plain text anywhere, as in pages, write-ahead logs and text-index
// segments, and inside of compressed values.
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { constants, gunzipSync, inflateRawSync } from "node:zlib";

const WORD_LETTERS = 16;
/** A text index leaves out the letters that a word shares with the one before it: only the end is searched for. */
const SEARCHED_LETTERS = 9;

const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);
const GZIP_HEADER_BYTES = 10;
/** A value may end, or continue on another page, anywhere: its beginning is decompressed in the longest part that works. */
const GZIP_BYTES = [100_000, 3_000, 1_000, 300];

/** Makes up a word that stemming leaves as it is. */
export function makeUpWord(): string {
  const letters = [...randomBytes(WORD_LETTERS - 1)].map((byte) => String.fromCharCode(97 + (byte % 26)));
  return `${letters.join("")}k`;
}

/** Returns the words that any file below a folder contains, each with the names of these files. */
export function findInFiles(folder: string, words: readonly string[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const contents = [readFileSync(path), ...decompressAll(path)];
    for (const word of words) {
      const end = word.slice(-SEARCHED_LETTERS);
      if (contents.some((content) => content.includes(end))) {
        found[word] ??= [];
        found[word].push(path.slice(folder.length + 1));
      }
    }
  }
  return found;
}

/** Returns the SQLite files below a folder that fail SQLite's integrity check. */
export function findUnsoundFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".sqlite"))
    .filter((name) => {
      const db = new DatabaseSync(join(folder, name), { readOnly: true });
      try {
        return db.prepare("PRAGMA integrity_check").get()?.integrity_check !== "ok";
      } finally {
        db.close();
      }
    });
}

function decompressAll(path: string): Buffer[] {
  const raw = readFileSync(path);
  const parts: Buffer[] = [];
  for (let at = raw.indexOf(GZIP); at >= 0; at = raw.indexOf(GZIP, at + 1)) {
    const part = decompressBeginning(raw.subarray(at + GZIP_HEADER_BYTES));
    if (part !== null) parts.push(part);
  }
  return path.endsWith(".sqlite") ? [...parts, ...decompressRows(path)] : parts;
}

function decompressBeginning(bytes: Buffer): Buffer | null {
  for (const length of GZIP_BYTES) {
    try {
      return inflateRawSync(bytes.subarray(0, length), { finishFlush: constants.Z_SYNC_FLUSH });
    } catch {
      // The value continues on another page; or the three bytes are there by chance.
    }
  }
  return null;
}

/** Decompresses the values of all rows: SQLite puts together those of several pages. */
function decompressRows(path: string): Buffer[] {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000, readBigInts: true });
  try {
    const tables = db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
      .all();
    return tables
      .flatMap(({ name }) => db.prepare(`SELECT * FROM "${name}"`).all())
      .flatMap((row) => Object.values(row))
      .flatMap((value) =>
        value instanceof Uint8Array && GZIP.equals(value.subarray(0, 3)) ? gunzipSync(value) : [],
      );
  } finally {
    db.close();
  }
}
