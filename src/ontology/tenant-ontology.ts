// The ontology as one tenant sees it: the terms and shapes of the service, and those that the tenant added.

import { type SQL, sql } from "drizzle-orm";
import { parseJson } from "../kernel/json";
import { listAncestors, listSubtypes } from "./classes";
import {
  getMemoryClass,
  isExtensionName,
  toExtensionName,
  toExtensionType,
  toLocalTermName,
} from "./extension-names";
import { listSuperclasses } from "./find-extension-problems";
import { MEMORY_TYPES, type MemoryType, type PropertyTerm } from "./generated/terms.generated";
import { findProperty, listIndividuals } from "./property-values";
import {
  type AddedProperty,
  type AddedTerms,
  type ExtensionDocument,
  readExtensions,
} from "./read-extension";
import { BUILT_IN_SHAPES, createShapes, type Shapes } from "./shapes";

export type TenantOntology = {
  /** The names and versions of the extensions, by which a change is noticed; null without any. */
  readonly version: string | null;
  readonly added: AddedTerms;
  readonly shapes: Shapes;
};

export const BUILT_IN_ONTOLOGY: TenantOntology = {
  version: null,
  added: readExtensions([]),
  shapes: BUILT_IN_SHAPES,
};

export function createOntology(documents: readonly ExtensionDocument[]): TenantOntology {
  if (documents.length === 0) return BUILT_IN_ONTOLOGY;
  const added = readExtensions(documents);
  return { version: formatVersion(documents), added, shapes: createShapes(added.quads) };
}

/** Names the versions of extensions as the database does: by name, in order. */
function formatVersion(documents: readonly ExtensionDocument[]): string {
  return documents
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, version }) => `${name}:${version}`)
    .join(",");
}

/** Lists the memory types of the ontology, then those that the tenant added. */
export function listMemoryTypes({ added }: TenantOntology): MemoryType[] {
  const own = [...added.classes.keys()].filter((name) =>
    listSuperclasses(added, name).includes("MemoryItem"),
  );
  return [...MEMORY_TYPES, ...own.map(toExtensionType)];
}

/** Lists the class of a memory type and its superclasses, nearest first. */
export function listTypeClasses({ added }: TenantOntology, type: MemoryType): string[] {
  const own = getMemoryClass(type);
  return [own, ...(isExtensionName(own) ? listSuperclasses(added, own) : listAncestors(own))];
}

/** Lists the memory types that a query for one matches: itself and those of its subclasses. */
export function listTypesBelow(ontology: TenantOntology, type: MemoryType): MemoryType[] {
  const own = getMemoryClass(type);
  const added = listMemoryTypes(ontology)
    .slice(MEMORY_TYPES.length)
    .filter((one) => listTypeClasses(ontology, one).includes(own));
  return isExtensionName(own) ? added : [...listSubtypes(type), ...added];
}

/** Whether memories of a type belong to a class, directly or through a superclass. */
export function isTypeOfClass(ontology: TenantOntology, type: MemoryType, className: string): boolean {
  return listTypeClasses(ontology, type).includes(className);
}

/** Whether a memory of this type may have the property. Any memory can serve as evidence for another. */
export function isInDomain(ontology: TenantOntology, type: MemoryType, { domain }: PropertyTerm): boolean {
  return domain === "Evidence" || isTypeOfClass(ontology, type, domain);
}

/** Returns the property that a caller names, with the name under which it is stored; null if there is none. */
export function findTenantProperty(
  { added }: TenantOntology,
  name: string,
): { stored: string; property: PropertyTerm } | null {
  const builtIn = findProperty(name);
  if (builtIn !== null) return { stored: name, property: builtIn };
  const camelCase = name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  const stored = toExtensionName(toLocalTermName(camelCase));
  const property = added.properties.get(stored);
  return property === undefined ? null : { stored, property: toPropertyTerm(property) };
}

export function toPropertyTerm(property: AddedProperty): PropertyTerm {
  const { domains, ranges, inverses, ...term } = property;
  return { ...term, domain: domains[0] ?? "", range: ranges[0] ?? "", inverseOf: inverses[0] ?? null };
}

/** Lists the individuals of a class, by the names that callers give. */
export function listTenantIndividuals({ added }: TenantOntology, className: string): string[] {
  const own = [...added.individuals].filter(([, { classes }]) => classes.includes(className));
  return [...listIndividuals(className), ...own.map(([name]) => toLocalTermName(name))];
}

// The extensions of a tenant as its row of keys has them: every call reads those that hold together with its key.

/** The extensions that hold for the tenant of a row of `api_keys`, as JSON. */
export const EXTENSIONS = sql<string>`(SELECT json_group_array(json_object('name', e.name, 'version', e.version, 'turtle', e.turtle))
  FROM ontology_extensions e WHERE e.tenant = api_keys.tenant AND e.current = 1)`;

/** Their names and versions, as `TenantOntology.version` has them; null without any. */
export const EXTENSION_VERSIONS = sql<string | null>`(SELECT group_concat(v.name || ':' || v.version) FROM (
  SELECT e.name, e.version FROM ontology_extensions e WHERE e.tenant = api_keys.tenant AND e.current = 1 ORDER BY e.name) v)`;

const ontologies = new Map<string, TenantOntology>();

const MAX_ONTOLOGIES = 50;

/** Returns the ontology with stored extensions. Each isolate compiles the same ones once. */
export function parseTenantOntology(stored: string): TenantOntology {
  if (stored === "[]") return BUILT_IN_ONTOLOGY;
  const known = ontologies.get(stored);
  if (known !== undefined) return known;
  const ontology = createOntology(parseJson<ExtensionDocument[]>(stored));
  for (const oldest of ontologies.keys()) {
    if (ontologies.size < MAX_ONTOLOGIES) break;
    ontologies.delete(oldest);
  }
  ontologies.set(stored, ontology);
  return ontology;
}

/** Selects the extensions that hold for a tenant. */
export function selectCurrentExtensions(tenant: string): SQL {
  return sql`SELECT name, version, turtle FROM ontology_extensions WHERE tenant = ${tenant} AND current = 1 ORDER BY name`;
}
