// Declares agents and projects, and reads them. One that is not declared is known as soon as a row names it.
import { isBound } from "../../kernel/access";
import { retryConflicts } from "../../kernel/databases/d1";
import { type FailureError, failure } from "../../kernel/errors";
import { AGENT_CLASSES, type AgentClass, type EntityReference } from "../../ontology/entity-classes";
import { type DeclaredEntity, toEntityIri } from "../../ontology/entity-mapping";
import { requireReferences, validateEntityProperties } from "../../ontology/entity-properties";
import type { Triple } from "../../ontology/triples";
import type { Services } from "../../services/services";
import type { KnownKind } from "./entity-repository";
import type { AgentPut, AgentView, ProjectPut, ProjectView } from "./entity-schemas";

/** Replaces the declaration of an agent. Without a class and properties there is none. */
export async function putAgent(
  services: Services,
  id: string,
  { class: name, properties: given }: AgentPut,
): Promise<AgentView> {
  const className = AGENT_CLASSES[name ?? "agent"];
  const properties = validateEntityProperties(className, given);
  const isRemoved = name === undefined && Object.keys(properties).length === 0;
  const declaration = isRemoved ? null : { className, properties };
  await saveEntity(services, { kind: "agent", id }, declaration);
  return toAgentView(id, declaration);
}

/** Replaces the declaration of a project. Without properties there is none. */
export async function putProject(
  services: Services,
  id: string,
  { properties: given }: ProjectPut,
): Promise<ProjectView> {
  const properties = validateEntityProperties("Project", given);
  const declaration = Object.keys(properties).length === 0 ? null : { className: "Project", properties };
  await saveEntity(services, { kind: "project", id }, declaration);
  return toProjectView(id, declaration);
}

/** Writes an entity, which refers only to what exists. */
export function saveEntity(
  services: Services,
  reference: EntityReference,
  declaration: Omit<DeclaredEntity, "reference"> | null,
): Promise<void> {
  return retryConflicts(async () => {
    const required = await requireReferences(services, declaration?.properties ?? {});
    await services.store.entities.save(reference, declaration, required);
  });
}

export async function readAgent(services: Services, id: string): Promise<AgentView> {
  return toAgentView(id, await findKnown(services, { kind: "agent", id }));
}

export async function readProject(services: Services, id: string): Promise<ProjectView> {
  return toProjectView(id, await findKnown(services, { kind: "project", id }));
}

type KnownEntity = { kind: KnownKind; id: string };

/** Returns the declaration of an agent or a project, null if it is only named; throws `not_found` if it is unknown. */
async function findKnown({ store }: Services, reference: KnownEntity): Promise<DeclaredEntity | null> {
  const { kind, id } = reference;
  const [declared, isNamed] = await Promise.all([
    store.entities.find(reference),
    store.entities.isNamed(kind, id),
  ]);
  if (declared === null && !isNamed) throw ownerNotFound(reference);
  return declared;
}

/** Returns the triples of an agent or a project; none if it is known but not declared. */
export async function readOwnerTriples(services: Services, reference: KnownEntity): Promise<Triple[]> {
  await findKnown(services, reference);
  return services.store.triples.match({ subject: toEntityIri(reference) });
}

type IdPage = { after: string; limit: number };

export async function listAgents(services: Services, page: IdPage): Promise<AgentView[]> {
  const { ids, declared } = await listKnown(services, "agent", page);
  return ids.map((id) => toAgentView(id, declared.get(id) ?? null));
}

export async function listProjects(services: Services, page: IdPage): Promise<ProjectView[]> {
  const { ids, declared } = await listKnown(services, "project", page);
  return ids.map((id) => toProjectView(id, declared.get(id) ?? null));
}

async function listKnown(services: Services, kind: KnownKind, page: IdPage) {
  const { entities } = services.store;
  const ids = isBound(services.binding)
    ? await listBound(services, kind, page)
    : await entities.listKnownIds(kind, page);
  const declared = await entities.findMany(ids.map((id) => ({ kind, id })));
  return { ids, declared: new Map(declared.map((entity) => [entity.reference.id, entity])) };
}

/** A bound key sees its own agent or project, and only if nothing else narrows the key. */
async function listBound(
  { store, binding }: Services,
  kind: KnownKind,
  { after }: IdPage,
): Promise<string[]> {
  const { [`${kind}_id` as const]: id, ...others } = binding;
  if (id === undefined || isBound(others) || id <= after) return [];
  const { entities } = store;
  const [declared, isNamed] = await Promise.all([entities.find({ kind, id }), entities.isNamed(kind, id)]);
  return declared === null && !isNamed ? [] : [id];
}

type Declaration = Pick<DeclaredEntity, "className" | "properties"> | null;

function toAgentView(id: string, declaration: Declaration): AgentView {
  const name = Object.entries(AGENT_CLASSES).find(([, one]) => one === declaration?.className)?.[0];
  return { id, class: (name ?? "agent") as AgentClass, ...toView(declaration) };
}

function toProjectView(id: string, declaration: Declaration): ProjectView {
  return { id, ...toView(declaration) };
}

function toView(declaration: Declaration) {
  return { declared: declaration !== null, properties: declaration?.properties ?? {} };
}

function ownerNotFound({ kind, id }: KnownEntity): FailureError {
  const title = kind === "agent" ? "Agent" : "Project";
  return failure("not_found", `${title} not found: ${id}. Declare it with PUT /v1/${kind}s/${id}.`);
}
