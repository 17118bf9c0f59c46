// Writes an example of a term: a few lines of Turtle, and for a memory type the call that stores such a memory.
import { listAncestors } from "../../ontology/classes";
import { INDIVIDUALS, NAMESPACE, PROPERTIES, type PropertyTerm } from "../../ontology/terms.generated";
import type { OntologyTerm } from "./find-term";

export type TermExample = { turtle: string; call: string | null };

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
