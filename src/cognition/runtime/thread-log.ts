// The thread in a session's object: append-only, with sequence numbers without gaps. The newest entries are rows; older
// ones are sealed into compressed segments, which are decompressed when they are read.

import { hash64 } from "../../kernel/hash";
import { type Json, parseJson } from "../../kernel/json";
import { canonicalJson } from "../../language/json-text";
import { THREAD_KINDS, type ThreadEntry, type ThreadKind } from "./thread-schemas";

/** The number of entries in a segment, and of the newest entries that stay rows. */
export const SEGMENT_ENTRIES = 500;
const HOT_ENTRIES = 1_000;

/** The size of a segment before compression: at most three bytes a character, it fits SQLite's 2 MB a row. */
const SEGMENT_CHARS = 500_000;

/** The size of one read: an RPC answer has at most 32 MB. */
const READ_CHARS = 4_000_000;

/** An entry has a payload of its own or refers to a message. */
export type NewThreadEntry = { kind: ThreadKind; at: string; ref?: string } & (
  | { payload: Json; message?: undefined }
  | { message: number; payload?: undefined }
);

type Row = { seq: number; kind: ThreadKind; at: string; payload: string | null; message: number | null };
/** An entry with a payload of its own, which is JSON. */
export type StoredEntry = Pick<Row, "seq" | "kind"> & { payload: string };
/** A row with the reference under which it was appended; a sealed entry has lost it. */
export type ThreadRow = Row & { ref: string | null };
type Segment = { first_seq: number; last_seq: number; kinds: string; entries: ArrayBuffer };

export type ThreadRange = {
  from: number;
  to: number;
  /** All kinds by default. */
  kinds?: readonly ThreadKind[] | undefined;
  limit: number;
};

/** `next` is the sequence number to continue from. */
type ThreadPart = { entries: ThreadEntry[]; next: number };

/** Reads messages as payloads, by their sequence numbers in the conversation. */
type PayloadReader = (seqs: readonly number[]) => ReadonlyMap<number, Json>;

const MESSAGE_SIZE = "length(content) + length(metadata) + coalesce(length(tool_calls), 0)";
const SIZE = `coalesce(length(payload), (SELECT ${MESSAGE_SIZE} FROM messages m WHERE m.seq = thread.message), 0)`;

export class ThreadLog {
  readonly #sql: SqlStorage;
  readonly #readPayloads: PayloadReader;
  /** The last segment read: a client reads it page by page. */
  #opened: { first: number; rows: readonly Row[] } | null = null;
  /** Counts erasures and redactions, so that a segment from before is neither cached nor stored. */
  #generation = 0;

  constructor(sql: SqlStorage, readPayloads: PayloadReader) {
    this.#sql = sql;
    this.#readPayloads = readPayloads;
  }

  /** Inside a transaction: appends an entry. Returns false if its reference is already in the thread. */
  append({ kind, at, ref, payload, message }: NewThreadEntry): boolean {
    // A failed INSERT would use up a sequence number.
    if (ref !== undefined && this.#hasRef(kind, ref)) return false;
    this.#sql.exec(
      "INSERT INTO thread (kind, at, payload, message, ref) VALUES (?, ?, ?, ?, ?)",
      kind,
      at,
      payload === undefined ? null : JSON.stringify(payload),
      message ?? null,
      ref ?? null,
    );
    return true;
  }

  #hasRef(kind: ThreadKind, ref: string): boolean {
    const found = this.#sql.exec("SELECT 1 FROM thread WHERE kind = ? AND ref = ?", kind, ref);
    return found.toArray().length > 0;
  }

  /** Clears the cache, and stops the sealing in progress, after the session was erased or a text was removed from it. */
  reset(): void {
    this.#opened = null;
    this.#generation += 1;
  }

  /** Returns the sequence number of the newest entry, 0 if there is none. */
  lastSeq(): number {
    return this.#sql.exec<{ seq: number }>("SELECT coalesce(max(seq), 0) AS seq FROM thread").one().seq;
  }

  /** Counts the entries of these kinds after a sequence number. Sealed entries count regardless of their kind. */
  countAfter(seq: number, kinds: readonly ThreadKind[]): number {
    const first = this.#firstRowSeq();
    const { n } = this.#sql
      .exec<{ n: number }>(
        "SELECT count(*) AS n FROM thread WHERE seq > ? AND kind IN (SELECT value FROM json_each(?))",
        seq,
        JSON.stringify(kinds),
      )
      .one();
    return n + Math.max(0, first - 1 - seq);
  }

  /** Lists the types of the signals after a sequence number that are still rows, empty for a signal without one. */
  listSignalTypes(seq: number): string[] {
    return this.#sql
      .exec<{ type: string }>(
        `SELECT coalesce(iif(json_type(payload, '$.type') = 'text', payload ->> '$.type', NULL), '') AS type
         FROM thread WHERE seq > ? AND kind = 'signal'`,
        seq,
      )
      .toArray()
      .map(({ type }) => type);
  }

  /** Reads a range up to the limit and the size of an answer, but at least one entry if there is one. */
  async read({ from, to, kinds = THREAD_KINDS, limit }: ThreadRange): Promise<ThreadPart> {
    const found: Row[] = [];
    const end = Math.min(to, this.lastSeq());
    let room = READ_CHARS;
    /** Returns whether the entry fitted. */
    const take = (row: Row, size: number): boolean => {
      if (found.length === limit || (size > room && found.length > 0)) return false;
      found.push(row);
      room -= size;
      return true;
    };
    let next = from;
    // Rows may be sealed during an await, so their location is looked up in every round.
    while (next <= end) {
      if (next >= this.#firstRowSeq()) {
        for (const { size, ...row } of this.#selectRows(next, end, kinds, limit)) {
          if (!take(row, size)) return { entries: this.#toEntries(found), next: row.seq };
        }
        break;
      }
      const segment = this.#findSegment(next);
      if (segment === null) break;
      if (segment.kinds.split(" ").some((kind) => kinds.includes(kind as ThreadKind))) {
        for (const row of await this.#readSegment(segment)) {
          if (row.seq < next || row.seq > end || !kinds.includes(row.kind)) continue;
          if (!take(row, this.#measure(row))) return { entries: this.#toEntries(found), next: row.seq };
        }
      }
      next = segment.last_seq + 1;
    }
    return { entries: this.#toEntries(found), next: end + 1 };
  }

  /** Returns rows as they are stored, at most those of a segment at once, from a sequence number on. */
  async readRows(from: number): Promise<ThreadRow[]> {
    if (from < this.#firstRowSeq()) {
      const segment = this.#findSegment(from);
      const sealed = segment === null ? [] : await this.#readSegment(segment);
      const rows = sealed.filter(({ seq }) => seq >= from).map((row) => ({ ...row, ref: null }));
      if (rows.length > 0) return rows;
    }
    return this.#sql
      .exec<ThreadRow>(
        "SELECT seq, kind, at, payload, message, ref FROM thread WHERE seq >= ? ORDER BY seq LIMIT ?",
        from,
        SEGMENT_ENTRIES,
      )
      .toArray();
  }

  /** Inside a transaction: stores a row under its own sequence number. Returns false if there is one. */
  restore({ seq, kind, at, payload, message, ref }: ThreadRow): boolean {
    const { rowsWritten } = this.#sql.exec(
      `INSERT OR IGNORE INTO thread (seq, kind, at, payload, message, ref) SELECT ?1, ?2, ?3, ?4, ?5, ?6
       WHERE ?1 > coalesce((SELECT max(last_seq) FROM thread_segments), 0)`,
      seq,
      kind,
      at,
      payload,
      message,
      ref,
    );
    return rowsWritten > 0;
  }

  /** Finds entries by sequence number, in the order of the thread. */
  async find(seqs: readonly number[]): Promise<ThreadEntry[]> {
    const found: ThreadEntry[] = [];
    for (const seq of [...new Set(seqs)].sort((a, b) => a - b))
      found.push(...(await this.read({ from: seq, to: seq, limit: 1 })).entries);
    return found;
  }

  /**
   * Seals the oldest rows into one segment. Returns whether more can be sealed. `commit` runs the change in a
   * transaction; apart from redactions entries are immutable, so those compressed before it are current.
   */
  async seal(commit: (work: () => void) => void): Promise<boolean> {
    const rows = this.#selectOldest();
    const generation = this.#generation;
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return false;
    const kinds = [...new Set(rows.map(({ kind }) => kind))].join(" ");
    const entries = await gzip(JSON.stringify(rows));
    commit(() => {
      // A concurrent call may have sealed them during the compression, or removed a text from them.
      if (this.#firstRowSeq() !== first.seq || generation !== this.#generation) return;
      this.#sql.exec(
        "INSERT INTO thread_segments (first_seq, last_seq, kinds, entries) VALUES (?, ?, ?, ?)",
        first.seq,
        last.seq,
        kinds,
        entries,
      );
      this.#sql.exec("DELETE FROM thread WHERE seq <= ?", last.seq);
    });
    return this.isSealable();
  }

  /**
   * Rewrites the payloads of sealed entries, whose sequence numbers stay, the newest first. `commit` runs the change of a
   * segment in a transaction.
   */
  async rewriteSegments(
    rewrite: (entry: StoredEntry) => string,
    commit: (work: () => void) => void,
  ): Promise<void> {
    const firsts = this.#sql
      .exec<{ seq: number }>("SELECT first_seq AS seq FROM thread_segments ORDER BY first_seq DESC")
      .toArray();
    for (const { seq } of firsts) {
      const segment = this.#findSegment(seq);
      if (segment === null) continue;
      const rows = await this.#readSegment(segment);
      const rewritten = rows
        .toReversed()
        .map(({ payload, ...row }) => ({
          ...row,
          payload: payload === null ? null : rewrite({ ...row, payload }),
        }))
        .toReversed();
      if (rewritten.every(({ payload }, n) => payload === rows[n]?.payload)) continue;
      const entries = await gzip(JSON.stringify(rewritten));
      commit(() => {
        this.#sql.exec("UPDATE thread_segments SET entries = ? WHERE first_seq = ?", entries, seq);
        this.reset();
      });
    }
  }

  /** Returns whether there are enough old rows for a segment. */
  isSealable(): boolean {
    return this.lastSeq() - this.#firstRowSeq() + 1 >= HOT_ENTRIES + SEGMENT_ENTRIES;
  }

  /** Selects the rows of the next segment, limited by number and by size. */
  #selectOldest(): Row[] {
    if (!this.isSealable()) return [];
    const rows = this.#sql.exec<Row>(
      `SELECT seq, kind, at, payload, message FROM (
         SELECT *, sum(length(payload)) OVER (ORDER BY seq) AS length FROM thread ORDER BY seq LIMIT ?
       ) WHERE coalesce(length, 0) <= ? OR seq = (SELECT min(seq) FROM thread)`,
      SEGMENT_ENTRIES,
      SEGMENT_CHARS,
    );
    return rows.toArray();
  }

  #firstRowSeq(): number {
    const { seq } = this.#sql.exec<{ seq: number | null }>("SELECT min(seq) AS seq FROM thread").one();
    return seq ?? 1;
  }

  /** Returns a cursor, so that rows beyond the answer's size are not read. One more than the limit shows that there are more. */
  #selectRows(from: number, to: number, kinds: readonly ThreadKind[], limit: number) {
    return this.#sql.exec<Row & { size: number }>(
      `SELECT seq, kind, at, payload, message, ${SIZE} AS size FROM thread
       WHERE seq BETWEEN ? AND ? AND kind IN (SELECT value FROM json_each(?)) ORDER BY seq LIMIT ?`,
      from,
      to,
      JSON.stringify(kinds),
      limit + 1,
    );
  }

  /** Returns the size of an entry; for a message, that of its stored columns. */
  #measure({ payload, message }: Row): number {
    if (message === null) return payload?.length ?? 0;
    const [row] = this.#sql
      .exec<{ size: number }>(`SELECT ${MESSAGE_SIZE} AS size FROM messages WHERE seq = ?`, message)
      .toArray();
    return row?.size ?? 0;
  }

  #findSegment(seq: number): Segment | null {
    const [segment] = this.#sql
      .exec<Segment>(
        "SELECT * FROM thread_segments WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1",
        seq,
      )
      .toArray();
    return segment ?? null;
  }

  async #readSegment({ first_seq, entries }: Segment): Promise<readonly Row[]> {
    if (this.#opened?.first === first_seq) return this.#opened.rows;
    const generation = this.#generation;
    const rows = parseJson<Row[]>(await gunzip(entries));
    if (generation === this.#generation) this.#opened = { first: first_seq, rows };
    return rows;
  }

  #toEntries(rows: readonly Row[]): ThreadEntry[] {
    const messages = this.#readPayloads(rows.flatMap(({ message }) => message ?? []));
    return rows.map(({ seq, kind, at, payload, message }) => ({
      seq,
      kind,
      at,
      payload: message === null ? parseJson<Json>(payload ?? "null") : (messages.get(message) ?? null),
    }));
  }
}

async function gzip(text: string): Promise<ArrayBuffer> {
  return new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
}

async function gunzip(bytes: ArrayBuffer): Promise<string> {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/** Identifies a tool call by its id and content: some models reuse ids in every reply. */
export function createCallRef(id: string, call: object): string {
  return `${id} ${hash64(canonicalJson(call))}`;
}
