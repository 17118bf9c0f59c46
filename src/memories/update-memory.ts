// Changes a memory. Ratings, validity, properties and labels change in place; another content or type makes a successor.

import { NO_OWNER } from "../kernel/access";
import { FailureError, failure, fieldFailure, unwrap } from "../kernel/errors";
import { normaliseContent } from "../language/normalise-text";
import type { TenantOntology } from "../ontology/tenant-ontology";
import type { Services } from "../services/services";
import { checkRelations } from "./check-relations";
import { listSupersededByLinks, splitProperties, writeLinks } from "./links/link-properties";
import type { LinkProperty } from "./links/link-schemas";
import { memoryNotFound, readMemoryDetail } from "./memory-operations";
import { isManaged, mergeProperties, requireType } from "./memory-properties";
import type { UpdateMemoryAnswer, UpdateMemoryInput } from "./memory-requests";
import { getMemoryStatus, type Memory } from "./memory-schemas";
import { checkShapes } from "./store/check-memory";
import { createMemory, type MemoryWrite, refuseLabels } from "./store/commit-plan";
import { getOwnTopic } from "./store/memory-topics";

export async function updateMemory(
  services: Services,
  id: string,
  given: UpdateMemoryInput,
): Promise<UpdateMemoryAnswer> {
  const { store, indexing, later, now, binding: within, ontology } = services;
  const memory = await store.memories.find(id);
  if (memory === null) throw memoryNotFound(id);
  if (given.type !== undefined) requireType(ontology, given.type);
  const { own, links } = splitProperties(given.properties ?? {});
  const input = given.properties === undefined ? given : { ...given, properties: own };
  await requireRelations(services, memory, input, links);
  const at = new Date(now()).toISOString();
  if (needsSuccessor(memory, input)) {
    const build = (before: Memory) => createSuccessor(ontology, before, input, at);
    const written = await store.memories.replace(id, { build, within });
    if (written === null) throw memoryNotFound(id);
    later(indexing.wake());
    const { memory_id, superseded } = unwrap(written);
    return readUpdated(services, createMemory(memory_id, build(memory).memory), superseded, links);
  }
  const changed = await store.memories.change(id, (before) => applyInput(ontology, before, input));
  if (changed === null) throw memoryNotFound(id);
  later(indexing.wake());
  return readUpdated(services, changed, [], links);
}

/** Writes the links of a memory that was changed, and returns it with what the shapes miss in it. */
async function readUpdated(
  services: Services,
  changed: Memory,
  superseded: readonly string[],
  links: readonly LinkProperty[],
): Promise<UpdateMemoryAnswer> {
  const { id } = changed;
  unwrap(await writeLinks(services, id, links));
  const all = new Set([...superseded, ...listSupersededByLinks(links)]);
  const { warnings } = await checkShapes(services.ontology, changed);
  return {
    ...(await readMemoryDetail(services, id)),
    superseded: [...all],
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

/** Throws a failure if a given relation leads to a memory that it cannot lead to. */
async function requireRelations(
  services: Services,
  memory: Memory,
  { type = memory.type, properties: given = {} }: UpdateMemoryInput,
  links: readonly LinkProperty[],
): Promise<void> {
  const merged = Object.entries(mergeProperties(services.ontology, memory, type, given));
  const properties = Object.fromEntries(merged.filter(([name]) => Object.hasOwn(given, name)));
  const [refusal = null] = await checkRelations(services, null, [
    { owner: NO_OWNER, memory: { properties }, links },
  ]);
  if (refusal !== null) throw new FailureError(refusal);
}

/** Whether a change makes a successor. The same content in another case or spacing is the same memory. */
export function needsSuccessor(
  memory: Memory,
  { content = memory.content, type = memory.type }: UpdateMemoryInput,
): boolean {
  return type !== memory.type || normaliseContent(content) !== normaliseContent(memory.content);
}

/** Returns the changed memory; throws a failure if the change is not possible. */
function applyInput(ontology: TenantOntology, before: Memory, input: UpdateMemoryInput): Memory {
  refuseEndedMemory(before, input);
  const { content, type, confidence, importance, properties, metadata = {}, tags } = input;
  const removed = Object.keys(metadata).filter((key) => metadata[key] === null);
  const merged = Object.entries({ ...before.metadata, ...metadata }).flatMap(([key, value]) =>
    value === null || removed.includes(key) ? [] : [[key, value] as const],
  );
  const after: Memory = {
    ...before,
    content: content ?? before.content,
    type: type ?? before.type,
    confidence: confidence ?? before.confidence,
    importance: importance ?? before.importance,
    valid_from: input.valid_from === undefined ? before.valid_from : input.valid_from,
    valid_until: input.valid_until === undefined ? before.valid_until : input.valid_until,
    properties: mergeProperties(ontology, before, type ?? before.type, properties ?? {}),
    metadata: Object.fromEntries(merged),
    tags: tags ?? before.tags,
  };
  if (after.valid_until !== null && after.valid_until < (after.valid_from ?? after.timestamp))
    throw fieldFailure("valid_until", "must not be before valid_from");
  const refused = refuseLabels(after);
  if (refused !== null) throw new FailureError(refused);
  return after;
}

/** A memory that is not live is history: only its labels change. */
function refuseEndedMemory(
  memory: Memory,
  { metadata: _metadata, tags: _tags, ...others }: UpdateMemoryInput,
) {
  const status = getMemoryStatus(memory);
  if (status === "live" || Object.values(others).every((value) => value === undefined)) return;
  const { id, superseded_by } = memory;
  const fix =
    superseded_by === null
      ? "Remember the content again"
      : `Change memory ${superseded_by}, which replaced it`;
  throw failure("conflict", `Memory ${id} is ${status}: only its metadata and tags can be changed. ${fix}.`);
}

/** Returns the successor of a memory whose content or type changes, with its owner and its provenance. */
function createSuccessor(
  ontology: TenantOntology,
  before: Memory,
  input: UpdateMemoryInput,
  at: string,
): Pick<MemoryWrite, "memory" | "topic"> {
  if (isManaged(before))
    throw failure(
      "conflict",
      `The content and the type of memory ${before.id} are set by the service. Write its skill, learning, pattern or graph again.`,
    );
  const after = applyInput(
    ontology,
    { ...before, valid_from: null, valid_until: null, timestamp: at },
    input,
  );
  const { type, content, confidence, importance, source_type, rationale, evidence, properties } = after;
  const { session_id, user_id, agent_id, project_id, metadata, tags, valid_from, valid_until } = after;
  const memory = {
    type,
    content,
    confidence,
    importance,
    source_type,
    rationale,
    session_id,
    user_id,
    agent_id,
    project_id,
    topic_key: getOwnTopic(before),
    timestamp: at,
    valid_from,
    valid_until,
    evidence,
    properties,
    metadata,
    tags,
  };
  // Entries of a namespace have no topic.
  return properties.namespace === undefined ? { memory, topic: "derive" } : { memory };
}
