// Reach: whose memory a session or a call covers when it does not say, and which scopes lie within it.
import { FailureError, invalidField } from "../platform/errors";
import { SCOPES, type Scope } from "../schemas/common";

/** Whom a memory belongs to beyond its session. */
export type LastingOwner = { user_id: string | null; agent_id: string | null; project_id: string | null };

export const NO_LASTING_OWNER: LastingOwner = { user_id: null, agent_id: null, project_id: null };

/** The ids by which scopes select. */
export type ScopeOwner = LastingOwner & { session_id: string | null };

/**
 * Returns the owner of what is written or read in a session: the session's ids, completed by those of the call. A
 * session serves one person, so that a call which names another one is refused.
 */
export function inheritOwner(session: LastingOwner, named: LastingOwner): LastingOwner {
  if (named.user_id !== null && session.user_id !== null && named.user_id !== session.user_id)
    throw new FailureError(
      invalidField("user_id", "is not the user of this session: leave it out, or name a session of that user")
        .failure,
    );
  return {
    user_id: session.user_id ?? named.user_id,
    agent_id: session.agent_id ?? named.agent_id,
    project_id: session.project_id ?? named.project_id,
  };
}

/** Messages belong to the user of their session, and a session that was created without one has none. */
export function requireSameUser(session: LastingOwner, named: LastingOwner): void {
  inheritOwner(session, named);
  if (named.user_id === null || session.user_id !== null) return;
  throw new FailureError(
    invalidField(
      "user_id",
      "is not known to this session, which was created without a user: name the user with the first call, or use another session",
    ).failure,
  );
}

/** From the narrowest to the widest. */
export const OWNER_IDS = [
  "session_id",
  "user_id",
  "agent_id",
  "project_id",
] as const satisfies readonly (keyof ScopeOwner)[];

/** Returns the reach of a session that sets none: what its owner knows. */
export function getDefaultReach({ user_id, agent_id, project_id }: LastingOwner): Exclude<Scope, "tenant"> {
  if (user_id !== null) return "user";
  if (agent_id !== null) return "agent";
  return project_id === null ? "session" : "project";
}

export function isWiderScope(scope: Scope, than: Scope): boolean {
  return SCOPES.indexOf(scope) > SCOPES.indexOf(than);
}
