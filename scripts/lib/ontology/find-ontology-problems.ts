// Whether the ontology hangs together: one sentence for everything that does not, none when all is well.

import {
  constraints,
  HUB,
  importsOf,
  localName,
  NAMESPACE,
  OWL,
  ontologiesOf,
  PROV,
  RDFS,
  SH,
  SHAPES_FILE,
  shapeNames,
  terms,
  XSD,
} from "./ontology.mjs";

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

export function problems(ontology) {
  const declared = terms(ontology);
  return [
    ...undeclaredTerms(ontology, declared),
    ...importProblems(ontology),
    ...descriptionProblems(declared),
    ...classTreeProblems(declared),
    ...propertyProblems(declared),
    ...individualProblems(declared),
    ...shapeProblems(ontology, declared),
  ];
}

function undeclaredTerms(ontology, { classes, properties, individuals }) {
  const shapes = new Set(shapeNames(ontology));
  const ontologies = new Set(ontology.modules.flatMap(ontologiesOf));
  const known = [classes, properties, individuals, shapes, ontologies];
  const found = new Set();
  for (const { file, quads } of [...ontology.modules, { file: SHAPES_FILE, quads: ontology.shapes }])
    for (const { subject, predicate, object } of quads) {
      // What a module imports has a sentence of its own.
      for (const term of predicate.value === `${OWL}imports` ? [subject] : [subject, predicate, object]) {
        const name = localName(term);
        if (name !== null && !known.some((names) => names.has(name)))
          found.add(`${file}: jido:${name} is used but declared nowhere`);
      }
    }
  return [...found];
}

function importProblems({ modules }) {
  const found = [];
  const ontologies = new Set(modules.flatMap(ontologiesOf));
  const hub = modules.find((module) => ontologiesOf(module).includes(HUB));
  if (!hub) found.push(`no file declares the hub jido:${HUB}`);
  for (const module of modules) {
    const own = ontologiesOf(module);
    if (own.length !== 1) found.push(`${module.file}: declares ${own.length} ontologies instead of one`);
    for (const target of importsOf(module))
      if (!ontologies.has(target)) found.push(`${module.file}: imports ${target}, which no file declares`);
    if (hub && module !== hub && !own.some((name) => importsOf(hub).includes(name)))
      found.push(`${module.file}: is not imported by the hub jido:${HUB}`);
  }
  return found;
}

function descriptionProblems({ classes, properties, individuals }) {
  const found = [];
  for (const { name, module, labels, comments } of [classes, properties, individuals].flatMap((map) => [
    ...map.values(),
  ])) {
    if (labels.length !== 1)
      found.push(`${module}.ttl: jido:${name} has ${labels.length} labels instead of one`);
    if (comments.length !== 1)
      found.push(`${module}.ttl: jido:${name} has ${comments.length} comments instead of one`);
  }
  return found;
}

function classTreeProblems({ classes }) {
  const found = [];
  for (const { name, module, superclasses } of classes.values()) {
    if (superclasses.length > 1)
      found.push(`${module}.ttl: jido:${name} has more than one superclass: ${superclasses.join(", ")}`);
    for (const superclass of superclasses)
      if (!classes.has(superclass))
        found.push(
          `${module}.ttl: the superclass jido:${superclass} of jido:${name} is not a declared class`,
        );
    if (leadsBackToItself(classes, name)) found.push(`${module}.ttl: jido:${name} is a subclass of itself`);
  }
  return found;
}

function leadsBackToItself(classes, name) {
  const seen = new Set();
  const queue = [...(classes.get(name)?.superclasses ?? [])];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (next === name) return true;
    if (!seen.has(next)) queue.push(...(classes.get(next)?.superclasses ?? []));
    seen.add(next);
  }
  return false;
}

function propertyProblems({ classes, properties }) {
  const found = [];
  const isClass = (term) => classes.has(localName(term));
  const isDatatype = ({ value }) => DATATYPES.some((name) => value === XSD + name);
  for (const property of properties.values()) {
    const say = (text) => found.push(`${property.module}.ttl: jido:${property.name} ${text}`);
    const [domain] = property.domains;
    const [range] = property.ranges;
    if (property.domains.length !== 1) say(`has ${property.domains.length} domains instead of one`);
    else if (!isClass(domain)) say(`has the domain ${compact(domain)}, which is not a declared class`);
    if (property.ranges.length !== 1) say(`has ${property.ranges.length} ranges instead of one`);
    else if (property.kind === "object" && !isClass(range))
      say(`has the range ${compact(range)}, which is not a declared class`);
    else if (property.kind === "datatype" && !isDatatype(range))
      say(`has the range ${compact(range)}, which is not an XSD datatype`);
    for (const superproperty of property.superproperties)
      if (!properties.has(localName(superproperty)) && !isFromStandard(superproperty))
        say(`has the superproperty ${compact(superproperty)}, which is not a declared property`);
    for (const inverse of property.inverses) {
      const other = properties.get(inverse);
      if (!other) say(`is the inverse of jido:${inverse}, which is not a declared property`);
      else if (other.domains[0]?.value !== range?.value || other.ranges[0]?.value !== domain?.value)
        say(`is the inverse of jido:${inverse}, but domain and range do not mirror each other`);
    }
  }
  return found;
}

function isFromStandard({ value }) {
  return [PROV, RDFS, OWL].some((namespace) => value.startsWith(namespace));
}

function individualProblems({ classes, individuals }) {
  const found = [];
  for (const individual of individuals.values()) {
    const say = (text) => found.push(`${individual.module}.ttl: jido:${individual.name} ${text}`);
    if (individual.classes.length === 0) say("belongs to no class");
    for (const type of individual.classes)
      if (!classes.has(localName(type))) say(`belongs to ${compact(type)}, which is not a declared class`);
  }
  return found;
}

function shapeProblems(ontology, { classes, properties, individuals }) {
  const all = constraints(ontology);
  const found = shapeNames(ontology)
    .filter((name) => !all.some(({ shape }) => shape === name))
    .map((name) => `${SHAPES_FILE}: jido:${name} has no property shape`);
  for (const constraint of all) {
    const say = (text) => found.push(`${SHAPES_FILE}: jido:${constraint.shape} ${text}`);
    const mustBe = (term, declared, what) => {
      if (term !== null && !declared.has(localName(term))) say(`${what[0]} ${compact(term)}, ${what[1]}`);
    };
    if (constraint.targetClass === null && constraint.targetSubjectsOf === null) say("has no target");
    mustBe(constraint.targetClass, classes, ["targets", "which is not a declared class"]);
    mustBe(constraint.targetSubjectsOf, properties, ["targets", "which is not a declared property"]);
    if (constraint.path === null) say("has a property shape without a path");
    mustBe(constraint.path, properties, ["has the path", "which is not a declared property"]);
    mustBe(constraint.valueClass, classes, ["expects values of", "which is not a declared class"]);
    mustBe(constraint.notValue, individuals, ["excludes", "which is not a declared individual"]);
    const path = constraint.path ? compact(constraint.path) : "a property shape";
    if (!SEVERITIES.some((name) => constraint.severity?.value === SH + name))
      say(`gives ${path} no severity of ${SEVERITIES.join(", ")}`);
    if (constraint.message === null) say(`gives ${path} no message`);
    for (const predicate of constraint.unsupported)
      say(`says of ${path} what the generator does not understand: ${predicate}`);
    const range = properties.get(localName(constraint.path))?.ranges[0];
    for (const expected of [constraint.datatype, constraint.valueClass])
      if (range && expected && !constraint.inverse && expected.value !== range.value)
        say(`expects ${compact(expected)} at ${path}, whose range is ${compact(range)}`);
  }
  return found;
}

function compact({ value }) {
  if (value.startsWith(NAMESPACE)) return `jido:${value.slice(NAMESPACE.length)}`;
  return value.startsWith(XSD) ? `xsd:${value.slice(XSD.length)}` : value;
}
