// Resources that memories refer to: repositories, modules, domains, files, code concepts and justifications.

import { type FailureError, failure, fieldFailure } from "../../kernel/errors";
import { LIMITS } from "../../kernel/limits";
import { listSubclasses } from "../../ontology/classes";
import { RESOURCE_CLASS_NAMES, RESOURCE_CLASSES, type ResourceClass } from "../../ontology/entity-classes";
import { type DeclaredEntity, parseEntityIri, toEntityIri } from "../../ontology/entity-mapping";
import { isVisibleResource, validateEntityProperties } from "../../ontology/entity-properties";
import { parseInstanceId, type Triple } from "../../ontology/triples";
import type { Services } from "../../services/services";
import { saveEntity } from "./declare-entity";
import type { ErasedEntity, ReferringSubject } from "./entity-repository";
import type { ResourceDetail, ResourcePut, ResourceView } from "./entity-schemas";

type ResourceReference = { kind: ResourceClass; id: string };

export async function putResource(
  services: Services,
  reference: ResourceReference,
  { project_id, properties: given }: ResourcePut,
): Promise<ResourceView> {
  const className = RESOURCE_CLASSES[reference.kind];
  const validated = validateEntityProperties(className, given);
  const projects = new Set([
    ...(project_id === undefined ? [] : [project_id]),
    ...(validated.partOfProject ?? []),
  ]);
  if (projects.size > 1)
    throw fieldFailure("properties.partOfProject", "takes one project, the same as project_id");
  const properties = projects.size === 0 ? validated : { ...validated, partOfProject: [...projects] };
  const declaration = { className, properties };
  const before = await services.store.entities.find(reference);
  const isHidden = [...(before === null ? [] : [before]), { reference, ...declaration }].some(
    (entity) => !isVisibleResource(services.binding, entity),
  );
  if (isHidden) throw resourceNotFound(reference);
  await saveEntity(services, reference, declaration);
  return toResourceView({ reference, ...declaration });
}

/** Returns a resource with the live memories and entities that refer to it. */
export async function readResourceDetail(
  services: Services,
  reference: ResourceReference,
): Promise<ResourceDetail> {
  const resource = await requireResource(services, reference);
  const { count, newest } = await services.store.entities.listReferring(reference, {
    within: services.binding.project_id ?? null,
    limit: LIMITS.pageMax,
  });
  return { ...toResourceView(resource), references: count, referred_by: newest.flatMap(toReferring) };
}

function toReferring({ subject, predicate }: ReferringSubject): ResourceDetail["referred_by"] {
  const relation = predicate.slice("jido:".length);
  const memory = parseInstanceId("memory", subject);
  if (memory !== null) return [{ relation, class: "memory", id: memory }];
  const entity = parseEntityIri(subject);
  return entity === null ? [] : [{ relation, class: entity.kind, id: entity.id }];
}

export async function readResourceTriples(
  services: Services,
  reference: ResourceReference,
): Promise<Triple[]> {
  await requireResource(services, reference);
  return services.store.triples.match({ subject: toEntityIri(reference) });
}

type ResourceFilter = {
  class: ResourceClass | null;
  project_id: string | null;
  after: string;
  limit: number;
};

/** Lists resources in the order of class and id. */
export async function listDeclaredResources(
  { store, binding }: Services,
  { class: name, project_id, after, limit }: ResourceFilter,
): Promise<ResourceView[]> {
  const { project_id: within = null } = binding;
  const classes =
    name === null
      ? RESOURCE_CLASS_NAMES.map((one) => RESOURCE_CLASSES[one])
      : listSubclasses(RESOURCE_CLASSES[name]);
  return (await store.entities.list({ classes, project_id, within, after, limit })).map(toResourceView);
}

/** Returns the position of a resource in a list. */
export function getResourcePosition({ class: kind, id }: ResourceView): string {
  return toEntityIri({ kind, id });
}

export async function eraseResource(services: Services, reference: ResourceReference): Promise<ErasedEntity> {
  await requireResource(services, reference);
  const erased = await services.store.entities.erase(reference);
  if (erased === null) throw resourceNotFound(reference);
  return erased;
}

async function requireResource(
  { store, binding }: Services,
  reference: ResourceReference,
): Promise<DeclaredEntity> {
  const resource = await store.entities.find(reference);
  if (resource === null || !isVisibleResource(binding, resource)) throw resourceNotFound(reference);
  return resource;
}

function toResourceView({ reference, properties }: DeclaredEntity): ResourceView {
  return {
    // Only resources are read here.
    class: reference.kind as ResourceClass,
    id: reference.id,
    project_id: properties.partOfProject?.[0] ?? null,
    properties,
  };
}

function resourceNotFound({ kind, id }: ResourceReference): FailureError {
  return failure(
    "not_found",
    `Resource not found: ${kind}/${id}. Check its class and id; GET /v1/resources lists them.`,
  );
}
