// Maps a memory to its triples and to its row, and back. The triples are canonical: they state every field exactly, so
// that the row and its text-index entry can be rebuilt from them.
import { type SQL, sql } from "drizzle-orm";
import type { SourceType } from "../../kernel/common";
import { ensureTenant, fromJson, nextSeq } from "../../kernel/databases/statements";
import { parseJson } from "../../kernel/json";
import { listInsertColumns, memories } from "../../kernel/tables";
import { findMemoryType } from "../../ontology/classes";
import { formatReference, parseEntityName } from "../../ontology/entity-classes";
import { parseEntityIri, toReferencedIri } from "../../ontology/entity-mapping";
import {
  getMemoryClass,
  isExtensionName,
  toClassIri,
  toExtensionType,
  toLocalTermName,
} from "../../ontology/extension-names";
import { formatTerm, parseTerm, toPlainValue } from "../../ontology/extension-values";
import { type MemoryType, PROPERTIES } from "../../ontology/generated/terms.generated";
import { findProperty, isMemoryRelation, refersToEntities } from "../../ontology/property-values";
import {
  formatDecimal,
  getConfidenceLevel,
  parseEvidenceIri,
  parseInstanceId,
  parseUserIri,
  type Triple,
  toEvidenceIri,
  toInstanceIri,
  toUserIri,
} from "../../ontology/triples";
import { isGenericPredicate } from "../links/link-triples";
import { getMemoryStatus, type Memory, type MemoryView } from "../memory-schemas";
import { addPackedUsage } from "../usage/usage-counts";
import { buildMemoryEntry, indexMemoryEntries, type MemoryTextEntry } from "./memory-entry";
import { getMemoryScope, getTopicScope } from "./memory-id";
import { getOwnTopic } from "./memory-topics";

const SOURCE_INDIVIDUAL: Record<SourceType, string> = {
  user: "jido:UserSource",
  agent: "jido:AgentSource",
  tool: "jido:ToolSource",
  external_document: "jido:ExternalDocumentSource",
};

/** The predicates of Memory's fields. Any other property of a memory belongs to its type. */
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
    "concernsUser",
    "appliesToProject",
    "rationale",
    "derivedFrom",
    "topicKey",
    "memoryMetadata",
    "tag",
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

/** Returns the individual of `hasSourceType`. */
export function toSourceIri(source: SourceType): string {
  return SOURCE_INDIVIDUAL[source];
}

/** Returns a memory as it is stored, without the importance that use added. */
export function toStoredMemory(memory: Memory): Memory {
  return { ...memory, importance: memory.base_importance ?? memory.importance };
}

const USAGE_PREDICATES = new Set(
  ["importanceScore", "accessCount", "lastAccessed"].map((name) => `jido:${name}`),
);

/** Returns the triples of a memory with its usage, which is stored beside them. */
export function withUsageTriples(triples: readonly Triple[], memory: Memory): Triple[] {
  const subject = toInstanceIri("memory", memory.id);
  const usage = (name: string, datatype: string, object: string) => ({
    subject,
    predicate: `jido:${name}`,
    object,
    datatype: `xsd:${datatype}`,
  });
  return [
    ...triples.filter(({ predicate }) => !USAGE_PREDICATES.has(predicate)),
    usage("importanceScore", "decimal", formatDecimal(memory.importance)),
    usage("accessCount", "integer", String(memory.access_count)),
    usage("lastAccessed", "dateTime", memory.last_accessed),
  ];
}

export function toMemoryTriples(memory: Memory): Triple[] {
  const subject = toInstanceIri("memory", memory.id);
  const triples: Triple[] = [];
  const iri = (name: string, object: string | null) => {
    if (object !== null) triples.push({ subject, predicate: `jido:${name}`, object, datatype: "" });
  };
  const literal = (name: string, datatype: string, object: string | null) => {
    if (object !== null)
      triples.push({ subject, predicate: `jido:${name}`, object, datatype: `xsd:${datatype}` });
  };
  const reference = (kind: "memory" | "session" | "agent" | "project", id: string | null) =>
    id === null ? null : toInstanceIri(kind, id);

  triples.push({
    subject,
    predicate: "rdf:type",
    object: toClassIri(getMemoryClass(memory.type)),
    datatype: "",
  });
  literal("summary", "string", memory.content);
  iri("hasConfidence", getConfidenceLevel(memory.confidence));
  literal("confidenceValue", "decimal", formatDecimal(memory.confidence));
  literal("importanceScore", "decimal", formatDecimal(memory.importance));
  iri("hasSourceType", toSourceIri(memory.source_type));
  literal("hasTimestamp", "dateTime", memory.timestamp);
  iri("assertedIn", reference("session", memory.session_id));
  iri("assertedBy", reference("agent", memory.agent_id));
  iri("concernsUser", memory.user_id === null ? null : toUserIri(memory.user_id));
  iri("appliesToProject", reference("project", memory.project_id));
  literal("rationale", "string", memory.rationale);
  for (const item of memory.evidence) iri("derivedFrom", toEvidenceIri(item));
  literal("topicKey", "string", memory.topic_key);
  if (Object.keys(memory.metadata).length > 0)
    literal("memoryMetadata", "string", JSON.stringify(memory.metadata));
  for (const tag of memory.tags) literal("tag", "string", tag);
  literal("validFrom", "dateTime", memory.valid_from);
  literal("validUntil", "dateTime", memory.valid_until);
  iri("supersededBy", reference("memory", memory.superseded_by));
  iri("invalidatedBy", reference("memory", memory.invalidated_by));
  literal("forgottenAt", "dateTime", memory.forgotten_at);
  literal("forgetReason", "string", memory.forget_reason);
  // Uses of the service itself are counted beside the triples; a memory may come with those of another.
  if (memory.access_count > 0) {
    literal("accessCount", "integer", String(memory.access_count));
    literal("lastAccessed", "dateTime", memory.last_accessed);
  }
  for (const [name, values] of Object.entries(memory.properties)) {
    for (const value of values) triples.push(toPropertyTriple(subject, name, value));
  }
  return triples;
}

function toPropertyTriple(subject: string, name: string, value: string): Triple {
  if (isExtensionName(name)) return { subject, predicate: name, ...parseTerm(value) };
  const property = PROPERTIES[name as keyof typeof PROPERTIES];
  const predicate = `jido:${name}`;
  if (property.kind === "datatype") return { subject, predicate, object: value, datatype: property.range };
  if (isMemoryRelation(name))
    return { subject, predicate, object: toInstanceIri("memory", value), datatype: "" };
  return { subject, predicate, object: toReferencedIri(name, value) ?? `jido:${value}`, datatype: "" };
}

/** Returns the memory that the triples of a subject state. Throws if they are not a memory's. */
export function parseMemoryTriples(triples: readonly Triple[]): Memory {
  const objects = new Map<string, string[]>();
  for (const { predicate, object, datatype } of triples) {
    const value = isExtensionName(predicate) ? formatTerm(object, datatype) : object;
    const list = objects.get(predicate);
    if (list === undefined) objects.set(predicate, [value]);
    else list.push(value);
  }
  const read = (name: string) => objects.get(`jido:${name}`)?.[0] ?? null;
  const require = (name: string) => {
    const value = read(name);
    if (value === null) throw new Error(`A memory has no jido:${name}`);
    return value;
  };
  const readReference = (kind: "memory" | "session" | "agent" | "project", name: string) => {
    const object = read(name);
    return object === null ? null : parseInstanceId(kind, object);
  };

  const id = parseInstanceId("memory", triples[0]?.subject ?? "");
  const type = readType(objects.get("rdf:type")?.[0] ?? "");
  if (id === null || type === undefined) throw new Error("Not the triples of a memory");
  const source = Object.entries(SOURCE_INDIVIDUAL).find(
    ([, individual]) => individual === require("hasSourceType"),
  );

  return {
    id,
    type,
    content: require("summary"),
    confidence: Number(require("confidenceValue")),
    importance: Number(require("importanceScore")),
    source_type: (source?.[0] ?? "agent") as SourceType,
    rationale: read("rationale"),
    session_id: readReference("session", "assertedIn"),
    agent_id: readReference("agent", "assertedBy"),
    user_id: parseUserIri(read("concernsUser") ?? ""),
    project_id: readReference("project", "appliesToProject"),
    topic_key: read("topicKey"),
    timestamp: require("hasTimestamp"),
    valid_from: read("validFrom"),
    valid_until: read("validUntil"),
    superseded_by: readReference("memory", "supersededBy"),
    invalidated_by: readReference("memory", "invalidatedBy"),
    forgotten_at: read("forgottenAt"),
    forget_reason: read("forgetReason"),
    access_count: Number(read("accessCount") ?? 0),
    last_accessed: read("lastAccessed") ?? require("hasTimestamp"),
    // `derivedFrom` another memory is a link; any other reference is evidence.
    evidence: (objects.get("jido:derivedFrom") ?? []).flatMap((iri) => parseEvidenceIri(iri) ?? []),
    properties: readOwnProperties(objects),
    metadata: parseJson<Memory["metadata"]>(read("memoryMetadata") ?? "{}"),
    tags: (objects.get("jido:tag") ?? []).toSorted(),
  };
}

function readType(classIri: string): MemoryType | undefined {
  return isExtensionName(classIri)
    ? toExtensionType(classIri)
    : findMemoryType(classIri.slice("jido:".length));
}

function readOwnProperties(objects: Map<string, string[]>): Record<string, string[]> {
  const own: Record<string, string[]> = {};
  for (const [predicate, values] of objects) {
    if (FIELD_PREDICATES.has(predicate) || isGenericPredicate(predicate)) continue;
    const name = toPropertyName(predicate);
    if (isMemoryRelation(name)) own[name] = values.flatMap((iri) => parseInstanceId("memory", iri) ?? []);
    else if (refersToEntities(name)) own[name] = values.flatMap((iri) => readEntityValue(name, iri));
    else if (findProperty(name)?.kind === "object")
      own[name] = values.map((value) => value.slice("jido:".length));
    else own[name] = values;
  }
  return own;
}

/** Returns the name of a property in a memory: that of an extension keeps its prefix. */
export function toPropertyName(predicate: string): string {
  return predicate.replace("jido:", "");
}

function readEntityValue(name: string, iri: string): string[] {
  const [property, entity] = [findProperty(name), parseEntityIri(iri)];
  return property === null || entity === null ? [] : [formatReference(property.range, entity)];
}

/**
 * Orders relations after all other properties, by name. Other properties are in the order of their triples, which an
 * erased target would change for relations.
 */
function orderRelationsLast(properties: Memory["properties"]): Memory["properties"] {
  const [others, relations] = [false, true].map((wanted) =>
    Object.entries(properties).filter(
      ([name]) => (isMemoryRelation(name) || refersToEntities(name)) === wanted,
    ),
  );
  return Object.fromEntries([
    ...(others ?? []),
    ...(relations ?? []).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ]);
}

/** A row as it is read. Without `usage`, it has the usage of the row alone. */
export type MemoryRow = typeof memories.$inferSelect & { usage?: string | null };

/** A row as it is inserted, with its entry in the text index. */
export type NewMemoryRow = Omit<MemoryRow, "seq" | "usage"> & {
  fts: MemoryTextEntry;
  /** The number of a row that is rebuilt; a new one gets the next. */
  seq?: number;
};

export function toMemoryRow(tenant: string, identity: string, memory: Memory): NewMemoryRow {
  const { evidence, properties, metadata, tags, activity, base_importance: _base, ...fields } = memory;
  return {
    ...fields,
    tenant,
    identity,
    scope: getMemoryScope(memory),
    live: getMemoryStatus(memory) === "live" ? 1 : 0,
    evidence: JSON.stringify(evidence),
    properties: JSON.stringify(orderRelationsLast(properties)),
    metadata: JSON.stringify(metadata),
    tags: JSON.stringify(tags),
    topic_scope: getTopicScope(memory),
    op: null,
    activity: activity === undefined ? null : JSON.stringify(activity),
    recorded_at: null,
    ended_at: null,
    fts: buildMemoryEntry(tenant, memory),
  };
}

export function fromMemoryRow(row: MemoryRow): Memory {
  const { seq: _seq, live: _live, tenant: _tenant, identity: _identity, ...fields } = row;
  const { scope: _scope, topic_scope: _topicScope, usage, ...described } = fields;
  const { op: _op, activity: _activity, recorded_at: _recordedAt, ended_at: _endedAt, ...memory } = described;
  const { access_count: count, last_accessed: last, importance } = row;
  const used = addPackedUsage({ count, last, importance }, usage);
  return {
    ...memory,
    importance: used.importance,
    ...(used.importance === importance ? {} : { base_importance: importance }),
    access_count: used.count,
    last_accessed: used.last,
    type: row.type as Memory["type"],
    source_type: row.source_type as Memory["source_type"],
    evidence: parseJson<string[]>(row.evidence),
    properties: parseJson<Record<string, string[]>>(row.properties),
    metadata: parseJson<Memory["metadata"]>(row.metadata),
    tags: parseJson<string[]>(row.tags),
  };
}

export function toMemoryView(memory: Memory): MemoryView {
  const { topic_key, base_importance: _base, activity: _activity, ...fields } = memory;
  return {
    ...fields,
    kind: "memory",
    status: getMemoryStatus(memory),
    key: getOwnTopic({ topic_key }),
    valid_from: memory.valid_from ?? memory.timestamp,
    properties: Object.fromEntries(
      Object.entries(memory.properties).map(([name, values]) => [
        toLocalTermName(name),
        values.map((value) => toPropertyView(name, value)),
      ]),
    ),
  };
}

/** Returns a value as a caller sets it: the id of an agent, which is stored as the local name of its IRI. */
function toPropertyView(name: string, value: string): string {
  if (isExtensionName(name)) return toPlainValue(value);
  const agent = findProperty(name)?.range === "Agent" ? parseEntityName(value) : null;
  return agent === null ? value : agent.id;
}

const COLUMNS = listInsertColumns(memories);

/** Inserts rows, which are new to the store, and their entries in the text index, and counts them. */
export function insertMemoryRows(tenant: string, rows: readonly NewMemoryRow[]): SQL[] {
  const highest = Math.max(0, ...rows.map(({ seq }) => seq ?? 0));
  const json = JSON.stringify(rows);
  return [
    ensureTenant(tenant),
    countRows(tenant, json),
    sql`INSERT INTO memories (seq, tenant, ${sql.raw(COLUMNS.join(", "))})
      SELECT coalesce(value ->> '$.seq', max(${nextSeq(tenant, "memories")}, ${highest + 1}) + key), ${tenant}, ${fromJson(COLUMNS)}
      FROM json_each(${json})`,
    indexMemoryRows(tenant, rows),
  ];
}

/** Adds rows to the tenant's usage, all in one row of it. A trigger subtracts those that are deleted. */
function countRows(tenant: string, json: string): SQL {
  const texts = sql.raw(
    ["content", "evidence", "properties", "metadata", "tags"]
      .map((name) => `(value ->> '$.${name}')`)
      .join(" || "),
  );
  return sql`INSERT INTO tenant_usage (tenant, memories, bytes)
    SELECT ${tenant}, count(*), sum(length(CAST(${texts} || coalesce(value ->> '$.rationale', '') AS BLOB))) FROM json_each(${json})
    HAVING count(*) > 0
    ON CONFLICT (tenant) DO UPDATE SET memories = memories + excluded.memories, bytes = bytes + excluded.bytes`;
}

/** Writes the text-index entries of rows that exist, replacing earlier ones. */
export function indexMemoryRows(tenant: string, rows: readonly NewMemoryRow[]): SQL {
  return indexMemoryEntries(
    tenant,
    rows.map(({ id, fts }) => ({ id, ...fts })),
  );
}
