// A tenant's database, wherever the tenant is. It looks like one D1 database. Each batch also checks that the tenant is
// still there, in the same trip: a batch that writes aborts otherwise, and the rows of one that reads are discarded. Then
// the directory is read again and the batch is sent to the other database. With one database there is no check.
//
// A call that tracks bookmarks may read replicas, which lag behind. Whatever one of them fails to answer is asked of the
// primary, its check included: a replica may not know yet that the tenant has come.

import type { Bindings } from "../env";
import { unavailable } from "../errors";
import type { BookmarkTracker } from "./bookmark-tracker";
import { type Database, openDatabase } from "./d1";
import { getShard, hasShards } from "./shard-bindings";
import { forgetPlacement, locateTenant, NEVER_MOVED, type Placement } from "./tenant-directory";

/** Returns the database of a tenant. Without `bookmarks` every read goes to the primary, and no bookmark is noted. */
export function openTenantD1(
  env: Bindings,
  tenant: string,
  bookmarks: BookmarkTracker | null = null,
): D1Database {
  if (!hasShards(env) && bookmarks === null) return env.DB;
  // The service uses `prepare` and `batch` alone.
  return new TenantDatabase(env, tenant, bookmarks) as unknown as D1Database;
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

/** D1's word for a session whose first query goes to the primary. */
const PRIMARY = "first-primary";

class TenantDatabase {
  readonly #env: Bindings;
  readonly #tenant: string;
  readonly #bookmarks: BookmarkTracker | null;

  constructor(env: Bindings, tenant: string, bookmarks: BookmarkTracker | null) {
    this.#env = env;
    this.#tenant = tenant;
    this.#bookmarks = bookmarks;
  }

  prepare(text: string): TenantStatement {
    return new TenantStatement(this, { text, values: [] });
  }

  batch<T>(statements: readonly TenantStatement[]): Promise<D1Result<T>[]> {
    return this.run(statements.map(({ query }) => query));
  }

  async run<T>(queries: readonly Query[]): Promise<D1Result<T>[]> {
    const writes = !queries.every(isRead);
    // The write itself, and what the call reads afterwards: it may be the base of the next one.
    if (writes) this.#bookmarks?.usePrimary();
    if (!hasShards(this.#env)) return this.#runAnywhere(NEVER_MOVED, queries);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const placement = await locateTenant(this.#env, this.#tenant);
      const results = await this.#tryRun<T>(placement, queries, writes);
      if (results !== null) return results;
      forgetPlacement(this.#env, this.#tenant);
      if (attempt > 1) await scheduler.wait(Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt));
    }
    throw unavailable(
      "The tenant is being moved to another database.",
      "Nothing was stored; send the same call again.",
    );
  }

  /** Returns null if the tenant is not there. */
  async #tryRun<T>(
    placement: Placement,
    queries: readonly Query[],
    writes: boolean,
  ): Promise<D1Result<T>[] | null> {
    const { epoch } = placement;
    const check = writes
      ? { text: ASSERTION, values: [this.#tenant, epoch] }
      : { text: CHECK, values: [this.#tenant] };
    const isThere = ([checked]: D1Result<unknown>[]) =>
      writes || isCurrent(epoch, (checked?.results as CheckedRow[] | undefined)?.[0]);
    try {
      const results = await this.#runAnywhere<T>(placement, [check, ...queries], isThere);
      return isThere(results) ? results.slice(1) : null;
    } catch (error) {
      if (writes && error instanceof Error && error.message.includes("placement changed")) return null;
      throw error;
    }
  }

  /** Runs a batch on a replica that has reached the call's bookmark, else on the primary. */
  async #runAnywhere<T>(
    placement: Placement,
    queries: readonly Query[],
    isUsable: (results: D1Result<T>[]) => boolean = () => true,
  ): Promise<D1Result<T>[]> {
    const position = this.#bookmarks?.selectPosition(placement) ?? null;
    if (position === null) return this.#runAt(placement, queries, null);
    try {
      const results = await this.#runAt<T>(placement, queries, position);
      if (isUsable(results)) return results;
    } catch (error) {
      // D1 may refuse a bookmark, as after the database was restored. If the primary fails too, the caller learns of it.
      console.warn(
        JSON.stringify({ event: "replica.failed", shard: placement.shard, reason: readCode(error) }),
      );
    }
    this.#bookmarks?.usePrimary();
    return this.#runAt(placement, queries, null);
  }

  /** Without a position, the primary is asked. */
  async #runAt<T>(
    placement: Placement,
    queries: readonly Query[],
    position: string | null,
  ): Promise<D1Result<T>[]> {
    const d1 = getShard(this.#env, placement.shard);
    const session = this.#bookmarks === null ? null : d1.withSession(position ?? PRIMARY);
    const target = session ?? d1;
    const statements = queries.map(({ text, values }) => target.prepare(text).bind(...values));
    const [first, ...others] = statements;
    const results =
      first !== undefined && others.length === 0 ? [await first.all<T>()] : await target.batch<T>(statements);
    if (session !== null) this.#bookmarks?.noteState(placement, session.getBookmark(), position !== null);
    return results;
  }
}

/** Returns the code of an error of D1, whose message may have SQL and content. */
function readCode(error: unknown): string {
  return /SQLITE_\w+|D1_\w+/.exec(error instanceof Error ? error.message : "")?.[0] ?? "unknown";
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
