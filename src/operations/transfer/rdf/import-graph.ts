// Imports a document: checks all of it, then writes entities, sessions, episodes, memories and links. A repeated import
// changes nothing, so one that was interrupted is sent again.

import { isResource } from "../../../ontology/entity-classes";
import { FailureError, failure, unwrap } from "../../../platform/errors";
import type { JsonObject } from "../../../platform/json";
import { findGenericRelation } from "../../../schemas/memories/relation";
import type { RememberInput } from "../../../schemas/memory";
import type { ImportAnswer } from "../../../schemas/transfer/transfer-request";
import { createRecord, toSessionCreate } from "../../../session/session-record";
import { getEndId, type StoredLink } from "../../../store/links/link-triples";
import { toMemoryView } from "../../../store/memories/memory-mapping";
import { getOwnTopic } from "../../../store/memories/memory-topics";
import type { StatedSession } from "../../../store/sessions/session-repository";
import { parseInstanceId, toInstanceIri } from "../../../store/triples/triples";
import { updateMemory } from "../../memories/update-memory";
import { createRememberRequest, storeRequests } from "../../remember";
import type { Services } from "../../services";
import { NO_OWNER } from "../../tools/tool";
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
  await writeOthers(services, others, resolve, count);
  await services.store.subjects.insertMemories(memories.restored.map(({ node: _node, ...one }) => one));
  const ids = await rememberNew(services, memories);
  for (const change of memories.changed) await applyChange(services, change, resolve);
  count("memory", {
    added: memories.restored.length + memories.remembered.flat().length,
    changed: memories.changed.length,
    known: memories.known,
  });
  await writeLinks(services, links, count);
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
  resolve: (node: string) => string,
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
  await store.subjects.insertLinking(
    episodes.flatMap(({ links }) => links.map((link) => ({ ...link, object: resolve(link.object) }))),
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
    const requests = ready.map((one) => toRequest(services, one, iris));
    const results = await storeRequests(services, requests);
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

function toRequest(services: Services, { memory, targets }: NewStatement, iris: ReadonlyMap<string, string>) {
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
  const request = createRememberRequest(services.ontology, owner, input, null, memory.timestamp);
  return {
    ...request,
    memory: { ...request.memory, importance: memory.importance, valid_until: memory.valid_until },
  };
}

async function applyChange(
  services: Services,
  { node, id, input, links }: StatedChange,
  resolve: (node: string) => string,
): Promise<void> {
  try {
    if (input !== null) await updateMemory(services, id, input);
    for (const { subject, predicate, object } of links) {
      const relation = findGenericRelation(predicate.replace("jido:", ""));
      if (relation === null) throw failure("internal", `${predicate} is no link.`);
      const ends = { from: getEndId(resolve(subject)), to: getEndId(resolve(object)) };
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
