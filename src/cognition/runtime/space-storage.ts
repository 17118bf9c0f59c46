// The table of a session's spaces in its object. Spaces are read on demand, without the entries that have expired, and
// written only when they have changed.

import { parseJson } from "../../kernel/json";
import {
  BUILT_IN_SPACES,
  createSpaceContainer,
  type Expiries,
  type Space,
  type SpaceContainer,
} from "../spaces/space-container";
import { dropExpired, findEarliestExpiry } from "../spaces/space-data";
import type { SpaceKind } from "../spaces/space-schemas";

type Head = Omit<SpaceContainer, "id" | "created_at" | "spaces">;
type SpaceRow = {
  name: string;
  kind: string;
  rev: number;
  data: string;
  metadata: string;
  bytes: number;
  expires: string | null;
};

export class SpaceStorage {
  readonly #sql: SqlStorage;
  readonly #now: () => number;

  constructor(sql: SqlStorage, now: () => number) {
    this.#sql = sql;
    this.#now = now;
  }

  /** Loads the container with some or all of its spaces. */
  load(session: { id: string; created_at: string }, names: readonly string[] | "all"): SpaceContainer {
    const initial = createSpaceContainer(session.id, session.created_at);
    const [head] = this.#sql.exec<{ head: string }>("SELECT head FROM memory").toArray();
    const rows = (
      names === "all"
        ? this.#sql.exec<SpaceRow>("SELECT * FROM spaces ORDER BY name")
        : this.#sql.exec<SpaceRow>(
            "SELECT * FROM spaces WHERE name IN (SELECT value FROM json_each(?))",
            JSON.stringify(names),
          )
    ).toArray();
    const defaults = Object.entries(initial.spaces).filter(
      ([name]) => names === "all" || names.includes(name),
    );
    return {
      ...initial,
      ...(head === undefined ? {} : parseJson<Head>(head.head)),
      spaces: Object.fromEntries([
        ...defaults,
        ...rows.map((row) => [row.name, toSpace(row, this.#now())] as const),
      ]),
    };
  }

  /** Returns the names of all spaces. */
  listNames(): ReadonlySet<string> {
    const rows = this.#sql.exec<{ name: string }>("SELECT name FROM spaces").toArray();
    return new Set([...BUILT_IN_SPACES, ...rows.map(({ name }) => name)]);
  }

  /** Lists the spaces whose rows still hold expired entries. */
  listExpired(): string[] {
    return this.#sql
      .exec<{ name: string }>("SELECT name FROM spaces WHERE expires_at <= ?", this.#now())
      .toArray()
      .map(({ name }) => name);
  }

  /** Returns the time at which the next entry expires, null if none does. */
  findExpiry(): number | null {
    return this.#sql
      .exec<{ at: number | null }>("SELECT min(expires_at) AS at FROM spaces WHERE expires_at IS NOT NULL")
      .one().at;
  }

  /** Inside a transaction: stores the spaces that differ. */
  save(before: SpaceContainer, after: SpaceContainer): void {
    if (after === before) return;
    const { id: _id, created_at: _created, spaces, ...head } = after;
    this.#sql.exec(
      "INSERT OR REPLACE INTO memory (id, head) VALUES (1, ?)",
      JSON.stringify(head satisfies Head),
    );
    for (const [name, space] of Object.entries(spaces))
      if (before.spaces[name] !== space) this.#put(name, space);
    for (const name of Object.keys(before.spaces))
      if (!Object.hasOwn(spaces, name)) this.#sql.exec("DELETE FROM spaces WHERE name = ?", name);
  }

  #put(name: string, { kind, rev, data, metadata, bytes, expires = {} }: Space): void {
    const expiresAt = findEarliestExpiry(expires);
    this.#sql.exec(
      `INSERT OR REPLACE INTO spaces (name, kind, rev, data, metadata, bytes, expires, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      name,
      kind,
      rev,
      JSON.stringify(data),
      JSON.stringify(metadata),
      bytes,
      expiresAt === null ? null : JSON.stringify(expires),
      expiresAt,
    );
  }
}

/** The size stays that of the row: the next change of the space corrects it. */
function toSpace({ kind, rev, data, metadata, bytes, expires }: SpaceRow, now: number): Space {
  const space = {
    kind: kind as SpaceKind,
    rev,
    data: parseJson<Space["data"]>(data),
    metadata: parseJson<Space["metadata"]>(metadata),
    bytes,
  };
  if (expires === null) return space;
  const left = dropExpired({ data: space.data, expires: parseJson<Expiries>(expires) }, now);
  return findEarliestExpiry(left.expires) === null ? { ...space, data: left.data } : { ...space, ...left };
}
