// A D1 binding whose first reads and writes carry a check, in the same round trip: the rows of a read are used, and the
// statements of a write are applied, only if it passes. A check that fails where a replica may have answered is repeated on
// the primary: a replica may not have the key yet that the check looks for.
import type { BookmarkTracker } from "./bookmark-tracker";

export type D1Check = {
  /** Whether the check has not passed yet. Throws if it has failed. */
  isNeeded: () => boolean;
  /** A SELECT of one column: 1 if the check passes, 0 or no row if it does not. */
  statement: { sql: string; params: readonly unknown[] };
  /** Whether the check passes with these rows of the statement. */
  passes: (rows: readonly unknown[]) => boolean;
  /** Takes the rows of the statement. Throws if the check has failed. */
  accept: (rows: readonly unknown[]) => void;
};

export function checkD1(
  d1: D1Database,
  check: D1Check,
  bookmarks: BookmarkTracker | null = null,
): D1Database {
  const { sql, params } = check.statement;
  const select = () => d1.prepare(sql).bind(...params);
  const assert = () =>
    d1.prepare(`INSERT INTO assertion (holds) SELECT coalesce((${sql}), 0)`).bind(...params);

  /** Runs a read with the check beside it, and returns what was read. */
  async function readChecked<T>(read: () => Promise<{ checked: readonly unknown[]; value: T }>): Promise<T> {
    const mayLag = bookmarks?.mayLag() ?? false;
    let answer = await read();
    if (mayLag && !check.passes(answer.checked)) {
      bookmarks?.usePrimary();
      answer = await read();
    }
    check.accept(answer.checked);
    return answer.value;
  }

  async function runChecked(statements: readonly CheckedStatement[]): Promise<D1Result[]> {
    const own = statements.map(({ statement }) => statement);
    if (!check.isNeeded()) return d1.batch(own);
    if (!statements.some(({ writes }) => writes))
      return readChecked(async () => {
        const [checked, ...results] = await d1.batch([select(), ...own]);
        return { checked: checked?.results ?? [], value: results };
      });
    try {
      const [, ...results] = await d1.batch([assert(), ...own]);
      check.accept([{ passes: 1 }]);
      return results;
    } catch (error) {
      if (!(error instanceof Error && error.message.includes("assertion failed"))) throw error;
      // Either the check has failed or an assertion of the batch itself.
      const { results } = await select().all();
      check.accept(results);
      throw error;
    }
  }

  /** The implementation of D1PreparedStatement's methods that the service uses. */
  class CheckedStatement {
    readonly text: string;
    readonly statement: D1PreparedStatement;
    readonly writes: boolean;

    constructor(text: string, statement: D1PreparedStatement) {
      this.text = text;
      this.statement = statement;
      this.writes = !/^\s*(SELECT|WITH)\b/i.test(text) || /\b(INSERT|UPDATE|DELETE)\b/.test(text);
    }

    bind(...values: unknown[]): CheckedStatement {
      return new CheckedStatement(this.text, this.statement.bind(...values));
    }

    async all(): Promise<D1Result> {
      if (!check.isNeeded()) return this.statement.all();
      const [result] = await runChecked([this]);
      if (result === undefined) throw new Error("D1 returned no result of a statement");
      return result;
    }

    run(): Promise<D1Result> {
      return this.all();
    }

    /** Batches have no such results: the check of a read is sent beside it, that of a write before it. */
    async raw(): Promise<unknown[][]> {
      if (!check.isNeeded()) return this.statement.raw();
      if (this.writes) {
        bookmarks?.usePrimary();
        check.accept((await select().all()).results);
        return this.statement.raw();
      }
      return readChecked(async () => {
        const [value, { results }] = await Promise.all([this.statement.raw(), select().all()]);
        return { checked: results, value };
      });
    }
  }

  const checked = {
    prepare: (text: string) => new CheckedStatement(text, d1.prepare(text)),
    batch: (statements: readonly CheckedStatement[]) => runChecked(statements),
  };
  return checked as unknown as D1Database;
}
