// A D1 with a read replica that lags: two real databases, of which the replica gets the writes of the primary when a test
// says so. Sessions behave like D1's: one that begins with a bookmark is answered by the replica if that has reached it,
// otherwise by the primary. The Worker and its objects run in the test's isolate, so a patch of D1's prototypes reaches
// all of them.
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

type Query = { text: string; values: readonly unknown[] };
// biome-ignore lint/suspicious/noExplicitAny: methods of several classes are wrapped alike
type Methods = Record<string, (...args: any[]) => any>;
type Opened = { fetcher: object };

const STATEMENT_METHODS = ["run", "all", "raw", "first"];
const WRITE = /^\s*(?!SELECT\b|WITH\b)|^\s*WITH\b.*\b(INSERT|UPDATE|DELETE)\b/is;
const PRIMARY = "first-primary";
/** Positions sort as text, like D1's. */
const POSITION_DIGITS = 8;

const databases = Object.getPrototypeOf(env.DB) as Methods;
const sessions = Object.getPrototypeOf(env.DB.withSession()) as Methods;
const statements = Object.getPrototypeOf(env.DB.prepare("SELECT 1")) as Methods;

function isPrimary(opened: unknown): boolean {
  const others = [env.SPARE_DB, env.REPLICA_DB].map((d1) => (d1 as unknown as Opened).fetcher);
  return !others.includes((opened as Opened).fetcher);
}

function formatPosition(writes: number): string {
  return `${writes}`.padStart(POSITION_DIGITS, "0");
}

function readQuery(statement: unknown): Query {
  const { statement: text, params } = statement as { statement: string; params: unknown[] };
  return { text, values: params };
}

export class LaggingReplica {
  /** The statements that the replica has answered. */
  readonly reads: string[] = [];
  /** Whether the replica refuses every bookmark. */
  refuses = false;
  readonly #log: Query[][] = [];
  #applied = 0;
  #undo: (() => void)[] = [];

  /** The position of the primary: the number of its writes so far. */
  get written(): string {
    return formatPosition(this.#log.length);
  }

  /** The position that the replica has reached. */
  get reached(): string {
    return formatPosition(this.#applied);
  }

  async install(): Promise<void> {
    await applyD1Migrations(env.REPLICA_DB, env.TEST_MIGRATIONS);
    const record = (queries: Query[]) => {
      if (queries.some(({ text }) => WRITE.test(text))) this.#log.push(queries);
    };
    this.#patch(
      sessions,
      "batch",
      (batch) =>
        async function (this: unknown, list: unknown[]) {
          const results = await batch.call(this, list);
          if (isPrimary(this)) record(list.map(readQuery));
          return results;
        },
    );
    for (const name of STATEMENT_METHODS)
      this.#patch(
        statements,
        name,
        (query) =>
          async function (this: { dbSession?: unknown }, ...args: unknown[]) {
            const result = await query.apply(this, args);
            if (isPrimary(this.dbSession ?? {})) record([readQuery(this)]);
            return result;
          },
      );
    const open = (d1: D1Database, from: string) => new LaggingSession(this, d1, from);
    this.#patch(
      databases,
      "withSession",
      (withSession) =>
        function (this: D1Database, from: string) {
          return isPrimary(this) ? open(this, from) : withSession.call(this, from);
        },
    );
  }

  remove(): void {
    for (const undo of this.#undo.toReversed()) undo();
    this.#undo = [];
  }

  /** Applies the writes of the primary to the replica. */
  async catchUp(): Promise<void> {
    for (; this.#applied < this.#log.length; this.#applied += 1) {
      const queries = this.#log[this.#applied] ?? [];
      await env.REPLICA_DB.batch(
        queries.map(({ text, values }) => env.REPLICA_DB.prepare(text).bind(...values)),
      );
    }
  }

  #patch(methods: Methods, name: string, wrap: (method: Methods[string]) => Methods[string]): void {
    const method = methods[name];
    if (method === undefined) throw new Error(`There is no method ${name}`);
    methods[name] = wrap(method);
    this.#undo.push(() => {
      methods[name] = method;
    });
  }
}

class LaggingSession {
  readonly #replica: LaggingReplica;
  readonly #primary: D1Database;
  readonly #from: string;
  #bookmark: string | null = null;

  constructor(replica: LaggingReplica, primary: D1Database, from: string) {
    this.#replica = replica;
    this.#primary = primary;
    this.#from = from;
  }

  prepare(text: string): LaggingStatement {
    return new LaggingStatement(this, { text, values: [] });
  }

  batch(list: readonly LaggingStatement[]): Promise<D1Result[]> {
    return this.run(list.map(({ query }) => query));
  }

  getBookmark(): string | null {
    return this.#bookmark;
  }

  async run(queries: readonly Query[]): Promise<D1Result[]> {
    const replica = this.#replica;
    const hasReached = this.#from !== PRIMARY && this.#from <= replica.reached;
    if (hasReached && queries.some(({ text }) => WRITE.test(text)))
      throw new Error("A write was sent to the replica");
    if (hasReached && replica.refuses) throw new Error("D1_ERROR: The bookmark is not known");
    const d1 = hasReached ? env.REPLICA_DB : this.#primary;
    const results = await d1.batch(queries.map(({ text, values }) => d1.prepare(text).bind(...values)));
    if (hasReached) replica.reads.push(...queries.map(({ text }) => text));
    const state = hasReached ? replica.reached : replica.written;
    // D1 gives back a bookmark that is newer than the state that it has read.
    this.#bookmark = this.#from === PRIMARY || this.#from < state ? state : this.#from;
    return results;
  }
}

class LaggingStatement {
  readonly query: Query;
  readonly #session: LaggingSession;

  constructor(session: LaggingSession, query: Query) {
    this.#session = session;
    this.query = query;
  }

  bind(...values: unknown[]): LaggingStatement {
    return new LaggingStatement(this.#session, { ...this.query, values });
  }

  async all(): Promise<D1Result | undefined> {
    return (await this.#session.run([this.query]))[0];
  }
}
