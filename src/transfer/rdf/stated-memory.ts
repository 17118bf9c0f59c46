// Reads a memory from the triples of a document: its fields and properties, its links, and the nodes that it names.

import { isGenericPredicate } from "../../memories/links/link-triples";
import { type Memory, MemoryMetadata } from "../../memories/memory-schemas";
import { isFieldProperty, parseMemoryTriples, toMemoryTriples } from "../../memories/store/memory-mapping";
import { getMemoryClass, isExtensionName, toClassIri } from "../../ontology/extension-names";
import type { MemoryType } from "../../ontology/generated/terms.generated";
import { isMemoryRelation } from "../../ontology/property-values";
import { findTenantProperty, type TenantOntology } from "../../ontology/tenant-ontology";
import {
  expandIri,
  parseEvidenceIri,
  parseInstanceId,
  type Triple,
  toEvidenceIri,
  toInstanceIri,
} from "../../ontology/triples";
import type { DocumentSubject } from "./document-subjects";
import type { ImportProblems } from "./import-problems";
import { describeTerm, findUnstored, normaliseTriple } from "./stated-values";

/** What a document says of a memory. Objects that are memories are nodes of the document, or IRIs. */
export type StatedMemory = {
  node: string;
  /** The id in its IRI; null for any other node. */
  id: string | null;
  /** Null if the document does not say. */
  type: MemoryType | null;
  /** Fields and properties. */
  triples: Triple[];
  /** Links, which are not properties: `relatedTo`, `supports`, … */
  links: Triple[];
};

/** Follow from others, and are not stored. */
const DERIVED = new Set(["jido:hasConfidence"]);
/** Produced from the counts of uses. */
export const COUNTED_PREDICATES: ReadonlySet<string> = new Set([
  "jido:accessCount",
  "jido:lastAccessed",
  "jido:importanceScore",
]);

/** Fields that may have several values. */
const REPEATED = new Set(["jido:tag", "jido:derivedFrom"]);

const LEVELS: Readonly<Record<string, string>> = {
  "jido:High": "0.9",
  "jido:Medium": "0.6",
  "jido:Low": "0.3",
};

export function readStatedMemory(
  ontology: TenantOntology,
  { node, triples, type }: DocumentSubject & { type: MemoryType | null },
  isNode: (name: string) => boolean,
  problems: ImportProblems,
): StatedMemory {
  const id = parseInstanceId("memory", node);
  const stated: StatedMemory = { node, id, type, triples: [], links: [] };
  for (const triple of triples) {
    const predicate = triple.predicate === "prov:wasDerivedFrom" ? "jido:derivedFrom" : triple.predicate;
    if (predicate === "rdf:type") continue;
    if (predicate === "prov:wasGeneratedBy") {
      if (id === null || triple.object !== `jido:activity_${id}`)
        problems.report(
          node,
          predicate,
          "leads to jido:activity_<id>, with the id of the memory: leave it out",
        );
      continue;
    }
    if (!isKnown(ontology, predicate)) {
      problems.report(
        node,
        predicate,
        "is not a property of the ontology: leave it out, or declare it in an extension",
      );
      continue;
    }
    const result = normaliseTriple({ ...triple, predicate });
    if (!result.ok) problems.report(node, predicate, result.problem);
    else addTriple(stated, result.triple, isNode);
  }
  for (const [predicate, values] of Map.groupBy(stated.triples, (triple) => triple.predicate))
    if (isFieldProperty(predicate.replace("jido:", "")) && !REPEATED.has(predicate) && values.length > 1)
      problems.report(node, predicate, `takes one value, has ${values.length}`);
  if (id !== null && !/^[0-9a-f]{32}$/.test(id))
    problems.report(
      node,
      null,
      "the id of a memory has 32 digits of 0-9 and a-f: use a blank node for a new one",
    );
  return stated;
}

function isKnown(ontology: TenantOntology, predicate: string): boolean {
  if (isExtensionName(predicate)) return findTenantProperty(ontology, predicate)?.stored === predicate;
  const name = predicate.startsWith("jido:") ? predicate.slice("jido:".length) : "";
  return (
    name === "supersedes" || isFieldProperty(name) || findTenantProperty(ontology, name)?.stored === name
  );
}

function addTriple(stated: StatedMemory, triple: Triple, isNode: (name: string) => boolean): void {
  const { predicate, object } = triple;
  if (predicate === "jido:derivedFrom" && !isNode(object)) {
    // A document or a page is named by its IRI.
    const evidence = parseEvidenceIri(object) === null ? toEvidenceIri(expandIri(object)) : object;
    stated.triples.push({ ...triple, object: evidence });
  } else if (
    predicate === "jido:supersedes" ||
    (isGenericPredicate(predicate) && predicate !== "jido:supersededBy")
  )
    stated.links.push(triple);
  else stated.triples.push(triple);
}

/** Lists the nodes that a memory names as other memories. */
export function listNamedNodes({ triples, links }: StatedMemory): { predicate: string; node: string }[] {
  return [...triples.filter(namesMemory), ...links].map(({ predicate, object }) => ({
    predicate,
    node: object,
  }));
}

/** Whether the object of a field or property is another memory. */
function namesMemory({ predicate, datatype }: Triple): boolean {
  const name = predicate.replace("jido:", "");
  return datatype === "" && (isMemoryRelation(name) || name === "supersededBy" || name === "invalidatedBy");
}

/** How a memory is completed: what it says itself comes first. */
type MemoryBase = {
  id: string;
  /** The triples of the memory as it is stored, or the defaults of a new one. */
  triples: readonly Triple[];
  type: MemoryType;
};

/** Returns the triples of a new memory that says nothing but its content. */
export function listDefaults(now: string): Triple[] {
  const state = (name: string, datatype: string, object: string): Triple => ({
    subject: "",
    predicate: `jido:${name}`,
    object,
    datatype,
  });
  return [
    state("confidenceValue", "xsd:decimal", "0.8"),
    state("importanceScore", "xsd:decimal", "1"),
    state("hasSourceType", "", "jido:AgentSource"),
    state("hasTimestamp", "xsd:dateTime", now),
  ];
}

/**
 * Returns the memory that a document states, on the base of another. `resolve` returns the IRI of a node; a statement
 * about one without is left out. Reports what would not be stored; returns null if it is not a memory.
 */
export function buildMemory(
  stated: StatedMemory,
  base: MemoryBase,
  resolve: (node: string) => string | null,
  problems: ImportProblems,
): Memory | null {
  const { node } = stated;
  const own = stated.triples.flatMap((triple) => {
    if (!namesMemory(triple)) return [triple];
    const object = resolve(triple.object);
    return object === null ? [] : [{ ...triple, object }];
  });
  const predicates = new Set(own.map(({ predicate }) => predicate));
  const level = own.find(({ predicate }) => predicate === "jido:hasConfidence")?.object ?? "";
  const confidence = predicates.has("jido:confidenceValue") ? undefined : LEVELS[level];
  if (confidence !== undefined) predicates.add("jido:confidenceValue");
  const subject = toInstanceIri("memory", base.id);
  const triples = [
    ...base.triples.filter(({ predicate }) => !predicates.has(predicate) && predicate !== "rdf:type"),
    ...own,
    ...(confidence === undefined
      ? []
      : [{ subject, predicate: "jido:confidenceValue", object: confidence, datatype: "xsd:decimal" }]),
  ].map((triple) => ({ ...triple, subject }));
  const object = toClassIri(getMemoryClass(stated.type ?? base.type));
  if (!triples.some(({ predicate }) => predicate === "jido:summary")) {
    problems.report(node, "jido:summary", "is missing: it is the text of the memory");
    return null;
  }
  const metadata = triples.find(({ predicate }) => predicate === "jido:memoryMetadata")?.object ?? "{}";
  if (!isMetadata(metadata)) {
    problems.report(
      node,
      "jido:memoryMetadata",
      "must be a JSON object of texts, numbers, booleans and lists of texts",
    );
    return null;
  }
  const memory = parseMemoryTriples([{ subject, predicate: "rdf:type", object, datatype: "" }, ...triples]);
  const exempt = new Set([...DERIVED, ...COUNTED_PREDICATES, "jido:memoryMetadata"]);
  const unstored = findUnstored(own, toMemoryTriples(memory), exempt);
  if (unstored === null) return memory;
  problems.report(
    node,
    unstored.predicate,
    `${describeTerm(unstored)} is not stored with this property: correct it, or leave it out`,
  );
  return null;
}

function isMetadata(text: string): boolean {
  try {
    return MemoryMetadata.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}
