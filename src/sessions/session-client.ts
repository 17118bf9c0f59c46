// The caller's side of a session: applies what its calls declare (session-calls.ts), sends the tenant's rules with every
// call, and collects what the session has masked and the bookmark of its last write to D1.

import type { Bindings } from "../kernel/env";
import type { Failure, Result } from "../kernel/errors";
import type { KeyCheck } from "../trust/keys/key-check";
import type { MaskedCount } from "../trust/privacy/mask-values";
import type { MaskCollector } from "../trust/privacy/privacy-gate";
import { type ExceededQuotas, findExceeded } from "../trust/quotas";
import type { TenantRules } from "../trust/tenant-rules";
import {
  defineSessionCalls,
  isDeletion,
  SESSION_CALLS,
  type SessionCall,
  type SessionCallName,
} from "./session-calls";
import type { SessionRef } from "./session-record";
import type { SessionRpc } from "./session-rpc";

/** The result of a call, with what the session has masked in it, and its bookmark. */
export type SessionResult<T> = Result<T> & { masked?: MaskedCount[]; bookmark?: string };

/** Returns the object of a session. The namespace binding does not have the type of its objects. */
export function openSession({ SESSIONS }: Bindings, tenant: string, id: string): SessionRpc {
  return SESSIONS.getByName(`${tenant}/${id}`) as unknown as SessionRpc;
}

type SessionClientOptions = {
  object: SessionRpc;
  rules: TenantRules;
  /** The quotas that are used up. The object does not know them: it always writes what it has acknowledged. */
  exceeded: ExceededQuotas;
  /** Learns of writes; null if the key has been checked. */
  check: Pick<KeyCheck, "noteEffect"> | null;
  masked: MaskCollector;
  noteBookmark: (bookmark: string | null) => void;
  /** Requests compaction after a deletion in the object; null if there are no local files. */
  requestCompaction: (() => Promise<void>) | null;
};

type Call = (ref: SessionRef, ...args: unknown[]) => Promise<SessionResult<unknown>>;

class SessionClient {
  readonly #options: SessionClientOptions;

  static {
    defineSessionCalls(SessionClient.prototype, (client, name, ref, args) => client.#run(name, ref, args));
  }

  constructor(options: SessionClientOptions) {
    this.#options = options;
  }

  async #run(name: SessionCallName, ref: SessionRef, args: unknown[]): Promise<Result<unknown>> {
    const call: SessionCall = SESSION_CALLS[name];
    const { object, rules, check, requestCompaction } = this.#options;
    const refusal = await this.#findRefusal(call, ref);
    if (refusal !== null) return { ok: false, failure: refusal };
    if (call.writes) check?.noteEffect();
    const sent = { ...ref, rules: rules.privacy, ontology: rules.ontology.version };
    const answer = await (object as unknown as Record<SessionCallName, Call>)[name](sent, ...args);
    const { masked = [], bookmark = null, ...result } = answer;
    this.#options.masked.add(masked);
    this.#options.noteBookmark(bookmark);
    if (result.ok && isDeletion(call, args)) await requestCompaction?.();
    return result as Result<unknown>;
  }

  /** Returns the failure of a call that would store more than the quotas allow; null if it may be sent. */
  async #findRefusal(call: SessionCall, { tenant, id }: SessionRef): Promise<Failure | null> {
    const { exceeded } = this.#options;
    if (!call.writes || exceeded.size === 0) return null;
    const refusal = findExceeded(exceeded, call.quota ?? []);
    const noSessions = exceeded.get("sessions");
    if (refusal !== null || !call.creates || noSessions === undefined) return refusal;
    const settings = await this.#run("getSettings", { tenant, id }, []);
    return settings.ok && settings.value === null ? noSessions : null;
  }
}

export function createSessionClient(options: SessionClientOptions): SessionRpc {
  return new SessionClient(options) as unknown as SessionRpc;
}
