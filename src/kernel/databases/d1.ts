// Access to D1: drizzle for queries, atomic batches, chunks that fit one JSON parameter, retries on write conflicts, and
// errors without SQL or content.
import { SQL, StringChunk } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { FailureError, unavailable } from "../errors";
import { LIMITS } from "../limits";
import { SECOND_MS } from "../time";

// Renders hand-written statements as text and parameters. drizzle's own renderer copies the parameters once for each level
// of nesting, which takes a millisecond for a search.

const dialect = new SQLiteSyncDialect();

type RenderedStatement = { sql: string; params: unknown[] };

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

export type Database = {
  orm: DrizzleD1Database;
  d1: D1Database;
  /** Told the milliseconds that D1 spent on each hand-written statement. */
  charge?: (ms: number) => void;
  /** Whether a replica may answer the next read. */
  mayLag?: () => boolean;
};

export function openDatabase(d1: D1Database): Database {
  return { orm: drizzle(d1), d1 };
}

/** Prepares a hand-written statement, since drizzle's own `batch` takes none. */
function prepare({ d1 }: Database, statement: SQL): D1PreparedStatement {
  const { sql, params } = renderStatement(statement);
  return d1.prepare(sql).bind(...params);
}

export async function readAll<T>(db: Database, statement: SQL): Promise<T[]> {
  const { results, meta } = await sanitiseErrors(() => prepare(db, statement).all<T>());
  db.charge?.(meta.duration);
  return results;
}

/** Runs statements as one atomic batch and returns the rows of each. */
export async function runBatch(db: Database, statements: readonly SQL[]): Promise<unknown[][]> {
  if (statements.length === 0) return [];
  const results = await sanitiseErrors(() =>
    db.d1.batch(statements.map((statement) => prepare(db, statement))),
  );
  if (db.charge !== undefined) for (const { meta } of results) db.charge(meta.duration);
  return results.map((result) => result.results);
}

/** Until when calls wait; null if the database is not paused. */
let pause: { until: number } | null = null;
/** The longest that calls wait, even if the work that they wait for never ends. */
const MAX_PAUSE_MS = 30 * SECOND_MS;
const PAUSE_POLL_MS = 5;

/** The calls that D1 has not answered, each by the time of its start. */
const unanswered = new Set<{ since: number }>();
/** A call that is older belongs to a request that was cancelled: it never ends. */
const MAX_CALL_MS = 20 * SECOND_MS;
/** With more, those that never end are removed. */
const MANY_CALLS = 1_000;

/**
 * Runs work that locks the files of local databases, while every call to a database waits. A call would fail otherwise:
 * the platform has no busy timeout. Holds for this isolate, which is the only one of a local service.
 */
export async function runWhilePaused<T>(work: () => Promise<T>): Promise<T> {
  while (isPaused()) await scheduler.wait(PAUSE_POLL_MS);
  const own = { until: Date.now() + MAX_PAUSE_MS };
  pause = own;
  try {
    // Asking D1 would not tell: a call with a long body may be read after a short one that was sent later.
    while (hasUnanswered()) await scheduler.wait(PAUSE_POLL_MS);
    return await work();
  } finally {
    if (pause === own) pause = null;
  }
}

function hasUnanswered(): boolean {
  const oldest = Date.now() - MAX_CALL_MS;
  for (const call of unanswered) if (call.since < oldest) unanswered.delete(call);
  return unanswered.size > 0;
}

/** Polled, because a request may not wait for a promise that another request resolves. */
function isPaused(): boolean {
  return pause !== null && Date.now() < pause.until;
}

/** Writes in one batch: few enough that a slow batch does not delay other callers for long. */
export const WRITES_PER_BATCH = 50;

/** Thrown when a batch is based on rows that another writer has changed since. Read again and retry. */
export class WriteConflict extends Error {
  override readonly name = "WriteConflict";
}

/** Runs D1 work and turns its errors into failures that are safe to return and to log. */
export async function sanitiseErrors<T>(work: () => Promise<T>): Promise<T> {
  // Checked and noted without a turn of the event loop between: a pause may begin in each.
  while (isPaused()) await scheduler.wait(PAUSE_POLL_MS);
  const call = { since: Date.now() };
  if (unanswered.size > MANY_CALLS) hasUnanswered();
  unanswered.add(call);
  try {
    return await work();
  } catch (error) {
    throw toSafeError(error);
  } finally {
    unanswered.delete(call);
  }
}

function toSafeError(error: unknown): unknown {
  if (error instanceof FailureError || error instanceof TypeError) return error;
  // drizzle's message contains the SQL and all parameters: only its cause is inspected, and none of it is passed on.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const text = cause instanceof Error ? cause.message : "";
  if (/UNIQUE constraint failed|assertion failed/.test(text))
    return new WriteConflict("The batch conflicts with another write");
  console.error(
    JSON.stringify({ event: "store.error", reason: /SQLITE_\w+|D1_\w+/.exec(text)?.[0] ?? "unknown" }),
  );
  if (/no such table/.test(text)) {
    return new FailureError({
      code: "not_configured",
      detail:
        "The database has no tables yet. Apply the migrations: npx wrangler d1 migrations apply kioku --remote.",
    });
  }
  return unavailable(
    "The long-term store did not answer.",
    "Nothing was confirmed; sending the same call again is safe.",
  );
}

/** Writes with optimistic concurrency: on a conflict, reads again and repeats the write from the fresh value. */
export async function writeOptimistically<T, R>(
  read: T,
  again: () => Promise<T>,
  write: (read: T) => Promise<R>,
): Promise<R> {
  let first = true;
  return retryConflicts(async () => {
    const now = first ? read : await again();
    first = false;
    return write(now);
  });
}

const CONFLICT_ATTEMPTS = 8;
/** Upper bound of the first random back-off; it doubles, so that the same writers do not collide again. */
const CONFLICT_BACKOFF_MS = 4;

/** Repeats read-then-write work on a conflict. Each attempt must start from a fresh read. */
export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
      if (attempt === CONFLICT_ATTEMPTS)
        throw unavailable("Too many concurrent writes to the same record.", "Send the same call again.");
      if (attempt > 1) await scheduler.wait(Math.random() * CONFLICT_BACKOFF_MS * 2 ** attempt);
    }
  }
}

/** Returns how many leading items fit into one batch: at least one, since a single item is bounded elsewhere. */
export function countFitting(items: readonly object[]): number {
  let chars = 0;
  for (const [count, item] of items.entries()) {
    chars += JSON.stringify(item).length;
    if (count > 0 && chars > LIMITS.batchChars) return count;
  }
  return items.length;
}

export function splitIntoChunks<T extends object>(items: readonly T[]): T[][] {
  const pieces: T[][] = [];
  for (let rest = items; rest.length > 0; rest = rest.slice(pieces.at(-1)?.length)) {
    pieces.push(rest.slice(0, countFitting(rest)));
  }
  return pieces;
}
