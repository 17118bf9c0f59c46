// Handoffs from agent to agent: hand_off, list_handoffs, acknowledge_handoff.

import { resolveAgent, resolveOwner } from "../../calls/call-access";
import { defineTool, type OperationReply } from "../../calls/tool";
import type { Access } from "../../kernel/access";
import { OptionalSession, type z } from "../../kernel/common";
import { FailureError, failure, unwrap } from "../../kernel/errors";
import type { Idempotency } from "../../kernel/idempotency";
import type { Services } from "../../services/services";
import { handoffNotFound } from "./handoff-repository";
import {
  AcknowledgeHandoffInput,
  HandOffInput,
  Handoff,
  ListHandoffsAnswer,
  ListHandoffsInput,
} from "./handover-schemas";

export async function handOff(
  services: Services,
  { owner }: Access,
  input: z.output<typeof HandOffInput>,
  idempotency: Idempotency,
): Promise<OperationReply<Handoff>> {
  const from_agent = await resolveAgent(services, owner, "from_agent", input.from_agent);
  const project_id = input.project_id ?? (await resolveOwner(services, owner)).project_id;
  // Derived from the idempotency key, so that a repeated call finds the same handoff.
  const id = input.id ?? (idempotency === null ? crypto.randomUUID() : idempotency.op.slice(0, 32));
  const request = { ...input, id, from_agent, project_id };
  const { handoff, created } = unwrap(await services.store.handoffs.create(request, idempotency));
  return { status: created ? 201 : 200, body: handoff };
}

export const handOffTool = defineTool({
  name: "hand_off",
  title: "Hand work over",
  description:
    "Hand work over to another agent with the context it needs: the work done, artifacts, the state of the code, open " +
    "tests, known issues. The handoff is pending until that agent acknowledges it.",
  scope: "write",
  quota: ["bytes"],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  ownerInput: OptionalSession,
  input: HandOffInput,
  output: Handoff,
  responses: { 200: "The handoff, which existed already", 201: "The new handoff" },
  storesKey: "tenant",
  ownerFields: { from_agent: "agent" },
  run: handOff,
});

export async function listHandoffs(
  services: Services,
  { owner, scope }: Access,
  { limit, status, ...input }: z.output<typeof ListHandoffsInput>,
): Promise<OperationReply<z.output<typeof ListHandoffsAnswer>>> {
  const own = await resolveOwner(services, owner);
  const to_agent = input.to_agent ?? own.agent_id;
  const isLimited = scope !== null && scope !== "tenant";
  // Without an agent, a model sees the handoffs of its project.
  const project_id = input.project_id ?? (isLimited && to_agent === null ? own.project_id : null);
  if (isLimited && to_agent === null && project_id === null)
    return { status: 200, body: { count: 0, handoffs: [] } };
  const filter = { to_agent, from_agent: input.from_agent ?? null, project_id, status };
  const handoffs = await services.store.handoffs.list(filter, { limit, after: null });
  return { status: 200, body: { count: handoffs.length, handoffs } };
}

export const listHandoffsTool = defineTool({
  name: "list_handoffs",
  title: "List handoffs",
  description:
    "List the handoffs to an agent, newest first. Call this when you begin, and acknowledge a handoff before you work " +
    "on it.",
  scope: "read",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  ownerInput: OptionalSession,
  input: ListHandoffsInput,
  output: ListHandoffsAnswer,
  responses: { 200: "Handoffs" },
  ownerFields: { to_agent: "agent" },
  run: listHandoffs,
});

export async function acknowledgeHandoff(
  services: Services,
  { owner, scope }: Access,
  { handoff_id: id, agent_id: requested }: z.output<typeof AcknowledgeHandoffInput>,
  idempotency: Idempotency,
): Promise<OperationReply<Handoff>> {
  const agent_id = await resolveAgent(services, owner, "agent_id", requested);
  if (scope !== null && owner.session_id !== null) {
    const handoff = await services.store.handoffs.find(id);
    if (handoff !== null && handoff.to_agent !== agent_id)
      throw failure(
        "not_found",
        `Handoff not found: ${id}. It is not addressed to ${agent_id}; list_handoffs lists those that are.`,
      );
  }
  return {
    status: 200,
    body: unwrap(await services.store.handoffs.acknowledge({ id, agent_id }, idempotency)),
  };
}

export const acknowledgeHandoffTool = defineTool({
  name: "acknowledge_handoff",
  title: "Acknowledge a handoff",
  description:
    "Acknowledge a handoff before you work on it. The first agent gets it; for any later one the call fails and names " +
    "that agent.",
  scope: "write",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  ownerInput: OptionalSession,
  input: AcknowledgeHandoffInput,
  output: Handoff,
  responses: { 200: "The acknowledged handoff" },
  storesKey: "tenant",
  run: acknowledgeHandoff,
});

/** Erases a handoff, whatever its status. */
export async function eraseHandoff({ store }: Services, id: string): Promise<void> {
  if (!(await store.handoffs.erase(id))) throw new FailureError(handoffNotFound(id).failure);
}
