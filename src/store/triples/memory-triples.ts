// A memory as triples, and back. The triples are the truth: everything a memory says is in them, exactly.

import { findMemoryType } from "../../ontology/classes";
import { MEMORY_CLASS, PROPERTIES } from "../../ontology/terms.generated";
import type { Memory } from "../../schemas/memory";
import type { SourceType } from "../../schemas/session";
import { relationOf } from "../links/relations";
import { evidenceIri, evidenceReference, idOf, instance } from "./iri";

/** Subject and predicate are compact IRIs; `datatype` is "" when the object is one too. */
export type Triple = { subject: string; predicate: string; object: string; datatype: string };

const SOURCE_INDIVIDUAL: Record<SourceType, string> = {
  user: "jido:UserSource",
  agent: "jido:AgentSource",
  tool: "jido:ToolSource",
  external_document: "jido:ExternalDocumentSource",
};

/** Properties that carry a field of Memory; any other property of a memory is one of its type's own. */
const FIELD_PREDICATES = new Set([
  "rdf:type",
  ...[
    "summary",
    "hasConfidence",
    "confidenceValue",
    "importanceScore",
    "hasSourceType",
    "hasTimestamp",
    "assertedIn",
    "assertedBy",
    "appliesToProject",
    "rationale",
    "derivedFrom",
    "topicKey",
    "validFrom",
    "validUntil",
    "supersededBy",
    "invalidatedBy",
    "forgottenAt",
    "forgetReason",
    "accessCount",
    "lastAccessed",
  ].map((name) => `jido:${name}`),
]);

export function isFieldProperty(name: string): boolean {
  return FIELD_PREDICATES.has(`jido:${name}`);
}

/** hasConfidence's individual: High from 0.8, Medium from 0.5. */
export function confidenceLevel(confidence: number): string {
  if (confidence >= 0.8) return "jido:High";
  return confidence >= 0.5 ? "jido:Medium" : "jido:Low";
}

/** A number as xsd:decimal, which knows no exponent; reads back as the same number. */
export function decimal(value: number): string {
  const text = String(value);
  const match = /^(\d)(?:\.(\d+))?e-(\d+)$/.exec(text);
  if (match === null) return text;
  const [, whole = "", fraction = "", exponent = "0"] = match;
  return `0.${"0".repeat(Number(exponent) - 1)}${whole}${fraction}`;
}

export function toTriples(memory: Memory): Triple[] {
  const subject = instance("memory", memory.id);
  const triples: Triple[] = [];
  const iri = (name: string, object: string | null) => {
    if (object !== null) triples.push({ subject, predicate: `jido:${name}`, object, datatype: "" });
  };
  const literal = (name: string, datatype: string, object: string | null) => {
    if (object !== null)
      triples.push({ subject, predicate: `jido:${name}`, object, datatype: `xsd:${datatype}` });
  };
  const reference = (kind: "memory" | "session" | "agent" | "project", id: string | null) =>
    id === null ? null : instance(kind, id);

  triples.push({ subject, predicate: "rdf:type", object: `jido:${MEMORY_CLASS[memory.type]}`, datatype: "" });
  literal("summary", "string", memory.content);
  iri("hasConfidence", confidenceLevel(memory.confidence));
  literal("confidenceValue", "decimal", decimal(memory.confidence));
  literal("importanceScore", "decimal", decimal(memory.importance));
  iri("hasSourceType", SOURCE_INDIVIDUAL[memory.source_type]);
  literal("hasTimestamp", "dateTime", memory.timestamp);
  iri("assertedIn", reference("session", memory.session_id));
  iri("assertedBy", reference("agent", memory.agent_id));
  iri("appliesToProject", reference("project", memory.project_id));
  literal("rationale", "string", memory.rationale);
  for (const item of memory.evidence) iri("derivedFrom", evidenceIri(item));
  literal("topicKey", "string", memory.topic_key);
  literal("validFrom", "dateTime", memory.valid_from);
  literal("validUntil", "dateTime", memory.valid_until);
  iri("supersededBy", reference("memory", memory.superseded_by));
  iri("invalidatedBy", reference("memory", memory.invalidated_by));
  literal("forgottenAt", "dateTime", memory.forgotten_at);
  literal("forgetReason", "string", memory.forget_reason);
  literal("accessCount", "integer", String(memory.access_count));
  literal("lastAccessed", "dateTime", memory.last_accessed);
  for (const [name, values] of Object.entries(memory.properties)) {
    for (const value of values) triples.push(propertyTriple(subject, name, value));
  }
  return triples;
}

function propertyTriple(subject: string, name: string, value: string): Triple {
  const property = PROPERTIES[name as keyof typeof PROPERTIES];
  const predicate = `jido:${name}`;
  if (property.kind === "datatype") return { subject, predicate, object: value, datatype: property.range };
  return { subject, predicate, object: `jido:${value}`, datatype: "" };
}

/** The memory that a subject's triples state. Throws on a subject that is not a memory: the store is broken. */
export function fromTriples(triples: readonly Triple[]): Memory {
  const objects = new Map<string, string[]>();
  for (const { predicate, object } of triples) {
    const list = objects.get(predicate);
    if (list === undefined) objects.set(predicate, [object]);
    else list.push(object);
  }
  const maybe = (name: string) => objects.get(`jido:${name}`)?.[0] ?? null;
  const need = (name: string) => {
    const value = maybe(name);
    if (value === null) throw new Error(`A memory has no jido:${name}`);
    return value;
  };
  const linked = (kind: "memory" | "session" | "agent" | "project", name: string) => {
    const object = maybe(name);
    return object === null ? null : idOf(kind, object);
  };

  const id = idOf("memory", triples[0]?.subject ?? "");
  const type = findMemoryType((objects.get("rdf:type")?.[0] ?? "").slice("jido:".length));
  if (id === null || type === undefined) throw new Error("Not the triples of a memory");
  const source = Object.entries(SOURCE_INDIVIDUAL).find(
    ([, individual]) => individual === need("hasSourceType"),
  );

  return {
    id,
    type,
    content: need("summary"),
    confidence: Number(need("confidenceValue")),
    importance: Number(need("importanceScore")),
    source_type: (source?.[0] ?? "agent") as SourceType,
    rationale: maybe("rationale"),
    session_id: linked("session", "assertedIn"),
    agent_id: linked("agent", "assertedBy"),
    project_id: linked("project", "appliesToProject"),
    topic_key: maybe("topicKey"),
    timestamp: need("hasTimestamp"),
    valid_from: maybe("validFrom"),
    valid_until: maybe("validUntil"),
    superseded_by: linked("memory", "supersededBy"),
    invalidated_by: linked("memory", "invalidatedBy"),
    forgotten_at: maybe("forgottenAt"),
    forget_reason: maybe("forgetReason"),
    access_count: Number(need("accessCount")),
    last_accessed: need("lastAccessed"),
    // A memory that it was derived from is a link, and no evidence.
    evidence: (objects.get("jido:derivedFrom") ?? []).flatMap((iri) => evidenceReference(iri) ?? []),
    properties: ownProperties(objects),
  };
}

function ownProperties(objects: Map<string, string[]>): Record<string, string[]> {
  const own: Record<string, string[]> = {};
  for (const [predicate, values] of objects) {
    if (FIELD_PREDICATES.has(predicate) || relationOf(predicate) !== undefined) continue;
    const name = predicate.slice("jido:".length);
    const property = PROPERTIES[name as keyof typeof PROPERTIES];
    own[name] = property?.kind === "object" ? values.map((value) => value.slice("jido:".length)) : values;
  }
  return own;
}
