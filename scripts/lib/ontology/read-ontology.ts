// Reads the Turtle files of the ontology and lists the terms and shapes that they declare, consistent or not:
// find-ontology-problems.ts checks them, generate-ontology-code.ts generates code from them.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Parser, type Quad, Store, type Term } from "n3";
import { readMessage } from "../errors.ts";

export const NAMESPACE = "https://jido.ai/ontology#";
export const XSD = "http://www.w3.org/2001/XMLSchema#";
export const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
export const RDFS = "http://www.w3.org/2000/01/rdf-schema#";
export const OWL = "http://www.w3.org/2002/07/owl#";
export const PROV = "http://www.w3.org/ns/prov#";
export const SH = "http://www.w3.org/ns/shacl#";

export const SHAPES_FILE = "shapes.ttl";
/** The ontology that imports all others; the order of its imports is the order of all generated code. */
export const HUB = "JidoMemoryOntology";

export interface OntologyModule {
  file: string;
  /** The file's name without its extension. */
  name: string;
  quads: Quad[];
}

export interface Ontology {
  modules: OntologyModule[];
  /** The quads of all modules. */
  store: Store;
  shapes: Quad[];
  shapesText: string;
  shapeStore: Store;
}

interface DeclaredTerm {
  name: string;
  /** The name of the first module that declares it. */
  module: string;
  labels: string[];
  comments: string[];
}

export interface DeclaredClass extends DeclaredTerm {
  superclasses: string[];
}

export interface DeclaredProperty extends DeclaredTerm {
  kind: "object" | "datatype";
  domains: Term[];
  ranges: Term[];
  superproperties: Term[];
  functional: boolean;
  symmetric: boolean;
  transitive: boolean;
  inverses: string[];
}

export interface DeclaredIndividual extends DeclaredTerm {
  classes: Term[];
}

export interface DeclaredTerms {
  classes: Map<string, DeclaredClass>;
  properties: Map<string, DeclaredProperty>;
  individuals: Map<string, DeclaredIndividual>;
}

/** One property shape with its target. A null value was not stated. */
export interface Constraint {
  shape: string;
  targetClass: Term | null;
  targetSubjectsOf: Term | null;
  path: Term | null;
  /** The path is walked backwards. */
  inverse: boolean;
  minCount: Term | null;
  maxCount: Term | null;
  minLength: Term | null;
  minInclusive: Term | null;
  maxInclusive: Term | null;
  datatype: Term | null;
  valueClass: Term | null;
  notValue: Term | null;
  severity: Term | null;
  message: Term | null;
  /** Predicates that are not understood here, listed so that no constraint is dropped silently. */
  unsupported: string[];
}

/** Returns the local name of a term in the ontology's namespace, or null. */
export function localName(term: Term | null | undefined): string | null {
  if (term?.termType !== "NamedNode" || !term.value.startsWith(NAMESPACE)) return null;
  return term.value.slice(NAMESPACE.length);
}

export function readOntology(directory: string): Ontology {
  const names = readdirSync(directory).filter((name) => name.endsWith(".ttl"));
  return parseOntology(
    Object.fromEntries(names.map((name) => [name, readFileSync(join(directory, name), "utf8")])),
  );
}

/** `files` is Turtle by file name. A file that is not Turtle throws an error that names it. */
export function parseOntology(files: Readonly<Record<string, string>>): Ontology {
  const parsed = Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, text]) => ({ file, name: file.replace(/\.ttl$/, ""), quads: parseTurtle(file, text) }));
  const modules = sortByImports(parsed.filter(({ file }) => file !== SHAPES_FILE));
  const shapes = parsed.find(({ file }) => file === SHAPES_FILE)?.quads ?? [];
  return {
    modules,
    store: new Store(modules.flatMap(({ quads }) => quads)),
    shapes,
    shapesText: files[SHAPES_FILE] ?? "",
    shapeStore: new Store(shapes),
  };
}

function parseTurtle(file: string, text: string): Quad[] {
  try {
    return new Parser({ format: "text/turtle" }).parse(text);
  } catch (error) {
    throw new Error(`${file}: ${readMessage(error)}`, { cause: error });
  }
}

function sortByImports(modules: OntologyModule[]): OntologyModule[] {
  const findDeclaring = (ontology: string) =>
    modules.find((module) => listOntologies(module).includes(ontology));
  const hub = findDeclaring(HUB);
  if (!hub) return modules;
  const imported = listImports(hub)
    .map(findDeclaring)
    .filter((module) => module !== undefined);
  return [...new Set([...imported, hub, ...modules])];
}

/** Lists the ontologies that a module declares. */
export function listOntologies(module: OntologyModule): string[] {
  return listSubjectsOfType(module.quads, `${OWL}Ontology`);
}

export function listImports(module: OntologyModule): string[] {
  return module.quads
    .filter(({ predicate }) => predicate.value === `${OWL}imports`)
    .map(({ object }) => localName(object) ?? object.value);
}

function listSubjectsOfType(quads: readonly Quad[], type: string): string[] {
  const subjects = quads
    .filter(({ predicate, object }) => predicate.value === `${RDF}type` && object.value === type)
    .map(({ subject }) => subject);
  return toLocalNames(subjects);
}

function toLocalNames(terms: readonly Term[]): string[] {
  return terms.map(localName).filter((name) => name !== null);
}

/** Lists the classes, properties and individuals, each under the first module that declares it, in order. */
export function listTerms({ modules, store }: Ontology): DeclaredTerms {
  const classes = new Map<string, DeclaredClass>();
  const properties = new Map<string, DeclaredProperty>();
  const individuals = new Map<string, DeclaredIndividual>();
  const getValues = (name: string, predicate: string): Term[] =>
    store.getObjects(NAMESPACE + name, predicate, null);
  const getTexts = (name: string, predicate: string) => getValues(name, predicate).map(({ value }) => value);
  const describe = (name: string, module: OntologyModule): DeclaredTerm => ({
    name,
    module: module.name,
    labels: getTexts(name, `${RDFS}label`),
    comments: getTexts(name, `${RDFS}comment`),
  });
  const addOnce = <T>(map: Map<string, T>, name: string, create: () => T) => {
    if (!map.has(name)) map.set(name, create());
  };

  for (const module of modules) {
    for (const name of listSubjectsOfType(module.quads, `${OWL}Class`))
      addOnce(classes, name, () => ({
        ...describe(name, module),
        superclasses: toLocalNames(getValues(name, `${RDFS}subClassOf`)),
      }));
    for (const [kind, type] of PROPERTY_TYPES)
      for (const name of listSubjectsOfType(module.quads, OWL + type))
        addOnce(properties, name, () => ({
          ...describe(name, module),
          kind,
          domains: getValues(name, `${RDFS}domain`),
          ranges: getValues(name, `${RDFS}range`),
          superproperties: getValues(name, `${RDFS}subPropertyOf`),
          functional: getTexts(name, `${RDF}type`).includes(`${OWL}FunctionalProperty`),
          symmetric: getTexts(name, `${RDF}type`).includes(`${OWL}SymmetricProperty`),
          transitive: getTexts(name, `${RDF}type`).includes(`${OWL}TransitiveProperty`),
          inverses: toLocalNames([
            ...getValues(name, `${OWL}inverseOf`),
            ...store.getSubjects(`${OWL}inverseOf`, NAMESPACE + name, null),
          ]),
        }));
    for (const name of listSubjectsOfType(module.quads, `${OWL}NamedIndividual`))
      addOnce(individuals, name, () => ({
        ...describe(name, module),
        classes: getValues(name, `${RDF}type`).filter(({ value }) => value !== `${OWL}NamedIndividual`),
      }));
  }
  return { classes, properties, individuals };
}

const PROPERTY_TYPES = [
  ["object", "ObjectProperty"],
  ["datatype", "DatatypeProperty"],
] as const;

export function listShapeNames(ontology: Ontology): string[] {
  return listSubjectsOfType(ontology.shapes, `${SH}NodeShape`);
}

/** Lists the property shapes of all node shapes. */
export function listConstraints(ontology: Ontology): Constraint[] {
  const { shapeStore } = ontology;
  return listShapeNames(ontology).flatMap((shape) => {
    const node = describeNode(shapeStore, NAMESPACE + shape);
    const target = {
      shape,
      targetClass: node.getOne(`${SH}targetClass`),
      targetSubjectsOf: node.getOne(`${SH}targetSubjectsOf`),
    };
    const unsupported = node.listExcept([
      `${RDF}type`,
      `${SH}targetClass`,
      `${SH}targetSubjectsOf`,
      `${SH}property`,
    ]);
    return node
      .getAll(`${SH}property`)
      .map((property) => ({ ...target, ...readPropertyShape(shapeStore, property, unsupported) }));
  });
}

function readPropertyShape(store: Store, property: Term, unsupportedByShape: readonly string[]) {
  const node = describeNode(store, property);
  const path = node.getOne(`${SH}path`);
  const inversePath = path?.termType === "BlankNode" ? describeNode(store, path) : null;
  const not = node.getOne(`${SH}not`);
  const negated = not ? describeNode(store, not) : null;
  return {
    path: inversePath ? inversePath.getOne(`${SH}inversePath`) : path,
    inverse: inversePath !== null,
    minCount: node.getOne(`${SH}minCount`),
    maxCount: node.getOne(`${SH}maxCount`),
    minLength: node.getOne(`${SH}minLength`),
    minInclusive: node.getOne(`${SH}minInclusive`),
    maxInclusive: node.getOne(`${SH}maxInclusive`),
    datatype: node.getOne(`${SH}datatype`),
    valueClass: node.getOne(`${SH}class`),
    notValue: negated ? negated.getOne(`${SH}hasValue`) : null,
    severity: node.getOne(`${SH}severity`),
    message: node.getOne(`${SH}message`),
    unsupported: [
      ...unsupportedByShape,
      ...node.listExcept(UNDERSTOOD.map((name) => SH + name)),
      ...(inversePath?.listExcept([`${SH}inversePath`]) ?? []),
      ...(negated?.listExcept([`${SH}hasValue`]) ?? []),
    ],
  };
}

const UNDERSTOOD = [
  "path",
  "minCount",
  "maxCount",
  "minLength",
  "minInclusive",
  "maxInclusive",
  "datatype",
  "class",
  "in",
  "lessThanOrEquals",
  "not",
  "severity",
  "message",
];

/** Reads the statements of a store about one node. */
function describeNode(store: Store, subject: Term | string) {
  const getAll = (predicate: string): Term[] => store.getObjects(subject, predicate, null);
  return {
    getAll,
    getOne: (predicate: string): Term | null => getAll(predicate)[0] ?? null,
    /** Lists the predicates not in `known`, and those with several values where only one is read. */
    listExcept: (known: readonly string[]): string[] => {
      const predicates = store.getPredicates(subject, null, null).map(({ value }) => value);
      return predicates.filter(
        (predicate) =>
          !known.includes(predicate) || (predicate !== `${SH}property` && getAll(predicate).length > 1),
      );
    },
  };
}
