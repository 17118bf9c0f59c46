// Validates the properties that a caller sets on an agent, a project or a resource.
import { type Binding, isBound } from "../kernel/access";
import { type FieldError, failure } from "../kernel/errors";
import type { Services } from "../services/services";
import { listAncestors } from "./classes";
import { type EntityReference, formatReference, isResource, parseReference } from "./entity-classes";
import type { DeclaredEntity } from "./entity-mapping";
import { findValuesProblem } from "./property-rules";
import { findProperty, refersToEntities } from "./property-values";

type Properties = Record<string, string[]>;

/** Returns properties as lists of values in their normal form; throws a 400 if one is invalid. */
export function validateEntityProperties(
  className: string,
  input: Readonly<Record<string, string | string[]>>,
): Properties {
  const errors: FieldError[] = [];
  const properties: Properties = {};
  for (const [name, value] of Object.entries(input)) {
    const values = Array.isArray(value) ? value : [value];
    const problem = findProblem(className, name, values);
    if (problem === null) properties[name] = [...new Set(values.map((item) => normaliseValue(name, item)))];
    else errors.push({ path: `properties.${name}`, message: problem });
  }
  throwFirst(errors);
  return properties;
}

function findProblem(className: string, name: string, values: readonly string[]): string | null {
  const property = findProperty(name);
  if (property === null) return "is not a property of the ontology: see GET /v1/ontology";
  const classes = [className, ...listAncestors(className)];
  if (!classes.includes(property.domain)) return `belongs to ${property.domain}, not to ${className}`;
  return findValuesProblem(property, values);
}

function normaliseValue(name: string, value: string): string {
  const range = findProperty(name)?.range ?? "";
  if (range === "xsd:dateTime") return new Date(value).toISOString();
  const reference = parseReference(range, value);
  return reference === null ? value : formatReference(range, reference);
}

type NamedReference = EntityReference & { name: string; range: string };

/** Lists the entities that properties refer to. Any agent fits where an agent is expected. */
function listReferences(properties: Readonly<Properties>): NamedReference[] {
  return Object.entries(properties).flatMap(([name, values]) => {
    const range = refersToEntities(name) ? (findProperty(name)?.range ?? "") : "";
    return values.flatMap((value) => {
      const reference = parseReference(range, value);
      return reference === null ? [] : [{ ...reference, name, range }];
    });
  });
}

/**
 * Returns the resources that properties refer to; throws a 400 if one does not exist for the caller. Agents and projects
 * need no declaration; one that has one must be of the range's class.
 */
export async function requireReferences(
  services: Services,
  properties: Readonly<Properties>,
): Promise<EntityReference[]> {
  const check = await loadReferenceCheck(services, [properties]);
  throwFirst(check(properties));
  return listReferences(properties)
    .filter(isResource)
    .map(({ kind, id }) => ({ kind, id }));
}

/** Reads what all these properties refer to. Returns a function that lists the errors of one set of them. */
export async function loadReferenceCheck(
  { store, binding }: Services,
  all: readonly Readonly<Properties>[],
): Promise<(properties: Readonly<Properties>) => FieldError[]> {
  const references = all.flatMap(listReferences);
  const found = references.length === 0 ? [] : await store.entities.findMany(references);
  const declared = new Map(found.map((entity) => [toKey(entity.reference), entity]));
  return (properties) =>
    listReferences(properties).flatMap((reference): FieldError[] => {
      const message = findReferenceProblem(reference, declared.get(toKey(reference)), binding);
      return message === null ? [] : [{ path: `properties.${reference.name}`, message }];
    });
}

function findReferenceProblem(
  reference: NamedReference,
  entity: DeclaredEntity | undefined,
  binding: Binding,
): string | null {
  const { kind, id, range } = reference;
  if (isResource(reference))
    return entity !== undefined && isVisibleResource(binding, entity)
      ? null
      : `there is no ${kind} ${id}: put it first, with PUT /v1/resources/${kind}/${id}`;
  if (entity === undefined || [entity.className, ...listAncestors(entity.className)].includes(range))
    return null;
  return `must be a ${range}: ${id} is a ${entity.className}`;
}

/** A resource belongs to its project: a key that is bound to anything else does not see it. */
export function isVisibleResource(binding: Binding, { properties }: DeclaredEntity): boolean {
  const { user_id, agent_id, project_id } = binding;
  if (!isBound(binding)) return true;
  return (
    user_id === undefined &&
    agent_id === undefined &&
    project_id !== undefined &&
    properties.partOfProject?.includes(project_id) === true
  );
}

function toKey({ kind, id }: EntityReference): string {
  return `${kind}/${id}`;
}

function throwFirst(errors: readonly FieldError[]): void {
  const [first] = errors;
  if (first !== undefined)
    throw failure("invalid_request", `${first.path}: ${first.message}`, { errors: [...errors] });
}
