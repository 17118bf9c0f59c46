// Runs compiled statements on D1, within the limits of the query.
import { type Database, sanitiseErrors } from "../../kernel/databases/d1";
import { UNDECIDED } from "../compile/compare-columns";
import { type CompiledStatement, createTermCache, readSolution } from "../compile/compile-statement";
import type { Solution } from "../sparql-answer";

/** The errors of SQLite for statements beyond its limits. */
const BEYOND_LIMITS =
  /Expression tree is too large|too many terms in compound|at most 64 tables|statement too long|too many columns|parser stack overflow|too many SQL variables|pattern too complex|too many FROM clause terms|SQLITE_NOMEM|out of memory/;

/** The solutions of each statement, or why they have to be found in another way. */
type StatementResults = { solutions: Solution[][] } | { unanswered: "undecided" | "too large" };

/** Runs statements as one batch. */
export async function runStatements(
  db: Database,
  statements: readonly CompiledStatement[],
): Promise<StatementResults> {
  if (statements.length === 0) return { solutions: [] };
  const answers = await sanitiseErrors(async () => {
    try {
      const prepared = statements.map(({ sql, parameters }) => db.d1.prepare(sql).bind(...parameters));
      return await readRows(db, prepared);
    } catch (error) {
      const text = error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : "";
      if (UNDECIDED.test(text)) return "undecided";
      if (BEYOND_LIMITS.test(text)) return "too large";
      throw error;
    }
  });
  if (typeof answers === "string") return { unanswered: answers };
  const terms = createTermCache();
  const solutions = answers.map((rows, i) => {
    const variables = statements[i]?.variables ?? [];
    return rows.map((row) => readSolution(row, variables, terms));
  });
  return { solutions };
}

/** Reads the rows as arrays; a batch gives objects, whose columns are in order. */
async function readRows(db: Database, prepared: readonly D1PreparedStatement[]): Promise<unknown[][][]> {
  const results = await db.d1.batch<Record<string, unknown>>([...prepared]);
  for (const { meta } of results) db.charge?.(meta.duration);
  return results.map((result) => result.results.map((row) => Object.values(row)));
}
