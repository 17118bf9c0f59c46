// read_checkpoint: where an agent stood when it last said so.
import { failure } from "../platform/errors";
import { Ledger } from "../schemas/handover";
import { OfSession, ReadCheckpointInput } from "../schemas/tool-parameters";
import { agentOf } from "./resolve-scope";
import { defineTool } from "./tools/tool";

export const readCheckpoint = defineTool({
  name: "read_checkpoint",
  title: "Read a checkpoint",
  description:
    "Read where an agent stands: its newest checkpoint. Use it to go on with work that was broken off.",
  scope: "read",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  belongs: OfSession,
  input: ReadCheckpointInput,
  output: Ledger,
  answers: { 200: "The ledger" },
  async run(services, target, input) {
    const agentId = await agentOf(services, target, "agent_id", input.agent_id);
    const [newest] = await services.store.listLedgers(agentId, { limit: 1, before: null });
    if (newest === undefined) throw noLedger(agentId);
    return { status: 200, body: newest };
  },
});

export function noLedger(agentId: string) {
  return failure(
    "not_found",
    `Agent ${agentId} has no ledger. Write one with save_checkpoint, or PUT /v1/ledgers/${agentId}.`,
  );
}
