// Audits calls. The record of a call is written before the call runs, so that nothing happens without one: if it cannot
// be written, the call fails. Its outcome is written afterwards; if that fails, the record stays and says `unknown`.
import type { Database } from "../kernel/databases/d1";
import { FAILURES, FailureError, logDefect } from "../kernel/errors";
import {
  type AuditedCall,
  type CallOutcome,
  closeAuditRecord,
  mergeAuditRecord,
  openAuditRecord,
} from "./audit-log";

/** Names the target of a call that only knows it afterwards, such as a new key. */
export type NameTarget = (target: string) => void;

export async function auditCall<T>(
  db: Database,
  call: AuditedCall,
  work: (nameTarget: NameTarget) => Promise<T>,
): Promise<T> {
  const id = await openAuditRecord(db, call);
  let target: string | null = null;
  try {
    const value = await work((named) => {
      target = named;
    });
    await logFailure(closeAuditRecord(db, id, { outcome: "ok", code: null, target }));
    return value;
  } catch (error) {
    const ended = describeOutcome(error);
    await logFailure(
      ended.outcome === "refused"
        ? mergeAuditRecord(db, id, { ...call, ...ended })
        : closeAuditRecord(db, id, { ...ended, target }),
    );
    throw error;
  }
}

/** A client error has no effect. After any other error, part of the work may be done. */
function describeOutcome(error: unknown): CallOutcome {
  if (!(error instanceof FailureError)) return { outcome: "failed", code: "internal" };
  const { code } = error.failure;
  return { outcome: FAILURES[code].status < 500 ? "refused" : "failed", code };
}

/** The call is over, so that its caller gets the result whether or not the outcome could be recorded. */
async function logFailure(writing: Promise<void>): Promise<void> {
  await writing.catch((error: unknown) => logDefect("audit.error", error));
}
