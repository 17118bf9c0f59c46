// Looks up a term of the ontology by its local name, with its place among the others.

import type { Quad, Term } from "n3";
import Parser from "n3/src/N3Parser.js";
import { listAncestors } from "../ontology/classes";
import {
  CLASSES,
  type ClassTerm,
  INDIVIDUALS,
  type IndividualTerm,
  MEMORY_CLASS,
  NAMESPACE,
  PROPERTIES,
  type PropertyTerm,
} from "../ontology/generated/terms.generated";
import { ONTOLOGY_TURTLE } from "../ontology/generated/turtle.generated";

// Reads the statements of the ontology about a term: its concise bounded description.

let parsed: readonly Quad[] | undefined;

/** Returns all statements of the ontology. They are parsed on the first call and cached: they never change. */
export function readOntologyQuads(): readonly Quad[] {
  parsed ??= new Parser().parse(ONTOLOGY_TURTLE);
  return parsed;
}

/** Returns the statements with the term as their subject, and those of the blank nodes that they lead to or come from. */
export function readTermQuads(name: string): Quad[] {
  const quads = readOntologyQuads();
  const iri = NAMESPACE + name;
  const found = new Set<Quad>();
  const pending: Term[] = quads.flatMap(({ subject, object }) =>
    object.value === iri && subject.termType === "BlankNode" ? [subject] : [],
  );
  collect((subject) => subject.termType === "NamedNode" && subject.value === iri);
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const { value } = node;
    collect((subject) => subject.termType === "BlankNode" && subject.value === value);
  }
  return [...found];

  function collect(isWanted: (subject: Term) => boolean): void {
    for (const quad of quads) {
      if (!isWanted(quad.subject) || found.has(quad)) continue;
      found.add(quad);
      if (quad.object.termType === "BlankNode") pending.push(quad.object);
    }
  }
}

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

// Writes an example of a term: a few lines of Turtle, and for a memory type the call that stores such a memory.

type TermExample = { turtle: string; call: string | null };

const PREFIX = `@prefix jido: <${NAMESPACE}> .`;
const XSD_PREFIX = "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .";

/** Values of the datatypes that the ontology uses. */
const VALUES: Readonly<Record<string, string>> = {
  "xsd:string": '"text"',
  "xsd:decimal": "0.8",
  "xsd:integer": "3",
  "xsd:boolean": "true",
  "xsd:dateTime": '"2026-03-02T09:00:00.000Z"^^xsd:dateTime',
  "xsd:anyURI": '"https://example.com/shop.git"^^xsd:anyURI',
};

/** The local names of instances by the class that they begin with. Others are described by their class. */
const INSTANCES: Readonly<Record<string, string>> = {
  Agent: "agent_ada",
  Project: "project_shop",
  WorkSession: "session_monday",
  User: "user_mia",
  MemoryItem: "memory_5c05b1d2",
};

export function writeTermExample(found: OntologyTerm): TermExample {
  switch (found.kind) {
    case "class":
      return { turtle: writeClassExample(found.name), call: writeCall(found.memoryType) };
    case "property":
      return { turtle: writePropertyExample(found.name, found.term), call: null };
    case "individual":
      return { turtle: writeIndividualExample(found), call: null };
  }
}

function writeClassExample(name: string): string {
  const isMemory = [name, ...listAncestors(name)].includes("MemoryItem");
  const summary = isMemory ? ` ;\n  jido:summary "What the memory says"` : "";
  return join(`jido:${nameInstance(name)} a jido:${name}${summary} .`);
}

function writePropertyExample(name: string, { kind, domain, range }: PropertyTerm): string {
  const value = kind === "datatype" ? readValue(range) : `jido:${nameValue(range, domain)}`;
  return join(`jido:${nameInstance(domain)} a jido:${domain} ;\n  jido:${name} ${value} .`);
}

function writeIndividualExample({ name, term, referringProperties }: OntologyTerm & { kind: "individual" }) {
  const [property] = referringProperties;
  const declared = property === undefined ? undefined : findProperty(property);
  if (property === undefined || declared === undefined)
    return join(`jido:${name} a jido:${term.classes[0]} .`);
  return join(
    `jido:${nameInstance(declared.domain)} a jido:${declared.domain} ;\n  jido:${property} jido:${name} .`,
  );
}

function writeCall(memoryType: string | null): string | null {
  if (memoryType === null) return null;
  const body = JSON.stringify({ project_id: "shop", type: memoryType, content: "What the memory says" });
  return `curl -sS localhost:8787/v1/remember -H "Authorization: Bearer $KIOKU_API_KEY" -d '${body}'`;
}

function readValue(datatype: string): string {
  const value = VALUES[datatype];
  if (value === undefined) throw new Error(`No example value for ${datatype}`);
  return value;
}

function nameInstance(className: string): string {
  const known = [className, ...listAncestors(className)].find((name) => INSTANCES[name] !== undefined);
  const name = known === undefined ? undefined : INSTANCES[known];
  return name ?? `${className.charAt(0).toLowerCase()}${className.slice(1)}_1`;
}

/** Names a value: an individual of an enumeration, or an instance other than the one that has it. */
function nameValue(range: string, domain: string): string {
  const individual = Object.entries(INDIVIDUALS).find(([, { classes }]) =>
    classes.some((one) => one === range),
  );
  if (individual !== undefined) return individual[0];
  const name = nameInstance(range);
  return name === nameInstance(domain) ? `another_${name}` : name;
}

function findProperty(name: string): PropertyTerm | undefined {
  return new Map<string, PropertyTerm>(Object.entries(PROPERTIES)).get(name);
}

function join(statement: string): string {
  const prefixes = statement.includes("xsd:") ? `${PREFIX}\n${XSD_PREFIX}` : PREFIX;
  return `${prefixes}\n\n${statement}\n`;
}
