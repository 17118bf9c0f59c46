// Writes an entry on request.
import { toOwner } from "../../domain/access";
import { failure } from "../../platform/errors";
import type { Idempotency } from "../../platform/idempotency";
import type { Entry, EntryCreate } from "../../schemas/policy";
import type { Services } from "../services";
import type { EntryStore } from "./entry-store";
import { explainDisabledPolicy, loadTurnContext, resolveTurnNamespace } from "./turn-context";

export async function writeEntry(
  services: Services,
  entries: EntryStore,
  { user_id, agent_id, session_id, namespace: requested, content, metadata, context }: EntryCreate,
  idempotency: Idempotency,
): Promise<{ entry: Entry; created: boolean }> {
  const turnContext = await loadTurnContext(services, session_id ?? null, toOwner({ user_id, agent_id }));
  const { policy } = turnContext;
  if (!policy.enabled) throw failure("conflict", explainDisabledPolicy(turnContext));
  const namespace = resolveTurnNamespace(
    { agent_id, policy },
    { sessionId: session_id ?? null, context, namespace: requested },
  );
  return entries.write({
    namespace,
    user_id: turnContext.user_id,
    agent_id,
    session_id: session_id ?? null,
    content,
    metadata: { ...policy.metadata, ...metadata },
    source: "manual",
    op: idempotency === null ? crypto.randomUUID() : `${idempotency.op}:entry`,
  });
}
