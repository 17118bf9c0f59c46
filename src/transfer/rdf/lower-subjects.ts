// Reads what is no memory as records of an import: declared agents, projects and resources, sessions, episodes, and Links.
import { parseEpisodeTriples, toEpisodeTriples } from "../../experience/episodes/episode-mapping";
import { unwrap } from "../../kernel/errors";
import type { JsonObject } from "../../kernel/json";
import { EXPERIENCE } from "../../kernel/limits";
import { parseInput } from "../../kernel/validate-input";
import {
  computeLinkId,
  isGenericPredicate,
  parseLinkTriples,
  toLinkingTriple,
  toLinkTriples,
} from "../../memories/links/link-triples";
import { type EntityReference, isResource, parseReference } from "../../ontology/entity-classes";
import { parseEntityTriples, toEntityIri } from "../../ontology/entity-mapping";
import { validateEntityProperties } from "../../ontology/entity-properties";
import { findProperty, refersToEntities } from "../../ontology/property-values";
import type { Triple } from "../../ontology/triples";
import type { Services } from "../../services/services";
import { createRecord, toSessionCreate } from "../../sessions/session-record";
import { parseSessionTriples, toSessionTriples } from "../../sessions/session-repository";
import { toExportedSession } from "../../sessions/session-transfer";
import { type EntityRecord, type ExportRecord, RECORD_SCHEMAS } from "../export-records";
import { getEntityClass, toRecordTriples } from "../transferred-subjects";
import type { ClassifiedSubjects, DocumentSubject } from "./document-subjects";
import type { ImportProblems } from "./import-problems";
import { describeTerm, findUnstored, normaliseTriple, type StoredTriples } from "./stated-values";

/** A record that a subject states, and the triples that it is stored as. */
export type DocumentRecord = { node: string; record: ExportRecord; triples: Triple[] };

type SubjectKind = {
  /** Names the kind in a problem. */
  name: string;
  /** What its triples must state. */
  needs: string;
  /** Throws if the triples are not those of the kind. */
  read: (triples: Triple[]) => Pick<DocumentRecord, "record" | "triples">;
  /** Predicates whose triples are stored otherwise than they are stated. */
  except?: ReadonlySet<string>;
};

/** Reads a subject as a record. Reports what is not stored of it, and returns nothing then. */
function lowerSubject(
  { node, triples }: DocumentSubject,
  { name, needs, read, except }: SubjectKind,
  problems: ImportProblems,
): DocumentRecord[] {
  const normal = triples.flatMap((triple) => {
    const result = normaliseTriple(triple);
    if (!result.ok) problems.report(node, triple.predicate, result.problem);
    return result.ok ? [result.triple] : [];
  });
  if (normal.length < triples.length) return [];
  let lowered: ReturnType<SubjectKind["read"]> | null;
  try {
    lowered = problems.collect(node, () => read(normal));
  } catch {
    problems.report(node, null, needs);
    return [];
  }
  if (lowered === null) return [];
  const { record } = lowered;
  const checked = problems.collect(node, () =>
    unwrap(parseInput(RECORD_SCHEMAS[record.kind], record, "subject")),
  );
  if (checked === null) return [];
  const unstored = findUnstored(normal, lowered.triples, except);
  if (unstored === null) return [{ node, ...lowered }];
  problems.report(
    node,
    unstored.predicate,
    `${describeTerm(unstored)} is not stored of ${name}: correct it, or leave it out`,
  );
  return [];
}

/** Reads entities, sessions and episodes. The relations of episodes lead to nodes of the document. */
export function lowerSubjects(
  { tenant, now }: Services,
  { entities, sessions, episodes }: ClassifiedSubjects,
  problems: ImportProblems,
): DocumentRecord[] {
  const at = new Date(now()).toISOString();
  const session = { ...SESSION, read: (triples: Triple[]) => readSession(tenant, triples, at) };
  const episode = { ...EPISODE, read: (triples: Triple[]) => readEpisode(triples, at) };
  return [
    ...entities.flatMap((subject) => lowerSubject(subject, ENTITY, problems)),
    ...sessions.flatMap((subject) => lowerSubject(subject, session, problems)),
    ...episodes.flatMap((subject) => lowerSubject(subject, episode, problems)),
  ];
}

const ENTITY: SubjectKind = {
  name: "an agent, a project or a resource of this class",
  needs: "an entity has an IRI with its id, such as jido:agent_<id>",
  read: (triples) => {
    const entity = parseEntityTriples(triples);
    if (entity === null) throw new Error("Not the triples of an entity");
    const { reference, className, properties } = entity;
    const { kind, id } = reference;
    const stated =
      kind === "agent" || kind === "project"
        ? { kind, id, class: className, properties }
        : { kind: "resource", id, class: kind, properties };
    const { class: name, ...project } = stated;
    const record = (kind === "project" ? project : { ...project, class: name }) as EntityRecord;
    record.properties = validateEntityProperties(getEntityClass(record), properties);
    return { record, triples: toRecordTriples(record) };
  },
};

const SESSION = {
  name: "a session",
  needs:
    "a session has the IRI jido:session_<id>, a jido:hasStatus and a jido:startedAt: state them, or leave it out",
};

/** A session has what the graph states of it, and the settings of a new one. It has no messages. */
function readSession(tenant: string, triples: Triple[], now: string): ReturnType<SubjectKind["read"]> {
  const stated = parseSessionTriples(triples);
  const { id, created_at, ended_at, status, phase, continues, agent_id } = stated;
  const created = unwrap(createRecord({ tenant, id }, toSessionCreate(stated), now));
  const record = toExportedSession({
    ...created,
    ...{ status, phase, continues, created_at, ended_at },
    participating_agents: stated.participating_agents.filter((agent) => agent !== agent_id),
  });
  return { record: record as JsonObject as ExportRecord<"session">, triples: toSessionTriples(stated) };
}

const EPISODE = {
  name: "an episode",
  needs:
    "an episode has a jido:goal, a jido:hasOutcome, a jido:episodeTrace that is JSON or left out, and the IRI jido:evidence_<id>",
  // Uses are stored once there are any.
  except: new Set(["jido:accessCount", "jido:lastAccessed"]),
};

const NO_TRACE = JSON.stringify({
  ...{ constraints: [], files_involved: [], action_log: [], errors_encountered: [] },
  ...{ artifacts_produced: [], files_read: [], files_modified: [], git_commit: null },
});

function readEpisode(triples: Triple[], now: string): ReturnType<SubjectKind["read"]> {
  const links = triples.filter(({ predicate }) => isGenericPredicate(predicate));
  const own = triples.filter(({ predicate }) => !isGenericPredicate(predicate));
  const subject = own[0]?.subject ?? "";
  const defaults = [
    ["jido:occurredAt", now],
    ["jido:importanceScore", String(EXPERIENCE.defaultImportance)],
    ["jido:episodeTrace", NO_TRACE],
  ].flatMap(([predicate = "", object = ""]) =>
    own.some((triple) => triple.predicate === predicate)
      ? []
      : [{ subject, predicate, object, datatype: "xsd:string" }],
  );
  const episode = parseEpisodeTriples([...own, ...defaults]);
  const { summarised: _summarised, archived: _archived, ...fields } = episode;
  const relations = links.map(({ predicate, object }) => ({ predicate, to: object }));
  const record = { kind: "episode", ...fields, relations } as ExportRecord<"episode">;
  return { record, triples: [...toEpisodeTriples(episode), ...links] };
}

/** By kind of record: what the service changes of a subject. Only the owner of a session stays. */
const CHANGING: Readonly<Record<string, ReadonlySet<string>>> = {
  episode: new Set([
    ...["jido:importanceScore", "jido:accessCount", "jido:lastAccessed", "jido:decayedAt", "jido:archivedAt"],
    ...["jido:episodeSummary", "jido:episodeTrace"],
  ]),
  session: new Set([
    ...["jido:hasStatus", "jido:hasPhase", "jido:startedAt", "jido:endedAt"],
    ...["jido:continuesSession", "jido:hasParticipatingAgent"],
  ]),
};

/** Reports subjects that are stored otherwise, and entities that refer to resources which are nowhere. */
export function reportStored(
  lowered: readonly DocumentRecord[],
  stored: StoredTriples,
  problems: ImportProblems,
): void {
  const nodes = new Set(lowered.map(({ node }) => node));
  for (const { node, record, triples } of lowered) {
    const before = stored.list(node);
    const own = triples.filter(({ predicate }) => !isGenericPredicate(predicate));
    const differs = before.length > 0 && findUnstored(own, before, CHANGING[record.kind]) !== null;
    const isEntity = record.kind === "agent" || record.kind === "project" || record.kind === "resource";
    if (differs && isEntity)
      problems.report(
        node,
        null,
        "is declared otherwise already: change it with PUT /v1/agents, /v1/projects or /v1/resources, or leave it out",
      );
    else if (differs)
      problems.report(node, null, "is stored otherwise already: leave it out, or give it another id");
    for (const iri of isEntity ? listReferredResources(record.properties) : [])
      if (!nodes.has(iri) && !stored.has(iri))
        problems.report(node, null, `refers to ${iri}, which is not there: state it in the document`);
  }
}

/** Lists the IRIs of the resources that properties refer to. */
export function listReferredResources(properties: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(properties).flatMap(([name, values]) => {
    const range = refersToEntities(name) ? (findProperty(name)?.range ?? "") : "";
    return values
      .flatMap((value): EntityReference[] => [parseReference(range, value) ?? []].flat())
      .filter(isResource)
      .map(toEntityIri);
  });
}

const LINK_ENDS: readonly string[] = ["jido:linkFrom", "jido:linkTo"];

/**
 * Reads Links: the strength and time of a link, and how a contradiction was resolved. The triple between its ends stands
 * beside it in the document; that of a subject in another part of it may come later.
 */
export async function lowerLinks(
  { tenant }: Services,
  subjects: readonly DocumentSubject[],
  {
    resolve,
    described,
    states,
    problems,
    warnings,
  }: {
    /** Returns the IRI of a node. */
    resolve: (node: string) => string;
    /** The IRIs of the memories and episodes of the document. */
    described: ReadonlySet<string>;
    /** Whether the document or the store has a triple. */
    states: (triple: Triple) => boolean;
    problems: ImportProblems;
    warnings: string[];
  },
): Promise<DocumentRecord[]> {
  const kind: SubjectKind = {
    name: "a Link",
    needs:
      "a Link has a jido:linkFrom, a jido:linkTo, a jido:linkRelation (the IRI of a relation as xsd:anyURI), a jido:linkStrength and a jido:linkedAt",
    read: (triples) => {
      const link = parseLinkTriples(triples);
      return { record: { kind: "link", ...link }, triples: toLinkTriples(link) };
    },
  };
  const links = subjects.flatMap(({ node, triples }) => {
    // The id follows from the ends.
    const own = triples.map((triple) => ({
      ...triple,
      subject: "jido:link_0",
      object: LINK_ENDS.includes(triple.predicate) ? resolve(triple.object) : triple.object,
    }));
    return lowerSubject({ node, triples: own }, kind, problems);
  });
  const unique = new Map<string, DocumentRecord>();
  for (const { node, triples } of links) {
    const link = parseLinkTriples(triples);
    const triple = toLinkingTriple(link);
    const message = `describes a link that is not there: state ${triple.subject} ${triple.predicate} ${triple.object} as well`;
    if (!states(triple) && described.has(link.from)) problems.report(node, null, message);
    else if (!states(triple)) warnings.push(`${node}: ${message}`);
    const id = await computeLinkId(tenant, link);
    unique.set(id, { node, record: { kind: "link", ...link, id }, triples });
  }
  return [...unique.values()];
}
