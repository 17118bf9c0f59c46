// The caller's side of a session: sends the tenant's rules with every call, and collects what the session has masked in
// it and the bookmark of its last write to D1.
import type { MaskedCount } from "../domain/privacy/mask-values";
import type { MaskCollector } from "../domain/privacy/privacy-gate";
import type { Result } from "../platform/errors";
import type { KeyCheck } from "../store/key-check";
import type { TenantRules } from "../store/tenant-rules";
import type { SessionRef } from "./session-record";
import type { SessionRpc } from "./session-rpc";

/**
 * The result of a call, with what the session has masked in it, its bookmark, and that of what the call has read. The two
 * are apart, because the caller's own bookmark may have led to the latter.
 */
export type SessionResult<T> = Result<T> & { masked?: MaskedCount[]; bookmark?: string; seen?: string };

type Call = (ref: SessionRef, ...args: unknown[]) => Promise<SessionResult<unknown>>;

/** The calls that change nothing which a repeated call would change again. */
const READ_CALL = /^(get|list|read|prepareRecall|hasAnswered|assemble)/;

export function createSessionClient(
  stub: SessionRpc,
  { privacy, ontology }: TenantRules,
  masked: MaskCollector,
  check: Pick<KeyCheck, "noteEffect"> | null,
  noteBookmarks: (bookmarks: { own: string | null; seen: string | null }) => void,
): SessionRpc {
  return new Proxy(stub, {
    get(target, name) {
      return async (ref: SessionRef, ...args: unknown[]): Promise<Result<unknown>> => {
        if (!READ_CALL.test(String(name))) check?.noteEffect();
        const call = Reflect.get(target, name) as Call;
        const {
          masked: found = [],
          bookmark: own = null,
          seen = null,
          ...result
        } = await Reflect.apply(call, target, [
          { ...ref, rules: privacy, ontology: ontology.version },
          ...args,
        ]);
        masked.add(found);
        noteBookmarks({ own, seen });
        return result as Result<unknown>;
      };
    },
  });
}
