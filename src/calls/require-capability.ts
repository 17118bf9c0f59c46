// Honours the capabilities of agents: an agent that has any does only what they allow. Agents without any are not limited.
import { type Owner, selectActingAgent } from "../kernel/access";
import { failure } from "../kernel/errors";
import type { MemoryCapability } from "../ontology/entity-classes";
import type { Services } from "../services/services";
import { findSettings } from "./call-access";
import type { Tool } from "./tool";

/** Throws if the agent that makes a call has capabilities, and this one is not among them. */
export async function requireCapability(
  services: Services,
  capability: MemoryCapability,
  call: Pick<Required<Owner>, "session_id" | "agent_id">,
): Promise<void> {
  if (!services.hasCapabilities) return;
  const agent = await findActingAgent(services, call);
  if (agent === null) return;
  const held = await services.store.entities.listCapabilities(agent);
  if (held.length === 0 || held.includes(capability)) return;
  throw failure(
    "forbidden",
    `Agent ${agent} lacks the capability ${capability}: it has ${held.join(", ")}. Add it to hasCapability with PUT /v1/agents/${agent}, or let another agent make the call.`,
  );
}

/** Checks the call of a tool, for its owner. */
export async function requireToolCapability(
  services: Services,
  { capability }: Pick<Tool, "capability">,
  owner: Required<Owner>,
): Promise<void> {
  if (capability !== undefined) await requireCapability(services, capability, owner);
}

async function findActingAgent(
  services: Services,
  { session_id, agent_id }: Pick<Required<Owner>, "session_id" | "agent_id">,
): Promise<string | null> {
  const session = session_id === null ? null : await findSettings(services, session_id);
  return session === null ? agent_id : selectActingAgent(session, agent_id);
}
