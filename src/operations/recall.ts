// recall: the right memories for a question, in the scope of the call, each hit explained.
import { unwrap } from "../platform/errors";
import { RecallAnswer, RecallInput, ScopeIds } from "../schemas/memory";
import { recallScope } from "../session/recall-scope";
import type { Services } from "./services";
import { defineTool, type Target } from "./tools/tool";

export const recall = defineTool({
  name: "recall",
  title: "Recall",
  description:
    "Search long-term memory for relevant information. Use it to retrieve previously learned facts, decisions, " +
    "conventions, patterns or lessons before you answer or act.",
  scope: "read",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  belongs: ScopeIds,
  input: RecallInput,
  output: RecallAnswer,
  answers: { 200: "What was found, best first" },
  async run(services, target, input) {
    const started = services.now();
    const { hits, mode, degraded, scope } = await search(services, target, input);
    services.later(
      noteAccess(
        services,
        target,
        hits.flatMap(({ kind, id }) => (kind === "memory" ? [id] : [])),
      ),
    );
    services.telemetry({
      event: "recall",
      tenant: services.tenant,
      session_id: target.session_id,
      duration_ms: services.now() - started,
      memory_type: input.type,
      scope: scope.kind,
      mode,
      min_confidence: input.min_confidence,
      limit: input.limit,
      result_count: hits.length,
      degraded: degraded !== null,
    });
    const body = { count: hits.length, memories: hits, ...(degraded === null ? {} : { degraded }) };
    return { status: 200, body };
  },
});

/** The session is looked up while its own memories are searched; a wider scope has to know it first. */
async function search(services: Services, target: Target, input: RecallInput) {
  const asked = input.scope;
  const { session_id } = target;
  const known =
    input.sources.includes("messages") && session_id !== null
      ? await withMessagesSent(services, { ...target, session_id })
      : asked === undefined || asked === "session" || asked === "tenant"
        ? null
        : await resolve(services, target);
  const scope = recallScope(known ?? target, asked);
  const [recalled] = await Promise.all([
    services.store.recall(scope, input),
    known === null ? resolve(services, target) : null,
  ]);
  return { ...recalled, scope };
}

/** What was said in a session is found in it at once: the session sends what it has not sent yet. */
async function withMessagesSent(
  services: Services,
  { session_id, ...given }: Target & { session_id: string },
): Promise<Target> {
  const ref = { tenant: services.tenant, id: session_id };
  const { agent_id, project_id } = unwrap(await services.session(session_id).sendMessages(ref));
  return { session_id, agent_id: agent_id ?? given.agent_id, project_id: project_id ?? given.project_id };
}

/** The target with what its session knows; a session that does not exist is a 404. */
export async function resolve(services: Services, target: Target): Promise<Target> {
  const { session_id, agent_id, project_id } = target;
  if (session_id === null) return target;
  const known =
    (await services.store.findSession(session_id)) ??
    // The registry may not have heard of it yet: its own object knows.
    unwrap(await services.session(session_id).get({ tenant: services.tenant, id: session_id }));
  return { session_id, agent_id: known.agent_id ?? agent_id, project_id: known.project_id ?? project_id };
}

async function noteAccess(services: Services, { session_id }: Target, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await services.store.recordAccess(ids);
  if (session_id !== null)
    await services.session(session_id).noteRecall({ tenant: services.tenant, id: session_id }, ids);
}
