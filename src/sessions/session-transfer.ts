// Reads everything that a session's object stores as records of an export, and stores such records in an object.

import type { ThreadRow } from "../cognition/runtime/thread-log";
import type { Expiries } from "../cognition/spaces/space-container";
import { findEarliestExpiry } from "../cognition/spaces/space-data";
import { countUtf8Bytes } from "../kernel/common";
import { FailureError } from "../kernel/errors";
import { type Json, type JsonObject, parseJson } from "../kernel/json";
import type { SessionCore } from "./session-core";
import { type SessionRecord, type SessionRef, UNPROCESSED } from "./session-record";
import { type ExportedSession, SESSION_KINDS, type SessionKind } from "./session-records";
import type { ImportedCounts, RecordCursor, SessionRecords } from "./session-rpc";

export class SessionTransfer {
  readonly #core: SessionCore;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  /** Returns a page of the session's records; none if it does not exist, or is being erased. */
  async read(ref: SessionRef, cursor: RecordCursor | null): Promise<SessionRecords> {
    const memory = this.#core.storage.read();
    if (memory === null || memory.record.erasing !== null) return { records: [], next: null };
    if (cursor === null) {
      // Queued entries and messages are exported from the long-term store.
      await this.#core.services(ref).outbox.drain({ messages: true });
      const { record } = this.#core.require(ref);
      return { records: [toExportedSession(record)], next: { kind: "projector", after: null } };
    }
    const { kind, after } = cursor;
    const page =
      kind === "thread_entry"
        ? await this.#readThread(ref.id, Number(after?.[0] ?? 0))
        : readTablePage(this.#core.storage.sql, ref.id, kind, after);
    if (page.next !== null) return { records: page.records, next: { kind, after: page.next } };
    const following = SESSION_KINDS[SESSION_KINDS.indexOf(kind) + 1];
    return {
      records: page.records,
      next: following === undefined || following === "session" ? null : { kind: following, after: null },
    };
  }

  async #readThread(sessionId: string, after: number) {
    const rows = await this.#core.storage.thread.readRows(after + 1);
    const last = rows.at(-1);
    return {
      records: rows.map((row) => toThreadRecord(sessionId, row)),
      next: last === undefined ? null : [last.seq],
    };
  }

  findLastSeq(): number {
    const { storage } = this.#core;
    return storage.read() === null ? 0 : storage.messages.lastSeq();
  }

  /** Stores the records that are not there yet, in one transaction, and sends messages to the long-term store. */
  async import(ref: SessionRef, records: readonly JsonObject[]): Promise<ImportedCounts> {
    const { storage } = this.#core;
    const added: Record<string, number> = {};
    storage.write(() => {
      for (const record of records) {
        const kind = record.kind as SessionKind;
        if (this.#restore(ref, kind, record)) added[kind] = (added[kind] ?? 0) + 1;
      }
      storage.discardCopy();
    });
    await this.#core.schedule();
    await this.#core.updateRegistry(ref);
    await this.#core.flushMessages(ref);
    return { added };
  }

  #restore(ref: SessionRef, kind: SessionKind, record: JsonObject): boolean {
    const { storage } = this.#core;
    if (kind === "session") {
      if (storage.read() !== null) return false;
      storage.initialise(toSessionRecord(ref, record as unknown as ExportedSession));
      return true;
    }
    if (storage.read() === null)
      throw new FailureError({ code: "not_found", detail: `Session not found: ${ref.id}.` });
    if (kind === "thread_entry") return storage.thread.restore(toThreadRow(record));
    return restoreRow(storage.sql, kind, record);
  }
}

/** Leaves out what the object computes anew: due times, and what the long-term store has. */
export function toExportedSession(record: SessionRecord): JsonObject {
  const { id, status, user_id, agent_id, project_id, reach, phase, participating_agents, within } = record;
  const { continues, created_at, updated_at, ended_at, token_budget, promotion, policy, privacy } = record;
  const { metadata, runs, total_promoted, last_run, window_start, extracted_seq, finishing } = record;
  const hasBinding = within !== undefined && Object.keys(within).length > 0;
  return {
    kind: "session",
    ...{ id, status, user_id, agent_id, project_id, reach, phase },
    participating_agents: [...participating_agents],
    ...(hasBinding && { within: { ...within } as JsonObject }),
    ...{ continues, created_at, updated_at, ended_at, token_budget, promotion, policy, privacy },
    ...{ metadata, runs, total_promoted, last_run, window_start, extracted_seq, finishing },
    version: record.version,
  };
}

function toSessionRecord({ tenant }: SessionRef, exported: ExportedSession): SessionRecord {
  const { kind: _kind, within, ...record } = exported;
  return {
    ...record,
    ...(within !== undefined && { within }),
    tenant,
    policy: record.policy as Json,
    metadata: record.metadata as JsonObject,
    ...UNPROCESSED,
  };
}

function toThreadRecord(sessionId: string, { kind, payload, ...row }: ThreadRow): JsonObject {
  const { seq, at, message, ref } = row;
  return {
    kind: "thread_entry",
    session_id: sessionId,
    seq,
    type: kind,
    at,
    ...(message === null && { payload: parseJson<Json>(payload ?? "null") }),
    message,
    ref,
  };
}

function toThreadRow({ seq, type, at, payload, message, ref }: JsonObject): ThreadRow {
  return {
    seq: Number(seq),
    kind: type as ThreadRow["kind"],
    at: String(at),
    payload: payload === undefined ? null : JSON.stringify(payload),
    message: message === null ? null : Number(message),
    ref: ref as string | null,
  };
}

/** The kinds that are rows of a table. The record of the session and its thread are read and written apart. */
type SessionTableKind = Exclude<SessionKind, "session" | "thread_entry">;

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

const SESSION_TABLES: Readonly<Record<SessionTableKind, SessionTable>> = {
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
type TablePlace = readonly (string | number)[];

/** Records of one page, and their size, if the last one does not exceed it: a space may have a megabyte. */
const PAGE_ROWS = 200;
const PAGE_CHARS = 1_000_000;

/** Reads a page of rows as records; `next` is null at the end of the table. */
function readTablePage(
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
function restoreRow(sql: SqlStorage, kind: SessionTableKind, record: JsonObject): boolean {
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
