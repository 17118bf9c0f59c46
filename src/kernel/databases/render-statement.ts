// Renders hand-written statements as text and parameters. drizzle's own renderer copies the parameters once for each level
// of nesting, which takes a millisecond for a search.
import { SQL, StringChunk } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";

const dialect = new SQLiteSyncDialect();

export type RenderedStatement = { sql: string; params: unknown[] };

export function renderStatement(statement: SQL): RenderedStatement {
  const rendered: RenderedStatement = { sql: "", params: [] };
  return addChunks(rendered, statement) ? rendered : dialect.sqlToQuery(statement);
}

/** Returns false at a chunk that only drizzle can render, such as a table or a column of its schema. */
function addChunks(rendered: RenderedStatement, { queryChunks }: SQL): boolean {
  for (const chunk of queryChunks as unknown[]) {
    if (chunk instanceof StringChunk) for (const text of chunk.value) rendered.sql += text;
    else if (chunk instanceof SQL) {
      if (!addChunks(rendered, chunk)) return false;
    } else if (chunk === null || typeof chunk === "string" || typeof chunk === "number")
      addParameter(rendered, chunk);
    else return false;
  }
  return true;
}

/**
 * The number after LIMIT becomes part of the text: SQLite plans by the value of a parameter there, and compiles a statement
 * again whenever one is bound to it.
 */
function addParameter(rendered: RenderedStatement, value: string | number | null): void {
  if (Number.isInteger(value) && rendered.sql.endsWith("LIMIT ")) {
    rendered.sql += value;
    return;
  }
  rendered.sql += "?";
  rendered.params.push(value);
}
