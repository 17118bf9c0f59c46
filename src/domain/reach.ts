// Reach: whose memory a session or a call covers when it does not say, and which scopes lie within it.
import { FailureError, invalidField } from "../platform/errors";
import { SCOPES, type Scope } from "../schemas/common";

/** Whom a memory belongs to beyond its session. */
export type LastingOwner = { user_id: string | null; agent_id: string | null; project_id: string | null };

/** The project of what nobody owns, so that the next call without an owner finds it. */
export const DEFAULT_PROJECT = "default";

export const NO_LASTING_OWNER: LastingOwner = { user_id: null, agent_id: null, project_id: null };

/** The ids by which scopes select. */
export type ScopeOwner = LastingOwner & { session_id: string | null };

/** A session's owner, with the agents that work in it besides its own. */
export type SessionOwner = LastingOwner & { participating_agents?: readonly string[] };

/** Returns the agent that makes a call in a session: the one it names if that participates, else the session's. */
export function selectActingAgent(
  { agent_id, participating_agents = [] }: SessionOwner,
  named: string | null,
): string | null {
  return named !== null && participating_agents.includes(named) ? named : (agent_id ?? named);
}

/**
 * Returns the owner of what is written or read in a session: the session's ids, completed by those of the call. A
 * session serves one person, so that a call which names another one is refused.
 */
export function inheritOwner(session: SessionOwner, named: LastingOwner): LastingOwner {
  if (named.user_id !== null && session.user_id !== null && named.user_id !== session.user_id)
    throw new FailureError(
      invalidField("user_id", "is not the user of this session: leave it out, or name a session of that user")
        .failure,
    );
  return {
    user_id: session.user_id ?? named.user_id,
    agent_id: selectActingAgent(session, named.agent_id),
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
