// Reach: whose memory a session or a call covers when it does not say, and which scopes lie within it.
import { SCOPES, type Scope } from "../schemas/common";

/** The ids by which scopes select. */
export type ScopeOwner = {
  session_id: string | null;
  user_id: string | null;
  agent_id: string | null;
  project_id: string | null;
};

/** From the narrowest to the widest. */
export const OWNER_IDS = [
  "session_id",
  "user_id",
  "agent_id",
  "project_id",
] as const satisfies readonly (keyof ScopeOwner)[];

/** Returns the reach of a session that sets none: what its owner knows. */
export function getDefaultReach({
  user_id,
  agent_id,
  project_id,
}: Omit<ScopeOwner, "session_id">): Exclude<Scope, "tenant"> {
  if (user_id !== null) return "user";
  if (agent_id !== null) return "agent";
  return project_id === null ? "session" : "project";
}

export function isWiderScope(scope: Scope, than: Scope): boolean {
  return SCOPES.indexOf(scope) > SCOPES.indexOf(than);
}
