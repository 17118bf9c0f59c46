// Plans the import of what is not a memory: episodes, sessions, and declared agents, projects and resources. One that is
// stored stays as it is if the document says the same, and is refused otherwise.
import { BOUND_IDS, isBound, isWithinBinding } from "../../../domain/access";
import { EXPERIENCE } from "../../../limits";
import {
  AGENT_CLASSES,
  type EntityReference,
  isResource,
  parseReference,
  RESOURCE_CLASSES,
} from "../../../ontology/entity-classes";
import { findProperty, refersToEntities } from "../../../ontology/property-values";
import { Id, UserId } from "../../../schemas/common";
import { Episode } from "../../../schemas/episode";
import {
  type DeclaredEntity,
  parseEntityTriples,
  toEntityTriples,
} from "../../../store/entities/entity-mapping";
import { parseEpisodeTriples, toEpisodeTriples, toTrace } from "../../../store/episodes/episode-mapping";
import { isGenericPredicate } from "../../../store/links/link-triples";
import {
  parseSessionTriples,
  type StatedSession,
  toSessionTriples,
} from "../../../store/sessions/session-repository";
import type { Triple } from "../../../store/triples/triples";
import { validateEntityProperties } from "../../entities/entity-properties";
import type { Services } from "../../services";
import type { ClassifiedSubjects, DocumentSubject } from "./document-subjects";
import type { ImportProblems } from "./import-problems";
import { findUnstored, normaliseTriple } from "./stated-values";

/** Whether the store has the subject already, and as the document states it. */
type Known = { isKnown: boolean };

/** An episode with the triples that link it with others; these lead to nodes of the document. */
type PlannedEpisode = { node: string; episode: Episode; links: Triple[] };

export type PlannedOthers = {
  episodes: (PlannedEpisode & Known)[];
  sessions: ({ session: StatedSession } & Known)[];
  entities: ({ entity: DeclaredEntity } & Known)[];
};

const NO_TRACE = JSON.stringify({
  constraints: [],
  files_involved: [],
  action_log: [],
  errors_encountered: [],
  artifacts_produced: [],
  files_read: [],
  files_modified: [],
  git_commit: null,
});

/** Reads the subjects and reports what cannot be stored of them. */
export async function planOtherSubjects(
  services: Services,
  { episodes, sessions, entities }: Pick<ClassifiedSubjects, "episodes" | "sessions" | "entities">,
  problems: ImportProblems,
): Promise<PlannedOthers> {
  return {
    episodes: await findEpisodes(
      services,
      episodes.flatMap((subject) => planEpisode(services, subject, problems) ?? []),
      problems,
    ),
    sessions: await findSessions(
      services,
      sessions.flatMap((subject) => planSession(services, subject, problems) ?? []),
      problems,
    ),
    entities: await findEntities(
      services,
      entities.flatMap((subject) => planEntity(subject, problems) ?? []),
      problems,
    ),
  };
}

const OTHERWISE = "is stored otherwise already: leave it out, or give it another id";

/** What the service changes of an episode as it ages and is used. */
const AGEING = new Set(
  [
    "importanceScore",
    "accessCount",
    "lastAccessed",
    "decayedAt",
    "archivedAt",
    "episodeSummary",
    "episodeTrace",
  ].map((name) => `jido:${name}`),
);

async function findEpisodes(
  { store, binding }: Services,
  planned: readonly PlannedEpisode[],
  problems: ImportProblems,
): Promise<(PlannedEpisode & Known)[]> {
  const found =
    planned.length === 0 ? [] : await store.episodes.findMany(planned.map(({ episode }) => episode.id));
  const stored = new Map(found.map((episode) => [episode.id, episode]));
  return planned.map((one) => {
    const before = stored.get(one.episode.id);
    if (before === undefined) return { ...one, isKnown: false };
    const isOwn = isWithinBinding(binding, { ...before, agent_id: before.agent });
    if (!isOwn || findUnstored(toEpisodeTriples(one.episode), toEpisodeTriples(before), AGEING) !== null)
      problems.report(one.node, null, OTHERWISE);
    return { ...one, isKnown: true };
  });
}

async function findSessions(
  { store, binding }: Services,
  sessions: readonly StatedSession[],
  problems: ImportProblems,
): Promise<PlannedOthers["sessions"]> {
  return Promise.all(
    sessions.map(async (session) => {
      const before = await store.sessions.find(session.id);
      const isSame =
        before === null ||
        (isWithinBinding(binding, before) && BOUND_IDS.every((id) => before[id] === session[id]));
      if (!isSame) problems.report(`jido:session_${session.id}`, null, OTHERWISE);
      return { session, isKnown: before !== null };
    }),
  );
}

/** Returns the triples in their stored form; null if one is refused. */
function normaliseAll({ node, triples }: DocumentSubject, problems: ImportProblems): Triple[] | null {
  const results = triples.map((triple) => ({ triple, result: normaliseTriple(triple) }));
  for (const { triple, result } of results)
    if (!result.ok) problems.report(node, triple.predicate, result.problem);
  const normal = results.flatMap(({ result }) => (result.ok ? [result.triple] : []));
  return normal.length === results.length ? normal : null;
}

function reportUnstored(
  node: string,
  unstored: Triple | null,
  what: string,
  problems: ImportProblems,
): boolean {
  if (unstored === null) return false;
  const value = unstored.datatype === "" ? unstored.object : JSON.stringify(unstored.object);
  problems.report(node, unstored.predicate, `${value} is not stored of ${what}: correct it, or leave it out`);
  return true;
}

function planEpisode(
  { binding, now }: Services,
  subject: DocumentSubject,
  problems: ImportProblems,
): PlannedEpisode | null {
  const { node } = subject;
  if (!node.startsWith("jido:evidence_")) {
    problems.report(node, null, "an episode has an IRI with its id: jido:evidence_<id>");
    return null;
  }
  const triples = normaliseAll(subject, problems);
  if (triples === null) return null;
  const links = triples.filter(({ predicate }) => isGenericPredicate(predicate));
  const own = triples.filter(({ predicate }) => !isGenericPredicate(predicate));
  const episode = readEpisode(node, own, new Date(now()).toISOString());
  if (typeof episode === "string") {
    problems.report(node, null, episode);
    return null;
  }
  if (reportUnstored(node, findUnstored(own, toEpisodeTriples(episode), USAGE), "an episode", problems))
    return null;
  if (!isWithinBinding(binding, { ...episode, agent_id: episode.agent })) {
    problems.report(node, null, "belongs to another owner than the one that the key is bound to");
    return null;
  }
  return { node, episode, links };
}

/** Uses are stored once there are any. */
const USAGE = new Set(["jido:accessCount", "jido:lastAccessed"]);

/** Returns the episode, or what is wrong with it. */
function readEpisode(node: string, stated: readonly Triple[], now: string): Episode | string {
  const state = (name: string, datatype: string, object: string): Triple[] =>
    stated.some(({ predicate }) => predicate === `jido:${name}`)
      ? []
      : [{ subject: node, predicate: `jido:${name}`, object, datatype }];
  let episode: Episode;
  try {
    episode = parseEpisodeTriples([
      ...stated,
      ...state("occurredAt", "xsd:dateTime", now),
      ...state("importanceScore", "xsd:decimal", String(EXPERIENCE.defaultImportance)),
      ...state("episodeTrace", "xsd:string", NO_TRACE),
    ]);
    JSON.stringify(toTrace(episode));
  } catch {
    return "an episode has a jido:goal, a jido:hasOutcome, and a jido:episodeTrace that is JSON or left out";
  }
  const { success, error } = Episode.safeParse(episode);
  const [issue] = error?.issues ?? [];
  if (!success) return `${issue?.path.join(".") ?? ""} ${issue?.message ?? "is not valid"}`.trim();
  return Id.safeParse(episode.id).success
    ? episode
    : "the id in the IRI must have letters, digits, _ and - alone";
}

function planSession(
  { binding }: Services,
  subject: DocumentSubject,
  problems: ImportProblems,
): StatedSession | null {
  const { node } = subject;
  const triples = normaliseAll(subject, problems);
  if (triples === null) return null;
  let session: StatedSession;
  try {
    session = parseSessionTriples(triples);
  } catch {
    problems.report(
      node,
      null,
      "a session has the IRI jido:session_<id>, a jido:hasStatus and a jido:startedAt: state them, or leave it out",
    );
    return null;
  }
  const { id, user_id, agent_id, project_id, continues, participating_agents } = session;
  const ids = [id, agent_id, project_id, continues, ...participating_agents];
  const areValid =
    ids.every((one) => one === null || Id.safeParse(one).success) &&
    (user_id === null || UserId.safeParse(user_id).success);
  if (!areValid)
    problems.report(node, null, "an IRI has an id that cannot be one: letters, digits, _ and - alone");
  else if (reportUnstored(node, findUnstored(triples, toSessionTriples(session)), "a session", problems))
    return null;
  else if (!isWithinBinding(binding, session))
    problems.report(node, null, "belongs to another owner than the one that the key is bound to");
  else return session;
  return null;
}

function planEntity(
  { node, triples, className }: DocumentSubject & { className: string },
  problems: ImportProblems,
): DeclaredEntity | null {
  const normal = normaliseAll({ node, triples }, problems);
  const entity = normal === null ? null : parseEntityTriples(normal);
  if (normal === null || entity === null) return null;
  const { reference } = entity;
  const classes: readonly string[] = listClasses(reference);
  if (!classes.includes(className))
    problems.report(node, "rdf:type", `must be one of: ${classes.map((name) => `jido:${name}`).join(", ")}`);
  if (!Id.safeParse(reference.id).success)
    problems.report(node, null, "the id in the IRI must have letters, digits, _ and - alone");
  const properties = problems.collect(node, () => validateEntityProperties(className, entity.properties));
  if (properties === null) return null;
  const declared = { ...entity, properties };
  return reportUnstored(node, findUnstored(normal, toEntityTriples(declared)), `a ${className}`, problems)
    ? null
    : declared;
}

function listClasses({ kind }: EntityReference): readonly string[] {
  if (kind === "agent") return Object.values(AGENT_CLASSES);
  return [kind === "project" ? "Project" : RESOURCE_CLASSES[kind]];
}

/** Lists the resources that properties refer to. */
export function listReferredResources(
  properties: Readonly<Record<string, readonly string[]>>,
): EntityReference[] {
  return Object.entries(properties).flatMap(([name, values]) => {
    const range = refersToEntities(name) ? (findProperty(name)?.range ?? "") : "";
    return values.flatMap((value) => parseReference(range, value) ?? []).filter(isResource);
  });
}

/** Reports entities that differ from those that are stored, and resources that they refer to and that are nowhere. */
async function findEntities(
  { store, binding }: Services,
  entities: readonly DeclaredEntity[],
  problems: ImportProblems,
): Promise<PlannedOthers["entities"]> {
  const toKey = ({ kind, id }: EntityReference) => `${kind}_${id}`;
  const referred = entities.flatMap(({ properties }) => listReferredResources(properties));
  const references = [...entities.map(({ reference }) => reference), ...referred];
  const found = references.length === 0 ? [] : await store.entities.findMany(references);
  const stored = new Map(found.map((entity) => [toKey(entity.reference), entity]));
  const known = new Set([...stored.keys(), ...entities.map(({ reference }) => toKey(reference))]);
  for (const entity of entities) {
    const node = `jido:${toKey(entity.reference)}`;
    const before = stored.get(toKey(entity.reference));
    if (before === undefined && isBound(binding))
      problems.report(node, null, "is declared by a key that is not bound to an owner");
    if (before !== undefined && findUnstored(toEntityTriples(entity), toEntityTriples(before)) !== null)
      problems.report(
        node,
        null,
        "is declared otherwise already: change it with PUT /v1/agents, /v1/projects or /v1/resources, or leave it out",
      );
    for (const missing of listReferredResources(entity.properties))
      if (!known.has(toKey(missing)))
        problems.report(
          node,
          null,
          `refers to jido:${toKey(missing)}, which is not there: state it in the document`,
        );
  }
  return entities.map((entity) => ({ entity, isKnown: stored.has(toKey(entity.reference)) }));
}
