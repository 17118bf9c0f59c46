// Makes the TypeScript of src/ontology out of a consistent ontology: the terms and shapes as values, and the
// whole ontology as one Turtle document.

import { Writer } from "n3";
import {
  constraints,
  HUB,
  localName,
  NAMESPACE,
  OWL,
  ontologiesOf,
  PROV,
  RDF,
  RDFS,
  SH,
  terms,
  XSD,
} from "./ontology.mjs";

const HEADER = `// Generated from ontology/*.ttl by \`npm run ontology\`. Do not edit.\n`;

/** The generated files, by name. */
export function generate(ontology) {
  return {
    "terms.generated.ts": termsFile(ontology),
    "turtle.generated.ts": turtleFile(ontology),
  };
}

function termsFile(ontology) {
  const { classes, properties, individuals } = terms(ontology);
  const memoryClasses = descendants(classes, "MemoryItem");
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
  readonly inverseOf: string | null;
}

export interface IndividualTerm extends Term {
  readonly classes: readonly string[];
}

export const CLASSES = ${record([...classes.values()].map(classEntry))} as const satisfies Record<string, ClassTerm>;

export type ClassName = keyof typeof CLASSES;

export const PROPERTIES = ${record([...properties.values()].map(propertyEntry))} as const satisfies Record<string, PropertyTerm>;

export type PropertyName = keyof typeof PROPERTIES;

export const INDIVIDUALS = ${record([...individuals.values()].map(individualEntry))} as const satisfies Record<string, IndividualTerm>;

export type IndividualName = keyof typeof INDIVIDUALS;

/** Every class under jido:MemoryItem, in snake_case, in the order of the tree. */
export const MEMORY_TYPES = [
${memoryClasses.map((name) => `  ${JSON.stringify(snakeCase(name))},\n`).join("")}] as const;

export type MemoryType = (typeof MEMORY_TYPES)[number];

export const MEMORY_CLASS = ${record(memoryClasses.map((name) => [snakeCase(name), name]))} as const satisfies Record<MemoryType, ClassName>;

export type Severity = "violation" | "warning" | "info";

/** One property shape: what is expected of the values at \`path\`. A null bound is no bound. */
export interface ShapeConstraint {
  readonly shape: string;
  readonly targetClass: ClassName | null;
  readonly targetSubjectsOf: PropertyName | null;
  readonly path: PropertyName;
  /** The path is walked backwards: it counts the subjects that point here. */
  readonly inverse: boolean;
  readonly minCount: number | null;
  readonly maxCount: number | null;
  readonly minLength: number | null;
  readonly minInclusive: number | null;
  readonly maxInclusive: number | null;
  readonly datatype: string | null;
  /** The class every value is an individual of. */
  readonly valueClass: ClassName | null;
  /** The one value that is excluded. */
  readonly notValue: IndividualName | null;
  readonly severity: Severity;
  readonly message: string;
}

export const SHAPES: readonly ShapeConstraint[] = [
${constraints(ontology)
  .map((constraint) => `  ${literal(shapeEntry(constraint))},\n`)
  .join("")}];
`;
}

function classEntry({ name, superclasses, labels, comments, module }) {
  return [name, { subClassOf: superclasses[0] ?? null, label: labels[0], comment: comments[0], module }];
}

function propertyEntry({ name, kind, domains, ranges, functional, inverses, labels, comments, module }) {
  return [
    name,
    {
      kind,
      domain: localName(domains[0]),
      range: classOrDatatype(ranges[0]),
      functional,
      inverseOf: inverses[0] ?? null,
      label: labels[0],
      comment: comments[0],
      module,
    },
  ];
}

function individualEntry({ name, classes, labels, comments, module }) {
  return [name, { classes: classes.map(localName), label: labels[0], comment: comments[0], module }];
}

function shapeEntry(constraint) {
  const number = (literal) => (literal === null ? null : Number(literal.value));
  return {
    shape: constraint.shape,
    targetClass: localName(constraint.targetClass),
    targetSubjectsOf: localName(constraint.targetSubjectsOf),
    path: localName(constraint.path),
    inverse: constraint.inverse,
    minCount: number(constraint.minCount),
    maxCount: number(constraint.maxCount),
    minLength: number(constraint.minLength),
    minInclusive: number(constraint.minInclusive),
    maxInclusive: number(constraint.maxInclusive),
    datatype: constraint.datatype && classOrDatatype(constraint.datatype),
    valueClass: localName(constraint.valueClass),
    notValue: localName(constraint.notValue),
    severity: constraint.severity.value.slice(SH.length).toLowerCase(),
    message: constraint.message.value,
  };
}

function classOrDatatype(term) {
  return localName(term) ?? `xsd:${term.value.slice(XSD.length)}`;
}

function record(entries) {
  return `{\n${entries.map(([key, value]) => `  ${key}: ${literal(value)},\n`).join("")}}`;
}

/** A value as TypeScript source: JSON, but an object without quotes around its keys. */
function literal(value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${key}: ${literal(item)}`)
    .join(", ")} }`;
}

/** Every class below \`root\`, each before its own subclasses. */
function descendants(classes, root) {
  return [...classes.values()]
    .filter(({ superclasses }) => superclasses.includes(root))
    .flatMap(({ name }) => [name, ...descendants(classes, name)]);
}

function snakeCase(name) {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

function turtleFile(ontology) {
  const escaped = turtle(ontology).replace(/[\\`]|\$\{/g, "\\$&");
  return `${HEADER}
/** The ten modules and the hub, merged into one Turtle document. The shapes are not part of it. */
export const ONTOLOGY_TURTLE = \`${escaped}\`;
`;
}

function turtle(ontology) {
  const writer = new Writer({
    prefixes: { jido: NAMESPACE, owl: OWL, prov: PROV, rdfs: RDFS, xsd: XSD },
  });
  const lists = ontology.store.extractLists();
  const object = (term) => {
    if (term.termType !== "BlankNode") return term;
    const items = lists[term.value];
    // A label would differ from run to run, and with it the generated file.
    if (!items) throw new Error("A blank node that is not a list cannot be the value of a property");
    return writer.list(items);
  };
  for (const quads of bySubject(mergedQuads(ontology))) {
    const [{ subject }] = quads;
    if (isListCell(quads)) continue;
    const written = subject.termType === "BlankNode" ? writer.blank() : subject;
    for (const quad of byPredicate(quads)) writer.addQuad(written, quad.predicate, object(quad.object));
  }
  let document = "";
  writer.end((_error, text) => {
    document = text;
  });
  return document;
}

/**
 * One document has one ontology header, the hub's; and what it imports is already inside. Kept as they are, the
 * imports would send a reader to fetch again what it has just read.
 */
function mergedQuads({ modules }) {
  const headers = new Set(modules.flatMap(ontologiesOf));
  const seen = new Set();
  return modules
    .flatMap(({ quads }) => quads)
    .filter((quad) => {
      const subject = localName(quad.subject);
      if (headers.has(subject) && (subject !== HUB || quad.predicate.value === `${OWL}imports`)) return false;
      const key = JSON.stringify(quad);
      return !seen.has(key) && seen.add(key);
    });
}

function isListCell(quads) {
  return quads.some(({ predicate }) => predicate.value === `${RDF}rest`);
}

function bySubject(quads) {
  return grouped(quads, ({ subject }) => subject.id);
}

/** Types first, and the values of one predicate side by side, as the writer abbreviates only neighbours. */
function byPredicate(quads) {
  const isType = ({ predicate }) => predicate.value === `${RDF}type`;
  const ordered = [...quads.filter(isType), ...quads.filter((quad) => !isType(quad))];
  return grouped(ordered, ({ predicate }) => predicate.value).flat();
}

function grouped(quads, keyOf) {
  const groups = new Map();
  for (const quad of quads) {
    const key = keyOf(quad);
    groups.set(key, [...(groups.get(key) ?? []), quad]);
  }
  return [...groups.values()];
}
