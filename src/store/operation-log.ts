// What D1 has applied, with its answers: idempotency keys of calls whose work is done in D1.
import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import { type Database, sanitiseErrors } from "../platform/d1";
import { idempotencyKeyReused, ok, type Result } from "../platform/errors";
import { parseJson } from "../platform/json";
import type { StoreContext } from "./store-context";
import { operations } from "./tables";

export type Operation = { op: string; fingerprint: string };

/** The first answer of this operation; a conflict when it was made with another body; null when it is new. */
export async function readOperation<T>(
  db: Database,
  tenant: string,
  { op, fingerprint }: Operation,
): Promise<Result<T> | null> {
  const [row] = await sanitiseErrors(() =>
    db.orm
      .select()
      .from(operations)
      .where(and(eq(operations.tenant, tenant), eq(operations.op, op))),
  );
  if (row === undefined) return null;
  if (row.fingerprint !== fingerprint) {
    return idempotencyKeyReused();
  }
  return ok(parseJson<T>(row.response));
}

/** Keeps a whole answer, which may quote what is stored; the first answer stands. */
export async function saveOperation(
  db: Database,
  tenant: string,
  operation: Operation & { response: object; at: string },
): Promise<void> {
  const { op, fingerprint, response, at } = operation;
  await sanitiseErrors(() =>
    db.orm
      .insert(operations)
      .values({ tenant, op, fingerprint, response: JSON.stringify(response), quotes: 1, created_at: at })
      .onConflictDoNothing(),
  );
}

export async function dropOperationsBefore(db: Database, at: string): Promise<void> {
  await sanitiseErrors(() => db.orm.delete(operations).where(lt(operations.created_at, at)));
}

export function createOperationLog({ db, tenant, now }: StoreContext) {
  return {
    find: <T>(operation: Operation) => readOperation<T>(db, tenant, operation),
    save: (operation: Operation & { response: object }) =>
      saveOperation(db, tenant, { ...operation, at: now() }),
  };
}
/** Records what was applied, with its answer; a second application violates the primary key and aborts. */

export function recordOperations(
  tenant: string,
  applied: readonly { op: string; fingerprint: string; response: string }[],
  at: string,
): SQL {
  return sql`INSERT INTO operations (tenant, op, fingerprint, response, created_at)
    SELECT ${tenant}, value ->> '$.op', value ->> '$.fingerprint', value ->> '$.response', ${at}
    FROM json_each(${JSON.stringify(applied)})`;
}
