// Writes an entry on request.
import { toOwner } from "../kernel/access";
import { failure } from "../kernel/errors";
import type { Idempotency } from "../kernel/idempotency";
import type { Services } from "../services/services";
import type { EntryStore } from "./entry-store";
import type { Entry, EntryCreate } from "./policy-schemas";
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
