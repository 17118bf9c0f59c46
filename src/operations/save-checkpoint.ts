// save_checkpoint: an agent writes down where it stands.
import { Ledger } from "../schemas/handover";
import { OfSession, SaveCheckpointInput } from "../schemas/tool-parameters";
import { agentOf } from "./resolve-scope";
import { defineTool } from "./tools/tool";

export const saveCheckpoint = defineTool({
  name: "save_checkpoint",
  title: "Save a checkpoint",
  description:
    "Write down where you stand: the current task, how many are done, the state of the work and what whoever goes on must " +
    "know. Save one after each step that would be costly to repeat; a new one does not erase the older ones.",
  scope: "write",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  belongs: OfSession,
  input: SaveCheckpointInput,
  output: Ledger,
  answers: { 200: "The ledger as it stands now" },
  async run(services, target, input) {
    const agent_id = await agentOf(services, target, "agent_id", input.agent_id);
    const checkpoint = { ...input, agent_id, last_checkpoint: input.last_checkpoint ?? null };
    return { status: 200, body: await services.store.saveLedger(checkpoint) };
  },
});
