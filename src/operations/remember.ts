// remember: stores a memory on the agent's request, without threshold or model. The memory is in long-term memory when
// the call returns.
import { type Access, DEFAULT_PROJECT, getDefaultScope, type Owner } from "../domain/access";
import { limitModelSource, outranks } from "../domain/trust/source-rank";
import type { TenantOntology } from "../ontology/extensions/tenant-ontology";
import { FailureError, failure, ok, type Result, unwrap } from "../platform/errors";
import type { Idempotency } from "../platform/idempotency";
import { type MemoryContent, RememberAnswer, RememberInput, ScopeIds } from "../schemas/memory";
import type { OwnedMemory } from "../session/session-rpc";
import { deriveTopic } from "../store/memories/memory-topics";
import { MEMORY_PREFIX } from "../store/trust/evidence-sources";
import { isOwnerless } from "./call-access";
import { checkRelations } from "./memories/check-relations";
import { checkShapes } from "./memories/check-shapes";
import {
  isSupersededBy,
  type LinkProperty,
  listSupersededByLinks,
  splitProperties,
  writeLinks,
} from "./memories/link-properties";
import { validateProperties } from "./memories/memory-properties";
import { requireType } from "./memories/memory-types";
import { type StoreRequest, storeMemories } from "./memories/store-memories";
import type { Services } from "./services";
import { defineTool, type OperationReply } from "./tools/tool";

export async function remember(
  services: Services,
  access: Access,
  input: RememberInput,
  idempotency: Idempotency,
): Promise<OperationReply<RememberAnswer>> {
  const started = services.now();
  const request = createRememberRequest(
    services.ontology,
    access.owner,
    access.scope === null ? input : { ...input, source_type: limitSource(services, input) },
    idempotency,
    new Date(started).toISOString(),
  );
  const { owner, memory: content } = request;
  const { refusal: violation, warnings: missing } = await checkShapes(services, request);
  if (violation !== null) throw new FailureError(violation);
  const [refusal = null] = await checkRelations(services, access.scope, [request]);
  if (refusal !== null) throw new FailureError(refusal);
  const [result] = await storeRequests(services, [request]);
  if (result === undefined) throw failure("internal", "The write returned no result.");
  const { memory_id, deduplicated, superseded, contradicts, owner: stored, unlinked } = unwrap(result);
  services.telemetry({
    event: "remember",
    status: "ok",
    tenant: services.tenant,
    session_id: owner.session_id,
    duration_ms: services.now() - started,
    memory_type: content.type,
    deduplicated,
  });
  const warnings = [...missing, ...unlinked];
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
      ...(contradicts.length === 0 ? {} : { contradicts }),
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
  quota: ["memories", "bytes"],
  capability: "CanWriteMemory",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  ownerInput: ScopeIds,
  input: RememberInput,
  output: RememberAnswer,
  responses: {
    201: "Remembered",
    200: "Already known: its access count is raised, and the higher confidence kept, unless it comes from a source of a higher rank",
  },
  storesKey: "session",
  servesBound: true,
  run: remember,
});

/** A memory to be stored, with the links that it shall have. */
export type RememberRequest = StoreRequest & { links: readonly LinkProperty[] };

/** Returns the source of a model's statement, which is never the user. */
function limitSource({ store }: Services, { source_type }: RememberInput) {
  return limitModelSource(store.ranks, source_type);
}

/** Returns the memory to be stored for a validated input. Without an owner it belongs to the default project. */
export function createRememberRequest(
  ontology: TenantOntology,
  named: Required<Owner>,
  input: RememberInput,
  idempotency: Idempotency,
  now: string,
): RememberRequest {
  requireType(ontology, input.type);
  const owner = isOwnerless(named) ? { ...named, project_id: DEFAULT_PROJECT } : named;
  const { own, links } = splitProperties(input.properties ?? {});
  // A memory that is superseded from the start takes the place of none.
  const supersede = input.supersede && !isSupersededBy(links);
  const memory = toContent(ontology, { ...input, supersede, properties: own }, now);
  return { owner, memory, idempotency, updates: true, keepsTopic: !supersede, links };
}

/** A stored memory, with a warning for each of its links that was not written. */
export type LinkedResult = OwnedMemory & { unlinked: readonly string[] };

/** Stores memories with their links and returns the result of each. A repeated call writes the links that are missing. */
export async function storeRequests(
  services: Services,
  requests: readonly RememberRequest[],
): Promise<Result<LinkedResult>[]> {
  const sourced = await Promise.all(requests.map((request) => lowerToOrigins(services, request)));
  const stored = await storeMemories(services, sourced);
  const results: Result<LinkedResult>[] = [];
  for (const [i, result] of stored.entries())
    results.push(result.ok ? await addLinks(services, result.value, requests[i]?.links ?? []) : result);
  return results;
}

/** Returns the request with the lowest source among its own and those of the memories that it is derived from. */
async function lowerToOrigins(
  { store }: Services,
  { links, ...request }: RememberRequest,
): Promise<StoreRequest> {
  const origins = links.flatMap(({ relation, to }) => (relation === "derived_from" ? to : []));
  if (origins.length === 0) return request;
  const { memory, owner } = request;
  const source_type = await store.memories.findLowestSource({
    session_id: owner.session_id,
    source_type: memory.source_type,
    evidence: origins.map((id) => `${MEMORY_PREFIX}${id}`),
  });
  return { ...request, memory: { ...memory, source_type } };
}

/** Writes the links of a stored memory. One of a higher rank, which has the same content, stays without them. */
async function addLinks(
  services: Services,
  stored: OwnedMemory,
  links: readonly LinkProperty[],
): Promise<Result<LinkedResult>> {
  if (links.length === 0) return ok({ ...stored, unlinked: [] });
  const { store } = services;
  const { memory_id, source_type: actor } = stored;
  const memory = await store.memories.find(memory_id);
  if (memory !== null && outranks(store.ranks, memory.source_type, actor)) {
    const reason = `not linked, because the memory with this content comes from the source "${memory.source_type}", which outranks "${actor}", the source of this call`;
    return ok({ ...stored, unlinked: links.map(({ name }) => `properties.${name}: ${reason}`) });
  }
  const written = await writeLinks(services, memory_id, links, actor);
  if (!written.ok) return written;
  const superseded = new Set([...stored.superseded, ...listSupersededByLinks(links)]);
  return ok({ ...stored, superseded: [...superseded], unlinked: [] });
}

function toContent(ontology: TenantOntology, input: RememberInput, now: string): MemoryContent {
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
    properties: validateProperties(ontology, input.type, input.properties ?? {}),
    ...(input.metadata === undefined ? {} : { metadata: input.metadata }),
    ...(input.tags === undefined ? {} : { tags: input.tags }),
  };
}

/** Returns where the memory is found by default: with the user, else the agent, the project or the session. */
function describeScope(owner: Required<Owner>): RememberAnswer["scope"] {
  const kind = getDefaultScope(owner);
  return { kind, id: owner[`${kind}_id`] };
}
