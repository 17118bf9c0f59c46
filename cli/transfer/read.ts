// Reads and validates a whole import file before anything is sent, so that an invalid file changes nothing.
import type { Readable } from "node:stream";
import { isJsonObject } from "../../src/kernel/json";
import { CommandError } from "../failures";
import { readLines } from "../input";
import { FORMAT, KINDS, type Kind, type RecordByKind } from "./format";

/** A record and its line number. */
export type ImportLine<K extends Kind> = { line: number; record: RecordByKind[K] };
export type ImportRecords = { [K in Kind]: ImportLine<K>[] };

export type ImportFile = {
  /** The format: Kioku's export, or the file of @modelcontextprotocol/server-memory. */
  from: "kioku" | "server-memory";
  records: ImportRecords;
  /** False for a truncated export. */
  complete: boolean;
};

type Fields = Record<string, unknown>;

/** Required fields of each kind; the service validates the rest. */
const REQUIRED_FIELDS: Record<Kind, readonly string[]> = {
  memory: ["content", "type", "status", "timestamp"],
  entry: ["content", "agent_id", "properties"],
  episode: ["id", "context", "outcome"],
  skill: ["slug", "name", "steps"],
  learning: ["trigger", "root_cause", "fix", "prevention"],
  pattern: ["pattern", "category"],
  entity: ["name", "entityType", "observations"],
  relation: ["from", "to", "relationType"],
  resource: ["class", "id", "properties"],
  project: ["id", "properties"],
  agent: ["id", "class", "properties"],
};

export async function readImport(input: Readable): Promise<ImportFile> {
  const records = Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as ImportRecords;
  const counts = { kioku: 0, "server-memory": 0 };
  let line = 0;
  let complete = false;
  for await (const text of readLines(input)) {
    line += 1;
    if (text.trim() === "") continue;
    const { type, ...fields } = parseLine(text, line);
    if (fields.kind === undefined && (type === "entity" || type === "relation")) {
      counts["server-memory"] += 1;
      addRecord(records, { ...fields, kind: type }, line);
      continue;
    }
    counts.kioku += 1;
    if (fields.kind === "kioku") checkHeader(fields, line);
    else if (fields.kind === "end") complete = true;
    else addRecord(records, { ...fields, type }, line);
  }
  if (line === 0)
    throw new CommandError("There is nothing in the file. Give one of kioku export, or of server-memory.");
  if (counts.kioku > 0 && counts["server-memory"] > 0)
    throw new CommandError("The file is half Kioku's, half server-memory's. Import them one by one.");
  return counts["server-memory"] > 0
    ? { from: "server-memory", records, complete: true }
    : { from: "kioku", records, complete };
}

function parseLine(text: string, line: number): Fields {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Reported below, without quoting the line.
  }
  throw new CommandError(
    `Line ${line} is not a JSON object. Give a file of kioku export, or of server-memory.`,
  );
}

function checkHeader({ format }: Fields, line: number): void {
  if (format === FORMAT) return;
  throw new CommandError(
    `Line ${line}: format ${String(format)} is not ${FORMAT}. Use the version of kioku that wrote it.`,
  );
}

function addRecord(records: ImportRecords, { kind, ...fields }: Fields, line: number): void {
  const known = KINDS.find((name) => name === kind);
  if (known === undefined)
    throw new CommandError(
      `Line ${line}: kind must be one of ${KINDS.join(", ")}. Is it a file of kioku export?`,
    );
  const missing = REQUIRED_FIELDS[known].find((name) => fields[name] === undefined || fields[name] === null);
  if (missing !== undefined)
    throw new CommandError(`Line ${line}: ${missing} is missing. Add it, or leave the line out.`);
  // The required fields are present, and the list is the one of the record's kind.
  (records[known] as { line: number; record: unknown }[]).push({ line, record: fields });
}
