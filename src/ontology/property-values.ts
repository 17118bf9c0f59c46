// What the values of an ontology property are, and which properties relate one memory to another.
import { listAncestors } from "./classes";
import { listReferableKinds } from "./entity-classes";
import {
  INDIVIDUALS,
  type MEMORY_CLASS,
  type MemoryType,
  PROPERTIES,
  type PropertyName,
  type PropertyTerm,
} from "./generated/terms.generated";

/**
 * The kinds of values: a literal, the id of an agent, the id of a memory of a certain class, the id of any memory (set by
 * links only), a reference to a declared entity, or an individual of an enumeration.
 */
type PropertyValueKind = "literal" | "agent" | "memory" | "link" | "entity" | "individual";

/** Returns the kind of a property's values, which its range decides; null if a memory cannot refer to such a thing. */
export function getValueKind({ kind, range }: PropertyTerm): PropertyValueKind | null {
  if (kind === "datatype") return "literal";
  if (range === "Agent") return "agent";
  if (range === "MemoryItem") return "link";
  if (listAncestors(range).includes("MemoryItem")) return "memory";
  if (listReferableKinds(range).length > 0) return "entity";
  return listIndividuals(range).length > 0 ? "individual" : null;
}

export function findProperty(name: string): PropertyTerm | null {
  return Object.hasOwn(PROPERTIES, name) ? PROPERTIES[name as PropertyName] : null;
}

export function listIndividuals(className: string): string[] {
  return Object.entries(INDIVIDUALS).flatMap(([name, { classes }]) =>
    (classes as readonly string[]).includes(className) ? [name] : [],
  );
}

type MemoryClassName = (typeof MEMORY_CLASS)[MemoryType];

/** A property whose values are memories of a certain class, such as `hasAlternative`. */
export type MemoryRelation = {
  [Name in PropertyName]: (typeof PROPERTIES)[Name]["range"] extends MemoryClassName ? Name : never;
}[PropertyName];

export const MEMORY_RELATIONS = Object.entries(PROPERTIES).flatMap(([name, property]) =>
  getValueKind(property) === "memory" ? [name as MemoryRelation] : [],
);

const relations: ReadonlySet<string> = new Set(MEMORY_RELATIONS);

export function isMemoryRelation(name: string): name is MemoryRelation {
  return relations.has(name);
}

/** Returns whether the values of a memory's property refer to entities. */
export function refersToEntities(name: string): boolean {
  const property = findProperty(name);
  return property !== null && getValueKind(property) === "entity";
}

/** Relations that lead on from their values, and must not lead back: nothing waits for itself, or refines itself. */
export const ACYCLIC_RELATIONS: readonly MemoryRelation[] = MEMORY_RELATIONS.filter(
  (name) => PROPERTIES[name].transitive,
);

/** Whether a property holds from both ends. */
export function isSymmetricProperty(name: string): boolean {
  return findProperty(name)?.symmetric === true;
}

/** The properties of a memory whose values are agents, projects and resources, and that callers set. */
export const MEMORY_REFERENCES = [
  "justifiedBy",
  "appliesToModule",
  "appliesToDomain",
  "appliesToFile",
  "refersTo",
  "assignedTo",
  "createdBy",
  "governsAgent",
] as const satisfies readonly PropertyName[];
export type MemoryReference = (typeof MEMORY_REFERENCES)[number];

export function isMemoryReference(name: string): name is MemoryReference {
  return (MEMORY_REFERENCES as readonly string[]).includes(name);
}

/** The properties by which agents, projects and resources refer to each other. */
export const ENTITY_REFERENCES = [
  "partOfProject",
  "hasRepository",
  "hasModule",
  "hasDomain",
  "definedInFile",
  "partOfModule",
  "implementsDSL",
  "emitsEvent",
  "handledByProjection",
  "reportsTo",
  "spawnedSubAgent",
] as const satisfies readonly PropertyName[];
export type EntityRelation = (typeof ENTITY_REFERENCES)[number];
