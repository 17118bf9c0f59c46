// A memory as triples, and back. The triples are the truth: everything a memory says is in them, exactly.
import { type InferSelectModel, type SQL, sql } from "drizzle-orm";
import { getMemoryStatus } from "../../domain/memory-status";
import { findMemoryType } from "../../ontology/classes";
import { MEMORY_CLASS, PROPERTIES } from "../../ontology/terms.generated";
import { parseJson } from "../../platform/json";
import type { Memory, MemoryView } from "../../schemas/memory";
import type { SourceType } from "../../schemas/session";
import { toIndexText } from "../../text/query-terms";
import { relationOf } from "../links/link-triples";
import { ensureTenant, nextSeq } from "../statements";
import type { memories } from "../tables";
import { decimal, evidenceIri, evidenceReference, idOf, instance, type Triple } from "../triples/triples";
import { scopeOf, scopeTokens } from "./memory-id";

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

export type MemoryRow = InferSelectModel<typeof memories>;

/** A row as it goes into a batch, with what the text index takes. */
export type NewRow = Omit<MemoryRow, "seq"> & {
  fts: { scope: string; content: string; rationale: string };
};

export function toRow(tenant: string, identity: string, memory: Memory): NewRow {
  const { evidence, properties, ...fields } = memory;
  return {
    ...fields,
    tenant,
    identity,
    scope: scopeOf(memory),
    live: getMemoryStatus(memory) === "live" ? 1 : 0,
    evidence: JSON.stringify(evidence),
    properties: JSON.stringify(properties),
    fts: {
      scope: scopeTokens(tenant, { ...memory, scope: scopeOf(memory) }).join(" "),
      content: toIndexText(memory.content),
      rationale: toIndexText(memory.rationale ?? ""),
    },
  };
}

export function fromRow(row: MemoryRow): Memory {
  const { seq: _seq, live: _live, tenant: _tenant, identity: _identity, scope: _scope, ...fields } = row;
  return {
    ...fields,
    type: row.type as Memory["type"],
    source_type: row.source_type as Memory["source_type"],
    evidence: parseJson<string[]>(row.evidence),
    properties: parseJson<Record<string, string[]>>(row.properties),
  };
}

export function toView(memory: Memory): MemoryView {
  const { topic_key, ...fields } = memory;
  return {
    ...fields,
    kind: "memory",
    status: getMemoryStatus(memory),
    key: topic_key,
    valid_from: memory.valid_from ?? memory.timestamp,
  };
}

export const ROW_COLUMNS = [
  "id",
  "identity",
  "type",
  "content",
  "confidence",
  "importance",
  "source_type",
  "rationale",
  "scope",
  "session_id",
  "agent_id",
  "project_id",
  "topic_key",
  "timestamp",
  "valid_from",
  "valid_until",
  "superseded_by",
  "invalidated_by",
  "forgotten_at",
  "forget_reason",
  "live",
  "access_count",
  "last_accessed",
  "evidence",
  "properties",
] as const satisfies readonly (keyof NewRow)[];
export const columns = sql.raw(ROW_COLUMNS.join(", "));
export const extracted = sql.raw(ROW_COLUMNS.map((column) => `value ->> '$.${column}'`).join(", "));
/** The read model's rows and their entries in the text index. */

export function insertRows(tenant: string, rows: readonly NewRow[]): SQL[] {
  return [
    ensureTenant(tenant),
    sql`INSERT INTO memories (seq, tenant, ${columns})
      SELECT ${nextSeq(tenant, "memories")} + key, ${tenant}, ${extracted} FROM json_each(${JSON.stringify(rows)})`,
    indexRows(tenant, rows),
  ];
}
/** Puts rows into the text index, in place of what stood there for them. */

export function indexRows(tenant: string, rows: readonly NewRow[]): SQL {
  const json = JSON.stringify(rows.map(({ id, fts }) => ({ id, ...fts })));
  return sql`INSERT OR REPLACE INTO memories_fts (rowid, scope, content, rationale)
    SELECT m.seq, value ->> '$.scope', value ->> '$.content', value ->> '$.rationale'
    FROM json_each(${json}) CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = value ->> '$.id'`;
}
