// Plans the import of memories. One with an id that is not stored is restored as it was; one that is stored is changed as
// PATCH would change it; one without an id is remembered.
import { type Binding, DEFAULT_PROJECT, isBound, isWithinBinding } from "../../../domain/access";
import { getMemoryStatus } from "../../../domain/memory-status";
import { createPrivacyGate } from "../../../domain/privacy/privacy-gate";
import { resolvePrivacy } from "../../../domain/privacy/privacy-policy";
import { toLocalTermName } from "../../../ontology/extensions/extension-names";
import { isTypeOfClass } from "../../../ontology/extensions/tenant-ontology";
import { isMemoryRelation } from "../../../ontology/property-values";
import { PROPERTIES } from "../../../ontology/terms.generated";
import type { Memory } from "../../../schemas/memory";
import type { UpdateMemoryInput } from "../../../schemas/memory-requests";
import { computeIdentity } from "../../../store/memories/memory-id";
import { toMemoryTriples, toMemoryView } from "../../../store/memories/memory-mapping";
import { validateMemory } from "../../../store/ontology/check-memory";
import type { ImportedMemory } from "../../../store/transfer/subject-repository";
import { parseInstanceId, type Triple, toInstanceIri } from "../../../store/triples/triples";
import { normaliseContent } from "../../../text/normalise-text";
import { isManaged, isReserved, mergeProperties, validateProperties } from "../../memories/memory-properties";
import { needsSuccessor } from "../../memories/update-memory";
import type { Services } from "../../services";
import { describeChange } from "./describe-change";
import type { ClassifiedSubjects, DocumentSubject } from "./document-subjects";
import type { ImportProblems } from "./import-problems";
import { type NewStatement, orderNew, reportCycles } from "./memory-order";
import { listReferredResources } from "./plan-other-subjects";
import { parseActivityTriples, type StoredActivity } from "./provenance";
import {
  buildMemory,
  COUNTED_PREDICATES,
  checkFields,
  listDefaults,
  listNamedNodes,
  readStatedMemory,
  type StatedMemory,
} from "./stated-memory";

/** A change of a stored memory, and links that it does not have yet. `input` is null if nothing else changes. */
export type StatedChange = {
  node: string;
  id: string;
  input: UpdateMemoryInput | null;
  links: Triple[];
  /** The memory with the change. */
  memory: Memory;
};

export type PlannedMemories = {
  restored: (ImportedMemory & { node: string })[];
  changed: StatedChange[];
  /** The number of memories that say nothing new. */
  known: number;
  /** In steps: the memories of a step lead to those of earlier ones alone. */
  remembered: NewStatement[][];
  /** The IRIs of the nodes that are memories. Those of new ones are known once they are written. */
  iris: Map<string, string>;
  warnings: string[];
};

export async function planMemories(
  services: Services,
  { memories, activities }: ClassifiedSubjects,
  {
    episodes,
    resources,
    problems,
  }: { episodes: ReadonlySet<string>; resources: ReadonlySet<string>; problems: ImportProblems },
): Promise<PlannedMemories> {
  const now = new Date(services.now()).toISOString();
  const nodes = new Set([...memories.map(({ node }) => node), ...episodes]);
  const isNode = (name: string) => nodes.has(name) || parseInstanceId("memory", name) !== null;
  const stated = memories.map((subject) => readStatedMemory(services.ontology, subject, isNode, problems));
  problems.requireNone();
  const gate = createPrivacyGate({
    lookUp: (projectId) => resolvePrivacy(services.privacy, projectId),
    refuses: true,
  });
  const clean: CleanMemory = (node, memory) =>
    problems.collect(node, () => gate.clean(memory, memory.project_id));
  const drafts = await Promise.all(stated.map((one) => draftMemory(services, one, { now, clean, problems })));
  problems.requireNone();
  const store = await readStore(services, stated, drafts);
  const planner = new MemoryPlanner(services, {
    store,
    episodes,
    resources,
    problems,
    activities,
    now,
    clean,
  });
  const plan = planner.plan(stated, drafts);
  reportCycles(plan.restored, problems);
  const isNew = new Set(plan.remembered.flat().map(({ node }) => node));
  const changed = plan.changed.filter(({ input }) => input !== null);
  for (const { node, memory } of [...plan.restored, ...plan.remembered.flat(), ...changed]) {
    checkFields(node, memory, problems);
    clean(node, memory);
    for (const { path, message, severity } of await validateMemory(services.ontology, memory)) {
      const property = path === "" ? null : `jido:${path}`;
      if (severity === "violation") problems.report(node, property, message);
      else if (severity === "warning" && isNew.has(node))
        plan.warnings.push(`${node} ${property}: ${message}`);
    }
  }
  for (const { activity, id } of planner.listStrayActivities())
    problems.report(
      activity.node,
      null,
      `made jido:memory_${id}, which the document does not restore: leave it out`,
    );
  return plan;
}

/** Returns a memory as the privacy gate stores it; reports what the policy refuses, and returns null. */
type CleanMemory = (node: string, memory: Memory) => Memory | null;

/** A memory without relations, and the id that it will have, unless its content had another memory before. */
type Draft = { memory: Memory; identity: string } | null;

async function draftMemory(
  { tenant, binding }: Services,
  stated: StatedMemory,
  { now, clean, problems }: { now: string; clean: CleanMemory; problems: ImportProblems },
): Promise<Draft> {
  if (stated.id !== null || stated.type === null) return null;
  const { node, type } = stated;
  const base = { id: "0", type, triples: listDefaults(now) };
  const built = buildMemory(stated, base, () => null, problems);
  if (built === null) return null;
  if (built.session_id !== null)
    problems.report(node, "jido:assertedIn", "goes with the IRI of a memory: leave it out of a new one");
  if (getMemoryStatus(built) === "forgotten" || built.access_count > 0)
    problems.report(node, null, "a new memory has no uses and is not forgotten: leave that out");
  // The identity is that of the stored text, in which secrets are masked.
  const memory = clean(node, addOwner(binding, built));
  if (memory === null) return null;
  if (!isWithinBinding(binding, memory)) problems.report(node, null, OTHER_OWNER);
  return { memory, identity: await computeIdentity(tenant, memory) };
}

const OTHER_OWNER = "belongs to another owner than the one that the key is bound to";

/** Adds the ids of the binding that a new memory does not name. Without any owner it belongs to the default project. */
function addOwner(binding: Binding, memory: Memory): Memory {
  const user_id = memory.user_id ?? binding.user_id ?? null;
  const agent_id = memory.agent_id ?? binding.agent_id ?? null;
  const project_id = memory.project_id ?? binding.project_id ?? null;
  const isOwnerless = user_id === null && agent_id === null && project_id === null;
  return { ...memory, user_id, agent_id, project_id: isOwnerless ? DEFAULT_PROJECT : project_id };
}

/** What the store has of the memories that a document names. */
type StoredState = {
  memories: ReadonlyMap<string, Memory>;
  /** The IRIs of the nodes that are memories: that of a live one with the same content, if the node has no id. */
  iris: Map<string, string>;
  /** The triples of memories that have links in the document, by subject. */
  triples: ReadonlySet<string>;
  resources: ReadonlySet<string>;
};

async function readStore(
  { store, tenant, binding }: Services,
  stated: readonly StatedMemory[],
  drafts: readonly Draft[],
): Promise<StoredState> {
  const named = stated.flatMap((one) =>
    listNamedNodes(one).map(({ node }) => parseInstanceId("memory", node) ?? []),
  );
  const identities = drafts.flatMap((draft) => (draft === null ? [] : [draft.identity]));
  const live = identities.length === 0 ? [] : await store.memories.findByIdentity(identities);
  const own = live.filter((memory) => isWithinBinding(binding, memory));
  const byIdentity = new Map(
    await Promise.all(own.map(async (one) => [await computeIdentity(tenant, one), one.id] as const)),
  );
  const iris = new Map(
    stated.map(({ node, id }, i) => {
      const identity = drafts[i]?.identity ?? "";
      return [node, toInstanceIri("memory", id ?? byIdentity.get(identity) ?? identity)] as const;
    }),
  );
  const resolve = (node: string) => iris.get(node) ?? node;
  const ids = [...stated.flatMap(({ id }) => id ?? []), ...named.flat(), ...byIdentity.values()];
  const found = ids.length === 0 ? [] : await store.memories.findMany([...new Set(ids)]);
  const successors = found.flatMap(({ superseded_by }) => superseded_by ?? []);
  const next = successors.length === 0 ? [] : await store.memories.findMany(successors);
  const memories = new Map([...next, ...found].map((memory) => [memory.id, memory]));
  const ends = stated.flatMap(({ node, links }) =>
    links.length === 0 ? [] : [node, ...links.map(({ object }) => object)].map(resolve),
  );
  const triples = ends.length === 0 ? [] : await store.subjects.findTriples([...new Set(ends)]);
  const referred = stated.flatMap(({ triples: own }) => own).filter(({ datatype }) => datatype === "");
  const names = new Set(referred.map(({ object }) => object));
  const declared = names.size === 0 ? [] : await store.subjects.findTriples([...names]);
  return {
    memories,
    iris,
    triples: new Set(triples.map(toKey)),
    resources: new Set(declared.map(({ subject }) => subject)),
  };
}

function toKey({ subject, predicate, object }: Pick<Triple, "subject" | "predicate" | "object">): string {
  return JSON.stringify([subject, predicate, object]);
}

type PlannerInput = {
  store: StoredState;
  /** The IRIs of episodes and resources of the document. */
  episodes: ReadonlySet<string>;
  resources: ReadonlySet<string>;
  problems: ImportProblems;
  activities: ReadonlyMap<string, DocumentSubject>;
  now: string;
  clean: CleanMemory;
};

class MemoryPlanner {
  readonly #services: Services;
  readonly #input: PlannerInput;
  readonly #types = new Map<string, Memory["type"]>();
  readonly #used = new Set<string>();
  readonly #warnings: string[] = [];

  constructor(services: Services, input: PlannerInput) {
    this.#services = services;
    this.#input = input;
  }

  plan(stated: readonly StatedMemory[], drafts: readonly Draft[]): PlannedMemories {
    const { store, problems } = this.#input;
    for (const { node, type } of stated) {
      const iri = this.#resolve(node);
      const known = type ?? store.memories.get(parseInstanceId("memory", iri) ?? "")?.type;
      if (known !== undefined) this.#types.set(iri, known);
    }
    const plan: PlannedMemories = {
      restored: [],
      changed: [],
      known: 0,
      remembered: [],
      iris: store.iris,
      warnings: this.#warnings,
    };
    const added: NewStatement[] = [];
    for (const [i, one] of stated.entries()) {
      const draft = drafts[i] ?? null;
      const id = parseInstanceId("memory", this.#input.store.iris.get(one.node) ?? "") ?? "";
      const before = store.memories.get(id);
      if (before !== undefined) this.#planChange(one, before, plan);
      else if (draft !== null) added.push(...this.#planNew(one, draft));
      else if (one.type === null)
        problems.report(one.node, "rdf:type", "is missing, and there is no such memory");
      else this.#planRestored(one, one.type, id, plan);
    }
    plan.remembered = orderNew(added, problems);
    return plan;
  }

  listStrayActivities(): { activity: DocumentSubject; id: string }[] {
    return [...this.#input.activities].flatMap(([id, activity]) =>
      this.#used.has(id) ? [] : [{ activity, id }],
    );
  }

  #resolve = (node: string): string => this.#input.store.iris.get(node) ?? node;

  #planRestored(stated: StatedMemory, type: Memory["type"], id: string, plan: PlannedMemories): void {
    const { problems, activities, now } = this.#input;
    const { ontology, binding } = this.#services;
    const { node } = stated;
    const base = { id, type, triples: listDefaults(now) };
    const built = buildMemory(stated, base, this.#resolve, problems);
    if (built === null) return;
    const reserved = Object.keys(built.properties).filter(isReserved);
    if (reserved.length > 0 && isBound(binding))
      problems.report(
        node,
        `jido:${reserved[0]}`,
        "is set by the service: import it with a key that is not bound",
      );
    const properties = problems.collect(node, () => this.#validate(built, reserved));
    const activity = this.#readActivity(node, built, activities.get(id));
    if (!isWithinBinding(binding, built)) problems.report(node, null, OTHER_OWNER);
    this.#checkTargets(stated, built, ontology);
    if (stated.links.some(({ predicate }) => predicate === "jido:supersedes"))
      problems.report(
        node,
        "jido:supersedes",
        "is stored from the other end: state jido:supersededBy of that memory",
      );
    if (properties === null || activity === null) return;
    const links = stated.links.map((link) => this.#toLink(link, built.id));
    plan.restored.push({ node, memory: { ...built, properties }, ...activity, links });
  }

  /** Returns the properties of a memory in their stored form. Those that the service sets are taken as they are. */
  #validate(memory: Memory, reserved: readonly string[]): Memory["properties"] {
    const view = toMemoryView(memory).properties;
    const given = Object.keys(memory.properties)
      .filter((name) => !reserved.includes(name))
      .map((name) => [toLocalTermName(name), view[toLocalTermName(name)] ?? []] as const);
    const valid = validateProperties(this.#services.ontology, memory.type, Object.fromEntries(given));
    return Object.fromEntries(
      Object.entries(memory.properties).map(([name, values]) => [name, valid[name] ?? values]),
    );
  }

  #readActivity(node: string, memory: Memory, subject: DocumentSubject | undefined): StoredActivity | null {
    if (subject === undefined) return { activity: null, recorded_at: null };
    this.#used.add(memory.id);
    const read = parseActivityTriples(subject.triples, memory.timestamp);
    if (!("problem" in read)) return read;
    this.#input.problems.report(`${node} ${subject.node}`, read.predicate, read.problem);
    return null;
  }

  #toLink({ predicate, object }: Triple, id: string): Triple {
    const subject = toInstanceIri("memory", id);
    const target = this.#resolve(object);
    return predicate === "jido:supersedes"
      ? { subject: target, predicate: "jido:supersededBy", object: subject, datatype: "" }
      : { subject, predicate, object: target, datatype: "" };
  }

  #planNew(stated: StatedMemory, { memory: draft }: { memory: Memory }): NewStatement[] {
    const { problems } = this.#input;
    const { ontology } = this.#services;
    const id = parseInstanceId("memory", this.#resolve(stated.node)) ?? "";
    const base = { id, type: draft.type, triples: toMemoryTriples(draft) };
    const built = buildMemory(stated, base, this.#resolve, problems);
    if (built === null || problems.collect(stated.node, () => this.#validate(built, [])) === null) return [];
    this.#checkTargets(stated, built, ontology);
    return [{ node: stated.node, memory: built, targets: listNamedNodes(stated) }];
  }

  #planChange(stated: StatedMemory, before: Memory, plan: PlannedMemories): void {
    const { store, problems, clean } = this.#input;
    const { ontology, binding } = this.#services;
    const { node } = stated;
    this.#used.add(before.id);
    if (!isWithinBinding(binding, before)) {
      problems.report(node, null, "the id is that of another memory, which this key does not reach");
      return;
    }
    // Uses are counted, and importance follows from them.
    const counted = {
      ...stated,
      triples: stated.triples.filter(({ predicate }) => !COUNTED_PREDICATES.has(predicate)),
    };
    const base = { id: before.id, type: before.type, triples: toMemoryTriples(before) };
    const built = buildMemory(counted, base, this.#resolve, problems);
    const after = built === null ? null : clean(node, built);
    if (after === null) return;
    const links = stated.links
      .map((link) => this.#toLink(link, before.id))
      .filter((link) => !store.triples.has(toKey(link)) && !store.triples.has(toKey(reverse(link))));
    const input = this.#isReplaced(before, after) ? null : describeChange(before, after, node, problems);
    if (input === null && links.length === 0) {
      plan.known += 1;
      return;
    }
    const added = new Set([...Object.keys(input?.properties ?? {}), ...links.map(toName)]);
    this.#checkTargets(stated, after, ontology, added);
    if (input !== null) this.#checkChange(node, before, input);
    if (input?.properties !== undefined)
      problems.collect(node, () => mergeProperties(ontology, before, after.type, input.properties ?? {}));
    plan.changed.push({ node, id: before.id, input, links, memory: after });
  }

  /** Reports changes that PATCH refuses, so that none fails after others are written. */
  #checkChange(node: string, before: Memory, input: UpdateMemoryInput): void {
    const { problems } = this.#input;
    const { metadata: _metadata, tags: _tags, ...others } = input;
    const status = getMemoryStatus(before);
    if (status !== "live" && Object.keys(others).length > 0)
      problems.report(node, null, `is ${status}: only its metadata and tags can be changed`);
    else if (isManaged(before) && needsSuccessor(before, input))
      problems.report(
        node,
        null,
        "has a content and a type that the service sets: write its skill, learning, pattern or graph again",
      );
  }

  /** Whether another content was imported before: it is that of the successor. */
  #isReplaced(before: Memory, after: Memory): boolean {
    const next =
      before.superseded_by === null ? undefined : this.#input.store.memories.get(before.superseded_by);
    return (
      next !== undefined &&
      normaliseContent(before.content) !== normaliseContent(after.content) &&
      normaliseContent(next.content) === normaliseContent(after.content)
    );
  }

  /**
   * Reports relations to what is of another class, and those to what is nowhere; a restored memory may come before it, but
   * not the `added` relations of a stored one.
   */
  #checkTargets(
    stated: StatedMemory,
    memory: Memory,
    ontology: Services["ontology"],
    added: ReadonlySet<string> = new Set(),
  ): void {
    const { store, episodes, resources, problems } = this.#input;
    const { binding } = this.#services;
    const isStrict = isBound(binding) || stated.id === null;
    const reportMissing = (predicate: string, iri: string) => {
      const message = `${iri} is not there: import it first, or in the same document`;
      if (isStrict || added.has(toLocalTermName(toName({ predicate }))))
        problems.report(stated.node, predicate, message);
      else this.#warnings.push(`${stated.node} ${predicate}: ${message}`);
    };
    for (const { predicate, node } of listNamedNodes(stated)) {
      const iri = this.#resolve(node);
      const found = store.memories.get(parseInstanceId("memory", iri) ?? "");
      const isVisible = found !== undefined && isWithinBinding(binding, found);
      const type = this.#types.get(iri) ?? (isVisible ? found.type : undefined);
      const name = predicate.replace("jido:", "");
      if (
        isMemoryRelation(name) &&
        type !== undefined &&
        !isTypeOfClass(ontology, type, PROPERTIES[name].range)
      )
        problems.report(
          stated.node,
          predicate,
          `must be a jido:${PROPERTIES[name].range}: ${node} is another`,
        );
      else if (type === undefined && !episodes.has(iri) && !store.resources.has(iri))
        reportMissing(predicate, iri);
    }
    for (const { kind, id } of listReferredResources(memory.properties)) {
      const iri = `jido:${kind}_${id}`;
      if (!resources.has(iri) && !store.resources.has(iri)) reportMissing("jido:refersTo", iri);
    }
  }
}

function toName({ predicate }: Pick<Triple, "predicate">): string {
  return predicate.replace("jido:", "");
}

function reverse({ subject, object, predicate }: Triple): Pick<Triple, "subject" | "predicate" | "object"> {
  const isSymmetric = predicate === "jido:relatedTo" || predicate === "jido:contradicts";
  return isSymmetric ? { subject: object, predicate, object: subject } : { subject, predicate, object };
}
