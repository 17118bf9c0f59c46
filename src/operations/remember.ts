// remember: stores a memory on the agent's request, without threshold or model. The memory is in long-term memory when
// the call returns.
import { checkShapes } from "../ontology/shapes";
import { FailureError, type FieldError, fail, failure, unwrap } from "../platform/errors";
import type { Idempotency } from "../platform/idempotency";
import { type MemoryContent, RememberAnswer, RememberInput, ScopeIds } from "../schemas/memory";
import { createMemory } from "../store/memories/commit-plan";
import { toMemoryTriples } from "../store/memories/memory-mapping";
import { deriveTopic } from "../store/memories/memory-topics";
import { validateProperties } from "./memory-properties";
import type { Services } from "./services";
import { type StoreRequest, storeMemories } from "./store-memories";
import { defineTool, type OperationReply, type OwnerIds } from "./tools/tool";

export async function remember(
  services: Services,
  owner: OwnerIds,
  input: RememberInput,
  idempotency: Idempotency,
): Promise<OperationReply<RememberAnswer>> {
  const started = services.now();
  const request = createStoreRequest(owner, input, idempotency, new Date(started).toISOString());
  const content = request.memory;
  const [result] = await storeMemories(services, [request]);
  if (result === undefined) throw failure("internal", "The write returned no result.");
  const { memory_id, deduplicated, superseded } = unwrap(result);
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
      superseded,
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

/** Returns the memory to be stored for a validated input; throws a failure if it is invalid or has no owner. */
export function createStoreRequest(
  owner: OwnerIds,
  input: RememberInput,
  idempotency: Idempotency,
  now: string,
): StoreRequest {
  const { session_id, agent_id, project_id } = owner;
  if (session_id === null && agent_id === null && project_id === null)
    throw new FailureError(missingOwner().failure);
  return { owner, memory: toContent(input, now), idempotency, updates: true, keepsTopic: !input.supersede };
}

function toContent(input: RememberInput, now: string): MemoryContent {
  return {
    type: input.type,
    content: input.content,
    confidence: input.confidence,
    importance: 1,
    source_type: input.source_type,
    rationale: input.rationale ?? null,
    topic_key: input.key ?? (input.supersede ? deriveTopic(input) : null),
    timestamp: now,
    valid_from: input.valid_from ?? null,
    evidence: input.evidence,
    properties: validateProperties(input.type, input.properties ?? {}),
    ...(input.metadata === undefined ? {} : { metadata: input.metadata }),
    ...(input.tags === undefined ? {} : { tags: input.tags }),
  };
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
