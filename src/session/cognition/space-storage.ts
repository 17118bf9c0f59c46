// The container of spaces in a session's object. Spaces are read when they are needed, and written when they changed.
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

  /** The container with these of its spaces, or with all. */
  load(session: { id: string; created_at: string }, names: readonly string[] | "all"): SpaceContainer {
    const begun = createSpaceContainer(session.id, session.created_at);
    const [head] = this.#sql.exec<{ head: string }>("SELECT head FROM memory").toArray();
    const rows = (
      names === "all"
        ? this.#sql.exec<SpaceRow>("SELECT * FROM spaces ORDER BY name")
        : this.#sql.exec<SpaceRow>(
            "SELECT * FROM spaces WHERE name IN (SELECT value FROM json_each(?))",
            JSON.stringify(names),
          )
    ).toArray();
    const untouched = Object.entries(begun.spaces).filter(
      ([name]) => names === "all" || names.includes(name),
    );
    return {
      ...begun,
      ...(head === undefined ? {} : parseJson<Head>(head.head)),
      spaces: Object.fromEntries([...untouched, ...rows.map((row) => [row.name, toSpace(row)] as const)]),
    };
  }

  /** Inside a transaction. */
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
