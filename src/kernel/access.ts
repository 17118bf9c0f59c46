// Access: whose memory a call reads and writes (owner), how far it goes (scope) and what its key allows (binding).

import { SCOPES, type Scope } from "./common";
import { fieldFailure } from "./errors";

/** Whom something belongs to; null for nobody. What no session can own, such as a session, has no `session_id`. */
export type Owner = {
  session_id?: string | null;
  user_id: string | null;
  agent_id: string | null;
  project_id: string | null;
};

/** The owner that a key or a pinned client is limited to: every id that is set must match. Nothing else exists for it. */
export type Binding = { readonly [K in keyof Owner]?: string | undefined };

/** The access of a call. */
export type Access = {
  owner: Required<Owner>;
  /** The widest scope of a call that a model made; null for a program, which only its key limits. */
  scope: Scope | null;
  binding: Binding;
};

/** From the narrowest to the widest. */
export const OWNER_IDS = [
  "session_id",
  "user_id",
  "agent_id",
  "project_id",
] as const satisfies readonly (keyof Owner)[];

/** The ids that a key can be bound to, and that a session itself has. */
export const BOUND_IDS = ["user_id", "agent_id", "project_id"] as const satisfies readonly (keyof Owner)[];

export const NO_OWNER: Required<Owner> = {
  session_id: null,
  user_id: null,
  agent_id: null,
  project_id: null,
};

export const UNBOUND: Binding = {};

/** The access of a call that names no owner and has no binding. */
export const OPEN_ACCESS: Access = { owner: NO_OWNER, scope: null, binding: UNBOUND };

/** The project of what nobody owns, so that the next call without an owner finds it. */
export const DEFAULT_PROJECT = "default";

/** Returns whether a user, an agent or a project is named. */
export function hasOwner({ user_id, agent_id, project_id }: Owner): boolean {
  return (user_id ?? agent_id ?? project_id) !== null;
}

export function isBound(binding: Binding): boolean {
  return OWNER_IDS.some((id) => binding[id] !== undefined);
}

/** Returns whether something with these owner ids lies within the binding. */
export function isWithinBinding(binding: Binding, owner: Owner): boolean {
  return OWNER_IDS.every((id) => binding[id] === undefined || owner[id] === binding[id]);
}

/** Returns the user, agent and project of a binding, as a filter. */
export function toOwner({ user_id, agent_id, project_id }: Binding): Owner {
  return { user_id: user_id ?? null, agent_id: agent_id ?? null, project_id: project_id ?? null };
}

/**
 * Returns whether a call sees something of this owner: it is within the binding of its key and, if a model called, in its
 * scope or of its session.
 */
export function canSee({ owner, scope, binding }: Access, other: Required<Owner>): boolean {
  if (!isWithinBinding(binding, other)) return false;
  if (scope === null || scope === "tenant") return true;
  const isOwn = (id: keyof Owner) => owner[id] !== null && other[id] === owner[id];
  return isOwn(`${scope}_id`) || isOwn("session_id");
}

export function isWiderScope(scope: Scope, than: Scope): boolean {
  return SCOPES.indexOf(scope) > SCOPES.indexOf(than);
}

/** Returns the scope of a session that sets none: what its owner knows. */
export function getDefaultScope({ user_id, agent_id, project_id }: Owner): Exclude<Scope, "tenant"> {
  if (user_id !== null) return "user";
  if (agent_id !== null) return "agent";
  return project_id === null ? "session" : "project";
}

/**
 * Returns the scope of a call in a session. `owner` is the session's, completed by the call: an id that only the call has
 * narrows the session's reach, and sets it for a session that does not exist yet or reaches only itself for want of an
 * owner.
 */
export function resolveScope(session: (Owner & { reach: Scope }) | null, owner: Owner): Scope {
  const named = getDefaultScope(owner);
  if (session === null) return named;
  if (named === "session" || session[`${named}_id`] !== null) return session.reach;
  const isOwnerless = session.reach === "session" && !hasOwner(session);
  return isOwnerless || isWiderScope(session.reach, named) ? named : session.reach;
}

/**
 * Returns the next wider scope whose owner is known; null if there is none. A call about one user is not led to the
 * whole tenant, which has the memories of all the others.
 */
export function findWiderScope(owner: Owner, scope: Scope): Scope | null {
  const wider = SCOPES.slice(SCOPES.indexOf(scope) + 1).find(
    (one) => one === "tenant" || (one !== "session" && owner[`${one}_id`] !== null),
  );
  return wider === undefined || (wider === "tenant" && owner.user_id !== null) ? null : wider;
}

type SessionAgents = Pick<Owner, "agent_id"> & { participating_agents?: readonly string[] };

/** Returns the agent that makes a call in a session: the one it names if that participates, else the session's. */
export function selectActingAgent(
  { agent_id, participating_agents = [] }: SessionAgents,
  named: string | null,
): string | null {
  return named !== null && participating_agents.includes(named) ? named : (agent_id ?? named);
}

/**
 * Returns the owner of what is written or read in a session: the session's ids, completed by those of the call. A
 * session serves one person, so that a call which names another one is refused.
 */
export function inheritOwner(session: Owner & SessionAgents, named: Owner): Owner {
  if (named.user_id !== null && session.user_id !== null && named.user_id !== session.user_id)
    throw fieldFailure(
      "user_id",
      "is not the user of this session: leave it out, or name a session of that user",
    );
  return {
    user_id: session.user_id ?? named.user_id,
    agent_id: selectActingAgent(session, named.agent_id),
    project_id: session.project_id ?? named.project_id,
  };
}

/** Messages belong to the user of their session, and a session that was created without one has none. */
export function requireSameUser(session: Owner, named: Owner): void {
  inheritOwner(session, named);
  if (named.user_id === null || session.user_id !== null) return;
  throw fieldFailure(
    "user_id",
    "is not known to this session, which was created without a user: name the user with the first call, or use another session",
  );
}
