// Reads everything that a session's object stores as records of an export, and stores such records in an object.
import { FailureError } from "../../platform/errors";
import { type Json, type JsonObject, parseJson } from "../../platform/json";
import { SESSION_KINDS, type SessionKind } from "../../schemas/transfer/export-records";
import type { ExportedSession } from "../../schemas/transfer/session-records";
import type { ThreadRow } from "../cognition/thread-log";
import type { SessionCore } from "../session-core";
import type { SessionRecord, SessionRef } from "../session-record";
import type { ImportedCounts, RecordCursor, SessionRecords } from "../session-rpc";
import { readTablePage, restoreRow } from "./session-tables";

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
      // What is on its way to the long-term store is exported from there.
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
function toExportedSession(record: SessionRecord): JsonObject {
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
    promote_at: null,
    extract_at: null,
    retry_at: null,
    send_at: null,
    project_at: null,
    reproject_at: null,
    execute_at: null,
    expire_at: null,
    extraction_failures: 0,
    messages_sent: 0,
    reported_bytes: 0,
    attempts: 0,
    blocked_until: null,
    unregistered: true,
    erasing: null,
    bookmark: null,
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
