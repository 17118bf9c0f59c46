// Removes erased memories from a session's object. In the thread and the stored answers, results that render the memory
// lose it by its id. Only in the memory's own session its texts are also removed wherever they occur: from the rest of
// the thread, signals, spaces and items, with the pending or context items that it was promoted from. Another session
// belongs to others, who may have written the same words. Messages stay: they go with the session. The thread keeps what
// was said, so the text of a masked memory is found there unmasked, too.

import type { StoredEntry } from "../cognition/runtime/thread-log";
import { countUtf8Bytes } from "../kernel/common";
import { isJsonObject, type Json, parseJson } from "../kernel/json";
import { ERASED, isDistinctive, listEncodings, listStoredForms, redactJson } from "../language/redact-text";
import { findLongestLiteral, hasMask, maskAll, replaceUnmasked } from "../trust/privacy/replace-unmasked";
import { redactCall, redactResult } from "./redact-result";
import type { SessionCore } from "./session-core";
import { renderContextItem } from "./short-term/working-context";

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

/** Removes the memories in one transaction. Sealed thread segments are rewritten in a transaction each. */
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

/** Removes texts as they are, masked by a stricter policy and, if they are masked themselves, as they were before the gate. */
type TextRedactor = {
  /** Strings one of which is in every JSON that may hold a text. */
  hints: readonly string[];
  /** Returns the JSON without the texts. */
  redact: (json: string) => string;
  /** Returns whether a text is one of those to remove. */
  matches: (text: string) => boolean;
};

function createTextRedactor(texts: ReadonlySet<string>): TextRedactor {
  const masked = [...new Set([...texts].filter(hasMask).map(maskAll))];
  const forms = [...new Set([...texts, ...[...texts].map(maskAll)])].flatMap(listStoredForms);
  const literals = masked.map(findLongestLiteral).flatMap(listEncodings);
  return {
    hints: [...new Set([...forms, ...literals])],
    redact(json) {
      const redacted = redactJson(json, forms);
      return masked.length === 0 ? redacted : redactMembers(redacted, masked);
    },
    matches: (text) => texts.has(text) || (masked.length > 0 && masked.includes(maskAll(text))),
  };
}

function redactMembers(json: string, masked: readonly string[]): string {
  const value = parseJson<Json>(json);
  const redacted = redactUnmasked(value, masked);
  return redacted === value ? json : JSON.stringify(redacted);
}

/** Returns the same value if it holds none of the texts. */
function redactUnmasked(value: Json, masked: readonly string[]): Json {
  if (typeof value === "string") return redactString(value, masked);
  if (Array.isArray(value)) {
    const items = value.map((item) => redactUnmasked(item, masked));
    return items.some((item, n) => item !== value[n]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, item]) => [name, redactUnmasked(item, masked)] as const);
  return members.some(([name, item]) => item !== value[name]) ? Object.fromEntries(members) : value;
}

function redactString(text: string, masked: readonly string[]): string {
  const inner = parseContainer(text);
  if (inner !== null) {
    const redacted = redactUnmasked(inner, masked);
    return redacted === inner ? text : JSON.stringify(redacted);
  }
  return masked.reduce((rest, target) => {
    if (!isDistinctive(target)) return rest !== ERASED && maskAll(rest) === target ? ERASED : rest;
    // A text that is clipped JSON holds it encoded.
    return [target, ...listEncodings(target)].reduce(
      (left, form) => replaceUnmasked(left, form, ERASED),
      rest,
    );
  }, text);
}

/** Parses a text that is a JSON object or array. */
function parseContainer(text: string): Json | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Text that begins like JSON, or JSON that was clipped.
    return null;
  }
}
