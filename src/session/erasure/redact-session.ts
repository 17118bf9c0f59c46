// Removes texts of erased memories from a session's object: tool calls, results and signals in the thread, stored
// answers, spaces and items, and the pending or context items that the memories were promoted from. Messages stay: they
// are what was said, and go with the session.
import { renderContextItem } from "../../domain/short-term/working-context";
import { countUtf8Bytes } from "../../schemas/common";
import { listStoredForms, redactJson } from "../../text/redact-text";
import type { SessionCore } from "../session-core";

/** The columns of JSON that may quote a memory, with the key of their tables. */
const QUOTING_COLUMNS = [
  { table: "idempotency", key: "op", column: "response" },
  { table: "signals", key: "seq", column: "event" },
  { table: "thread", key: "seq", column: "payload" },
  { table: "items", key: "store || ' ' || key", column: "value" },
  { table: "ephemeral_items", key: "store || ' ' || key", column: "value" },
] as const;

/** Removes the texts in one transaction, but for sealed thread segments, each of which is one of its own. */
export async function redactSession(core: SessionCore, texts: readonly string[]): Promise<void> {
  const { storage } = core;
  const forms = texts.flatMap(listStoredForms);
  storage.write(() => {
    for (const { table, key, column } of QUOTING_COLUMNS)
      for (const { id, json } of findQuoting(
        storage.sql,
        `${key} AS id, ${column} AS json`,
        table,
        column,
        forms,
      ))
        storage.sql.exec(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`, redactJson(json, forms), id);
    redactSpaces(storage.sql, forms);
    removeSources(core, new Set(texts));
    // A segment that is being sealed was read before.
    storage.thread.reset();
  });
  await storage.thread.rewriteSegments(
    (json) => redactJson(json, forms),
    (work) => {
      if (storage.read()?.record.erasing === null) storage.write(work);
    },
  );
  await core.schedule();
}

type QuotingRow = { id: string | number; json: string };

function findQuoting(
  sql: SqlStorage,
  columns: string,
  table: string,
  column: string,
  forms: readonly string[],
): QuotingRow[] {
  return sql
    .exec<QuotingRow>(
      `SELECT ${columns} FROM ${table} WHERE EXISTS (
         SELECT 1 FROM json_each(?) f WHERE instr(${table}.${column}, f.value) > 0)`,
      JSON.stringify(forms),
    )
    .toArray();
}

/** A changed space has a new revision, so that a writer who read the old text gets a conflict. */
function redactSpaces(sql: SqlStorage, forms: readonly string[]): void {
  const quoting = findQuoting(sql, "name AS id, data AS json", "spaces", "data", forms);
  for (const { id, json } of quoting) {
    const data = redactJson(json, forms);
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
function removeSources({ storage }: SessionCore, texts: ReadonlySet<string>): void {
  const memory = storage.read();
  if (memory === null) return;
  const dropped = memory.pending.filter(({ content }) => texts.has(content));
  if (dropped.length > 0)
    storage.savePending(
      memory.pending.filter((item) => !dropped.includes(item)),
      [],
      dropped,
    );
  for (const item of [...memory.context.values()])
    if (texts.has(renderContextItem(item))) storage.deleteContext(item.key);
}
