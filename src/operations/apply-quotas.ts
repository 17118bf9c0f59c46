// Refuses the calls of a session that would store more than the tenant's quotas allow. The session's object knows no
// quotas: what it has acknowledged is always written.
import { type ExceededQuotas, findExceeded, type QuotaKind } from "../domain/quotas";
import type { SessionRef } from "../session/session-record";
import type { SessionRpc } from "../session/session-rpc";

/**
 * The quotas of calls that are parts of others, such as those of a batch, besides that of sessions. Routes and tools
 * declare their own.
 */
const USED: Partial<Record<keyof SessionRpc, readonly QuotaKind[]>> = {
  addMessages: ["messages", "bytes"],
  remember: ["memories", "bytes"],
};

/** The calls that create a session with an unused id. */
const CREATING: ReadonlySet<string> = new Set<keyof SessionRpc>([
  "create",
  "addMessages",
  "remember",
  "addPending",
  "putContext",
  "putMemory",
  "patchMemory",
  "putSpace",
  "changeSpace",
  "noteFact",
  "addTask",
  "appendThread",
  "recordToolUse",
  "acceptDirective",
]);

export function applyQuotas(session: SessionRpc, ref: SessionRef, exceeded: ExceededQuotas): SessionRpc {
  if (exceeded.size === 0) return session;
  return new Proxy(session, {
    get(target, name: keyof SessionRpc & string) {
      const refusal = findExceeded(exceeded, USED[name] ?? []);
      if (refusal !== null) return async () => ({ ok: false, failure: refusal });
      const noSessions = exceeded.get("sessions");
      const method: unknown = Reflect.get(target, name);
      if (noSessions === undefined || !CREATING.has(name) || typeof method !== "function") return method;
      return async (...args: unknown[]): Promise<unknown> => {
        const known = await target.getSettings(ref);
        if (known.ok && known.value === null) return { ok: false, failure: noSessions };
        return Reflect.apply(method, target, args);
      };
    },
  });
}
