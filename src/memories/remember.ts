// remember: stores a memory on the agent's request, without threshold or model. The memory is in long-term memory when
// the call returns.

import { isOwnerless } from "../calls/call-access";
import { defineTool, type OperationReply } from "../calls/tool";
import { type Access, DEFAULT_PROJECT, getDefaultScope, type Owner } from "../kernel/access";
import { OwnerIds, type Scope } from "../kernel/common";
import { fail, failure, ok, type Result, unwrap } from "../kernel/errors";
import type { Idempotency } from "../kernel/idempotency";
import type { TenantOntology } from "../ontology/tenant-ontology";
import type { Services } from "../services/services";
import { limitModelSource, outranks } from "../trust/source-rank";
import { isSupersededBy, listSupersededByLinks, splitProperties, writeLinks } from "./links/link-properties";
import type { LinkProperty } from "./links/link-schemas";
import { requireType, validateProperties } from "./memory-properties";
import { RememberAnswer, RememberInput } from "./memory-schemas";
import type { MemoryWrite, WrittenMemory } from "./store/commit-plan";
import { checkWrites, storeMemories } from "./store-memories";

export async function remember(
  services: Services,
  access: Access,
  input: RememberInput,
  idempotency: Idempotency,
): Promise<OperationReply<RememberAnswer>> {
  const started = services.now();
  const write = createWrite(
    services.ontology,
    access.owner,
    access.scope === null ? input : { ...input, source_type: limitSource(services, input) },
    idempotency,
    new Date(started).toISOString(),
  );
  const { type: memory_type, session_id } = write.memory;
  const [result] = await rememberWrites(services, access.scope, [write]);
  if (result === undefined) throw failure("internal", "The write returned no result.");
  const { memory_id, deduplicated, superseded, contradicts, owner, warnings = [] } = unwrap(result);
  services.telemetry({
    event: "remember",
    status: "ok",
    tenant: services.tenant,
    session_id,
    duration_ms: services.now() - started,
    memory_type,
    deduplicated,
  });
  return {
    status: deduplicated ? 200 : 201,
    body: {
      remembered: true,
      memory_id,
      memory_type,
      message: deduplicated
        ? `Already remembered as ${memory_type} memory ${memory_id}`
        : `Stored ${memory_type} memory ${memory_id}`,
      deduplicated,
      superseded,
      ...(contradicts.length === 0 ? {} : { contradicts }),
      scope: describeScope({ ...owner, session_id }),
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
  ownerInput: OwnerIds,
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

/** Returns the source of a model's statement, which is never the user. */
function limitSource({ store }: Services, { source_type }: RememberInput) {
  return limitModelSource(store.ranks, source_type);
}

/** Returns the write of a validated input. Without an owner it belongs to the default project. */
export function createWrite(
  ontology: TenantOntology,
  named: Required<Owner>,
  input: RememberInput,
  idempotency: Idempotency,
  now: string,
): MemoryWrite {
  requireType(ontology, input.type);
  const { session_id, user_id, agent_id, project_id } = named;
  const { own, links } = splitProperties(input.properties ?? {});
  // A memory that is superseded from the start supersedes nothing itself.
  const supersedes = input.supersede && !isSupersededBy(links);
  return {
    ...(idempotency ?? { op: crypto.randomUUID() }),
    memory: {
      type: input.type,
      content: input.content,
      confidence: input.confidence,
      importance: 1,
      source_type: input.source_type,
      rationale: input.rationale ?? null,
      session_id,
      user_id,
      agent_id,
      project_id: isOwnerless(named) ? DEFAULT_PROJECT : project_id,
      topic_key: input.key ?? null,
      timestamp: now,
      valid_from: input.valid_from ?? null,
      evidence: input.evidence,
      properties: validateProperties(ontology, input.type, own),
      ...(input.metadata === undefined ? {} : { metadata: input.metadata }),
      ...(input.tags === undefined ? {} : { tags: input.tags }),
    },
    links,
    updates: true,
    topic: supersedes ? "derive" : "keep",
  };
}

/**
 * Checks memories that a caller states, and stores those that pass with their links. Returns the result of each. `scope`
 * is the widest of a call that a model made.
 */
export async function rememberWrites(
  services: Services,
  scope: Scope | null,
  writes: readonly MemoryWrite[],
): Promise<Result<WrittenMemory>[]> {
  const checks = await checkWrites(services, scope, writes);
  const stored = await storeWrites(
    services,
    writes.filter((_, i) => checks[i]?.failure === null),
  );
  const next = stored.values();
  return checks.map(({ failure: refusal, warnings }) => {
    if (refusal !== null) return { ok: false, failure: refusal };
    const result = next.next().value ?? fail("internal", "The write returned no result.");
    return result.ok
      ? ok({ ...result.value, warnings: [...warnings, ...(result.value.warnings ?? [])] })
      : result;
  });
}

/** Stores memories with their links and returns the result of each. A repeated call writes the links that are missing. */
export async function storeWrites(
  services: Services,
  writes: readonly MemoryWrite[],
): Promise<Result<WrittenMemory>[]> {
  const results: Result<WrittenMemory>[] = [];
  for (const [i, result] of (await storeMemories(services, writes)).entries())
    results.push(result.ok ? await addLinks(services, result.value, writes[i]?.links ?? []) : result);
  return results;
}

/** Writes the links of a stored memory. One of a higher rank, which has the same content, stays without them. */
async function addLinks(
  services: Services,
  stored: WrittenMemory,
  links: readonly LinkProperty[],
): Promise<Result<WrittenMemory>> {
  if (links.length === 0) return ok(stored);
  const { store } = services;
  const { memory_id, source_type: actor } = stored;
  const memory = await store.memories.find(memory_id);
  if (memory !== null && outranks(store.ranks, memory.source_type, actor)) {
    const reason = `not linked, because the memory with this content comes from the source "${memory.source_type}", which outranks "${actor}", the source of this call`;
    return ok({ ...stored, warnings: links.map(({ name }) => `properties.${name}: ${reason}`) });
  }
  const written = await writeLinks(services, memory_id, links, actor);
  if (!written.ok) return written;
  const superseded = new Set([...stored.superseded, ...listSupersededByLinks(links)]);
  return ok({ ...stored, superseded: [...superseded] });
}

/** Returns where the memory is found by default: with the user, else the agent, the project or the session. */
function describeScope(owner: Required<Owner>): RememberAnswer["scope"] {
  const kind = getDefaultScope(owner);
  return { kind, id: owner[`${kind}_id`] };
}
