// Removes erased memories from a session's object. In the thread and the stored answers, results that render the memory
// lose it by its id. Only in the memory's own session its texts are also removed wherever they occur: from the rest of
// the thread, signals, spaces and items, with the pending or context items that it was promoted from. Another session
// belongs to others, who may have written the same words. Messages stay: they go with the session. The thread keeps what
// was said, so the text of a masked memory is found there unmasked, too.
import { renderContextItem } from "../../domain/short-term/working-context";
import { countUtf8Bytes } from "../../schemas/common";
import type { StoredEntry } from "../cognition/thread-log";
import type { SessionCore } from "../session-core";
import { redactCall, redactResult } from "./redact-result";
import { createTextRedactor, type TextRedactor } from "./text-redactor";

/** What a session has to remove of an erased memory. */
export type Redaction = {
  memory_id: string;
  /** A text of the memory, if this is its own session. */
  text: string | null;
};

/** The other columns of JSON that may hold a text of a memory, with the key of their tables. */
const QUOTING_COLUMNS = [
  { table: "signals", key: "seq", column: "event" },
  { table: "items", key: "store || ' ' || key", column: "value" },
  { table: "ephemeral_items", key: "store || ' ' || key", column: "value" },
] as const;

/** Removes the memories in one transaction, but for sealed thread segments, each of which is one of its own. */
export async function redactSession(core: SessionCore, redactions: readonly Redaction[]): Promise<void> {
  const { storage } = core;
  const { sql } = storage;
  const memoryIds = new Set(redactions.map(({ memory_id }) => memory_id));
  const texts = new Set(redactions.flatMap(({ text }) => text ?? []));
  const redactor = createTextRedactor(texts);
  const hints = [...memoryIds, ...redactor.hints];
  const redactEntry = createEntryRedactor(memoryIds, redactor);
  storage.write(() => {
    for (const { seq, kind, payload } of findEntries(sql, hints))
      sql.exec("UPDATE thread SET payload = ? WHERE seq = ?", redactEntry({ seq, kind, payload }), seq);
    const answers = findQuoting(sql, "op AS id, response AS json", "idempotency", "response", hints);
    for (const { id, json } of answers) {
      const response = redactResult(json, memoryIds)?.payload ?? json;
      sql.exec("UPDATE idempotency SET response = ? WHERE op = ?", redactor.redact(response), id);
    }
    if (texts.size > 0) redactTexts(core, redactor);
    // A segment that is being sealed was read before.
    storage.thread.reset();
  });
  await storage.thread.rewriteSegments(redactEntry, (work) => {
    if (storage.read()?.record.erasing === null) storage.write(work);
  });
  await core.schedule();
}

/**
 * Returns a function that redacts thread entries, which it must get newest first: a result that is about an erased memory
 * alone takes the input of its call with it, since that call wrote the memory.
 */
function createEntryRedactor(memoryIds: ReadonlySet<string>, { redact }: TextRedactor) {
  const resultsByCallSeq = new Map<number, string>();
  return ({ seq, kind, payload }: StoredEntry): string => {
    const redacted = kind === "tool_result" ? redactResult(payload, memoryIds) : null;
    if (redacted?.isAboutOne) resultsByCallSeq.set(seq - 1, payload);
    const result = kind === "tool_call" ? resultsByCallSeq.get(seq) : undefined;
    const call = result === undefined ? payload : redactCall(payload, result);
    return redact(redacted?.payload ?? call);
  };
}

/** Finds the thread entries that hold one of the strings, and the calls before them, newest first. */
function findEntries(sql: SqlStorage, strings: readonly string[]): StoredEntry[] {
  return sql
    .exec<StoredEntry>(
      `WITH quoting AS MATERIALIZED (
         SELECT seq FROM thread WHERE EXISTS (
           SELECT 1 FROM json_each(?) s WHERE instr(thread.payload, s.value) > 0))
       SELECT seq, kind, payload FROM thread
       WHERE payload IS NOT NULL AND (seq IN quoting OR (kind = 'tool_call' AND seq + 1 IN quoting))
       ORDER BY seq DESC`,
      JSON.stringify(strings),
    )
    .toArray();
}

/** Removes texts of the session's own memories. */
function redactTexts(core: SessionCore, redactor: TextRedactor): void {
  const { sql } = core.storage;
  const { hints, redact } = redactor;
  for (const { table, key, column } of QUOTING_COLUMNS)
    for (const { id, json } of findQuoting(sql, `${key} AS id, ${column} AS json`, table, column, hints))
      sql.exec(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`, redact(json), id);
  redactSpaces(sql, redactor);
  removeSources(core, redactor);
}

type QuotingRow = { id: string | number; json: string };

function findQuoting(
  sql: SqlStorage,
  columns: string,
  table: string,
  column: string,
  strings: readonly string[],
): QuotingRow[] {
  return sql
    .exec<QuotingRow>(
      `SELECT ${columns} FROM ${table} WHERE EXISTS (
         SELECT 1 FROM json_each(?) f WHERE instr(${table}.${column}, f.value) > 0)`,
      JSON.stringify(strings),
    )
    .toArray();
}

/** A changed space has a new revision, so that a writer who read the old text gets a conflict. */
function redactSpaces(sql: SqlStorage, { hints, redact }: TextRedactor): void {
  const quoting = findQuoting(sql, "name AS id, data AS json", "spaces", "data", hints)
    .map(({ id, json }) => ({ id, json, data: redact(json) }))
    .filter(({ json, data }) => data !== json);
  for (const { id, data } of quoting) {
    sql.exec(
      "UPDATE spaces SET data = ?, bytes = ?, rev = rev + 1 WHERE name = ?",
      data,
      countUtf8Bytes(data),
      id,
    );
  }
  if (quoting.length > 0)
    sql.exec("UPDATE memory SET head = json_set(head, '$.rev', json_extract(head, '$.rev') + 1)");
}

/** Removes the pending and context items whose content a memory has. */
function removeSources({ storage }: SessionCore, { matches }: TextRedactor): void {
  const memory = storage.read();
  if (memory === null) return;
  const dropped = memory.pending.filter(({ content }) => matches(content));
  if (dropped.length > 0)
    storage.savePending(
      memory.pending.filter((item) => !dropped.includes(item)),
      [],
      dropped,
    );
  for (const item of [...memory.context.values()])
    if (matches(renderContextItem(item))) storage.deleteContext(item.key);
}
