// remember: stores a memory on the agent's request, without threshold or model. The memory is in long-term memory when
// the call returns.
import { DEFAULT_PROJECT, getDefaultReach } from "../domain/reach";
import { checkShapes } from "../ontology/shapes";
import { FailureError, failure, unwrap } from "../platform/errors";
import type { Idempotency } from "../platform/idempotency";
import { type MemoryContent, RememberAnswer, RememberInput, ScopeIds } from "../schemas/memory";
import { createMemory } from "../store/memories/commit-plan";
import { toMemoryTriples } from "../store/memories/memory-mapping";
import { deriveTopic } from "../store/memories/memory-topics";
import { isOwnerless } from "./call-reach";
import { checkRelations } from "./memories/check-relations";
import { validateProperties } from "./memories/memory-properties";
import { type StoreRequest, storeMemories } from "./memories/store-memories";
import type { Services } from "./services";
import { defineTool, type OperationReply, type OwnerIds } from "./tools/tool";

export async function remember(
  services: Services,
  named: OwnerIds,
  input: RememberInput,
  idempotency: Idempotency,
): Promise<OperationReply<RememberAnswer>> {
  const started = services.now();
  const request = createStoreRequest(named, input, idempotency, new Date(started).toISOString());
  const { owner, memory: content } = request;
  const [refusal = null] = await checkRelations(services, [request]);
  if (refusal !== null) throw new FailureError(refusal);
  const [result] = await storeMemories(services, [request]);
  if (result === undefined) throw failure("internal", "The write returned no result.");
  const { memory_id, deduplicated, superseded, owner: stored } = unwrap(result);
  services.telemetry({
    event: "remember",
    status: "ok",
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
      scope: describeScope({ ...owner, ...stored }),
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
  capability: "CanWriteMemory",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  ownerInput: ScopeIds,
  input: RememberInput,
  output: RememberAnswer,
  responses: {
    201: "Remembered",
    200: "Already known: its access count is raised, and the higher confidence kept",
  },
  storesKey: "session",
  servesBound: true,
  run: remember,
});

/** Returns the memory to be stored for a validated input. Without an owner it belongs to the default project. */
export function createStoreRequest(
  named: OwnerIds,
  input: RememberInput,
  idempotency: Idempotency,
  now: string,
): StoreRequest {
  const owner = isOwnerless(named) ? { ...named, project_id: DEFAULT_PROJECT } : named;
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

/** Returns where the memory is found by default: with the user, else the agent, the project or the session. */
function describeScope(owner: OwnerIds): RememberAnswer["scope"] {
  const kind = getDefaultReach(owner);
  return { kind, id: owner[`${kind}_id`] };
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
