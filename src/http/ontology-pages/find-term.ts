// Looks up a term of the ontology by its local name, with its place among the others.
import { listAncestors } from "../../ontology/classes";
import {
  CLASSES,
  type ClassTerm,
  INDIVIDUALS,
  type IndividualTerm,
  MEMORY_CLASS,
  PROPERTIES,
  type PropertyTerm,
} from "../../ontology/terms.generated";

const classes: ReadonlyMap<string, ClassTerm> = new Map(Object.entries(CLASSES));
const properties: ReadonlyMap<string, PropertyTerm> = new Map(Object.entries(PROPERTIES));
const individuals: ReadonlyMap<string, IndividualTerm> = new Map(Object.entries(INDIVIDUALS));
const memoryTypes: ReadonlyMap<string, string> = new Map(
  Object.entries(MEMORY_CLASS).map(([type, name]) => [name, type]),
);

export type OntologyTerm =
  | {
      kind: "class";
      name: string;
      term: ClassTerm;
      /** Nearest first. */
      superclasses: string[];
      subclasses: string[];
      individuals: string[];
      /** The properties whose domain is the class. */
      properties: string[];
      /** The properties whose domain is a superclass. */
      inheritedProperties: string[];
      /** The properties whose range is the class or a superclass. */
      referringProperties: string[];
      /** The `type` of such a memory in the API; null for a class outside of jido:MemoryItem. */
      memoryType: string | null;
    }
  | { kind: "property"; name: string; term: PropertyTerm; inverse: string | null }
  | { kind: "individual"; name: string; term: IndividualTerm; referringProperties: string[] };

export function findTerm(name: string): OntologyTerm | undefined {
  const classTerm = classes.get(name);
  if (classTerm !== undefined) return describeClass(name, classTerm);
  const property = properties.get(name);
  if (property !== undefined)
    return { kind: "property", name, term: property, inverse: findInverse(name, property) };
  const individual = individuals.get(name);
  if (individual === undefined) return undefined;
  const referringProperties = individual.classes.flatMap((type) => listReferringProperties([type]));
  return { kind: "individual", name, term: individual, referringProperties };
}

/** Returns the classes without a superclass. */
export function listRootClasses(): string[] {
  return listSubclassesOnly(null);
}

export function listChildren(className: string): string[] {
  return listSubclassesOnly(className);
}

function describeClass(name: string, term: ClassTerm): OntologyTerm {
  const superclasses = listAncestors(name);
  const lineage = [name, ...superclasses];
  return {
    kind: "class",
    name,
    term,
    superclasses,
    subclasses: listChildren(name),
    individuals: [...individuals].filter(([, one]) => one.classes.includes(name)).map(([one]) => one),
    properties: listPropertiesByDomain([name]),
    inheritedProperties: listPropertiesByDomain(superclasses),
    referringProperties: listReferringProperties(lineage),
    memoryType: memoryTypes.get(name) ?? null,
  };
}

function listPropertiesByDomain(domains: readonly string[]): string[] {
  return [...properties].filter(([, { domain }]) => domains.includes(domain)).map(([name]) => name);
}

function listReferringProperties(ranges: readonly string[]): string[] {
  return [...properties].filter(([, { range }]) => ranges.includes(range)).map(([name]) => name);
}

/** Returns the inverse of a property, whichever of the two declares it. */
function findInverse(name: string, { inverseOf }: PropertyTerm): string | null {
  return inverseOf ?? [...properties].find(([, other]) => other.inverseOf === name)?.[0] ?? null;
}

function listSubclassesOnly(parent: string | null): string[] {
  return [...classes].filter(([, { subClassOf }]) => subClassOf === parent).map(([name]) => name);
}
