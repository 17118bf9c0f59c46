// remember: stores a memory on the agent's request, without threshold or model. The memory is in long-term memory when
// the call returns.
import { checkShapes } from "../ontology/shapes";
import { FailureError, type FieldError, fail, failure, unwrap } from "../platform/errors";
import type { Idempotency } from "../platform/idempotency";
import { type MemoryContent, RememberAnswer, RememberInput, ScopeIds } from "../schemas/memory";
import type { Remembered } from "../session/session-rpc";
import { createMemory } from "../store/memories/commit-plan";
import { toMemoryTriples } from "../store/memories/memory-mapping";
import { validateProperties } from "./memory-properties";
import type { Services } from "./services";
import { defineTool, type OperationReply, type OwnerIds } from "./tools/tool";

export async function remember(
  services: Services,
  owner: OwnerIds,
  input: RememberInput,
  idempotency: Idempotency,
): Promise<OperationReply<RememberAnswer>> {
  const started = services.now();
  const content = toContent(input, new Date(started).toISOString());
  const { memory_id, deduplicated } = await storeMemory(services, owner, content, idempotency);
  services.telemetry({
    event: "remember",
    tenant: services.tenant,
    session_id: owner.session_id,
    duration_ms: services.now() - started,
    memory_type: content.type,
    deduplicated,
  });
  const warnings = listWarnings(content, owner);
  return {
    status: deduplicated ? 200 : 201,
    body: {
      remembered: true,
      memory_id,
      memory_type: content.type,
      message: deduplicated
        ? `Already remembered as ${content.type} memory ${memory_id}`
        : `Stored ${content.type} memory ${memory_id}`,
      deduplicated,
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
}

export const rememberTool = defineTool({
  name: "remember",
  title: "Remember",
  description:
    "Persist important information to long-term memory. Use it when you learn something valuable for future sessions: " +
    "facts about the project or the user, preferences, decisions and their reasons, conventions, lessons, risks, open questions.",
  scope: "write",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  ownerInput: ScopeIds,
  input: RememberInput,
  output: RememberAnswer,
  responses: {
    201: "Remembered",
    200: "Already known: its access count is raised, and the higher confidence kept",
  },
  storesKey: "session",
  run: remember,
});

function toContent(input: RememberInput, now: string): MemoryContent {
  return {
    type: input.type,
    content: input.content,
    confidence: input.confidence,
    importance: 1,
    source_type: input.source_type,
    rationale: input.rationale ?? null,
    topic_key: input.key ?? null,
    timestamp: now,
    valid_from: input.valid_from ?? null,
    evidence: input.evidence,
    properties: validateProperties(input.type, input.properties ?? {}),
  };
}

/** Stores through the session's object, which has an outbox; without a session, directly in D1. */
async function storeMemory(
  services: Services,
  owner: OwnerIds,
  content: MemoryContent,
  idempotency: Idempotency,
): Promise<Remembered> {
  const { session_id, user_id, agent_id, project_id } = owner;
  if (session_id !== null) {
    const ref = { tenant: services.tenant, id: session_id };
    return unwrap(
      await services
        .session(session_id)
        .remember(ref, content, { user_id, agent_id, project_id }, idempotency),
    );
  }
  if (agent_id === null && project_id === null) throw new FailureError(missingOwner().failure);
  const op = idempotency === null ? crypto.randomUUID() : idempotency.op;
  const [result] = await services.store.memories.commit([
    {
      op,
      fingerprint: idempotency?.fingerprint ?? "",
      memory: { ...content, session_id, user_id, agent_id, project_id },
    },
  ]);
  if (result === undefined) throw failure("internal", "The write returned no result.");
  if (result.status === "rejected") throw new FailureError(result.failure);
  services.later(services.indexing.wake());
  return { memory_id: result.memory_id, deduplicated: result.deduplicated };
}

/** The failure of a memory without session, agent or project. */
export function missingOwner() {
  const errors: FieldError[] = [
    { path: "session_id", message: "is required, unless agent_id or project_id is given" },
  ];
  return fail(
    "invalid_request",
    "Session ID is required: give session_id, or agent_id or project_id for a memory outside sessions.",
    { errors },
  );
}

/** Lists the shapes that the memory violates. It is stored all the same: a model should not lose a fact to a form. */
function listWarnings(
  content: MemoryContent,
  { session_id, user_id, agent_id, project_id }: OwnerIds,
): string[] {
  const memory = createMemory(
    "new",
    { ...content, session_id, user_id, agent_id, project_id },
    content.timestamp,
  );
  return checkShapes(toMemoryTriples(memory), content.type).flatMap(({ path, severity, message }) =>
    severity === "info" ? [] : [`${path.replace("jido:", "")}: ${message}`],
  );
}
