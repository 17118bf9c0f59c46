// Imports a document: checks all of it, then writes entities, sessions, episodes, memories and links. A repeated import
// changes nothing, so one that was interrupted is sent again.

import { NO_OWNER } from "../../../domain/access";
import { LIMITS } from "../../../limits";
import { isResource } from "../../../ontology/entity-classes";
import { isMemoryRelation } from "../../../ontology/property-values";
import { FailureError, failure, unwrap } from "../../../platform/errors";
import type { JsonObject } from "../../../platform/json";
import { findGenericRelation } from "../../../schemas/link";
import type { RememberInput } from "../../../schemas/memory";
import type { ImportAnswer } from "../../../schemas/transfer/transfer-request";
import { createRecord, toSessionCreate } from "../../../session/session-record";
import { computeLinkId, getEndId, type StoredLink } from "../../../store/links/link-triples";
import { toMemoryView } from "../../../store/memories/memory-mapping";
import { getOwnTopic } from "../../../store/memories/memory-topics";
import type { StatedSession } from "../../../store/sessions/session-repository";
import { parseInstanceId, toInstanceIri } from "../../../store/triples/triples";
import { updateMemory } from "../../memories/update-memory";
import { createWrite, storeWrites } from "../../remember";
import type { Services } from "../../services";
import { classifySubjects, groupBySubject } from "./document-subjects";
import type { GraphFormat } from "./graph-writer";
import { ImportProblems } from "./import-problems";
import type { NewStatement } from "./memory-order";
import { parseGraph } from "./parse-graph";
import { planLinks } from "./plan-links";
import { type PlannedMemories, planMemories, type StatedChange } from "./plan-memories";
import { type PlannedOthers, planOtherSubjects } from "./plan-other-subjects";

type Counts = ImportAnswer["imported"];

/** Throws a failure that names the subjects and properties which cannot be stored; then nothing is. */
export async function importGraph(
  services: Services,
  text: string,
  format: GraphFormat,
): Promise<ImportAnswer> {
  const problems = new ImportProblems();
  const subjects = classifySubjects(services.ontology, groupBySubject(parseGraph(text, format)), problems);
  if (subjects.memories.length > LIMITS.memoriesPerCall)
    throw failure(
      "payload_too_large",
      `The document has ${subjects.memories.length} memories, the limit is ${LIMITS.memoriesPerCall}. Send it in parts, each with whole subjects.`,
    );
  const others = await planOtherSubjects(services, subjects, problems);
  const memories = await planMemories(services, subjects, {
    episodes: new Set(others.episodes.map(({ node }) => node)),
    resources: new Set(subjects.entities.map(({ node }) => node)),
    problems,
  });
  const resolve = (node: string) => memories.iris.get(node) ?? node;
  const linking = [
    ...memories.restored.flatMap(({ links }) => links),
    ...subjects.memories.flatMap(({ triples }) => triples),
    ...others.episodes.flatMap(({ links }) => links),
  ].map((triple) => ({ ...triple, subject: resolve(triple.subject), object: resolve(triple.object) }));
  const links = await planLinks(services, subjects.links, {
    resolve,
    subjects: new Set([...memories.iris.values(), ...others.episodes.map(({ node }) => node)]),
    linking,
    problems,
    warnings: memories.warnings,
  });
  problems.requireNone();
  requireQuotaFor(services, memories);

  const counts: Counts = {};
  const count = (kind: string, { added = 0, changed = 0, known = 0 }) => {
    if (added + changed + known === 0) return;
    const before = counts[kind] ?? { added: 0, known: 0 };
    const total = (before.changed ?? 0) + changed;
    counts[kind] = {
      added: before.added + added,
      known: before.known + known,
      ...(total === 0 ? {} : { changed: total }),
    };
  };
  await writeOthers(services, others, count);
  const { ids, correct } = await writeMemories(services, memories);
  await services.store.subjects.insertLinking(
    others.episodes.flatMap((episode) =>
      episode.links.map((link) => ({ ...link, object: resolve(link.object) })),
    ),
  );
  for (const change of memories.changed) await applyChange(services, change, correct);
  count("memory", {
    added: memories.restored.length + memories.remembered.flat().length,
    changed: memories.changed.length,
    known: memories.known,
  });
  const corrected = links.map(async (link) => {
    const ends = { ...link, from: correct(link.from), to: correct(link.to) };
    return { ...ends, id: await computeLinkId(services.tenant, ends) };
  });
  await writeLinks(services, await Promise.all(corrected), count);
  services.later(services.indexing.wake());
  return {
    imported: counts,
    ...(Object.keys(ids).length === 0 ? {} : { ids }),
    ...(memories.warnings.length === 0 ? {} : { warnings: limitWarnings(memories.warnings) }),
  };
}

const MAX_WARNINGS = 100;

function limitWarnings(warnings: readonly string[]): string[] {
  const more = warnings.length - MAX_WARNINGS;
  return more > 0 ? [...warnings.slice(0, MAX_WARNINGS), `and ${more} more`] : [...warnings];
}

type Count = (kind: string, more: { added?: number; changed?: number; known?: number }) => void;

async function writeOthers(
  services: Services,
  { entities, sessions, episodes }: PlannedOthers,
  count: Count,
): Promise<void> {
  const { store } = services;
  const toCount = (isKnown: boolean) => (isKnown ? { known: 1 } : { added: 1 });
  for (const { entity, isKnown } of entities) {
    const { reference, ...declaration } = entity;
    if (!isKnown) await store.entities.save(reference, declaration);
    count(isResource(reference) ? "resource" : reference.kind, toCount(isKnown));
  }
  for (const { session, isKnown } of sessions) {
    if (!isKnown) await restoreSession(services, session);
    count("session", toCount(isKnown));
  }
  for (const { episode, isKnown } of episodes) {
    if (!isKnown) unwrap(await store.episodes.write(episode, { dated: true, operation: null }));
    count("episode", toCount(isKnown));
  }
}

/** Throws `limit_exceeded` if the quota has no room for all new memories of the document. */
function requireQuotaFor({ usage, quotas }: Services, { restored, remembered }: PlannedMemories): void {
  const added = restored.length + remembered.flat().length;
  if (added > 0 && quotas.memories > 0 && usage.memories + added > quotas.memories)
    throw failure(
      "limit_exceeded",
      `This tenant has ${usage.memories} memories, the document adds ${added}, and the quota of memories is ${quotas.memories}. Erase some, or ask the operator to raise the quota.`,
    );
}

type WrittenMemories = {
  /** By node, the ids of memories that are new. */
  ids: Record<string, string>;
  /** Returns the IRI that a new memory has, for the one that was planned. Content that was forgotten or superseded gets another. */
  correct: (iri: string) => string;
};

/** Writes memories that are new first, unless they lead to restored ones: then those need the ids as planned. */
async function writeMemories(services: Services, memories: PlannedMemories): Promise<WrittenMemories> {
  const { restored, remembered, iris } = memories;
  const planned = new Map(iris);
  const restore = (correct: (iri: string) => string) =>
    services.store.subjects.insertMemories(
      restored.map(({ node: _node, memory, links, ...one }) => ({
        ...one,
        memory: { ...memory, properties: correctRelations(memory.properties, correct) },
        links: links.map((link) => ({ ...link, object: correct(link.object) })),
      })),
    );
  const restoredNodes = new Set(restored.map(({ node }) => node));
  const isRestoredFirst = remembered
    .flat()
    .some(({ targets }) => targets.some(({ node }) => restoredNodes.has(node)));
  if (isRestoredFirst) await restore((iri) => iri);
  const ids = await rememberNew(services, memories);
  const actual = new Map(
    Object.keys(ids).map((node) => [planned.get(node) ?? node, iris.get(node) ?? node] as const),
  );
  const correct = (iri: string) => actual.get(iri) ?? iri;
  if (!isRestoredFirst) await restore(correct);
  return { ids, correct };
}

/** Returns properties whose relations lead to the corrected memories. */
function correctRelations<T extends string | string[] | null>(
  properties: Record<string, T>,
  correct: (iri: string) => string,
): Record<string, T> {
  const correctId = (id: string) => getEndId(correct(toInstanceIri("memory", id)));
  return Object.fromEntries(
    Object.entries(properties).map(([name, values]) => [
      name,
      isMemoryRelation(name) && Array.isArray(values) ? (values.map(correctId) as T) : values,
    ]),
  );
}

/** Restores a session with what the graph states of it, and the settings of a new one. It has no messages. */
async function restoreSession({ tenant, session, now }: Services, stated: StatedSession): Promise<void> {
  const { id, created_at, ended_at, status, phase, continues, participating_agents, agent_id } = stated;
  const ref = { tenant, id };
  const record = {
    ...unwrap(createRecord(ref, toSessionCreate(stated), new Date(now()).toISOString())),
    kind: "session",
    ...{ status, phase, continues, created_at, ended_at },
    participating_agents: participating_agents.filter((agent) => agent !== agent_id),
  };
  unwrap(await session(id).importRecords(ref, [record as unknown as JsonObject]));
}

/** Remembers new memories, those first that others lead to. Returns the id of each by its node. */
async function rememberNew(
  services: Services,
  { remembered, iris }: PlannedMemories,
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const ready of remembered) {
    const results = await storeWrites(
      services,
      ready.map((one) => toWrite(services, one, iris)),
    );
    for (const [i, { node }] of ready.entries()) {
      const result = results[i];
      if (result === undefined) throw failure("internal", "The write returned no result.");
      if (!result.ok)
        throw new FailureError({ ...result.failure, detail: `${node}: ${result.failure.detail}` });
      const { memory_id } = result.value;
      ids[node] = memory_id;
      iris.set(node, toInstanceIri("memory", memory_id));
    }
  }
  return ids;
}

function toWrite(services: Services, { memory, targets }: NewStatement, iris: ReadonlyMap<string, string>) {
  const { user_id, agent_id, project_id, rationale, valid_from } = memory;
  const key = getOwnTopic(memory);
  const relations = Map.groupBy(targets, ({ predicate }) => predicate.replace("jido:", ""));
  const properties = Object.entries(toMemoryView(memory).properties).filter(([name]) => !relations.has(name));
  const led = [...relations].map(
    ([name, list]) => [name, list.map(({ node }) => getEndId(iris.get(node) ?? node))] as const,
  );
  const input: RememberInput = {
    content: memory.content,
    type: memory.type,
    confidence: memory.confidence,
    evidence: memory.evidence,
    source_type: memory.source_type,
    supersede: true,
    properties: Object.fromEntries([...properties, ...led]),
    metadata: memory.metadata,
    tags: memory.tags,
    ...(rationale === null ? {} : { rationale }),
    ...(valid_from === null ? {} : { valid_from }),
    ...(key === null ? {} : { key }),
  };
  const owner = { ...NO_OWNER, user_id, agent_id, project_id };
  const write = createWrite(services.ontology, owner, input, null, memory.timestamp);
  return {
    ...write,
    memory: { ...write.memory, importance: memory.importance, valid_until: memory.valid_until },
  };
}

async function applyChange(
  services: Services,
  { node, id, input, links }: StatedChange,
  correct: (iri: string) => string,
): Promise<void> {
  try {
    const { properties } = input ?? {};
    if (input !== null)
      await updateMemory(services, id, {
        ...input,
        ...(properties === undefined ? {} : { properties: correctRelations(properties, correct) }),
      });
    for (const { subject, predicate, object } of links) {
      const relation = findGenericRelation(predicate.replace("jido:", ""));
      if (relation === null) throw failure("internal", `${predicate} is no link.`);
      const ends = { from: getEndId(correct(subject)), to: getEndId(correct(object)) };
      unwrap(await services.store.links.create({ ...ends, relation }, null));
    }
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    throw new FailureError({ ...error.failure, detail: `${node}: ${error.failure.detail}` });
  }
}

async function writeLinks({ store }: Services, links: readonly StoredLink[], count: Count): Promise<void> {
  const subjects = links.map(({ id }) => toInstanceIri("link", id));
  const stored = subjects.length === 0 ? [] : await store.subjects.findTriples(subjects);
  const known = new Set(stored.map(({ subject }) => parseInstanceId("link", subject)));
  const added = links.filter(({ id }) => !known.has(id));
  await store.subjects.insertLinks(added);
  count("link", { added: added.length, known: links.length - added.length });
}
