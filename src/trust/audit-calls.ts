// Audits calls. The record of a call is written before the call runs, so that nothing happens without one: if it cannot
// be written, the call fails. Its outcome is written afterwards; if that fails, the record stays and says `unknown`.
import type { Database } from "../kernel/databases/d1";
import { FAILURES, FailureError, logDefect } from "../kernel/errors";
import {
  type AuditedCall,
  type CallOutcome,
  closeAuditRecord,
  countAuditedCalls,
  mergeAuditRecord,
  openAuditRecord,
  toMinute,
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

// Counts refused calls and bulk reads for the audit log, after the response. Each isolate writes its 1st, 2nd, 4th, 8th …
// call of a key, an action and a minute, so that a flood of calls costs a handful of rows, and the count in the log is at
// least half of the calls.

/** Actions of one key in one minute; further ones are counted together as `other`. */
const ACTIONS_PER_KEY = 20;

type Count = { calls: number; written: number };

let minute = "";
const counts = new Map<string, Count>();
const actionsByKey = new Map<string, number>();

export async function countCall(db: Database, call: AuditedCall & CallOutcome): Promise<void> {
  if (minute !== toMinute(call.at)) {
    minute = toMinute(call.at);
    counts.clear();
    actionsByKey.clear();
  }
  const counted = limitActions(call);
  const count = counts.get(nameCount(counted)) ?? { calls: 0, written: 0 };
  counts.set(nameCount(counted), count);
  count.calls += 1;
  const isPowerOfTwo = (count.calls & (count.calls - 1)) === 0;
  if (!isPowerOfTwo) return;
  const added = count.calls - count.written;
  count.written = count.calls;
  try {
    await countAuditedCalls(db, counted, added);
  } catch (error) {
    // The next write adds them again.
    count.written -= added;
    logDefect("audit.error", error);
  }
}

function limitActions<T extends AuditedCall & CallOutcome>(call: T): T {
  if (counts.has(nameCount(call))) return call;
  const actions = actionsByKey.get(call.key_id) ?? 0;
  if (actions >= ACTIONS_PER_KEY) return { ...call, action: "other", target: null };
  actionsByKey.set(call.key_id, actions + 1);
  return call;
}

function nameCount({ tenant, key_id, action, outcome, code }: AuditedCall & CallOutcome): string {
  return [tenant, key_id, action, outcome, code].join(" ");
}
