// The one door to D1: drizzle over the binding, atomic batches, and errors that carry no SQL and no content.
import type { SQL } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { type FailureCode, FailureError } from "../errors";
import * as schema from "./schema";

export type Database = DrizzleD1Database<typeof schema>;

export function openDatabase(d1: D1Database): Database {
  return drizzle(d1, { schema });
}

/** A batch lost a race: what it had read is no longer so. Read again and retry. */
export class RaceLost extends Error {
  override readonly name = "RaceLost";
}

/** Runs statements as one atomic D1 batch. */
export async function writeBatch(db: Database, statements: readonly SQL[]): Promise<void> {
  const [first, ...rest] = statements.map((statement) => db.run(statement));
  if (first === undefined) return;
  await guarded(() => db.batch([first, ...rest]));
}

/** One read and then writes, as one atomic batch: what is read is true of the moment before the writes. */
export async function readThenWrite<T>(db: Database, read: SQL, statements: readonly SQL[]): Promise<T[]> {
  const [rows] = await guarded(() =>
    db.batch([db.all<T>(read), ...statements.map((statement) => db.run(statement))]),
  );
  return rows;
}

/** Runs any D1 work, turning its errors into failures that are safe to show and to log. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw sanitised(error);
  }
}

function sanitised(error: unknown): Error {
  if (error instanceof FailureError || error instanceof RaceLost) return error;
  // drizzle puts the SQL and all parameters into its message; only the cause's own first line is safe to keep.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const text = cause instanceof Error ? cause.message : String(cause);
  if (/UNIQUE constraint failed|assertion failed/.test(text)) return new RaceLost("The batch lost a race");
  console.error(
    JSON.stringify({ event: "store.error", message: /SQLITE_\w+|D1_\w+/.exec(text)?.[0] ?? "D1 failed" }),
  );
  const code: FailureCode = "unavailable";
  return new FailureError({
    code,
    detail: "The long-term store did not answer. Nothing was confirmed; sending the same call again is safe.",
    retryAfterSeconds: 1,
  });
}

const RACE_ATTEMPTS = 5;

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
          detail: "Too many writers changed this memory at once. Send the same call again.",
          retryAfterSeconds: 1,
        });
      }
    }
  }
}
