// The log of a tenant's uses, in the SQLite database of its object. A use is one row. The rows of uses that were flushed
// to D1 are written again by later ones, so that none is ever deleted.

import type { Bindings } from "../../kernel/env";
import { randomHex } from "../../kernel/hash";
import { parseJson } from "../../kernel/json";
import { isInitialised, migrate } from "../../kernel/object-migrations";
import type { Use, UsedKind } from "./apply-use";
import type { NumberedUse } from "./usage-counts";

const USE_LOG_SCHEMA = [
  // `name` tells the logs of a tenant apart if it is erased and comes back: numbers start again.
  `CREATE TABLE log (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL, tenant TEXT NOT NULL, flushed INTEGER NOT NULL);
   CREATE TABLE uses (slot INTEGER PRIMARY KEY, number INTEGER NOT NULL, use TEXT NOT NULL);`,
];

type LogState = {
  name: string;
  tenant: string;
  /** The last number that was given. */
  number: number;
  /** The uses that are not in D1, oldest first. */
  pending: (NumberedUse & { slot: number })[];
  /** Slots whose use was flushed. */
  free: number[];
  slots: number;
};

export class UseLog {
  readonly #storage: DurableObjectStorage;
  #copy: LogState | null = null;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    if (isInitialised(storage)) migrate(storage, USE_LOG_SCHEMA);
  }

  get sql(): SqlStorage {
    return this.#storage.sql;
  }

  /** Returns the log; null if nothing was ever appended. */
  read(): Readonly<LogState> | null {
    this.#copy ??= isInitialised(this.#storage) ? this.#load() : null;
    return this.#copy;
  }

  append(tenant: string, use: Use): void {
    const log = this.#copy ?? (this.read() as LogState | null) ?? this.#create(tenant);
    const slot = log.free.at(-1) ?? log.slots;
    const number = log.number + 1;
    this.sql.exec(
      `INSERT INTO uses (slot, number, use) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET number = excluded.number, use = excluded.use`,
      slot,
      number,
      JSON.stringify(use),
    );
    if (slot === log.slots) log.slots += 1;
    else log.free.pop();
    log.number = number;
    log.pending.push({ ...use, number, slot });
  }

  /** Notes that the uses up to a number are in D1. */
  markFlushed(number: number): void {
    const log = this.#copy;
    if (log === null) return;
    this.sql.exec("UPDATE log SET flushed = ?", number);
    log.free.push(...log.pending.filter((use) => use.number <= number).map(({ slot }) => slot));
    log.pending = log.pending.filter((use) => use.number > number);
  }

  /** Removes records from all uses, also from those that were flushed. */
  remove(kind: UsedKind, ids: readonly string[]): void {
    if (this.read() === null || ids.length === 0) return;
    const removed = new Set(ids);
    const name = kind === "memory" ? "memories" : "episodes";
    const rows = this.sql.exec<{ slot: number; use: string }>("SELECT slot, use FROM uses").toArray();
    for (const { slot, use: text } of rows) {
      const use = parseJson<Use>(text);
      const kept = use[name].filter((id) => !removed.has(id));
      if (kept.length === use[name].length) continue;
      this.sql.exec("UPDATE uses SET use = ? WHERE slot = ?", JSON.stringify({ ...use, [name]: kept }), slot);
    }
    this.#copy = null;
  }

  reset(): void {
    this.#copy = null;
  }

  #create(tenant: string): LogState {
    migrate(this.#storage, USE_LOG_SCHEMA);
    const name = randomHex(8);
    this.sql.exec("INSERT INTO log (id, name, tenant, flushed) VALUES (1, ?, ?, 0)", name, tenant);
    this.#copy = { name, tenant, number: 0, pending: [], free: [], slots: 0 };
    return this.#copy;
  }

  #load(): LogState | null {
    const log = this.sql
      .exec<{ name: string; tenant: string; flushed: number }>("SELECT name, tenant, flushed FROM log")
      .toArray()[0];
    if (log === undefined) return null;
    const { name, tenant, flushed } = log;
    const rows = this.sql
      .exec<{ slot: number; number: number; use: string }>(
        "SELECT slot, number, use FROM uses ORDER BY number",
      )
      .toArray();
    return {
      name,
      tenant,
      number: Math.max(flushed, rows.at(-1)?.number ?? 0),
      pending: rows
        .filter(({ number }) => number > flushed)
        .map(({ slot, number, use }) => ({ ...parseJson<Use>(use), number, slot })),
      free: rows.filter(({ number }) => number <= flushed).map(({ slot }) => slot),
      slots: rows.length,
    };
  }
}

/** The RPC interface of a tenant's usage object. */
export type UsageRpc = {
  /** Stores a use. It is added to the counts in D1 together with others, later. */
  record(tenant: string, use: Use): Promise<void>;
  /** Returns the uses that are not in the counts of D1 yet, oldest first. */
  listPending(): Promise<Use[]>;
  /** Adds what is pending to the counts of D1 now. Returns false if D1 did not answer: the alarm repeats it. */
  flush(): Promise<boolean>;
  /** Removes erased records from all uses. */
  forget(kind: UsedKind, ids: string[]): Promise<void>;
  /** Deletes everything that the object stores. */
  erase(): Promise<void>;
};

export function getUsageObject(env: Bindings, tenant: string): UsageRpc {
  // The binding is untyped; UsageObject implements UsageRpc.
  return env.USAGE.getByName(tenant) as unknown as UsageRpc;
}
