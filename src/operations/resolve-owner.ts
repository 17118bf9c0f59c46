// Resolves the owner of a call: ids that the call leaves out are taken from its session.

import type { Owner } from "../domain/access";
import { FailureError, failure, invalidField, unwrap } from "../platform/errors";
import type { SessionSettings } from "../session/session-rpc";
import type { Services } from "./services";
import type { OwnerIds } from "./tools/tool";

/** Returns the user, agent and project. A session that does not exist yet is no error: agents recall before they write. */
export async function resolveOwner(services: Services, target: OwnerIds): Promise<Owner> {
  const { session_id: id, user_id, agent_id, project_id } = target;
  if (id === null) return { user_id, agent_id, project_id };
  const known = await findSettings(services, id);
  return {
    user_id: user_id ?? known?.user_id ?? null,
    agent_id: agent_id ?? known?.agent_id ?? null,
    project_id: project_id ?? known?.project_id ?? null,
  };
}

/** Returns the settings of a session, null if it does not exist yet. Throws `not_found` while it is being erased. */
export async function findSettings(
  { tenant, session }: Pick<Services, "tenant" | "session">,
  id: string,
): Promise<SessionSettings | null> {
  const settings = unwrap(await session(id).getSettings({ tenant, id }));
  if (settings?.erasing) throw failure("not_found", `Session not found: ${id}. It is being erased.`);
  return settings;
}

/** Returns the agent that the call names in `field`, else the session's. */
export async function resolveAgent(
  services: Services,
  target: OwnerIds,
  field: string,
  requested: string | undefined,
): Promise<string> {
  const agentId = requested ?? (await resolveOwner(services, target)).agent_id;
  if (agentId !== null) return agentId;
  throw new FailureError(
    invalidField(field, "is required, unless the session has an agent: name the agent").failure,
  );
}

/** Returns the session id of a call that needs one. */
export function requireSession({ session_id }: OwnerIds): string {
  if (session_id !== null) return session_id;
  throw new FailureError(invalidField("session_id", "is required: name the session").failure);
}
