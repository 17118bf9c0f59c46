// The lease of a run of a move, in `tenant_moves`: while it lasts, no other run takes the move over. Its end also tells
// the run from others, since each takes a later one. A run that has outlasted its lease stores nothing any more.
import { type SQL, sql } from "drizzle-orm";
import { type Database, readAll } from "../../kernel/databases/d1";
import { SECOND_MS } from "../../kernel/time";

/** A run that has not stored its progress for so long is dead. */
const LEASE_MS = 10 * SECOND_MS;
/** Longer than a drain of the indexer, or a call of Vectorize with its repetitions. */
const LONG_LEASE_MS = 40 * SECOND_MS;

export type Lease = { home: Database; tenant: string; now: () => number; until: number };

/** Thrown when another run has the move. */
export class Overtaken extends Error {
  override readonly name = "Overtaken";
}

/** Takes the move of a tenant, and returns its row; null if another run has it, or there is no move. */
export async function takeLease<Row>(
  home: Database,
  tenant: string,
  now: () => number,
): Promise<{ lease: Lease; row: Row } | null> {
  const at = now();
  const until = at + LEASE_MS;
  const [row] = await readAll<Row>(
    home,
    sql`UPDATE tenant_moves SET leased_until = ${until} WHERE tenant = ${tenant} AND leased_until <= ${at} RETURNING *`,
  );
  return row === undefined ? null : { lease: { home, tenant, now, until }, row };
}

/** Stores the progress of the run, and renews its lease. Throws `Overtaken` if another run has the move. */
export function renewLease(
  lease: Lease,
  { step, position, copied }: { step: string; position: string | null; copied: number },
): Promise<void> {
  return setLease(lease, LEASE_MS, sql`, step = ${step}, position = ${position}, copied = ${copied}`);
}

/** Prepares for a call that may take long. Throws `Overtaken` if another run has the move: the call must not be made. */
export function prolongLease(lease: Lease): Promise<void> {
  return setLease(lease, LONG_LEASE_MS, sql``);
}

async function setLease(lease: Lease, ms: number, changes: SQL): Promise<void> {
  const until = lease.now() + ms;
  const rows = await readAll(
    lease.home,
    sql`UPDATE tenant_moves SET leased_until = ${until}${changes} WHERE ${isHeld(lease)} RETURNING tenant`,
  );
  if (rows.length === 0) throw new Overtaken("Another run has the move.");
  lease.until = until;
}

/** Lets the next run begin at once, unless one has begun already. */
export async function releaseLease(lease: Lease): Promise<void> {
  await readAll(
    lease.home,
    sql`UPDATE tenant_moves SET leased_until = 0 WHERE ${isHeld(lease)} RETURNING tenant`,
  );
}

/** Ends the move. Throws `Overtaken` if another run has it. */
export async function deleteLeasedMove(lease: Lease): Promise<void> {
  const rows = await readAll(
    lease.home,
    sql`DELETE FROM tenant_moves WHERE ${isHeld(lease)} RETURNING tenant`,
  );
  if (rows.length === 0) throw new Overtaken("Another run has the move.");
}

function isHeld({ tenant, until }: Lease): SQL {
  return sql`tenant = ${tenant} AND leased_until = ${until}`;
}
