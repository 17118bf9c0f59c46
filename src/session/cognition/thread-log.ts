// The thread in a session's object: append-only, numbered without gaps. The newest entries are rows; older ones are
// sealed into compressed segments, which are read only when somebody asks for them, in the same order.

import { COGNITION } from "../../limits";
import { type Json, parseJson } from "../../platform/json";
import { THREAD_KINDS, type ThreadEntry, type ThreadKind } from "../../schemas/projection";

/** Either says something itself, or stands for a message. */
export type NewEntry = { kind: ThreadKind; at: string; ref?: string } & (
  | { payload: Json; message?: undefined }
  | { message: number; payload?: undefined }
);

type Row = { seq: number; kind: ThreadKind; at: string; payload: string | null; message: number | null };
type Segment = { first_seq: number; last_seq: number; kinds: string; entries: ArrayBuffer };

export type ThreadRange = {
  from: number;
  to: number;
  /** Only these; all of them by default. */
  kinds?: readonly ThreadKind[] | undefined;
  limit: number;
};

/** `next` is where to go on: everything before it in the range was looked at. */
export type ThreadPart = { entries: ThreadEntry[]; next: number };

/** What a message says, by its number in the conversation. */
export type MessagePayloads = (seqs: readonly number[]) => ReadonlyMap<number, Json>;

const MESSAGE_SIZE = "length(content) + length(metadata) + coalesce(length(tool_calls), 0)";
const SIZE = `coalesce(length(payload), (SELECT ${MESSAGE_SIZE} FROM messages m WHERE m.seq = thread.message), 0)`;

export class ThreadLog {
  readonly #sql: SqlStorage;
  readonly #messages: MessagePayloads;
  /** The segment that was read last: a reader goes through it page by page. */
  #opened: { first: number; rows: readonly Row[] } | null = null;
  #life = 0;

  constructor(sql: SqlStorage, messages: MessagePayloads) {
    this.#sql = sql;
    this.#messages = messages;
  }

  /** Inside a transaction. Gives the number of the entry; null when the same thing was told before. */
  append({ kind, at, ref, payload, message }: NewEntry): number | null {
    // Looked up first: an insert that is refused would use up a number.
    if (ref !== undefined && this.#isTold(kind, ref)) return null;
    const { seq } = this.#sql
      .exec<{ seq: number }>(
        "INSERT INTO thread (kind, at, payload, message, ref) VALUES (?, ?, ?, ?, ?) RETURNING seq",
        kind,
        at,
        payload === undefined ? null : JSON.stringify(payload),
        message ?? null,
        ref ?? null,
      )
      .one();
    return seq;
  }

  #isTold(kind: ThreadKind, ref: string): boolean {
    const found = this.#sql.exec("SELECT 1 FROM thread WHERE kind = ? AND ref = ?", kind, ref);
    return found.toArray().length > 0;
  }

  /** The thread is gone, with its session. */
  forget(): void {
    this.#opened = null;
    this.#life += 1;
  }

  /** The number of the newest entry, 0 when there is none. */
  last(): number {
    return this.#sql.exec<{ seq: number }>("SELECT coalesce(max(seq), 0) AS seq FROM thread").one().seq;
  }

  /** How many entries after a number are of these kinds. What is sealed counts whole: it is never new for long. */
  countAfter(seq: number, kinds: readonly ThreadKind[]): number {
    const first = this.#firstRow();
    const { n } = this.#sql
      .exec<{ n: number }>(
        "SELECT count(*) AS n FROM thread WHERE seq > ? AND kind IN (SELECT value FROM json_each(?))",
        seq,
        JSON.stringify(kinds),
      )
      .one();
    return n + Math.max(0, first - 1 - seq);
  }

  /** As many entries as are wanted, and no more than an answer carries: at least one, if there is one. */
  async read({ from, to, kinds = THREAD_KINDS, limit }: ThreadRange): Promise<ThreadPart> {
    const found: Row[] = [];
    const end = Math.min(to, this.last());
    let room: number = COGNITION.readChars;
    /** Gives whether there is room for more. */
    const take = (row: Row, size: number): boolean => {
      if (found.length === limit || (size > room && found.length > 0)) return false;
      found.push(row);
      room -= size;
      return true;
    };
    let next = from;
    // Where each part is, is asked anew after every wait: entries may be sealed meanwhile.
    while (next <= end) {
      if (next >= this.#firstRow()) {
        for (const { size, ...row } of this.#rows(next, end, kinds, limit)) {
          if (!take(row, size)) return { entries: this.#told(found), next: row.seq };
        }
        break;
      }
      const segment = this.#segmentAt(next);
      if (segment === null) break;
      if (segment.kinds.split(" ").some((kind) => kinds.includes(kind as ThreadKind))) {
        for (const row of await this.#open(segment)) {
          if (row.seq < next || row.seq > end || !kinds.includes(row.kind)) continue;
          if (!take(row, this.#sizeOf(row))) return { entries: this.#told(found), next: row.seq };
        }
      }
      next = segment.last_seq + 1;
    }
    return { entries: this.#told(found), next: end + 1 };
  }

  /** Entries by number, in the order of the thread. */
  async entries(seqs: readonly number[]): Promise<ThreadEntry[]> {
    const found: ThreadEntry[] = [];
    for (const seq of [...new Set(seqs)].sort((a, b) => a - b))
      found.push(...(await this.read({ from: seq, to: seq, limit: 1 })).entries);
    return found;
  }

  /**
   * Seals the oldest rows, a segment a call, until only the newest are left as rows. Gives whether there is more.
   * `commit` runs the change in a transaction: the entries cannot have changed since they were read.
   */
  async seal(commit: (work: () => void) => void): Promise<boolean> {
    const rows = this.#oldest();
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return false;
    const kinds = [...new Set(rows.map(({ kind }) => kind))].join(" ");
    const entries = await gzip(JSON.stringify(rows));
    commit(() => {
      // Another call may have sealed them while these were being compressed.
      if (this.#firstRow() !== first.seq) return;
      this.#sql.exec(
        "INSERT INTO thread_segments (first_seq, last_seq, kinds, entries) VALUES (?, ?, ?, ?)",
        first.seq,
        last.seq,
        kinds,
        entries,
      );
      this.#sql.exec("DELETE FROM thread WHERE seq <= ?", last.seq);
    });
    return this.isLong();
  }

  /** Whether there are enough old rows for a segment. */
  isLong(): boolean {
    return this.last() - this.#firstRow() + 1 >= COGNITION.hotEntries + COGNITION.segmentEntries;
  }

  /** What the next segment holds: so many entries, and no more than a row of the database takes. */
  #oldest(): Row[] {
    if (!this.isLong()) return [];
    const rows = this.#sql.exec<Row>(
      `SELECT seq, kind, at, payload, message FROM (
         SELECT *, sum(length(payload)) OVER (ORDER BY seq) AS length FROM thread ORDER BY seq LIMIT ?
       ) WHERE coalesce(length, 0) <= ? OR seq = (SELECT min(seq) FROM thread)`,
      COGNITION.segmentEntries,
      COGNITION.segmentChars,
    );
    return rows.toArray();
  }

  #firstRow(): number {
    const { seq } = this.#sql.exec<{ seq: number | null }>("SELECT min(seq) AS seq FROM thread").one();
    return seq ?? 1;
  }

  /** Row by row: what there is no room for is not read. One more than wanted, to see that there is more. */
  #rows(from: number, to: number, kinds: readonly ThreadKind[], limit: number) {
    return this.#sql.exec<Row & { size: number }>(
      `SELECT seq, kind, at, payload, message, ${SIZE} AS size FROM thread
       WHERE seq BETWEEN ? AND ? AND kind IN (SELECT value FROM json_each(?)) ORDER BY seq LIMIT ?`,
      from,
      to,
      JSON.stringify(kinds),
      limit + 1,
    );
  }

  /** Of a message, what the message holds. */
  #sizeOf({ payload, message }: Row): number {
    if (message === null) return payload?.length ?? 0;
    const [row] = this.#sql
      .exec<{ size: number }>(`SELECT ${MESSAGE_SIZE} AS size FROM messages WHERE seq = ?`, message)
      .toArray();
    return row?.size ?? 0;
  }

  #segmentAt(seq: number): Segment | null {
    const [segment] = this.#sql
      .exec<Segment>(
        "SELECT * FROM thread_segments WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1",
        seq,
      )
      .toArray();
    return segment ?? null;
  }

  async #open({ first_seq, entries }: Segment): Promise<readonly Row[]> {
    if (this.#opened?.first === first_seq) return this.#opened.rows;
    const life = this.#life;
    const rows = parseJson<Row[]>(await gunzip(entries));
    // Not kept if the thread was erased during the wait.
    if (life === this.#life) this.#opened = { first: first_seq, rows };
    return rows;
  }

  #told(rows: readonly Row[]): ThreadEntry[] {
    const messages = this.#messages(rows.flatMap(({ message }) => message ?? []));
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
