// Why a memory is held: what it rests on, which activity made it, what it replaced, and what was derived from it.
import { isWithinBinding } from "../../domain/binding";
import { getMemoryStatus } from "../../domain/memory-status";
import type { LastingOwner } from "../../domain/reach";
import { failure } from "../../platform/errors";
import { ID_PATTERN } from "../../schemas/common";
import type {
  LineageSource,
  MemoryLineage,
  Supersession,
  SupersessionReason,
} from "../../schemas/memories/lineage";
import type { Memory } from "../../schemas/memory";
import type { Role } from "../../schemas/message";
import { getOwnTopic } from "../../store/memories/memory-topics";
import { parseInstanceId, toInstanceIri } from "../../store/triples/triples";
import { MEMORY_PREFIX, parseMessageReference } from "../../store/trust/evidence-sources";
import type { Services } from "../services";

/** Memories that were derived from one, as its lineage lists them. */
const MAX_DERIVED = 100;

export async function readLineage(services: Services, id: string): Promise<MemoryLineage> {
  const { store } = services;
  const iri = toInstanceIri("memory", id);
  const [memory, { activity, recorded_at }, replaced, statements, supported] = await Promise.all([
    store.memories.find(id),
    store.lineage.readActivity(id),
    store.triples.match({ predicate: "jido:supersededBy", object: iri }),
    store.triples.match({ subject: iri, predicate: "jido:derivedFrom" }),
    store.lineage.listSupported([id]),
  ]);
  if (memory === null) throw failure("not_found", `Memory not found: ${id}.`);
  const predecessorIds = replaced.flatMap(({ subject }) => parseInstanceId("memory", subject) ?? []);
  const originIds = statements.flatMap(({ object }) => parseInstanceId("memory", object) ?? []);
  const derivedIds = [...new Set(supported.map(({ to }) => to))];
  const [sources, others, successor] = await Promise.all([
    findSources(services, memory, originIds),
    store.memories.findMany([...predecessorIds, ...derivedIds.slice(0, MAX_DERIVED)]),
    memory.superseded_by === null ? null : readSuccessor(services, memory, memory.superseded_by),
  ]);
  const byId = new Map(others.map((other) => [other.id, other]));
  const isVisible = (owner: LastingOwner) => isWithinBinding(services.binding, owner);
  const select = (ids: readonly string[]) => ids.flatMap((one) => byId.get(one) ?? []);
  const predecessors = select(predecessorIds);
  const derived = select(derivedIds);
  const storedAt = recorded_at ?? memory.timestamp;
  const reason = activity?.kind === "change";
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
    supersedes: predecessors
      .filter(isVisible)
      .map((old) => describeSupersession(old, old, memory, storedAt, reason)),
    superseded_by: successor?.visible ?? null,
    forgotten:
      memory.forgotten_at === null ? null : { at: memory.forgotten_at, reason: memory.forget_reason },
    derived: derived.filter(isVisible).map(summarise),
    hidden:
      sources.hidden +
      [...predecessors, ...derived].filter((other) => !isVisible(other)).length +
      (successor?.hidden ?? 0),
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
  const at = recorded_at ?? memory.timestamp;
  return { visible: describeSupersession(memory, old, memory, at, activity?.kind === "change"), hidden: 0 };
}

/** Describes one side of a supersession: the memory `shown`. */
function describeSupersession(
  shown: Memory,
  old: Memory,
  successor: Memory,
  at: string,
  isChange: boolean,
): Supersession {
  return {
    ...summarise(shown),
    reason: findReason(old, successor, isChange),
    note: old.forget_reason,
    at: old.forgotten_at ?? at,
  };
}

function findReason(old: Memory, successor: Memory, isChange: boolean): SupersessionReason {
  if (isChange) return "change";
  if (old.forget_reason !== null || old.forgotten_at !== null) return "named";
  const key = getOwnTopic(old);
  if (key !== null && key === getOwnTopic(successor)) return "key";
  if (old.topic_key !== null && old.topic_key === successor.topic_key) return "statement";
  return old.session_id === successor.session_id && old.type === successor.type ? "duplicate" : "named";
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
  const found: FoundSources = { visible: [], hidden: 0 };
  const add = (source: LineageSource, owner: LastingOwner) => {
    if (isWithinBinding(binding, owner)) found.visible.push(source);
    else found.hidden += 1;
  };
  for (const reference of [...evidence, ...originIds.map((id) => MEMORY_PREFIX + id)]) {
    const messageId = parseMessageReference(reference);
    const ownSession = messages.filter((one) => one.id === messageId && one.session_id === session_id);
    const named = reference.startsWith("message:") ? messages.filter((one) => one.id === messageId) : [];
    const [message] = [...ownSession, ...(session_id === null ? named : [])];
    const memoryId = reference.startsWith(MEMORY_PREFIX) ? reference.slice(MEMORY_PREFIX.length) : reference;
    const other = memories.find((one) => one.id === memoryId);
    const episode = episodes.find((one) => one.id === reference);
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

function summarise(memory: Memory) {
  const { id, type, content, source_type, timestamp } = memory;
  return { id, type, content, status: getMemoryStatus(memory), source_type, timestamp };
}
