// Generates the TypeScript of src/ontology from a consistent ontology: terms as values, the whole ontology as one Turtle
// document, and the shapes as another.

import { type Quad, type Quad_Object, type Term, Writer } from "n3";
import {
  type DeclaredClass,
  type DeclaredIndividual,
  type DeclaredProperty,
  HUB,
  listConstraints,
  listOntologies,
  listTerms,
  localName,
  NAMESPACE,
  type Ontology,
  OWL,
  PROV,
  RDF,
  RDFS,
  SH,
  XSD,
} from "./read-ontology.ts";

const HEADER = `// Generated from ontology/*.ttl by \`npm run ontology\`. Do not edit.\n`;

/** A value of the generated code. */
type Literal = string | number | boolean | null | readonly string[] | { [key: string]: Literal };

/** Returns the generated files by name. */
export function generateOntologyCode(ontology: Ontology): Record<string, string> {
  return {
    "terms.generated.ts": renderTerms(ontology),
    "turtle.generated.ts": renderTurtle(ontology),
    "shapes.generated.ts": renderShapes(ontology),
  };
}

function renderTerms(ontology: Ontology): string {
  const { classes, properties, individuals } = listTerms(ontology);
  const memoryClasses = listDescendants(classes, "MemoryItem");
  return `${HEADER}
export const NAMESPACE = ${JSON.stringify(NAMESPACE)};

export interface Term {
  readonly label: string;
  readonly comment: string;
  /** The file that declares it, without its ending. */
  readonly module: string;
}

export interface ClassTerm extends Term {
  readonly subClassOf: string | null;
}

export interface PropertyTerm extends Term {
  readonly kind: "object" | "datatype";
  readonly domain: string;
  /** The local name of a class, or a datatype such as "xsd:string". */
  readonly range: string;
  /** At most one value per subject. */
  readonly functional: boolean;
  /** Holds from both ends. */
  readonly symmetric: boolean;
  /** Leads on: the values of its values are values of it, too. */
  readonly transitive: boolean;
  readonly inverseOf: string | null;
}

export interface IndividualTerm extends Term {
  readonly classes: readonly string[];
}

export const CLASSES = ${renderRecord([...classes.values()].map(toClassEntry))} as const satisfies Record<string, ClassTerm>;

export type ClassName = keyof typeof CLASSES;

export const PROPERTIES = ${renderRecord([...properties.values()].map(toPropertyEntry))} as const satisfies Record<string, PropertyTerm>;

export type PropertyName = keyof typeof PROPERTIES;

export const INDIVIDUALS = ${renderRecord([...individuals.values()].map(toIndividualEntry))} as const satisfies Record<string, IndividualTerm>;

export type IndividualName = keyof typeof INDIVIDUALS;

/** Lists of classes of which no two have a member in common. */
export const DISJOINT_CLASSES: readonly (readonly string[])[] = ${JSON.stringify(listDisjointClasses(ontology))};

/** Every class under jido:MemoryItem, in snake_case, in the order of the tree. */
export const MEMORY_TYPES = [
${memoryClasses.map((name) => `  ${JSON.stringify(toSnakeCase(name))},\n`).join("")}] as const;

export type MemoryType = (typeof MEMORY_TYPES)[number];

export const MEMORY_CLASS = ${renderRecord(memoryClasses.map((name) => [toSnakeCase(name), name]))} as const satisfies Record<MemoryType, ClassName>;
`;
}

function toClassEntry({ name, superclasses, labels, comments, module }: DeclaredClass): [string, Literal] {
  const [label, comment] = [expectOne(labels), expectOne(comments)];
  return [name, { subClassOf: superclasses[0] ?? null, label, comment, module }];
}

function toPropertyEntry(property: DeclaredProperty): [string, Literal] {
  const { name, kind, functional, symmetric, transitive, module } = property;
  return [
    name,
    {
      kind,
      domain: localName(expectOne(property.domains)),
      range: toClassOrDatatype(expectOne(property.ranges)),
      functional,
      symmetric,
      transitive,
      inverseOf: property.inverses[0] ?? null,
      label: expectOne(property.labels),
      comment: expectOne(property.comments),
      module,
    },
  ];
}

function toIndividualEntry(individual: DeclaredIndividual): [string, Literal] {
  const { name, module } = individual;
  return [
    name,
    {
      classes: individual.classes.map(localName).filter((type) => type !== null),
      label: expectOne(individual.labels),
      comment: expectOne(individual.comments),
      module,
    },
  ];
}

/** A consistent ontology has exactly one of each: find-ontology-problems.ts checks it. */
function expectOne<T>([value]: readonly T[]): T {
  if (value === undefined) throw new Error("The ontology is not consistent");
  return value;
}

function toClassOrDatatype(term: Term): string {
  return localName(term) ?? `xsd:${term.value.slice(XSD.length)}`;
}

function renderRecord(entries: readonly [string, Literal][]): string {
  return `{\n${entries.map(([key, value]) => `  ${key}: ${renderLiteral(value)},\n`).join("")}}`;
}

/** Renders a value as TypeScript: JSON, but without quotes around an object's keys. */
function renderLiteral(value: Literal): string {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${key}: ${renderLiteral(item)}`)
    .join(", ")} }`;
}

/** Lists every class below `root`, each before its own subclasses. */
function listDescendants(classes: ReadonlyMap<string, DeclaredClass>, root: string): string[] {
  return [...classes.values()]
    .filter(({ superclasses }) => superclasses.includes(root))
    .flatMap(({ name }) => [name, ...listDescendants(classes, name)]);
}

function listDisjointClasses({ store }: Ontology): string[][] {
  const lists = store.extractLists();
  return store
    .getObjects(null, `${OWL}members`, null)
    .map((head) => (lists[head.value] ?? []).flatMap((term) => localName(term as Term) ?? []));
}

function toSnakeCase(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

function renderTurtle(ontology: Ontology): string {
  return `${HEADER}
/** The ten modules and the hub, merged into one Turtle document. The shapes are not part of it. */
export const ONTOLOGY_TURTLE = ${renderTemplate(writeTurtle(ontology))};
`;
}

function renderShapes(ontology: Ontology): string {
  const { shapesText } = ontology;
  const constraints = listConstraints(ontology);
  const listClasses = (from: typeof constraints) => [
    ...new Set(from.flatMap(({ targetClass }) => localName(targetClass) ?? [])),
  ];
  const violated = constraints.filter(({ severity }) => severity?.value === `${SH}Violation`);
  const withoutComments = shapesText.replace(/^#.*\n/gm, "").replace(/\n{2,}/g, "\n");
  return `${HEADER}
/** The classes whose members the shapes describe. */
export const SHAPE_TARGETS: readonly string[] = ${JSON.stringify(listClasses(constraints))};

/** Those of them whose members can violate a shape. */
export const VIOLATION_TARGETS: readonly string[] = ${JSON.stringify(listClasses(violated))};

/** The SHACL shapes, as Turtle. */
export const SHAPES_TURTLE = ${renderTemplate(withoutComments)};
`;
}

function renderTemplate(text: string): string {
  return `\`${text.replace(/[\\`]|\$\{/g, "\\$&")}\``;
}

function writeTurtle(ontology: Ontology): string {
  const writer = new Writer({
    prefixes: { jido: NAMESPACE, owl: OWL, prov: PROV, rdfs: RDFS, xsd: XSD },
  });
  const lists = ontology.store.extractLists();
  const toObject = (term: Quad_Object) => {
    if (term.termType !== "BlankNode") return term;
    const items = lists[term.value];
    // The label of a blank node differs from run to run, and with it the generated file.
    if (!items) throw new Error("A blank node that is not a list cannot be the value of a property");
    return writer.list(items as Quad_Object[]);
  };
  for (const quads of groupBy(mergeModules(ontology), ({ subject }) => subject.id)) {
    const subject = expectOne(quads).subject;
    if (isListCell(quads)) continue;
    const writtenSubject = subject.termType === "BlankNode" ? writer.blank([]) : subject;
    for (const { predicate, object } of sortByPredicate(quads))
      writer.addQuad(writtenSubject, predicate, toObject(object));
  }
  let document = "";
  writer.end((_error, text) => {
    document = text;
  });
  return document;
}

/**
 * Merges the modules under one ontology header, the hub's, without its imports: they are part of the document, and a
 * reader would fetch them again.
 */
function mergeModules({ modules }: Ontology): Quad[] {
  const headers = new Set(modules.flatMap(listOntologies));
  const seen = new Set<string>();
  return modules
    .flatMap(({ quads }) => quads)
    .filter((quad) => {
      const subject = localName(quad.subject);
      const isHeader = subject !== null && headers.has(subject);
      if (isHeader && (subject !== HUB || quad.predicate.value === `${OWL}imports`)) return false;
      const key = JSON.stringify(quad);
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
}

function isListCell(quads: readonly Quad[]): boolean {
  return quads.some(({ predicate }) => predicate.value === `${RDF}rest`);
}

/** Puts types first, and the values of one predicate side by side: the writer abbreviates only neighbours. */
function sortByPredicate(quads: readonly Quad[]): Quad[] {
  const isType = ({ predicate }: Quad) => predicate.value === `${RDF}type`;
  const ordered = [...quads.filter(isType), ...quads.filter((quad) => !isType(quad))];
  return groupBy(ordered, ({ predicate }) => predicate.value).flat();
}

function groupBy(quads: readonly Quad[], toKey: (quad: Quad) => string): Quad[][] {
  return [...Map.groupBy(quads, toKey).values()];
}
