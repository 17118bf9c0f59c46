// What D1 has applied, with its answers: idempotency keys of calls whose work is done in D1.
import { and, eq, lt } from "drizzle-orm";
import { type Database, guarded } from "../platform/d1";
import { keyReused, type Outcome, ok } from "../platform/errors";
import { parseJson } from "../platform/json";
import { operations } from "./tables";

export type Operation = { op: string; fingerprint: string };

/** The first answer of this operation; a conflict when it was made with another body; null when it is new. */
export async function readOperation<T>(
  db: Database,
  tenant: string,
  { op, fingerprint }: Operation,
): Promise<Outcome<T> | null> {
  const [row] = await guarded(() =>
    db.orm
      .select()
      .from(operations)
      .where(and(eq(operations.tenant, tenant), eq(operations.op, op))),
  );
  if (row === undefined) return null;
  if (row.fingerprint !== fingerprint) {
    return keyReused();
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
  await guarded(() =>
    db.orm
      .insert(operations)
      .values({ tenant, op, fingerprint, response: JSON.stringify(response), quotes: 1, created_at: at })
      .onConflictDoNothing(),
  );
}

export async function dropOperationsBefore(db: Database, at: string): Promise<void> {
  await guarded(() => db.orm.delete(operations).where(lt(operations.created_at, at)));
}
