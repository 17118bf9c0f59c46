// The one door to D1: drizzle for queries, atomic batches, and errors that carry no SQL and no content.
import type { SQL } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { FailureError } from "./errors";

export type Database = { orm: DrizzleD1Database; d1: D1Database };

export function openDatabase(d1: D1Database): Database {
  return { orm: drizzle(d1), d1 };
}

const dialect = new SQLiteSyncDialect();

/** drizzle's own batch takes no hand-written SQL: its statements are prepared here. */
function prepare({ d1 }: Database, statement: SQL): D1PreparedStatement {
  const { sql, params } = dialect.sqlToQuery(statement);
  return d1.prepare(sql).bind(...params);
}

export async function readAll<T>(db: Database, statement: SQL): Promise<T[]> {
  const { results } = await guarded(() => prepare(db, statement).all<T>());
  return results;
}

/** Statements as one atomic batch; gives the rows of each. */
export async function batch(db: Database, statements: readonly SQL[]): Promise<unknown[][]> {
  if (statements.length === 0) return [];
  const results = await guarded(() => db.d1.batch(statements.map((statement) => prepare(db, statement))));
  return results.map((result) => result.results);
}

/** A batch lost a race: what it had read is no longer so. Read again and retry. */
export class RaceLost extends Error {
  override readonly name = "RaceLost";
}

/** Runs any D1 work, turning its errors into failures that are safe to show and to log. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw sanitised(error);
  }
}

function sanitised(error: unknown): unknown {
  if (error instanceof FailureError || error instanceof TypeError) return error;
  // drizzle puts the SQL and all parameters into its message: only its cause is looked at, and nothing is kept.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const text = cause instanceof Error ? cause.message : "";
  if (/UNIQUE constraint failed|assertion failed/.test(text)) return new RaceLost("The batch lost a race");
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
  return new FailureError({
    code: "unavailable",
    detail: "The long-term store did not answer. Nothing was confirmed; sending the same call again is safe.",
    retryAfterSeconds: 1,
  });
}

/** Writes what was made of something read. When that is no longer so, it is read again, and all of it made anew. */
export async function writeOrReadAgain<T, R>(
  read: T,
  again: () => Promise<T>,
  write: (read: T) => Promise<R>,
): Promise<R> {
  let first = true;
  return retryRaces(async () => {
    const now = first ? read : await again();
    first = false;
    return write(now);
  });
}

const RACE_ATTEMPTS = 8;
/** The longest wait before the second attempt, then doubling: those who met must not meet again. */
const RACE_WAIT_MS = 4;

/** Repeats read-then-write work that lost a race; every round starts from a fresh read. */
export async function retryRaces<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RaceLost)) throw error;
      if (attempt === RACE_ATTEMPTS) {
        throw new FailureError({
          code: "unavailable",
          detail: "Too many writers changed the same thing at once. Send the same call again.",
          retryAfterSeconds: 1,
        });
      }
      if (attempt > 1) await scheduler.wait(Math.random() * RACE_WAIT_MS * 2 ** attempt);
    }
  }
}
