// The table of a session's messages in its object: those in the window, and those that have left it.
import { type Json, type JsonObject, parseJson } from "../../kernel/json";
import type { Message, Role } from "../../memories/message-schemas";

// ConversationBuffer: a sliding window over messages, sized in tokens. It holds positions, not contents.

export type Slot = { seq: number; id: string; tokens: number };

export type ConversationBuffer = { slots: readonly Slot[]; tokens: number; max: number };

type WindowChange = { buffer: ConversationBuffer; evicted: Slot[] };

export function createBuffer(max: number): ConversationBuffer {
  return { slots: [], tokens: 0, max };
}

/** Adds messages in order and evicts the oldest until the window fits; the newest always stays. */
export function addToBuffer(buffer: ConversationBuffer, slots: readonly Slot[]): WindowChange {
  const all = [...buffer.slots, ...slots];
  let tokens = slots.reduce((sum, slot) => sum + slot.tokens, buffer.tokens);
  let first = 0;
  for (const slot of all) {
    if (tokens <= buffer.max || first === all.length - 1) break;
    tokens -= slot.tokens;
    first += 1;
  }
  return { buffer: { slots: all.slice(first), tokens, max: buffer.max }, evicted: all.slice(0, first) };
}

/** Changes the size of the window; a smaller one evicts messages. */
export function resizeBuffer(buffer: ConversationBuffer, max: number): WindowChange {
  return addToBuffer({ ...buffer, max }, []);
}

type MessageRow = {
  seq: number;
  id: string;
  role: string;
  name: string | null;
  content: string;
  timestamp: string;
  token_count: number;
  tool_calls: string | null;
  tool_call_id: string | null;
  metadata: string;
};

export class MessageTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Returns those of the ids that are stored, in the window or before it. */
  findKnownIds(ids: readonly string[]): Set<string> {
    const rows = this.#sql.exec<{ id: string }>(
      "SELECT id FROM messages WHERE id IN (SELECT value FROM json_each(?))",
      JSON.stringify(ids),
    );
    return new Set(rows.toArray().map(({ id }) => id));
  }

  /** Returns the roles of the messages with these ids. */
  findRoles(ids: readonly string[]): Role[] {
    return this.#sql
      .exec<{ role: string }>(
        "SELECT DISTINCT role FROM messages WHERE id IN (SELECT value FROM json_each(?))",
        JSON.stringify(ids),
      )
      .toArray()
      .map(({ role }) => role as Role);
  }

  insert(message: Message): Slot {
    const { id, role, name, content, timestamp, token_count, tool_calls, tool_call_id, metadata } = message;
    const { seq } = this.#sql
      .exec<{ seq: number }>(
        `INSERT INTO messages (id, role, name, content, timestamp, token_count, tool_calls, tool_call_id, metadata)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`,
        id,
        role,
        name,
        content,
        timestamp,
        token_count,
        tool_calls === null ? null : JSON.stringify(tool_calls),
        tool_call_id,
        JSON.stringify(metadata),
      )
      .one();
    return { seq, id, tokens: token_count };
  }

  /** Returns messages by sequence number, oldest first. */
  read({ from, to, limit }: { from: number; to?: number; limit?: number }): (Message & { seq: number })[] {
    return this.#sql
      .exec<MessageRow>(
        "SELECT * FROM messages WHERE seq >= ? AND seq <= ? ORDER BY seq LIMIT ?",
        from,
        to ?? Number.MAX_SAFE_INTEGER,
        limit ?? -1,
      )
      .toArray()
      .map(toMessage);
  }

  /** Returns the sequence number of the newest message, 0 if there is none. */
  lastSeq(): number {
    const { seq } = this.#sql
      .exec<{ seq: number }>("SELECT coalesce(max(seq), 0) AS seq FROM messages")
      .one();
    return seq;
  }

  /** Returns the sequence number of a message's thread entry, 0 if the entry is in a sealed segment. */
  findThreadSeq(messageId: string): number {
    const [row] = this.#sql
      .exec<{ seq: number }>(
        "SELECT t.seq FROM thread t JOIN messages m ON m.seq = t.message WHERE m.id = ?",
        messageId,
      )
      .toArray();
    return row?.seq ?? 0;
  }

  /** Returns messages as payloads of thread entries, by sequence number. */
  readPayloads(seqs: readonly number[]): ReadonlyMap<number, Json> {
    if (seqs.length === 0) return new Map();
    const rows = this.#sql
      .exec<MessageRow>(
        "SELECT * FROM messages WHERE seq IN (SELECT value FROM json_each(?))",
        JSON.stringify(seqs),
      )
      .toArray();
    return new Map(
      rows.map((row) => {
        const { seq, timestamp: _timestamp, token_count: _tokens, ...message } = toMessage(row);
        return [seq, message];
      }),
    );
  }
}

function toMessage({ role, tool_calls, metadata, ...row }: MessageRow): Message & { seq: number } {
  return {
    ...row,
    role: role as Role,
    tool_calls: tool_calls === null ? null : parseJson<Json[]>(tool_calls),
    metadata: parseJson<JsonObject>(metadata),
  };
}
