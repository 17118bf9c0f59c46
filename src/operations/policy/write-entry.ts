// Entries written by hand.
import { failure } from "../../platform/errors";
import type { Idempotency } from "../../platform/idempotency";
import type { Entry, EntryCreate } from "../../schemas/policy";
import type { Services } from "../services";
import type { MemoryStore } from "./entry-store";
import { agentPolicy, offHint, turnNamespace, turnSetting } from "./turn-context";

export async function writeEntry(
  services: Services,
  entries: MemoryStore,
  { agent_id, session_id, namespace: given, content, metadata, context }: EntryCreate,
  idempotency: Idempotency,
): Promise<{ entry: Entry; created: boolean }> {
  const setting =
    session_id === undefined
      ? { session: null, agent_id, policy: await agentPolicy(services.store, agent_id) }
      : await turnSetting(services, session_id, agent_id);
  const { policy } = setting;
  if (!policy.enabled) throw failure("conflict", offHint(setting));
  const namespace = turnNamespace(
    { agent_id, policy },
    { sessionId: session_id ?? null, context, namespace: given },
  );
  return entries.write({
    namespace,
    agent_id,
    session_id: session_id ?? null,
    content,
    metadata: { ...policy.metadata, ...metadata },
    source: "manual",
    op: idempotency === null ? crypto.randomUUID() : `${idempotency.op}:entry`,
  });
}
