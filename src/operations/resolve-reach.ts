// Resolves the reach of a call: that of its session, or of the owner that the call names.
import { getDefaultReach, isWiderScope, type LastingOwner } from "../domain/reach";
import type { Scope } from "../schemas/common";

/** Whether the session or the call names whose memory it is. */
export function hasOwner({ user_id, agent_id, project_id }: LastingOwner): boolean {
  return (user_id ?? agent_id ?? project_id) !== null;
}

/**
 * Returns the session's reach. `owner` is the session's, completed by the call: an id that only the call has narrows
 * the reach, and sets it for a session that does not exist yet or reaches only itself for want of an owner.
 */
export function resolveReach(session: (LastingOwner & { reach: Scope }) | null, owner: LastingOwner): Scope {
  const named = getDefaultReach(owner);
  if (session === null) return named;
  if (named === "session" || session[`${named}_id`] !== null) return session.reach;
  const isOwnerless = session.reach === "session" && !hasOwner(session);
  return isOwnerless || isWiderScope(session.reach, named) ? named : session.reach;
}
