// Checks that the extensions of a tenant are consistent with each other and with the ontology, and describes each problem.
import type { Quad } from "n3";
import { listAncestors } from "./classes";
import {
  EXTENSION_NAMESPACE,
  isExtensionName,
  isReversible,
  toExtensionType,
  toLocalTermName,
  toTermName,
} from "./extension-names";
import {
  CLASSES,
  DISJOINT_CLASSES,
  INDIVIDUALS,
  MEMORY_TYPES,
  NAMESPACE,
  PROPERTIES,
} from "./generated/terms.generated";
import { type AddedTerms, OWL, RDF, SH } from "./read-extension";

/** `path` is the term that the problem concerns. */
type ExtensionProblem = { path: string; message: string };

const DATATYPES = ["anyURI", "boolean", "date", "dateTime", "decimal", "double", "integer", "string"].map(
  (name) => `xsd:${name}`,
);

/** What a shape may use: SHACL Core, as far as the triples of one memory decide it. */
const SHACL_TERMS = new Set(
  [
    ...["property", "path", "targetClass", "targetSubjectsOf", "minCount", "maxCount", "datatype", "class"],
    ...["nodeKind", "in", "hasValue", "minLength", "maxLength", "pattern", "flags", "minInclusive"],
    ...["maxInclusive", "minExclusive", "maxExclusive", "lessThan", "lessThanOrEquals", "equals", "disjoint"],
    ...["not", "and", "or", "xone", "severity", "message", "name", "description", "order", "deactivated"],
  ].map((name) => SH + name),
);

export function findExtensionProblems(terms: AddedTerms): ExtensionProblem[] {
  return [
    ...findForeignTerms(terms),
    ...findUndeclaredTerms(terms),
    ...findNameProblems(terms),
    ...findClassProblems(terms),
    ...findPropertyProblems(terms),
    ...findIndividualProblems(terms),
    ...findShapeProblems(terms),
  ];
}

/** Lists the superclasses of a class, nearest first, however it is declared. Stops at a repeated one. */
export function listSuperclasses({ classes }: Pick<AddedTerms, "classes">, name: string): string[] {
  const found: string[] = [];
  const queue = [...(classes.get(name)?.superclasses ?? [])];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (found.includes(next)) continue;
    found.push(next);
    queue.push(...(isExtensionName(next) ? (classes.get(next)?.superclasses ?? []) : listAncestors(next)));
  }
  return found;
}

function isClass(terms: AddedTerms, name: string): boolean {
  return isExtensionName(name) ? terms.classes.has(name) : Object.hasOwn(CLASSES, name);
}

function isProperty(terms: AddedTerms, name: string): boolean {
  return isExtensionName(name) ? terms.properties.has(name) : Object.hasOwn(PROPERTIES, name);
}

function isIndividual(terms: AddedTerms, name: string): boolean {
  return isExtensionName(name) ? terms.individuals.has(name) : Object.hasOwn(INDIVIDUALS, name);
}

function isMemoryClass(terms: AddedTerms, name: string): boolean {
  const above = isExtensionName(name) ? listSuperclasses(terms, name) : listAncestors(name);
  return name === "MemoryItem" || above.includes("MemoryItem");
}

/** A class without a superclass, whose members are individuals. */
function isEnumeration(terms: AddedTerms, name: string): boolean {
  if (isExtensionName(name)) return terms.classes.get(name)?.superclasses.length === 0;
  return Object.values(INDIVIDUALS).some(({ classes }) => (classes as readonly string[]).includes(name));
}

/** A document states things about its own terms alone. */
function findForeignTerms({ quads }: AddedTerms): ExtensionProblem[] {
  const headers = new Set(
    quads
      .filter(
        ({ predicate, object }) => predicate.value === `${RDF}type` && object.value === `${OWL}Ontology`,
      )
      .map(({ subject }) => subject.value),
  );
  const foreign = new Set(
    quads
      .filter(({ subject: { termType, value } }) => termType === "NamedNode" && !headers.has(value))
      .map(({ subject }) => subject.value)
      .filter((iri) => !iri.startsWith(EXTENSION_NAMESPACE)),
  );
  return [...foreign].map((iri) => ({
    path: iri,
    message: iri.startsWith(NAMESPACE)
      ? "is a term of the ontology, which an extension cannot change: declare one of your own"
      : `is not in the namespace of extensions: begin it with ${EXTENSION_NAMESPACE}`,
  }));
}

function findUndeclaredTerms(terms: AddedTerms): ExtensionProblem[] {
  const used = new Set(
    terms.quads
      .flatMap(({ subject, predicate, object }): Quad["object"][] => [subject, predicate, object])
      .filter(({ termType, value }) => termType === "NamedNode" && toTermName(value) !== value)
      .map(({ value }) => toTermName(value))
      .filter((name) => !name.startsWith("xsd:")),
  );
  return [...used]
    .filter((name) => ![isClass, isProperty, isIndividual].some((isKnown) => isKnown(terms, name)))
    .filter((name) => !terms.shapes.has(name))
    .map((path) => ({
      path,
      message:
        "is declared nowhere: state that it is an owl:Class, owl:ObjectProperty, owl:DatatypeProperty, owl:NamedIndividual or sh:NodeShape",
    }));
}

function findNameProblems({ classes, properties, individuals }: AddedTerms): ExtensionProblem[] {
  const problems: ExtensionProblem[] = [];
  const taken: ReadonlySet<string> = new Set(
    [CLASSES, PROPERTIES, INDIVIDUALS].flatMap((terms) => Object.keys(terms)),
  );
  for (const name of [...classes.keys(), ...properties.keys(), ...individuals.keys()])
    if (isExtensionName(name) && taken.has(toLocalTermName(name)))
      problems.push({ path: name, message: "has the name of a term of the ontology: choose another one" });
  for (const name of classes.keys())
    if (isExtensionName(name) && !isReversible(name))
      problems.push({
        path: name,
        message: "must be words with a capital each, of at most 40 letters, such as ext:OnCallRule",
      });
    else if ((MEMORY_TYPES as readonly string[]).includes(toExtensionType(name)))
      problems.push({ path: name, message: "has the memory type of another class: choose another name" });
  for (const name of properties.keys())
    if (!/^ext:[a-z][A-Za-z0-9]{0,63}$/.test(name))
      problems.push({ path: name, message: "must begin with a small letter, such as ext:reviewCycle" });
  return problems;
}

function findClassProblems(terms: AddedTerms): ExtensionProblem[] {
  const problems: ExtensionProblem[] = [];
  for (const [path, { superclasses }] of terms.classes) {
    const report = (message: string) => problems.push({ path, message });
    const above = listSuperclasses(terms, path);
    const pair = findDisjointPair(terms, [path, ...above]);
    if (above.includes(path)) report("is a subclass of itself: remove a superclass of the cycle");
    else if (pair !== null) report(`can have no members: ${pair.join(" and ")} are disjoint`);
    else if (superclasses.length > 1)
      report(`has several superclasses, ${superclasses.join(", ")}: give one`);
    else if (above.includes("Skill"))
      report("is below Skill, whose memories the service writes: give another superclass");
    else if (superclasses.length === 1 && !isMemoryClass(terms, path))
      report("must be below jido:MemoryItem; or have no superclass, and individuals");
  }
  return problems;
}

/** Returns two of the classes that can have no member in common. */
function findDisjointPair({ disjoint }: AddedTerms, names: readonly string[]): [string, string] | null {
  for (const list of [...DISJOINT_CLASSES, ...disjoint]) {
    const [one, other] = list.filter((name) => names.includes(name));
    if (one !== undefined && other !== undefined) return [one, other];
  }
  return null;
}

function findPropertyProblems(terms: AddedTerms): ExtensionProblem[] {
  const problems: ExtensionProblem[] = [];
  for (const [path, { kind, domains, ranges, symmetric, transitive, inverses }] of terms.properties) {
    const report = (message: string) => problems.push({ path, message });
    const [domain, range] = [domains[0], ranges[0]];
    if (domain === undefined || domains.length > 1) report(`has ${domains.length} domains: give one`);
    else if (!isMemoryClass(terms, domain)) report(`has the domain ${domain}: give a class of memories`);
    if (range === undefined || ranges.length > 1) report(`has ${ranges.length} ranges: give one`);
    else if (kind === "datatype" && !DATATYPES.includes(range))
      report(`has the range ${range}: give one of ${DATATYPES.join(", ")}`);
    else if (kind === "object" && !isEnumeration(terms, range))
      report(
        `has the range ${range}: give a class of individuals. Memories are related with the relations of the ontology, such as relatedTo`,
      );
    if (symmetric || transitive || inverses.length > 0)
      report("leads to no memory, so it can be neither symmetric nor transitive, and has no inverse");
  }
  return problems;
}

function findIndividualProblems(terms: AddedTerms): ExtensionProblem[] {
  return [...terms.individuals].flatMap(([path, { classes }]) => {
    const [own] = classes;
    if (own === undefined || classes.length > 1) return [{ path, message: "must belong to one class" }];
    return isExtensionName(own) && isEnumeration(terms, own)
      ? []
      : [{ path, message: `belongs to ${own}: give a class of your own, without a superclass` }];
  });
}

const SEVERITIES: ReadonlySet<string> = new Set(["Violation", "Warning", "Info"].map((name) => SH + name));

function findShapeProblems(terms: AddedTerms): ExtensionProblem[] {
  const problems: ExtensionProblem[] = [];
  const describe = ({ subject }: Quad) =>
    subject.termType === "NamedNode" ? toTermName(subject.value) : "shape";
  for (const quad of terms.quads) {
    const { predicate, object } = quad;
    if (!predicate.value.startsWith(SH)) continue;
    const report = (message: string) => problems.push({ path: describe(quad), message });
    const name = `sh:${predicate.value.slice(SH.length)}`;
    const value = toTermName(object.value);
    if (!SHACL_TERMS.has(predicate.value))
      report(`uses ${name}, which is not supported: a shape is decided by the triples of one memory`);
    else if (name === "sh:targetClass" && !isMemoryClass(terms, value))
      report(`targets ${value}: give a class of memories`);
    else if (["sh:path", "sh:targetSubjectsOf", "sh:lessThan", "sh:lessThanOrEquals"].includes(name)) {
      if (object.termType !== "NamedNode" || !isProperty(terms, value))
        report(`has as ${name} what is no property: give one property`);
    } else if (name === "sh:class" && !isEnumeration(terms, value))
      report(`expects values of ${value}: give a class of individuals`);
    else if (name === "sh:severity" && !SEVERITIES.has(object.value))
      report("has a severity that is none: give sh:Violation, sh:Warning or sh:Info");
    else if (COUNTS.includes(name) && !/^\d{1,9}$/.test(object.value))
      report(`has as ${name} no whole number`);
    else if (name === "sh:flags" && object.value !== "i") report('has flags other than "i"');
    else if (name === "sh:pattern" && !isSafePattern(object.value))
      report(
        "has a pattern that could take long: leave out repeated groups, look-arounds and back-references",
      );
  }
  return problems;
}

/** The terms whose values are counts. */
const COUNTS = ["sh:minCount", "sh:maxCount", "sh:minLength", "sh:maxLength"];

/** Whether a pattern compiles and is matched in time that grows slowly with the text. */
function isSafePattern(pattern: string): boolean {
  const quantifiers = pattern.replace(/\\./g, "x").match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
  if (pattern.length > 200 || quantifiers > 2 || /\)[*+?{]|\(\?[=!<]|\\[1-9k]/.test(pattern)) return false;
  try {
    return new RegExp(pattern) instanceof RegExp;
  } catch {
    return false;
  }
}
