// Which tenants to move from a full database to an emptier one. Pure.

export type ShardFill = {
  name: string;
  /** The size of the database. */
  bytes: number;
  /** The tenants with the most text, largest first. */
  tenants: readonly { tenant: string; text_bytes: number }[];
  /** The text of all its tenants. */
  text_bytes: number;
};

export type SuggestedMove = { tenant: string; from: string; to: string; bytes: number };

/** A database that is fuller than this should give tenants away, down to the second: there is time to move them. */
const FULL = 0.7;
const RELAXED = 0.55;

/**
 * Suggests moves of the largest tenants. A tenant takes as much of its database as of the text in it, and moves only to
 * where it leaves room.
 */
export function suggestMoves(shards: readonly ShardFill[], capacity: number): SuggestedMove[] {
  const sizes = new Map(shards.map(({ name, bytes }) => [name, bytes]));
  const getSize = (name: string) => sizes.get(name) ?? 0;
  const moves: SuggestedMove[] = [];
  for (const { name: from, bytes, tenants, text_bytes } of shards) {
    if (bytes <= FULL * capacity || text_bytes === 0) continue;
    for (const { tenant, text_bytes: own } of tenants) {
      if (getSize(from) <= RELAXED * capacity) break;
      const size = Math.round((bytes * own) / text_bytes);
      const to = shards
        .map(({ name }) => name)
        .filter((name) => name !== from)
        .toSorted((a, b) => getSize(a) - getSize(b))[0];
      if (to === undefined || getSize(to) + size > FULL * capacity) continue;
      moves.push({ tenant, from, to, bytes: size });
      sizes.set(from, getSize(from) - size);
      sizes.set(to, getSize(to) + size);
    }
  }
  return moves;
}
