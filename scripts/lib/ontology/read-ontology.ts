// Reads the Turtle files of the ontology and lists the terms and shapes they declare. It takes what it finds as
// it is: whether that is consistent is for ontology-problems.mjs, what is made of it for ontology-code.mjs.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Parser, Store } from "n3";

export const NAMESPACE = "https://jido.ai/ontology#";
export const XSD = "http://www.w3.org/2001/XMLSchema#";
export const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
export const RDFS = "http://www.w3.org/2000/01/rdf-schema#";
export const OWL = "http://www.w3.org/2002/07/owl#";
export const PROV = "http://www.w3.org/ns/prov#";
export const SH = "http://www.w3.org/ns/shacl#";

export const SHAPES_FILE = "shapes.ttl";
/** The ontology that imports all others; its order of imports is the order of everything generated. */
export const HUB = "JidoMemoryOntology";

/** The local name of a term in our namespace, else null. */
export function localName(term) {
  if (term?.termType !== "NamedNode" || !term.value.startsWith(NAMESPACE)) return null;
  return term.value.slice(NAMESPACE.length);
}

export function readOntology(directory) {
  const names = readdirSync(directory).filter((name) => name.endsWith(".ttl"));
  return parseOntology(
    Object.fromEntries(names.map((name) => [name, readFileSync(join(directory, name), "utf8")])),
  );
}

/** `files`: Turtle by file name. A file that is not Turtle throws an error that names it. */
export function parseOntology(files) {
  const parsed = Object.keys(files)
    .sort()
    .map((file) => ({ file, name: file.replace(/\.ttl$/, ""), quads: parseTurtle(file, files[file]) }));
  const modules = inImportOrder(parsed.filter(({ file }) => file !== SHAPES_FILE));
  const shapes = parsed.find(({ file }) => file === SHAPES_FILE)?.quads ?? [];
  return {
    modules,
    store: new Store(modules.flatMap(({ quads }) => quads)),
    shapes,
    shapeStore: new Store(shapes),
  };
}

function parseTurtle(file, text) {
  try {
    return new Parser({ format: "text/turtle" }).parse(text);
  } catch (error) {
    throw new Error(`${file}: ${error.message}`);
  }
}

function inImportOrder(modules) {
  const declaring = (ontology) => modules.find((module) => ontologiesOf(module).includes(ontology));
  const hub = declaring(HUB);
  if (!hub) return modules;
  const imported = importsOf(hub)
    .map(declaring)
    .filter((module) => module);
  return [...new Set([...imported, hub, ...modules])];
}

export function ontologiesOf(module) {
  return subjectsOfType(module.quads, `${OWL}Ontology`);
}

export function importsOf(module) {
  return module.quads
    .filter(({ predicate }) => predicate.value === `${OWL}imports`)
    .map(({ object }) => localName(object) ?? object.value);
}

function subjectsOfType(quads, type) {
  return quads
    .filter(({ predicate, object }) => predicate.value === `${RDF}type` && object.value === type)
    .map(({ subject }) => localName(subject))
    .filter((name) => name !== null);
}

/** The classes, properties and individuals, each under the first module that declares it, in order. */
export function terms(ontology) {
  const { store } = ontology;
  const classes = new Map();
  const properties = new Map();
  const individuals = new Map();
  const values = (name, predicate) => store.getObjects(NAMESPACE + name, predicate, null);
  const described = (name, module) => ({
    name,
    module: module.name,
    labels: values(name, `${RDFS}label`).map(({ value }) => value),
    comments: values(name, `${RDFS}comment`).map(({ value }) => value),
  });
  const once = (map, name, make) => map.has(name) || map.set(name, make());

  for (const module of ontology.modules) {
    for (const name of subjectsOfType(module.quads, `${OWL}Class`))
      once(classes, name, () => ({
        ...described(name, module),
        superclasses: localNames(values(name, `${RDFS}subClassOf`)),
      }));
    for (const kind of ["object", "datatype"])
      for (const name of subjectsOfType(module.quads, OWL + PROPERTY_TYPE[kind]))
        once(properties, name, () => ({
          ...described(name, module),
          kind,
          domains: values(name, `${RDFS}domain`),
          ranges: values(name, `${RDFS}range`),
          superproperties: values(name, `${RDFS}subPropertyOf`),
          functional: values(name, `${RDF}type`).some(({ value }) => value === `${OWL}FunctionalProperty`),
          inverses: localNames([
            ...values(name, `${OWL}inverseOf`),
            ...store.getSubjects(`${OWL}inverseOf`, NAMESPACE + name, null),
          ]),
        }));
    for (const name of subjectsOfType(module.quads, `${OWL}NamedIndividual`))
      once(individuals, name, () => ({
        ...described(name, module),
        classes: values(name, `${RDF}type`).filter(({ value }) => value !== `${OWL}NamedIndividual`),
      }));
  }
  return { classes, properties, individuals };
}

const PROPERTY_TYPE = { object: "ObjectProperty", datatype: "DatatypeProperty" };

function localNames(nodes) {
  return nodes.map(localName).filter((name) => name !== null);
}

export function shapeNames(ontology) {
  return subjectsOfType(ontology.shapes, `${SH}NodeShape`);
}

/**
 * One entry per property shape. Whatever is said of a shape in a way that is not understood here is listed in
 * `unsupported`, so that no constraint is dropped in silence.
 */
export function constraints(ontology) {
  const { shapeStore } = ontology;
  return shapeNames(ontology).flatMap((shape) => {
    const node = describeNode(shapeStore, NAMESPACE + shape);
    const target = {
      shape,
      targetClass: node.one(`${SH}targetClass`),
      targetSubjectsOf: node.one(`${SH}targetSubjectsOf`),
    };
    const own = node.except([`${RDF}type`, `${SH}targetClass`, `${SH}targetSubjectsOf`, `${SH}property`]);
    return node
      .all(`${SH}property`)
      .map((property) => ({ ...target, ...constraint(shapeStore, property, own) }));
  });
}

function constraint(store, property, unsupportedByShape) {
  const node = describeNode(store, property);
  const path = node.one(`${SH}path`);
  const inversePath = path?.termType === "BlankNode" ? describeNode(store, path) : null;
  const not = node.one(`${SH}not`);
  const negated = not ? describeNode(store, not) : null;
  return {
    path: inversePath ? inversePath.one(`${SH}inversePath`) : path,
    inverse: inversePath !== null,
    minCount: node.one(`${SH}minCount`),
    maxCount: node.one(`${SH}maxCount`),
    minLength: node.one(`${SH}minLength`),
    minInclusive: node.one(`${SH}minInclusive`),
    maxInclusive: node.one(`${SH}maxInclusive`),
    datatype: node.one(`${SH}datatype`),
    valueClass: node.one(`${SH}class`),
    notValue: negated ? negated.one(`${SH}hasValue`) : null,
    severity: node.one(`${SH}severity`),
    message: node.one(`${SH}message`),
    unsupported: [
      ...unsupportedByShape,
      ...node.except(UNDERSTOOD.map((name) => SH + name)),
      ...(inversePath?.except([`${SH}inversePath`]) ?? []),
      ...(negated?.except([`${SH}hasValue`]) ?? []),
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
  "not",
  "severity",
  "message",
];

/** What a store says of one node: its single value or all values of a predicate, and the predicates left over. */
function describeNode(store, subject) {
  const all = (predicate) => store.getObjects(subject, predicate, null);
  return {
    all,
    one: (predicate) => all(predicate)[0] ?? null,
    /** The predicates not in `known`, and those with several values where only one is read. */
    except: (known) => {
      const predicates = store.getPredicates(subject, null, null).map(({ value }) => value);
      return predicates.filter(
        (predicate) =>
          !known.includes(predicate) || (predicate !== `${SH}property` && all(predicate).length > 1),
      );
    },
  };
}
