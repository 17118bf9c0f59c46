// Checks that the ontology is consistent, and describes each problem in one sentence.

import type { Term } from "n3";
import {
  type DeclaredClass,
  type DeclaredTerms,
  HUB,
  listConstraints,
  listImports,
  listOntologies,
  listShapeNames,
  listTerms,
  localName,
  NAMESPACE,
  type Ontology,
  OWL,
  PROV,
  RDFS,
  SH,
  SHAPES_FILE,
  XSD,
} from "./read-ontology.ts";

const DATATYPES = [
  "anyURI",
  "boolean",
  "date",
  "dateTime",
  "decimal",
  "double",
  "duration",
  "integer",
  "string",
];
const SEVERITIES = ["Violation", "Warning", "Info"];

/** A set of names, or a map by name. */
type Names = { has(name: string): boolean };

export function findOntologyProblems(ontology: Ontology): string[] {
  const terms = listTerms(ontology);
  return [
    ...findUndeclaredTerms(ontology, terms),
    ...findImportProblems(ontology),
    ...findDescriptionProblems(terms),
    ...findClassProblems(terms),
    ...findPropertyProblems(terms),
    ...findIndividualProblems(terms),
    ...findShapeProblems(ontology, terms),
  ];
}

function findUndeclaredTerms(ontology: Ontology, { classes, properties, individuals }: DeclaredTerms) {
  const shapes = new Set(listShapeNames(ontology));
  const ontologies = new Set(ontology.modules.flatMap(listOntologies));
  const known: Names[] = [classes, properties, individuals, shapes, ontologies];
  const problems = new Set<string>();
  for (const { file, quads } of [...ontology.modules, { file: SHAPES_FILE, quads: ontology.shapes }])
    for (const { subject, predicate, object } of quads) {
      // Imports are checked separately.
      for (const term of predicate.value === `${OWL}imports` ? [subject] : [subject, predicate, object]) {
        const name = localName(term);
        if (name !== null && !known.some((names) => names.has(name)))
          problems.add(`${file}: jido:${name} is used but declared nowhere`);
      }
    }
  return problems;
}

function findImportProblems({ modules }: Ontology): string[] {
  const problems: string[] = [];
  const ontologies = new Set(modules.flatMap(listOntologies));
  const hub = modules.find((module) => listOntologies(module).includes(HUB));
  if (!hub) problems.push(`no file declares the hub jido:${HUB}`);
  for (const module of modules) {
    const own = listOntologies(module);
    if (own.length !== 1) problems.push(`${module.file}: declares ${own.length} ontologies instead of one`);
    for (const target of listImports(module))
      if (!ontologies.has(target)) problems.push(`${module.file}: imports ${target}, which no file declares`);
    if (hub && module !== hub && !own.some((name) => listImports(hub).includes(name)))
      problems.push(`${module.file}: is not imported by the hub jido:${HUB}`);
  }
  return problems;
}

function findDescriptionProblems({ classes, properties, individuals }: DeclaredTerms): string[] {
  const problems: string[] = [];
  const terms = [...classes.values(), ...properties.values(), ...individuals.values()];
  for (const { name, module, labels, comments } of terms) {
    if (labels.length !== 1)
      problems.push(`${module}.ttl: jido:${name} has ${labels.length} labels instead of one`);
    if (comments.length !== 1)
      problems.push(`${module}.ttl: jido:${name} has ${comments.length} comments instead of one`);
  }
  return problems;
}

function findClassProblems({ classes }: DeclaredTerms): string[] {
  const problems: string[] = [];
  for (const { name, module, superclasses } of classes.values()) {
    if (superclasses.length > 1)
      problems.push(`${module}.ttl: jido:${name} has more than one superclass: ${superclasses.join(", ")}`);
    for (const superclass of superclasses)
      if (!classes.has(superclass))
        problems.push(
          `${module}.ttl: the superclass jido:${superclass} of jido:${name} is not a declared class`,
        );
    if (isOwnAncestor(classes, name)) problems.push(`${module}.ttl: jido:${name} is a subclass of itself`);
  }
  return problems;
}

function isOwnAncestor(classes: ReadonlyMap<string, DeclaredClass>, name: string): boolean {
  const seen = new Set<string>();
  const queue = [...(classes.get(name)?.superclasses ?? [])];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (next === name) return true;
    if (!seen.has(next)) queue.push(...(classes.get(next)?.superclasses ?? []));
    seen.add(next);
  }
  return false;
}

function findPropertyProblems({ classes, properties }: DeclaredTerms): string[] {
  const problems: string[] = [];
  for (const property of properties.values()) {
    const report = (text: string) => problems.push(`${property.module}.ttl: jido:${property.name} ${text}`);
    const [domain] = property.domains;
    const [range] = property.ranges;
    if (domain === undefined || property.domains.length > 1)
      report(`has ${property.domains.length} domains instead of one`);
    else if (!isIn(classes, domain))
      report(`has the domain ${abbreviate(domain)}, which is not a declared class`);
    if (range === undefined || property.ranges.length > 1)
      report(`has ${property.ranges.length} ranges instead of one`);
    else if (property.kind === "object" && !isIn(classes, range))
      report(`has the range ${abbreviate(range)}, which is not a declared class`);
    else if (property.kind === "datatype" && !isDatatype(range))
      report(`has the range ${abbreviate(range)}, which is not an XSD datatype`);
    for (const superproperty of property.superproperties)
      if (!isIn(properties, superproperty) && !isStandardTerm(superproperty))
        report(`has the superproperty ${abbreviate(superproperty)}, which is not a declared property`);
    for (const inverse of property.inverses) {
      const other = properties.get(inverse);
      if (!other) report(`is the inverse of jido:${inverse}, which is not a declared property`);
      else if (other.domains[0]?.value !== range?.value || other.ranges[0]?.value !== domain?.value)
        report(`is the inverse of jido:${inverse}, but domain and range do not mirror each other`);
    }
  }
  return problems;
}

function findIndividualProblems({ classes, individuals }: DeclaredTerms): string[] {
  const problems: string[] = [];
  for (const individual of individuals.values()) {
    const report = (text: string) =>
      problems.push(`${individual.module}.ttl: jido:${individual.name} ${text}`);
    if (individual.classes.length === 0) report("belongs to no class");
    for (const type of individual.classes)
      if (!isIn(classes, type)) report(`belongs to ${abbreviate(type)}, which is not a declared class`);
  }
  return problems;
}

function findShapeProblems(ontology: Ontology, { classes, properties, individuals }: DeclaredTerms) {
  const constraints = listConstraints(ontology);
  const problems = listShapeNames(ontology)
    .filter((name) => !constraints.some(({ shape }) => shape === name))
    .map((name) => `${SHAPES_FILE}: jido:${name} has no property shape`);
  for (const constraint of constraints) {
    const report = (text: string) => problems.push(`${SHAPES_FILE}: jido:${constraint.shape} ${text}`);
    const expectDeclared = (term: Term | null, names: Names, verb: string, kind: string) => {
      if (term !== null && !isIn(names, term))
        report(`${verb} ${abbreviate(term)}, which is not a declared ${kind}`);
    };
    if (constraint.targetClass === null && constraint.targetSubjectsOf === null) report("has no target");
    expectDeclared(constraint.targetClass, classes, "targets", "class");
    expectDeclared(constraint.targetSubjectsOf, properties, "targets", "property");
    if (constraint.path === null) report("has a property shape without a path");
    expectDeclared(constraint.path, properties, "has the path", "property");
    expectDeclared(constraint.valueClass, classes, "expects values of", "class");
    expectDeclared(constraint.notValue, individuals, "excludes", "individual");
    const path = constraint.path ? abbreviate(constraint.path) : "a property shape";
    if (!SEVERITIES.some((name) => constraint.severity?.value === SH + name))
      report(`gives ${path} no severity of ${SEVERITIES.join(", ")}`);
    if (constraint.message === null) report(`gives ${path} no message`);
    for (const predicate of constraint.unsupported)
      report(`says of ${path} what the generator does not understand: ${predicate}`);
    const range = properties.get(localName(constraint.path) ?? "")?.ranges[0];
    for (const expected of [constraint.datatype, constraint.valueClass])
      if (range && expected && !constraint.inverse && expected.value !== range.value)
        report(`expects ${abbreviate(expected)} at ${path}, whose range is ${abbreviate(range)}`);
  }
  return problems;
}

function isIn(names: Names, term: Term): boolean {
  const name = localName(term);
  return name !== null && names.has(name);
}

function isDatatype({ value }: Term): boolean {
  return DATATYPES.some((name) => value === XSD + name);
}

function isStandardTerm({ value }: Term): boolean {
  return [PROV, RDFS, OWL].some((namespace) => value.startsWith(namespace));
}

/** Writes an IRI with its prefix. */
function abbreviate({ value }: Term): string {
  if (value.startsWith(NAMESPACE)) return `jido:${value.slice(NAMESPACE.length)}`;
  return value.startsWith(XSD) ? `xsd:${value.slice(XSD.length)}` : value;
}
