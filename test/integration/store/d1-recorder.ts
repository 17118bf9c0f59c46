// Records the calls to D1 with the rows that each statement writes, as D1 itself counts and bills them. The Worker runs
// in the test's isolate, so a patch of D1's prototypes reaches every binding of it.
import { env } from "cloudflare:workers";

export type RecordedStatement = { sql: string; written: number };
export type RecordedCall = readonly RecordedStatement[];

type Query = (...args: unknown[]) => Promise<D1Result>;
type StatementMethods = { all: Query; run: Query };

const database = Object.getPrototypeOf(env.DB.withSession()) as Pick<D1Database, "batch">;
const statements = Object.getPrototypeOf(env.DB.prepare("SELECT 1")) as StatementMethods;

function toRecord(statement: unknown, { meta }: D1Result): RecordedStatement {
  const { statement: text } = statement as { statement: string };
  return { sql: text.replace(/\s+/g, " ").trim(), written: meta.rows_written };
}

/** Returns the calls so far; `stop` ends the recording. */
export function recordD1Calls(): { calls: RecordedCall[]; stop: () => void } {
  const calls: RecordedCall[] = [];
  const sound = { batch: database.batch, all: statements.all, run: statements.run };
  database.batch = async function batch<T>(this: D1Database, list: D1PreparedStatement[]) {
    const results = (await sound.batch.call(this, list)) as D1Result<T>[];
    calls.push(results.map((result, i) => toRecord(list[i], result)));
    return results;
  };
  for (const name of ["all", "run"] as const)
    statements[name] = async function query(this: D1PreparedStatement, ...args: unknown[]) {
      const result = await sound[name].apply(this, args);
      calls.push([toRecord(this, result)]);
      return result;
    };
  return {
    calls,
    stop() {
      database.batch = sound.batch;
      Object.assign(statements, { all: sound.all, run: sound.run });
    },
  };
}

/** Sums the written rows by the table that each statement names. */
export function countRowsByTable(calls: readonly RecordedCall[]): Record<string, number> {
  const rows: Record<string, number> = {};
  for (const { sql, written } of calls.flat()) {
    if (written === 0) continue;
    const table = /(?:INTO|UPDATE|DELETE FROM) (\w+)/.exec(sql)?.[1] ?? sql;
    rows[table] = (rows[table] ?? 0) + written;
  }
  return rows;
}
