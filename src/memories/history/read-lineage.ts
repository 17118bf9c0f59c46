// Why a memory is held: what it rests on, which activity made it, what it replaced, and what was derived from it.
import { isWithinBinding, type Owner } from "../../kernel/access";
import { ID_PATTERN } from "../../kernel/common";
import { failure } from "../../kernel/errors";
import {
  formatDecimal,
  parseInstanceId,
  type Triple,
  toEvidenceIri,
  toInstanceIri,
  toUserIri,
} from "../../ontology/triples";
import type { Services } from "../../services/services";
import type { MessageRow } from "../../sessions/message-repository";
import type { MemoryActivity } from "../memory-fields";
import { getMemoryStatus, type Memory } from "../memory-schemas";
import type { Role } from "../message-schemas";
import { MEMORY_PREFIX, parseMessageReference } from "../store/evidence-sources";
import { getOwnTopic } from "../store/memory-topics";
import type { LineageSource, MemoryLineage, Supersession, SupersessionReason } from "./lineage-schemas";

/** Memories that were derived from one, as its lineage lists them. */
const MAX_DERIVED = 100;

export function readLineage(services: Services, id: string): Promise<MemoryLineage> {
  return services.limitReads(() => collectLineage(services, id));
}

async function collectLineage(services: Services, id: string): Promise<MemoryLineage> {
  const { store } = services;
  const iri = toInstanceIri("memory", id);
  const [memory, { activity, recorded_at }, replaced, statements, supported] = await Promise.all([
    store.memories.find(id),
    store.lineage.readActivity(id),
    store.triples.match({ predicate: "jido:supersededBy", object: iri }),
    store.triples.match({ subject: iri, predicate: "jido:derivedFrom" }),
    store.lineage.listSupported([id], 2 * MAX_DERIVED),
  ]);
  if (memory === null) throw failure("not_found", `Memory not found: ${id}.`);
  const predecessorIds = replaced.flatMap(({ subject }) => parseInstanceId("memory", subject) ?? []);
  const originIds = statements.flatMap(({ object }) => parseInstanceId("memory", object) ?? []);
  const derivedIds = [...new Set(supported.map(({ to }) => to))];
  const [sources, others, next] = await Promise.all([
    findSources(services, memory, originIds),
    store.memories.findMany([...predecessorIds, ...derivedIds.slice(0, MAX_DERIVED)]),
    memory.superseded_by === null ? null : readSuccessor(services, memory, memory.superseded_by),
  ]);
  const byId = new Map(others.map((other) => [other.id, other]));
  const isVisible = (owner: Owner) => isWithinBinding(services.binding, owner);
  const select = (ids: readonly string[]) => ids.flatMap((one) => byId.get(one) ?? []);
  const predecessors = select(predecessorIds);
  const derived = select(derivedIds);
  const storedAt = recorded_at ?? memory.timestamp;
  const successor = { memory, activity, storedAt };
  return {
    memory: {
      ...summarise(memory),
      confidence: memory.confidence,
      rationale: memory.rationale,
      session_id: memory.session_id,
      user_id: memory.user_id,
      agent_id: memory.agent_id,
      project_id: memory.project_id,
    },
    activity: {
      kind: activity?.kind ?? "unknown",
      at: storedAt,
      key_id: activity?.key_id ?? null,
      importance:
        activity?.kind === "promotion"
          ? { score: memory.base_importance ?? memory.importance, parts: activity.importance_parts ?? null }
          : null,
      extracted_by: activity?.extracted_by ?? null,
      context_key: activity?.context_key ?? null,
      run: activity?.run ?? null,
    },
    sources: sources.visible,
    supersedes: predecessors.filter(isVisible).map((old) => describeSupersession(old, old, successor)),
    superseded_by: next?.visible ?? null,
    forgotten:
      memory.forgotten_at === null ? null : { at: memory.forgotten_at, reason: memory.forget_reason },
    derived: derived.filter(isVisible).map(summarise),
    hidden:
      sources.hidden +
      [...predecessors, ...derived].filter((other) => !isVisible(other)).length +
      (next?.hidden ?? 0),
  };
}

async function readSuccessor(services: Services, old: Memory, id: string) {
  const { store, binding } = services;
  const [memory, { activity, recorded_at }] = await Promise.all([
    store.memories.find(id),
    store.lineage.readActivity(id),
  ]);
  if (memory === null) return null;
  if (!isWithinBinding(binding, memory)) return { visible: null, hidden: 1 };
  const successor = { memory, activity, storedAt: recorded_at ?? memory.timestamp };
  return { visible: describeSupersession(memory, old, successor), hidden: 0 };
}

/** A memory that superseded another, with the activity that stored it. */
type Successor = { memory: Memory; activity: MemoryActivity | null; storedAt: string };

/** Describes one side of a supersession: the memory `shown`. */
function describeSupersession(shown: Memory, old: Memory, successor: Successor): Supersession {
  return {
    ...summarise(shown),
    reason: findReason(old, successor),
    note: old.forget_reason,
    at: old.forgotten_at ?? findSupersessionTime(old, successor),
  };
}

/** A memory ends with its successor's first day of validity, or when the two are linked, if that is later. */
function findSupersessionTime({ valid_until }: Memory, { memory, storedAt }: Successor): string {
  const isLater = valid_until !== null && valid_until > storedAt && valid_until !== memory.valid_from;
  return isLater ? valid_until : storedAt;
}

function findReason(old: Memory, { memory: successor, activity }: Successor): SupersessionReason {
  if (activity?.kind === "change") return "change";
  if (old.forget_reason !== null || old.forgotten_at !== null) return "named";
  const key = getOwnTopic(old);
  if (key !== null && key === getOwnTopic(successor)) return "key";
  if (old.topic_key !== null && old.topic_key === successor.topic_key) return "statement";
  // Promotion alone supersedes what says the same in other words, in its own session.
  const isDuplicate =
    activity?.kind === "promotion" &&
    old.session_id !== null &&
    old.session_id === successor.session_id &&
    old.type === successor.type;
  return isDuplicate ? "duplicate" : "named";
}

type FoundSources = { visible: LineageSource[]; hidden: number };

/** Finds what a memory's evidence names, in its order, and the memories that it is linked to as `derivedFrom`. */
async function findSources(
  { store, binding }: Services,
  memory: Memory,
  originIds: readonly string[],
): Promise<FoundSources> {
  const { evidence, session_id } = memory;
  const ids = evidence.filter((reference) => ID_PATTERN.test(reference));
  const memoryIds = evidence.flatMap((reference) =>
    reference.startsWith(MEMORY_PREFIX) ? [reference.slice(MEMORY_PREFIX.length)] : [],
  );
  const messageIds = evidence.flatMap((reference) => parseMessageReference(reference) ?? []);
  const [memories, messages, episodes] = await Promise.all([
    store.memories.findMany([...ids, ...memoryIds, ...originIds]),
    messageIds.length === 0 ? [] : store.lineage.findMessages(messageIds),
    ids.length === 0 ? [] : store.episodes.findMany(ids),
  ]);
  const memoriesById = new Map(memories.map((one) => [one.id, one]));
  const messagesById = Map.groupBy(messages, ({ id }) => id);
  const episodesById = new Map(episodes.map((one) => [one.id, one]));
  const found: FoundSources = { visible: [], hidden: 0 };
  const add = (source: LineageSource, owner: Owner) => {
    if (isWithinBinding(binding, owner)) found.visible.push(source);
    else found.hidden += 1;
  };
  for (const reference of [...evidence, ...originIds.map((id) => MEMORY_PREFIX + id)]) {
    const memoryId = reference.startsWith(MEMORY_PREFIX) ? reference.slice(MEMORY_PREFIX.length) : reference;
    const other = memoriesById.get(memoryId);
    const message = selectMessage(messagesById.get(parseMessageReference(reference) ?? "") ?? [], session_id);
    const episode = episodesById.get(reference);
    if (other !== undefined) add({ kind: "memory", ...summarise(other) }, other);
    else if (message !== undefined) {
      const { id, session_id: said, role, name, content, timestamp } = message;
      add({ kind: "message", id, session_id: said, role: role as Role, name, content, timestamp }, message);
    } else if (episode !== undefined) {
      const { id, outcome, timestamp, context, user_id, agent: agent_id, project_id } = episode;
      add({ kind: "episode", id, goal: context.goal, outcome, timestamp }, { user_id, agent_id, project_id });
    } else found.visible.push({ kind: "reference", reference });
  }
  return found;
}

/** Ids of messages are unique within a session: without one, a message is named only if no other has its id. */
function selectMessage(messages: readonly MessageRow[], sessionId: string | null): MessageRow | undefined {
  if (sessionId !== null) return messages.find(({ session_id }) => session_id === sessionId);
  return messages.length === 1 ? messages[0] : undefined;
}

function summarise(memory: Memory) {
  const { id, type, content, source_type, timestamp } = memory;
  return { id, type, content, status: getMemoryStatus(memory), source_type, timestamp };
}

// The lineage of a memory in PROV-O: entities, the activity that generated the memory, and the agents behind it.

/** Returns triples with compact IRIs. Texts are `prov:value`. */
export function toProvTriples(lineage: MemoryLineage): Triple[] {
  const { memory, activity, sources, supersedes, superseded_by, forgotten, derived } = lineage;
  const triples: Triple[] = [];
  const relate = (subject: string, predicate: string, object: string) =>
    triples.push({ subject, predicate, object, datatype: "" });
  const state = (subject: string, predicate: string, object: string, datatype = "xsd:string") =>
    triples.push({ subject, predicate, object, datatype });
  const describe = (subject: string, text: string, at: string) => {
    relate(subject, "rdf:type", "prov:Entity");
    state(subject, "prov:value", text);
    state(subject, "prov:generatedAtTime", at, "xsd:dateTime");
  };

  const entity = toInstanceIri("memory", memory.id);
  describe(entity, memory.content, activity.at);
  const run = `jido:activity_${memory.id}`;
  relate(entity, "prov:wasGeneratedBy", run);
  relate(run, "rdf:type", "prov:Activity");
  state(run, "rdfs:label", activity.kind);
  state(run, "prov:endedAtTime", activity.at, "xsd:dateTime");
  if (memory.rationale !== null) state(entity, "jido:rationale", memory.rationale);
  if (activity.importance !== null)
    state(run, "jido:importanceScore", formatDecimal(activity.importance.score), "xsd:decimal");

  const agents = listAgents(lineage);
  for (const { iri, type } of agents) {
    relate(iri, "rdf:type", type);
    relate(run, "prov:wasAssociatedWith", iri);
  }
  // A program acts for the agent, and the agent for the user.
  for (const [i, { iri }] of agents.entries()) {
    const principal = agents[i + 1];
    if (principal === undefined) relate(entity, "prov:wasAttributedTo", iri);
    else relate(iri, "prov:actedOnBehalfOf", principal.iri);
  }

  for (const source of sources) {
    const iri = toSourceIri(source);
    relate(entity, "prov:wasDerivedFrom", iri);
    relate(run, "prov:used", iri);
    if (source.kind === "reference") {
      relate(iri, "rdf:type", "prov:Entity");
      state(iri, "prov:value", source.reference);
    } else describe(iri, source.kind === "episode" ? source.goal : source.content, source.timestamp);
  }
  for (const old of supersedes) {
    const iri = toInstanceIri("memory", old.id);
    describe(iri, old.content, old.timestamp);
    relate(entity, "prov:wasRevisionOf", iri);
    relate(iri, "prov:wasInvalidatedBy", run);
  }
  if (superseded_by !== null) {
    const iri = toInstanceIri("memory", superseded_by.id);
    describe(iri, superseded_by.content, superseded_by.timestamp);
    relate(iri, "prov:wasRevisionOf", entity);
    state(entity, "prov:invalidatedAtTime", superseded_by.at, "xsd:dateTime");
  } else if (forgotten !== null) state(entity, "prov:invalidatedAtTime", forgotten.at, "xsd:dateTime");
  for (const other of derived) {
    const iri = toInstanceIri("memory", other.id);
    describe(iri, other.content, other.timestamp);
    relate(iri, "prov:wasDerivedFrom", entity);
  }
  return [...new Map(triples.map((triple) => [JSON.stringify(triple), triple])).values()];
}

/** Returns the agents behind a memory: the key that was used, the agent, and the user, as far as they are known. */
function listAgents({ memory, activity }: MemoryLineage): { iri: string; type: string }[] {
  return [
    ...(activity.key_id === null ? [] : [{ iri: toKeyIri(activity.key_id), type: "prov:SoftwareAgent" }]),
    ...(memory.agent_id === null
      ? []
      : [{ iri: toInstanceIri("agent", memory.agent_id), type: "prov:SoftwareAgent" }]),
    ...(memory.user_id === null ? [] : [{ iri: toUserIri(memory.user_id), type: "prov:Person" }]),
  ];
}

/** Ids of keys have their prefix already, unlike the name of the admin key. */
function toKeyIri(id: string): string {
  return id.startsWith("key_") ? `jido:${id}` : `jido:key_${id}`;
}

function toSourceIri(source: LineageSource): string {
  switch (source.kind) {
    case "memory":
      return toInstanceIri("memory", source.id);
    case "message":
      return toEvidenceIri(`message:${source.id}`);
    case "episode":
      return toEvidenceIri(source.id);
    case "reference":
      return toEvidenceIri(source.reference);
  }
}
