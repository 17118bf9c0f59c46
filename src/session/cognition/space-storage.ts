// The table of a session's spaces in its object. Spaces are read on demand and written only when they have changed.
import {
  createSpaceContainer,
  type Space,
  type SpaceContainer,
} from "../../domain/cognition/space-container";
import { parseJson } from "../../platform/json";
import type { SpaceKind } from "../../schemas/space";

type Head = Omit<SpaceContainer, "id" | "created_at" | "spaces">;
type SpaceRow = {
  name: string;
  kind: string;
  rev: number;
  data: string;
  metadata: string;
  bytes: number;
};

export class SpaceStorage {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
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
      spaces: Object.fromEntries([...defaults, ...rows.map((row) => [row.name, toSpace(row)] as const)]),
    };
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

  #put(name: string, { kind, rev, data, metadata, bytes }: Space): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO spaces (name, kind, rev, data, metadata, bytes) VALUES (?, ?, ?, ?, ?, ?)",
      name,
      kind,
      rev,
      JSON.stringify(data),
      JSON.stringify(metadata),
      bytes,
    );
  }
}

function toSpace({ kind, rev, data, metadata, bytes }: SpaceRow): Space {
  return {
    kind: kind as SpaceKind,
    rev,
    data: parseJson<Space["data"]>(data),
    metadata: parseJson<Space["metadata"]>(metadata),
    bytes,
  };
}
