// The log of applied operations with their responses: a repeated call returns the first response.

import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import type { MaskedCount } from "../trust/privacy/mask-values";
import { type Database, readAll, retryConflicts, sanitiseErrors } from "./databases/d1";
import { isUncompared } from "./databases/statements";
import { declareMethods } from "./declare-methods";
import { ok, type Result } from "./errors";
import { getStepRange, type Idempotency, type Operation, replayAnswer } from "./idempotency";
import { runEventBatch } from "./queue-events";
import type { StoreContext } from "./store-context";
import { operations } from "./tables";

export function createOperationLog(context: StoreContext) {
  const { db, tenant, now, gate } = context;
  const { masked } = gate;
  const { reads, writes } = declareMethods(context);

  return {
    /** Returns the first response. It tells of what the first call masked. */
    find: reads(async <T>(operation: Operation): Promise<Result<T> | null> => {
      const found = await findOperation<T & { masked?: MaskedCount[] }>({ db, tenant }, operation);
      if (found?.ok !== true) return found;
      const { masked: first = [], ...response } = found.value;
      masked.add(first);
      return ok(response as T);
    }),

    /** Returns whether an operation, or a step of it, is in the log. */
    isKnown: reads(async (op: string): Promise<boolean> => {
      const { from, to } = getStepRange(op);
      const rows = await readAll(
        db,
        sql`SELECT 1 FROM operations WHERE tenant = ${tenant}
          AND (op = ${op} OR (op > ${from} AND op < ${to})) LIMIT 1`,
      );
      return rows.length > 0;
    }),

    /** Saves a whole response, which may quote stored content. An earlier response is not replaced. */
    save: writes(async ({ op, fingerprint, response }: Operation & { response: object }): Promise<void> => {
      const first = masked.list();
      const stored = first.length === 0 ? response : { ...response, masked: first };
      const row = { tenant, op, fingerprint, response: JSON.stringify(stored), quotes: 1 };
      await sanitiseErrors(() =>
        db.orm
          .insert(operations)
          .values({ ...row, created_at: now() })
          .onConflictDoNothing(),
      );
    }),
  };
}

/** Returns the first response, a failure if the operation was sent with another body, or null if it is new. */
export async function findOperation<T>(
  { db, tenant }: Pick<StoreContext, "db" | "tenant">,
  operation: Idempotency,
): Promise<Result<T> | null> {
  if (operation === null) return null;
  const [row] = await sanitiseErrors(() =>
    db.orm
      .select()
      .from(operations)
      .where(and(eq(operations.tenant, tenant), eq(operations.op, operation.op))),
  );
  return replayAnswer<T>(row, operation);
}

export type AppliedOperation = Operation & { response: string };

/** Records operations within the batch that applies them. A second batch violates the primary key and aborts. */
export function recordOperations(tenant: string, applied: readonly AppliedOperation[], at: string): SQL {
  return sql`INSERT INTO operations (tenant, op, fingerprint, response, created_at)
    SELECT ${tenant}, value ->> '$.op', value ->> '$.fingerprint', value ->> '$.response', ${at}
    FROM json_each(${JSON.stringify(applied)})`;
}

/** Records one operation with its response; no statement for a call without an idempotency key. */
export function recordOperation(
  tenant: string,
  operation: Idempotency,
  response: unknown,
  at: string,
): SQL[] {
  if (operation === null) return [];
  return [recordOperations(tenant, [{ ...operation, response: JSON.stringify(response) }], at)];
}

/**
 * Runs a change once per operation: the statements of the plan and the record of its response are one batch. The plan is
 * made again if another write changes what it is based on. A repeated call gets the first response.
 */
export function applyOnce<T>(
  context: StoreContext,
  operation: Idempotency,
  plan: (at: string) => Promise<Result<{ response: T; statements: SQL[] }>>,
): Promise<Result<T>> {
  return retryConflicts(async () => {
    const earlier = await findOperation<T>(context, operation);
    if (earlier !== null) return earlier;
    const at = context.now();
    const planned = await plan(at);
    if (!planned.ok) return planned;
    const { response, statements } = planned.value;
    await runEventBatch(context, [
      ...statements,
      ...recordOperation(context.tenant, operation, response, at),
    ]);
    return ok(response);
  });
}

/**
 * Deletes whole responses of before `answered`, and the record of every operation of before `applied`. Those of a tenant
 * whose move is being completed stay until the next time.
 */
export async function deleteExpiredOperations(
  db: Database,
  { answered, applied }: { answered: string; applied: string },
): Promise<void> {
  // A literal, because a partial index does not serve a bound parameter.
  const isAnswer = sql`${operations.quotes} = 1`;
  const isFree = isUncompared(sql`operations.tenant`);
  await sanitiseErrors(() =>
    db.orm.delete(operations).where(and(isAnswer, lt(operations.created_at, answered), isFree)),
  );
  await sanitiseErrors(() =>
    db.orm.delete(operations).where(and(lt(operations.created_at, applied), isFree)),
  );
}
