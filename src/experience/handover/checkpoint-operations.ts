// Checkpoints in an agent's ledger: save_checkpoint, read_checkpoint.

import { resolveAgent } from "../../calls/call-access";
import { defineTool, type OperationReply } from "../../calls/tool";
import type { Access } from "../../kernel/access";
import { OptionalSession, type z } from "../../kernel/common";
import { failure } from "../../kernel/errors";
import type { Services } from "../../services/services";
import { Ledger, ReadCheckpointInput, SaveCheckpointInput } from "./handover-schemas";

export async function saveCheckpoint(
  services: Services,
  { owner }: Access,
  input: z.output<typeof SaveCheckpointInput>,
): Promise<OperationReply<Ledger>> {
  const agent_id = await resolveAgent(services, owner, "agent_id", input.agent_id);
  const checkpoint = { ...input, agent_id, last_checkpoint: input.last_checkpoint ?? null };
  return { status: 200, body: await services.store.ledgers.save(checkpoint) };
}

export const saveCheckpointTool = defineTool({
  name: "save_checkpoint",
  title: "Save a checkpoint",
  description:
    "Save a checkpoint: the current task, the number of completed tasks, the state of the work and context for whoever " +
    "continues. Save one after each step that is costly to repeat; older checkpoints are kept.",
  scope: "write",
  quota: ["bytes"],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  ownerInput: OptionalSession,
  input: SaveCheckpointInput,
  output: Ledger,
  responses: { 200: "The new checkpoint" },
  run: saveCheckpoint,
});

export async function readCheckpoint(
  services: Services,
  { owner }: Access,
  input: z.output<typeof ReadCheckpointInput>,
): Promise<OperationReply<Ledger>> {
  const agentId = await resolveAgent(services, owner, "agent_id", input.agent_id);
  const [newest] = await services.store.ledgers.list(agentId, { limit: 1, before: null });
  if (newest === undefined) throw noLedger(agentId);
  return { status: 200, body: newest };
}

export const readCheckpointTool = defineTool({
  name: "read_checkpoint",
  title: "Read a checkpoint",
  description: "Read the newest checkpoint of an agent. Use it to resume interrupted work.",
  scope: "read",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  ownerInput: OptionalSession,
  input: ReadCheckpointInput,
  output: Ledger,
  responses: { 200: "The newest checkpoint" },
  run: readCheckpoint,
});

/** Erases all checkpoints of an agent and returns how many there were. */
export async function eraseLedger({ store }: Services, agentId: string): Promise<number> {
  const checkpoints = await store.ledgers.erase(agentId);
  if (checkpoints === 0) throw noLedger(agentId);
  return checkpoints;
}

export function noLedger(agentId: string) {
  return failure(
    "not_found",
    `Agent ${agentId} has no ledger. Write one with save_checkpoint, or PUT /v1/ledgers/${agentId}.`,
  );
}
