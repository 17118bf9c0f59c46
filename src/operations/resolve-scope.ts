// Whose a call is where it does not say so: its session's agent and project.
import { FailureError, invalidField, unwrap } from "../platform/errors";
import type { Belonging } from "../session/session-rpc";
import type { Services } from "./services";
import type { Target } from "./tools/tool";

/** A session that is not there yet knows nothing, and is no mistake: agents ask before they write. */
export async function belongingOf({ tenant, session }: Services, target: Target): Promise<Belonging> {
  const { session_id: id, agent_id, project_id } = target;
  if (id === null) return { agent_id, project_id };
  const known = unwrap(await session(id).settings({ tenant, id }));
  return {
    agent_id: agent_id ?? known?.agent_id ?? null,
    project_id: project_id ?? known?.project_id ?? null,
  };
}

/** The agent that a call names in `field`, else that of its session. */
export async function agentOf(
  services: Services,
  target: Target,
  field: string,
  given: string | undefined,
): Promise<string> {
  const agentId = given ?? (await belongingOf(services, target)).agent_id;
  if (agentId !== null) return agentId;
  throw new FailureError(
    invalidField(field, "is required, unless the session has an agent: name the agent").failure,
  );
}

/** The one session that a call is about. */
export function sessionOf({ session_id }: Target): string {
  if (session_id !== null) return session_id;
  throw new FailureError(invalidField("session_id", "is required: name the session").failure);
}
