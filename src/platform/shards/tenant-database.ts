// A tenant's database, wherever the tenant is. It looks like one D1 database. Each batch also checks that the tenant is
// still there, in the same trip: a batch that writes aborts otherwise, and the rows of one that reads are discarded. Then
// the directory is read again and the batch is sent to the other database.
import { type Database, openDatabase } from "../d1";
import type { Bindings } from "../env";
import { FailureError } from "../errors";
import { getShard, hasShards } from "./shard-bindings";
import { forgetPlacement, locateTenant, type Placement } from "./tenant-directory";

/** Returns the database of a tenant. With one database it is that one, without any check. */
export function openTenantD1(env: Bindings, tenant: string): D1Database {
  if (!hasShards(env)) return env.DB;
  // The service uses `prepare` and `batch` alone.
  return new TenantDatabase(env, tenant) as unknown as D1Database;
}

/** Opens the database of a tenant for queries. */
export function openTenantDatabase(env: Bindings, tenant: string): Database {
  return openDatabase(openTenantD1(env, tenant));
}

type Query = { text: string; values: readonly unknown[] };

type CheckedRow = { epoch: number; state: string };

const CHECK = "SELECT epoch, state FROM placements WHERE tenant = ?1";

/** A tenant that has never moved has no row. */
const ASSERTION = `INSERT INTO placement_assertion (holds) SELECT coalesce(
  (SELECT epoch = ?2 AND state = 'open' FROM placements WHERE tenant = ?1), ?2 = 0)`;

/** The last change of a move takes milliseconds. A move that was killed then is continued by the cron job. */
const ATTEMPTS = 12;
const FIRST_WAIT_MS = 5;
const MAX_WAIT_MS = 1_000;

class TenantDatabase {
  readonly #env: Bindings;
  readonly #tenant: string;

  constructor(env: Bindings, tenant: string) {
    this.#env = env;
    this.#tenant = tenant;
  }

  prepare(text: string): TenantStatement {
    return new TenantStatement(this, { text, values: [] });
  }

  batch<T>(statements: readonly TenantStatement[]): Promise<D1Result<T>[]> {
    return this.run(statements.map(({ query }) => query));
  }

  async run<T>(queries: readonly Query[]): Promise<D1Result<T>[]> {
    const writes = !queries.every(isRead);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const placement = await locateTenant(this.#env, this.#tenant);
      const results = await this.#tryRun<T>(placement, queries, writes);
      if (results !== null) return results;
      forgetPlacement(this.#env, this.#tenant);
      if (attempt > 1) await scheduler.wait(Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt));
    }
    throw new FailureError({
      code: "unavailable",
      detail: "The tenant is being moved to another database. Nothing was stored; send the same call again.",
      retryAfterSeconds: 1,
    });
  }

  /** Returns null if the tenant is not there. */
  async #tryRun<T>(
    { shard, epoch }: Placement,
    queries: readonly Query[],
    writes: boolean,
  ): Promise<D1Result<T>[] | null> {
    const d1 = getShard(this.#env, shard);
    const check = writes
      ? d1.prepare(ASSERTION).bind(this.#tenant, epoch)
      : d1.prepare(CHECK).bind(this.#tenant);
    const statements = queries.map(({ text, values }) => d1.prepare(text).bind(...values));
    try {
      const [checked, ...results] = await d1.batch<T>([check, ...statements]);
      return writes || isCurrent(epoch, (checked?.results as CheckedRow[] | undefined)?.[0]) ? results : null;
    } catch (error) {
      if (writes && error instanceof Error && error.message.includes("placement changed")) return null;
      throw error;
    }
  }
}

function isCurrent(epoch: number, row: CheckedRow | undefined): boolean {
  if (row === undefined) return epoch === 0;
  return row.epoch === epoch && (row.state === "open" || row.state === "fenced");
}

/** A statement that might write counts as one that does. */
function isRead({ text }: Query): boolean {
  if (/^\s*SELECT\b/i.test(text)) return true;
  return /^\s*WITH\b/i.test(text) && !/\b(?:INSERT|UPDATE|DELETE|REPLACE)\b/i.test(text);
}

class TenantStatement {
  readonly query: Query;
  readonly #database: TenantDatabase;

  constructor(database: TenantDatabase, query: Query) {
    this.#database = database;
    this.query = query;
  }

  bind(...values: unknown[]): TenantStatement {
    return new TenantStatement(this.#database, { ...this.query, values });
  }

  async all<T>(): Promise<D1Result<T>> {
    const [result] = await this.#database.run<T>([this.query]);
    if (result === undefined) throw new Error("D1 returned no result.");
    return result;
  }

  run<T>(): Promise<D1Result<T>> {
    return this.all<T>();
  }

  async first<T>(column?: string): Promise<T | null> {
    const [row] = (await this.all<Record<string, unknown>>()).results;
    if (row === undefined) return null;
    return (column === undefined ? row : row[column]) as T;
  }

  /** The values of each row. Columns of the same name would be one: no statement of the store selects such. */
  async raw(): Promise<unknown[][]> {
    return (await this.all<Record<string, unknown>>()).results.map((row) => Object.values(row));
  }
}
