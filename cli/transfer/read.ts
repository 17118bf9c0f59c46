// A file to import, read whole and checked before anything is sent: of a file that is wrong nothing arrives.
import type { Readable } from "node:stream";
import { CommandError } from "../failures";
import { linesOf } from "../input";
import { FORMAT, KINDS, type Kind, type Lines } from "./format";

/** A record, and the line that it stands on. */
export type Placed<K extends Kind> = { line: number; record: Lines[K] };
export type Records = { [K in Kind]: Placed<K>[] };

export type Read = {
  /** Kioku's own export, or the file of @modelcontextprotocol/server-memory. */
  from: "kioku" | "server-memory";
  records: Records;
  /** False for an export that was cut off. */
  complete: boolean;
};

type Fields = Record<string, unknown>;

/** What a record cannot do without; the service checks the rest. */
const NEEDED: Record<Kind, readonly string[]> = {
  memory: ["content", "type", "status", "timestamp"],
  entry: ["content", "agent_id", "properties"],
  episode: ["id", "context", "outcome"],
  skill: ["slug", "name", "steps"],
  learning: ["trigger", "root_cause", "fix", "prevention"],
  pattern: ["pattern", "category"],
  entity: ["name", "entityType", "observations"],
  relation: ["from", "to", "relationType"],
};

export async function readImport(input: Readable): Promise<Read> {
  const records = Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as Records;
  const counts = { kioku: 0, "server-memory": 0 };
  let line = 0;
  let complete = false;
  for await (const text of linesOf(input)) {
    line += 1;
    if (text.trim() === "") continue;
    const { type, ...fields } = parseLine(text, line);
    if (fields.kind === undefined && (type === "entity" || type === "relation")) {
      counts["server-memory"] += 1;
      place(records, { ...fields, kind: type }, line);
      continue;
    }
    counts.kioku += 1;
    if (fields.kind === "kioku") checkHeader(fields, line);
    else if (fields.kind === "end") complete = true;
    else place(records, { ...fields, type }, line);
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
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  } catch {
    // Told below, without what stands there.
  }
  throw new CommandError(`Line ${line} is no JSON object. Give a file of kioku export, or of server-memory.`);
}

function checkHeader({ format }: Fields, line: number): void {
  if (format === FORMAT) return;
  throw new CommandError(
    `Line ${line}: format ${String(format)} is not ${FORMAT}. Use the version of kioku that wrote it.`,
  );
}

function place(records: Records, { kind, ...fields }: Fields, line: number): void {
  const known = KINDS.find((name) => name === kind);
  if (known === undefined)
    throw new CommandError(
      `Line ${line}: kind must be one of ${KINDS.join(", ")}. Is it a file of kioku export?`,
    );
  const missing = NEEDED[known].find((name) => fields[name] === undefined || fields[name] === null);
  if (missing !== undefined)
    throw new CommandError(`Line ${line}: ${missing} is missing. Add it, or leave the line out.`);
  // Checked as far as it is used here; its kind says which list it belongs to.
  (records[known] as { line: number; record: unknown }[]).push({ line, record: fields });
}
