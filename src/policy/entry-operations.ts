// recall_entries: recalls the entries of a namespace without a turn.
import { beyondScope } from "../calls/call-access";
import { defineTool, type OperationReply } from "../calls/tool";
import { type Access, hasOwner, type Owner, toOwner } from "../kernel/access";
import { OwnerIds } from "../kernel/common";
import { FailureError, failure, fieldFailure, unwrap } from "../kernel/errors";
import type { Idempotency } from "../kernel/idempotency";
import { redactQuotations } from "../memories/redact-quotations";
import {
  createNamespace,
  getTargetName,
  type ResolvedNamespace,
  type SearchTarget,
} from "../memories/store/namespace";
import { countRecall } from "../memories/usage/count-recall";
import type { Services } from "../services/services";
import {
  type ErasedNamespace,
  type NamespaceSummary,
  RecallEntriesAnswer,
  type RecallEntriesInput,
  RecallEntriesToolInput,
} from "./entry-schemas";
import type { EntryStore, NamespacePageQuery } from "./entry-store";
import { combineEntryFilter } from "./filter-entries";
import type { Entry, EntryCreate } from "./policy-schemas";
import { missingSession, parseNamespace } from "./resolve-policy";
import { selectEntryStore } from "./select-entry-store";
import {
  explainDisabledPolicy,
  loadTurnContext,
  resolveTurnNamespace,
  resolveVisibleEntries,
  type TurnContext,
} from "./turn-context";

export async function recallEntries(
  services: Services,
  access: Access,
  input: RecallEntriesInput,
): Promise<OperationReply<RecallEntriesAnswer>> {
  const started = services.now();
  const entryStore = selectEntryStore(services, input.store);
  const turnContext = await loadCallContext(services, access, input);
  const isOff = input.namespace === undefined && !turnContext.policy.enabled;
  if (isOff) {
    const hint = explainDisabledPolicy(turnContext);
    return { status: 200, body: { count: 0, entries: [], namespace: null, hint } };
  }
  const { scope, user_id } = resolveRecalled(access, turnContext, input);
  const { query, limit, fill } = input;
  const filter = combineEntryFilter(input);
  const entries = await entryStore.recall({ scope, user_id, query, limit, fill, filter });
  countRecall(
    services,
    entries.map(({ id }) => id),
  );
  services.telemetry({
    event: "entries.recalled",
    tenant: services.tenant,
    session_id: access.owner.session_id,
    duration_ms: services.now() - started,
    scope: scope.kind,
    has_query: query.trim() !== "",
    result_count: entries.length,
  });
  return { status: 200, body: { count: entries.length, entries, namespace: getTargetName(scope) } };
}

export const recallEntriesTool = defineTool({
  name: "recall_entries",
  title: "Recall entries",
  description:
    "Recall the agent's memory entries: notes that were written for it and turns of earlier conversations. Use it to " +
    "look up what was said or noted before. Entries with a score match the query; those without are the newest.",
  scope: "read",
  capability: "CanQueryMemory",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  ownerInput: OwnerIds,
  input: RecallEntriesToolInput,
  output: RecallEntriesAnswer,
  responses: { 200: "The entries, best first" },
  servesBound: true,
  // A model does not choose the context: another value would lead to the namespace of somebody else.
  run: (services, access, input) => recallEntries(services, access, { ...input, context: {} }),
});

/** Loads the context of the call, with the scope that it asks for. */
async function loadCallContext(
  services: Services,
  { owner, scope: widest }: Access,
  { namespace, scope }: Pick<RecallEntriesInput, "namespace" | "scope">,
): Promise<TurnContext> {
  const { session_id } = owner;
  const turnContext = await loadTurnContext(services, session_id, owner);
  if (namespace === undefined && session_id === null && !hasOwner(turnContext))
    throw fieldFailure(
      "namespace",
      "is required, unless session_id, user_id, agent_id or project_id is given",
    );
  const { policy } = turnContext;
  if (widest !== null && policy.scope === "session" && scope === "agent")
    throw beyondScope("scope", "session");
  return { ...turnContext, policy: { ...policy, scope: scope ?? policy.scope } };
}

type Recalled = { scope: SearchTarget; user_id: string | null };

/** Resolves where to look: in the named namespace, or where a turn of the owner would. */
function resolveRecalled(access: Access, turnContext: TurnContext, input: RecallEntriesInput): Recalled {
  const { owner, scope: widest } = access;
  const { session_id: sessionId } = owner;
  const { context } = input;
  if (input.namespace === undefined)
    return { scope: resolveVisibleEntries(turnContext, { sessionId, context }).scope, user_id: null };
  const namespace = resolveNamed(input.namespace, input.scope === "session", sessionId);
  const scope = { kind: "namespace", ...namespace } as const;
  if (widest === null) return { scope, user_id: owner.user_id };
  if (widest === "tenant" || isOfPolicy(namespace, owner, turnContext)) return { scope, user_id: null };
  const isOwnAgent = namespace.agent_id !== null && namespace.agent_id === turnContext.agent_id;
  const isOwnSession = namespace.session_id !== null && namespace.session_id === sessionId;
  if (!isOwnAgent || (widest !== "agent" && widest !== "user" && !isOwnSession))
    throw beyondScope("namespace", widest);
  // The namespace of an agent holds the entries of all its users.
  return { scope, user_id: widest === "user" ? turnContext.user_id : null };
}

function resolveNamed(name: string, inSession: boolean, sessionId: string | null): ResolvedNamespace {
  const named = unwrap(parseNamespace(name));
  if (!inSession || named.session_id !== null) return named;
  if (sessionId === null) throw new FailureError(missingSession().failure);
  return createNamespace(named.base, sessionId, named.agent_id);
}

/** Whether the policy gives a model this namespace: one with a name is shared on purpose. */
function isOfPolicy(
  { base, session_id }: ResolvedNamespace,
  owner: Required<Owner>,
  turnContext: TurnContext,
): boolean {
  const { policy } = turnContext;
  if (typeof policy.namespace !== "string") return false;
  const own = resolveTurnNamespace(turnContext, { sessionId: owner.session_id, context: {} });
  return own?.base === base && (own.session_id === null || own.session_id === session_id);
}

// Writes an entry on request.

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

// Lists the namespaces of entries and erases one, in the store that the call names.

/** The batches of one call: it ends well before the platform's limit of subrequests. */
const MAX_STEPS = 100;
const BATCH_SIZE = 200;

export function listNamespaces(
  services: Services,
  page: NamespacePageQuery,
  store: string | undefined,
): Promise<NamespaceSummary[]> {
  const entries = selectEntryStore(services, store);
  if (entries.list_namespaces === undefined) throw unsupported("does not list namespaces");
  return entries.list_namespaces(page);
}

/**
 * Erases all that a list of the namespace shows, and what was superseded or forgotten in it. Each batch is complete in
 * itself, so a call that fails or dies is sent again and continues with what is left.
 */
export async function eraseNamespace(
  services: Services,
  name: string,
  store: string | undefined,
): Promise<ErasedNamespace> {
  const namespace = unwrap(parseNamespace(name));
  const entries = selectEntryStore(services, store);
  if (entries.erase_namespace === undefined) throw unsupported("does not erase namespaces");
  const deleted: ErasedNamespace = { memories: 0, triples: 0, vectors: 0, links: 0 };
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const erased = await entries.erase_namespace({ namespace, limit: BATCH_SIZE });
    for (const count of ["memories", "triples", "vectors", "links"] as const) deleted[count] += erased[count];
    if (erased.memories === 0 && steps === 0)
      throw failure(
        "not_found",
        `Namespace not found: ${name}. GET /v1/namespaces lists those with entries.`,
      );
    if (erased.memories < BATCH_SIZE) {
      await redactQuotations(services);
      return deleted;
    }
  }
  throw failure(
    "unavailable",
    `Erased ${deleted.memories} memories; more are left than one call erases. Send the same call again: it continues.`,
    { retryAfterSeconds: 1 },
  );
}

function unsupported(what: string): FailureError {
  return fieldFailure("store", `${what}: use the store's own means`);
}
