// The tables of a session's object whose rows are records of an export, and the mapping between the two.
import { findEarliestExpiry } from "../../domain/cognition/expiry";
import type { Expiries } from "../../domain/cognition/space-container";
import { type JsonObject, parseJson } from "../../platform/json";
import { countUtf8Bytes } from "../../schemas/common";
import type { SessionKind } from "../../schemas/transfer/export-records";

/** The kinds that are rows of a table. The record of the session and its thread are read and written apart. */
export type SessionTableKind = Exclude<SessionKind, "session" | "thread_entry">;

type Value = string | number | null;
type SessionRow = Record<string, Value>;

type SessionTable = {
  table: string;
  columns: readonly string[];
  /** Orders the rows, and identifies them. */
  key: readonly string[];
  json: readonly string[];
  /** Columns that have another name in the record. */
  renamed?: Readonly<Record<string, string>>;
  /** Columns that follow from the others, in place of those of the record. */
  derive?: (record: JsonObject) => SessionRow;
};

export const SESSION_TABLES: Readonly<Record<SessionTableKind, SessionTable>> = {
  projector: { table: "projectors", columns: ["name", "state"], key: ["name"], json: ["state"] },
  message: {
    table: "messages",
    columns: [
      ...["seq", "id", "role", "name", "content", "timestamp", "token_count"],
      ...["tool_calls", "tool_call_id", "metadata"],
    ],
    key: ["seq"],
    json: ["tool_calls", "metadata"],
  },
  context_item: { table: "context", columns: ["key", "item"], key: ["rowid"], json: ["item"] },
  pending_item: { table: "pending", columns: ["id", "item"], key: ["rowid"], json: ["item"] },
  access: { table: "access_log", columns: ["seq", "key", "at"], key: ["seq"], json: [] },
  space_container: {
    table: "memory",
    columns: ["head"],
    key: ["id"],
    json: ["head"],
    derive: () => ({ id: 1 }),
  },
  space: {
    table: "spaces",
    columns: ["name", "kind", "rev", "data", "metadata", "bytes", "expires"],
    key: ["name"],
    json: ["data", "metadata", "expires"],
    renamed: { kind: "type" },
    derive: ({ expires }) => ({ expires_at: findEarliestExpiry((expires ?? {}) as Expiries) }),
  },
  inline_item: { table: "items", columns: ["store", "key", "value"], key: ["store", "key"], json: ["value"] },
  ephemeral_item: {
    table: "ephemeral_items",
    columns: ["store", "key", "value", "expires_at"],
    key: ["store", "key"],
    json: ["value"],
  },
  directive: {
    table: "directives",
    columns: ["seq", "request_id", "digest", "provider", "work", "attempts", "due_at"],
    key: ["seq"],
    json: ["work"],
  },
  signal: {
    table: "signals",
    columns: ["seq", "event"],
    key: ["seq"],
    json: ["event"],
    derive: ({ event }) => ({ bytes: countUtf8Bytes(JSON.stringify(event)) }),
  },
};

/** The place of the next page in a table. */
export type TablePlace = readonly (string | number)[];

/** Records of one page, and their size, if the last one does not exceed it: a space may have a megabyte. */
const PAGE_ROWS = 200;
const PAGE_CHARS = 1_000_000;

/** Reads a page of rows as records; `next` is null at the end of the table. */
export function readTablePage(
  sql: SqlStorage,
  sessionId: string,
  kind: SessionTableKind,
  after: TablePlace | null,
): { records: JsonObject[]; next: TablePlace | null } {
  const { table, columns, key } = SESSION_TABLES[kind];
  const keys = key.join(", ");
  const where = after === null ? "" : `WHERE (${keys}) > (${key.map(() => "?").join(", ")})`;
  const names = key.map((column, n) => `${column} AS key_${n}`);
  const cursor = sql.exec<SessionRow>(
    `SELECT ${[...columns, ...names].join(", ")} FROM ${table} ${where} ORDER BY ${keys} LIMIT ${PAGE_ROWS}`,
    ...(after ?? []),
  );
  const records: JsonObject[] = [];
  let next: TablePlace | null = null;
  let chars = 0;
  for (const row of cursor) {
    records.push(toRecord(sessionId, kind, row));
    next = key.map((_, n) => row[`key_${n}`] ?? "");
    chars += Object.values(row).reduce<number>((sum, value) => sum + String(value).length, 0);
    if (chars > PAGE_CHARS) break;
  }
  return { records, next };
}

function toRecord(sessionId: string, kind: SessionTableKind, row: SessionRow): JsonObject {
  const { columns, json, renamed = {} } = SESSION_TABLES[kind];
  const fields = columns.map((column) => {
    const value = row[column] ?? null;
    const isJson = json.includes(column) && value !== null;
    return [renamed[column] ?? column, isJson ? parseJson(String(value)) : value];
  });
  return { kind, session_id: sessionId, ...Object.fromEntries(fields) };
}

/** Inside a transaction: stores a record. Returns false if its row is there. */
export function restoreRow(sql: SqlStorage, kind: SessionTableKind, record: JsonObject): boolean {
  const { table, columns, json, renamed = {}, derive } = SESSION_TABLES[kind];
  const row: SessionRow = {
    ...Object.fromEntries(
      columns.map((column) => {
        const value = record[renamed[column] ?? column] ?? null;
        return [column, json.includes(column) && value !== null ? JSON.stringify(value) : (value as Value)];
      }),
    ),
    ...derive?.(record),
  };
  const names = Object.keys(row);
  const { rowsWritten } = sql.exec(
    `INSERT OR IGNORE INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    ...Object.values(row),
  );
  return rowsWritten > 0;
}
