// Reads the memories of a document. One with an id that is not stored becomes a record of an import; one that is stored is
// changed as PATCH would change it; one without an id is remembered.
import { DEFAULT_PROJECT, NO_OWNER } from "../../kernel/access";
import { countCodePoints } from "../../kernel/common";
import { unwrap } from "../../kernel/errors";
import { parseInput } from "../../kernel/validate-input";
import { normaliseContent } from "../../language/normalise-text";
import { getEndId, isSymmetric, toRelation } from "../../memories/links/link-triples";
import { isReserved, validateProperties } from "../../memories/memory-properties";
import type { UpdateMemoryInput } from "../../memories/memory-requests";
import { getMemoryStatus, type Memory, type RememberInput } from "../../memories/memory-schemas";
import { createWrite } from "../../memories/remember";
import { validateMemory } from "../../memories/store/check-memory";
import type { MemoryWrite } from "../../memories/store/commit-plan";
import { toMemoryTriples, toMemoryView } from "../../memories/store/memory-mapping";
import { isAcyclic, listTargets } from "../../memories/store/memory-relations";
import { getOwnTopic } from "../../memories/store/memory-topics";
import { toLocalTermName } from "../../ontology/extension-names";
import { PROPERTIES } from "../../ontology/generated/terms.generated";
import { isMemoryRelation } from "../../ontology/property-values";
import { isTypeOfClass } from "../../ontology/tenant-ontology";
import { parseInstanceId, type Triple, toInstanceIri } from "../../ontology/triples";
import type { Services } from "../../services/services";
import { checkRecord } from "../check-records";
import { type MemoryRecord, RECORD_SCHEMAS } from "../export-records";
import { toMemory } from "../transferred-memories";
import type { ClassifiedSubjects } from "./document-subjects";
import type { ImportProblems } from "./import-problems";
import { listReferredResources } from "./lower-subjects";
import { checkChange, describeChange } from "./memory-changes";
import { NOT_RECORDED, parseActivityTriples, type StoredActivity } from "./provenance";
import {
  buildMemory,
  COUNTED_PREDICATES,
  listDefaults,
  listNamedNodes,
  readStatedMemory,
  type StatedMemory,
} from "./stated-memory";
import type { StoredTriples } from "./stated-values";

/** A memory to be remembered, with the id that it will have. */
type NewMemoryNode = { node: string; id: string; write: MemoryWrite };

/** A change of a stored memory, and links that it does not have yet. `input` is null if nothing else changes. */
export type StatedChange = { node: string; id: string; input: UpdateMemoryInput | null; links: Triple[] };

export type LoweredMemories = {
  restored: MemoryRecord[];
  /** In steps: the memories of a step lead to those of earlier ones alone. */
  added: NewMemoryNode[][];
  changed: StatedChange[];
  /** The number of memories that say nothing new. */
  known: number;
  /** Returns the IRI of a node. */
  resolve: (node: string) => string;
};

type DocumentContext = {
  /** The IRIs of the episodes, and of the entities, of the document. */
  others: ReadonlySet<string>;
  stored: StoredTriples;
  problems: ImportProblems;
  warnings: string[];
};

export async function lowerMemories(
  services: Services,
  { memories: subjects, activities }: ClassifiedSubjects,
  { others, stored, problems, warnings }: DocumentContext,
): Promise<LoweredMemories> {
  const { ontology, gate } = services;
  const now = new Date(services.now()).toISOString();
  const nodes = new Set([...subjects.map(({ node }) => node), ...others]);
  const isNode = (name: string) => nodes.has(name) || parseInstanceId("memory", name) !== null;
  const stated = subjects.map((subject) => readStatedMemory(ontology, subject, isNode, problems));
  problems.requireNone();
  const build = (one: StatedMemory, id: string, before: Memory | undefined, find: Resolve) => {
    const base = before === undefined ? listDefaults(now) : toMemoryTriples(before);
    const own = before === undefined ? one : withoutCounts(one);
    const type = one.type ?? before?.type;
    if (type === undefined) {
      problems.report(one.node, "rdf:type", "is missing, and there is no such memory");
      return null;
    }
    const built = buildMemory(own, { id, type, triples: base }, find, problems);
    const isNew = one.id === null && before === undefined;
    const owned = built !== null && isNew ? addOwner(built) : built;
    return owned && problems.collect(one.node, () => gate.clean(owned, owned.project_id));
  };
  const { ids, memories } = await identify(services, stated, build);
  problems.requireNone();

  const resolve = (node: string) => {
    const id = ids.get(node);
    return id === undefined ? node : toInstanceIri("memory", id);
  };
  const matched = stated.flatMap(({ node, id }) =>
    id === null && memories.has(ids.get(node) ?? "") ? resolve(node) : [],
  );
  stored.add(await services.store.subjects.findTriples([...new Set(matched)]));
  const types = new Map([...memories.values()].map(({ id, type }) => [id, type]));
  for (const { node, type } of stated) if (type !== null) types.set(ids.get(node) ?? "", type);
  const checkTargets = (one: StatedMemory, memory: Memory, isStrict: (name: string) => boolean) => {
    const reportMissing = (predicate: string, iri: string) => {
      const message = `${iri} is not there: import it first, or in the same document`;
      if (isStrict(toLocalTermName(toName(predicate)))) problems.report(one.node, predicate, message);
      else warnings.push(`${one.node} ${predicate}: ${message}`);
    };
    for (const { predicate, node } of listNamedNodes(one)) {
      const iri = resolve(node);
      const type = types.get(parseInstanceId("memory", iri) ?? "");
      const name = toName(predicate);
      const range = isMemoryRelation(name) ? PROPERTIES[name].range : null;
      if (range !== null && type !== undefined && !isTypeOfClass(ontology, type, range))
        problems.report(one.node, predicate, `must be a jido:${range}: ${node} is another`);
      else if (type === undefined && !others.has(iri) && !stored.has(iri)) reportMissing(predicate, iri);
    }
    for (const iri of listReferredResources(memory.properties))
      if (!others.has(iri) && !stored.has(iri)) reportMissing("jido:refersTo", iri);
  };

  const restored: { node: string; record: MemoryRecord }[] = [];
  const added: (NewMemoryNode & { memory: Memory; targets: string[] })[] = [];
  const changed: (StatedChange & { memory: Memory })[] = [];
  let known = 0;
  for (const one of stated) {
    const { node } = one;
    const id = ids.get(node) ?? "";
    const before = memories.get(id);
    const memory = build(one, id, before, resolve);
    if (memory === null) continue;
    const links = one.links.map((link) => toStoredLink(link, id, resolve));
    if (before !== undefined) {
      const missing = links.filter((link) => !stored.states(link) && !stored.states(reverse(link)));
      const input = isReplaced(before, memory, memories)
        ? null
        : describeChange(before, memory, node, problems);
      if (input === null && missing.length === 0) {
        known += 1;
        continue;
      }
      const names = new Set([
        ...Object.keys(input?.properties ?? {}),
        ...missing.map(({ predicate }) => toName(predicate)),
      ]);
      checkTargets(one, memory, (name) => one.id === null || names.has(name));
      if (input !== null) checkChange(ontology, node, before, input, problems);
      changed.push({ node, id, input, links: missing, memory });
    } else if (one.id !== null) {
      checkTargets(one, memory, () => false);
      if (one.links.some(({ predicate }) => predicate === "jido:supersedes"))
        problems.report(
          node,
          "jido:supersedes",
          "is stored from the other end: state jido:supersededBy of that memory",
        );
      const properties = problems.collect(node, () => validate(services, memory));
      const activity = readActivity(node, memory, activities, problems);
      if (properties === null || activity === null) continue;
      const relations = links.map(({ predicate, object }) => ({ predicate, to: object }));
      restored.push({ node, record: toRecord({ ...memory, properties }, activity, relations) });
    } else {
      checkTargets(one, memory, () => true);
      if (memory.session_id !== null)
        problems.report(node, "jido:assertedIn", "goes with the IRI of a memory: leave it out of a new one");
      if (getMemoryStatus(memory) === "forgotten" || memory.access_count > 0)
        problems.report(node, null, "a new memory has no uses and is not forgotten: leave that out");
      const write = problems.collect(node, () => toWrite(services, memory, links));
      const targets = listNamedNodes(one).map((target) => target.node);
      if (write !== null) added.push({ node, id, write, memory, targets });
    }
  }
  const described = new Set(ids.values());
  for (const id of activities.keys())
    if (!described.has(id))
      problems.report(
        `jido:activity_${id}`,
        null,
        `made jido:memory_${id}, which the document does not restore: leave it out`,
      );
  for (const { node, record } of restored) {
    checkFields(node, record, problems);
    await checkRecord(ontology, record).catch((error: unknown) => problems.add(node, error));
  }
  for (const { node, memory } of [...added, ...changed.filter(({ input }) => input !== null)]) {
    checkFields(node, toRecord(memory), problems);
    for (const { path, message, severity } of await validateMemory(ontology, memory)) {
      const property = path === "" ? null : `jido:${path}`;
      if (severity === "violation") problems.report(node, property, message);
      else if (severity === "warning" && !memories.has(memory.id))
        warnings.push(`${node} ${property}: ${message}`);
    }
  }
  reportCycles(restored, problems);
  return {
    restored: restored.map(({ record }) => record),
    added: orderNew(added, problems),
    changed,
    known,
    resolve,
  };
}

type Resolve = (node: string) => string | null;

/** Returns the id of each node, and the stored memories among those that the document names and their successors. */
async function identify(
  { store }: Services,
  stated: readonly StatedMemory[],
  build: (one: StatedMemory, id: string, before: undefined, find: Resolve) => Memory | null,
): Promise<{ ids: Map<string, string>; memories: Map<string, Memory> }> {
  const memories = new Map<string, Memory>();
  const read = async (wanted: readonly string[]) => {
    const missing = [...new Set(wanted)].filter((id) => !memories.has(id));
    for (const memory of missing.length === 0 ? [] : await store.memories.findMany(missing))
      memories.set(memory.id, memory);
  };
  await read(
    stated.flatMap((one) => [
      ...(one.id === null ? [] : [one.id]),
      ...listNamedNodes(one).flatMap(({ node }) => parseInstanceId("memory", node) ?? []),
    ]),
  );
  // The id of a new memory follows from its content and owner: its relations are not needed.
  const drafts = stated.flatMap((one) => {
    const memory = memories.has(one.id ?? "") ? null : build(one, one.id ?? "0", undefined, () => null);
    return memory === null ? [] : [{ one, memory }];
  });
  const found = drafts.length === 0 ? [] : await store.memories.identify(drafts.map(({ memory }) => memory));
  await read(found.map(({ id }) => id));
  const restored = new Map(
    drafts.flatMap(({ one, memory }, i) =>
      one.id === null || getMemoryStatus(memory) !== "live"
        ? []
        : [[found[i]?.identity ?? "", one.id] as const],
    ),
  );
  const ids = new Map(stated.flatMap(({ node, id }) => (id === null ? [] : [[node, id] as const])));
  for (const [i, { one }] of drafts.entries()) {
    const { id, identity } = found[i] ?? { id: "", identity: "" };
    if (one.id === null) ids.set(one.node, memories.has(id) ? id : (restored.get(identity) ?? id));
  }
  await read([...memories.values()].flatMap(({ superseded_by }) => superseded_by ?? []));
  return { ids, memories };
}

/** Uses are counted, and importance follows from them. */
function withoutCounts(stated: StatedMemory): StatedMemory {
  return { ...stated, triples: stated.triples.filter(({ predicate }) => !COUNTED_PREDICATES.has(predicate)) };
}

/** Without any owner, a new memory belongs to the default project. */
function addOwner(memory: Memory): Memory {
  const { user_id, agent_id, project_id } = memory;
  const isOwnerless = user_id === null && agent_id === null && project_id === null;
  return isOwnerless ? { ...memory, project_id: DEFAULT_PROJECT } : memory;
}

function toName(predicate: string): string {
  return predicate.replace("jido:", "");
}

function toStoredLink({ predicate, object }: Triple, id: string, resolve: (node: string) => string): Triple {
  const subject = toInstanceIri("memory", id);
  const target = resolve(object);
  return predicate === "jido:supersedes"
    ? { subject: target, predicate: "jido:supersededBy", object: subject, datatype: "" }
    : { subject, predicate, object: target, datatype: "" };
}

function reverse(link: Triple): Triple {
  const relation = toRelation(link.predicate);
  const { subject, object } = link;
  return relation !== undefined && isSymmetric(relation)
    ? { ...link, subject: object, object: subject }
    : link;
}

/** Whether another content was imported before: it is that of the successor. */
function isReplaced(before: Memory, after: Memory, memories: ReadonlyMap<string, Memory>): boolean {
  const next = memories.get(before.superseded_by ?? "");
  return (
    next !== undefined &&
    normaliseContent(before.content) !== normaliseContent(after.content) &&
    normaliseContent(next.content) === normaliseContent(after.content)
  );
}

/** Returns the properties of a restored memory. Those that the service sets are taken as they are. */
function validate({ ontology }: Services, { type, properties, ...memory }: Memory): Memory["properties"] {
  const view = toMemoryView({ ...memory, type, properties }).properties;
  const names = Object.keys(properties).filter((name) => !isReserved(name));
  const given = names.map(toLocalTermName).map((name) => [name, view[name] ?? []] as const);
  return { ...properties, ...validateProperties(ontology, type, Object.fromEntries(given)) };
}

function readActivity(
  node: string,
  { id, timestamp }: Memory,
  activities: ClassifiedSubjects["activities"],
  problems: ImportProblems,
): StoredActivity | null {
  const subject = activities.get(id);
  const read = subject === undefined ? NOT_RECORDED : parseActivityTriples(subject.triples, timestamp);
  if (!("problem" in read)) return read;
  problems.report(`${node} ${subject?.node}`, read.predicate, read.problem);
  return null;
}

function toRecord(
  memory: Memory,
  activity: StoredActivity = NOT_RECORDED,
  relations: MemoryRecord["relations"] = [],
): MemoryRecord {
  const { base_importance: _base, activity: _activity, ...fields } = memory;
  return { kind: "memory", ...fields, ...activity, ended_at: null, relations } as MemoryRecord;
}

/** A key that the service derives is longer than one of a caller. */
const MAX_TOPIC_CHARS = 1_000;

/** Reports fields that exceed the limits of a memory. */
function checkFields(node: string, record: MemoryRecord, problems: ImportProblems): void {
  problems.collect(node, () => unwrap(parseInput(RECORD_SCHEMAS.memory, record, "memory")));
  const { topic_key, valid_from, valid_until, timestamp } = record;
  if (topic_key !== null && countCodePoints(topic_key) > MAX_TOPIC_CHARS)
    problems.report(node, "jido:topicKey", `must have at most ${MAX_TOPIC_CHARS} characters`);
  const isPeriod = valid_until === null || valid_until >= (valid_from ?? timestamp);
  if (!isPeriod && getMemoryStatus(toMemory(record)) === "live")
    problems.report(node, "jido:validUntil", "must not be before validFrom");
}

/** Returns the write that remembers a new memory. Throws if it has a property that a caller cannot set. */
function toWrite(services: Services, memory: Memory, links: readonly Triple[]): MemoryWrite {
  const { user_id, agent_id, project_id, rationale, valid_from, superseded_by } = memory;
  const key = getOwnTopic(memory);
  const relations = Map.groupBy(links, ({ predicate, subject }) =>
    subject === toInstanceIri("memory", memory.id) ? toName(predicate) : "supersedes",
  );
  const input: RememberInput = {
    content: memory.content,
    type: memory.type,
    confidence: memory.confidence,
    evidence: memory.evidence,
    source_type: memory.source_type,
    supersede: true,
    properties: {
      ...toMemoryView(memory).properties,
      ...Object.fromEntries(
        [...relations].map(([name, list]) => [
          name,
          list.map(({ subject, object }) => getEndId(name === "supersedes" ? subject : object)),
        ]),
      ),
      ...(superseded_by !== null && { supersededBy: [superseded_by] }),
    },
    metadata: memory.metadata,
    tags: memory.tags,
    ...(rationale !== null && { rationale }),
    ...(valid_from !== null && { valid_from }),
    ...(key !== null && { key }),
  };
  const owner = { ...NO_OWNER, user_id, agent_id, project_id };
  const write = createWrite(services.ontology, owner, input, null, memory.timestamp);
  return {
    ...write,
    memory: { ...write.memory, importance: memory.importance, valid_until: memory.valid_until },
  };
}

/** Orders new memories so that each leads to earlier ones alone. */
function orderNew(
  added: readonly (NewMemoryNode & { targets: string[] })[],
  problems: ImportProblems,
): NewMemoryNode[][] {
  const { steps, rest } = sortBySteps(
    added,
    ({ node }) => node,
    ({ targets }) => targets,
  );
  for (const { node } of rest)
    problems.report(
      node,
      null,
      "is one of new memories that lead to each other in a circle: leave one relation out",
    );
  return steps;
}

/** Reports restored memories that lead back to themselves by a relation that must not. */
function reportCycles(
  restored: readonly { node: string; record: MemoryRecord }[],
  problems: ImportProblems,
): void {
  const listNext = ({ record }: { record: MemoryRecord }) =>
    listTargets(record.properties)
      .filter(isAcyclic)
      .map(({ to }) => to);
  for (const { node } of sortBySteps(restored, ({ record }) => record.id, listNext).rest)
    problems.report(node, null, "leads back to itself or to a memory that does, which would be a cycle");
}

/** Sorts items into steps, each of which leads to earlier ones alone. `rest` has those that lead to a cycle. */
function sortBySteps<T>(
  items: readonly T[],
  getName: (item: T) => string,
  listNext: (item: T) => readonly string[],
): { steps: T[][]; rest: T[] } {
  const waiting = new Map(items.map((item) => [getName(item), { item, next: listNext(item) }]));
  const steps: T[][] = [];
  for (;;) {
    const ready = [...waiting].filter(([, { next }]) => !next.some((name) => waiting.has(name)));
    if (ready.length === 0) return { steps, rest: [...waiting.values()].map(({ item }) => item) };
    steps.push(ready.map(([, { item }]) => item));
    for (const [name] of ready) waiting.delete(name);
  }
}
