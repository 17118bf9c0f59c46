// Checks the records of an import against the ontology, the privacy policy and the tenant, before anything is stored.

import { checkExtensions } from "../graph/extension-operations";
import { countCodePoints } from "../kernel/common";
import { FailureError, failure, unwrap } from "../kernel/errors";
import { LIMITS, WEBHOOKS } from "../kernel/limits";
import { toLinkingTriple } from "../memories/links/link-triples";
import { getMemoryStatus } from "../memories/memory-schemas";
import { checkShapes } from "../memories/store/check-memory";
import { isFieldProperty, toMemoryTriples } from "../memories/store/memory-mapping";
import { validateEntityProperties } from "../ontology/entity-properties";
import { isExtensionName } from "../ontology/extension-names";
import { parseTerm } from "../ontology/extension-values";
import { findProperty, getValueKind, listIndividuals } from "../ontology/property-values";
import {
  createOntology,
  findTenantProperty,
  listMemoryTypes,
  type TenantOntology,
} from "../ontology/tenant-ontology";
import { type Triple, toTripleKey } from "../ontology/triples";
import type { Services } from "../services/services";
import { checkWebhookAddress } from "../trust/webhooks/manage-webhooks";
import type { ExportRecord, LinkRecord, MemoryRecord } from "./export-records";
import { checkEach, type NumberedRecord, refuse } from "./read-lines";
import { isRelationPredicate, toMemory } from "./transferred-memories";
import { getEntityClass, isStatedByLink, isStoredRelation, toRecordTriples } from "./transferred-subjects";

export type RecordRules = {
  isAdmin: boolean;
  /** Whether webhooks may have private addresses. */
  allowsPrivate: boolean;
};

/** The kinds whose calls need the scope `admin`. */
const ADMIN_KINDS: readonly string[] = ["ontology_extension", "privacy_policy", "webhook"];

/** Throws a failure that names the line of the first record that may not be stored. */
export async function checkRecords(
  services: Services,
  records: readonly NumberedRecord[],
  rules: RecordRules,
): Promise<void> {
  const ontology = await checkImportedExtensions(services, records);
  await checkWebhookCount(services, records);
  await checkStatedLinks(services, records);
  const now = new Date(services.now()).toISOString();
  await checkEach(records, async (record) => {
    if (ADMIN_KINDS.includes(record.kind) && !rules.isAdmin)
      throw refuse("kind", `${record.kind} needs a key with the scope admin`, "forbidden");
    if (record.kind === "memory_version" && record.until > now)
      throw refuse("until", "must not be later than now: a version is a state of the past");
    const problem = record.kind === "webhook" ? checkWebhookAddress(record.url, rules.allowsPrivate) : null;
    if (problem !== null) throw refuse("url", problem);
    await checkRecord(ontology, record);
  });
}

/** A webhook that is stored stays as it is, and counts once. */
async function checkWebhookCount({ store }: Services, records: readonly NumberedRecord[]): Promise<void> {
  const ids = records.flatMap(({ record }) => (record.kind === "webhook" ? record.id : []));
  if (ids.length === 0) return;
  const stored = (await store.webhooks.list()).map(({ id }) => id);
  if (new Set([...stored, ...ids]).size > Math.max(stored.length, WEBHOOKS.perTenant))
    throw failure("limit_exceeded", `There may be ${WEBHOOKS.perTenant} webhooks. Delete some first.`);
}

/** Throws a failure that names the field if a record does not conform to the ontology. */
export async function checkRecord(ontology: TenantOntology, record: ExportRecord): Promise<void> {
  switch (record.kind) {
    case "memory":
      return checkMemory(ontology, record);
    case "memory_version":
      // A past state conformed to the ontology of its time.
      checkProperties(ontology, record.properties, false);
      return checkRelations(record.relations);
    case "episode":
      return checkRelations(record.relations);
    case "link":
      return checkLink(record);
    case "agent":
    case "project":
    case "resource":
      validateEntityProperties(getEntityClass(record), record.properties);
      return;
    default:
  }
}

/** Returns the ontology with the extensions of the import, those of the tenant first. */
async function checkImportedExtensions(
  services: Services,
  records: readonly NumberedRecord[],
): Promise<TenantOntology> {
  await checkExtensionVersions(services, records);
  const imported = records.filter(({ record }) => record.kind === "ontology_extension" && record.current);
  if (imported.length === 0) return services.ontology;
  const documents = await services.store.extensions.listDocuments();
  const stored = new Set(documents.map(({ name }) => name));
  await checkEach(imported, async (record) => {
    if (record.kind !== "ontology_extension" || stored.has(record.name)) return;
    const { name, version, turtle } = record;
    if (documents.some((document) => document.name === name))
      throw refuse("current", `must be false: another version of ${name} is current`);
    if (documents.length >= LIMITS.ontologyExtensions)
      throw refuse("name", `exceeds the limit of ${LIMITS.ontologyExtensions} extensions`);
    documents.push({ name, version, turtle });
    unwrap(await checkExtensions(services, documents));
  });
  return createOntology(documents);
}

/** The limits of `PUT /v1/ontology/extensions/{name}`: the length of a document, and the versions of a name. */
async function checkExtensionVersions(
  { store }: Services,
  records: readonly NumberedRecord[],
): Promise<void> {
  const versions = new Map<string, Set<number>>();
  await checkEach(records, async (record) => {
    if (record.kind !== "ontology_extension") return;
    const { name, version, turtle } = record;
    if (countCodePoints(turtle) > LIMITS.extensionChars)
      throw refuse("turtle", `must have at most ${LIMITS.extensionChars} characters`);
    const known = versions.get(name) ?? new Set(await store.extensions.listVersions(name));
    versions.set(name, known);
    if (!known.has(version) && known.size >= LIMITS.extensionVersions)
      throw refuse("version", `exceeds the limit of ${LIMITS.extensionVersions} versions of ${name}`);
    known.add(version);
  });
}

/** The end of a link: a compact IRI without characters that RDF would have to escape. */
const COMPACT_IRI = /^(?:jido|ext):[A-Za-z0-9_.%~!*'()-]+$/;
const COMPACT_MESSAGE = "must be a compact IRI, such as jido:memory_b924eb2b8ea1f386820e4e58919566bf";
const LOCAL_NAME = /^[A-Za-z0-9_.%~!*'()/-]+$/;
const DATATYPE = /^[A-Za-z]+:[^\s"<>{}|\\^`]+$/;

/** A memory that no longer holds may have terms of an extension that is removed. */
async function checkMemory(ontology: TenantOntology, record: MemoryRecord): Promise<void> {
  const memory = toMemory(record);
  const isLive = getMemoryStatus(memory) === "live";
  const types = listMemoryTypes(ontology);
  if (isLive && !types.includes(memory.type)) throw refuse("type", `must be one of: ${types.join(", ")}`);
  checkProperties(ontology, memory.properties, isLive);
  checkRelations(record.relations);
  const refusal = isLive ? (await checkShapes(ontology, memory, "violation")).failure : null;
  if (refusal !== null) throw new FailureError(refusal);
}

function checkProperties(
  ontology: TenantOntology,
  properties: MemoryRecord["properties"],
  isLive: boolean,
): void {
  for (const [name, values] of Object.entries(properties)) {
    const problem = findPropertyProblem(ontology, name, values, isLive);
    if (problem !== null) throw refuse(`properties.${name}`, problem);
  }
}

function findPropertyProblem(
  ontology: TenantOntology,
  name: string,
  values: readonly string[],
  isLive: boolean,
): string | null {
  if (isExtensionName(name)) {
    if (!COMPACT_IRI.test(name)) return "must be the name of a property, such as ext:minutes";
    if (isLive && findTenantProperty(ontology, name) === null)
      return "is not a property of the tenant's extensions: import those first";
    const isTerm = values
      .map(parseTerm)
      .every(({ object, datatype }) =>
        datatype === "" ? COMPACT_IRI.test(object) : DATATYPE.test(datatype),
      );
    return isTerm ? null : 'must be terms, such as "text"^^xsd:string or ext:High';
  }
  const property = findProperty(name);
  if (property === null || isFieldProperty(name))
    return "is not a property of the ontology: see GET /v1/ontology";
  if (getValueKind(property) === "individual") {
    const individuals = listIndividuals(property.range);
    return values.every((value) => individuals.includes(value))
      ? null
      : `must be one of: ${individuals.join(", ")}`;
  }
  if (property.kind === "datatype" || values.every((value) => LOCAL_NAME.test(value))) return null;
  return "must be ids, or names of the ontology";
}

function checkRelations(relations: MemoryRecord["relations"]): void {
  relations.forEach(({ predicate, to }, i) => {
    if (!isRelationPredicate(predicate))
      throw refuse(`relations.${i}.predicate`, "must be a relation such as jido:relatedTo");
    if (!COMPACT_IRI.test(to)) throw refuse(`relations.${i}.to`, COMPACT_MESSAGE);
  });
}

function checkLink({ id, from, to, relation }: LinkRecord): void {
  if (!LOCAL_NAME.test(id)) throw refuse("id", "must be the id of a link, without spaces or quotes");
  if (!COMPACT_IRI.test(from)) throw refuse("from", COMPACT_MESSAGE);
  if (!COMPACT_IRI.test(to)) throw refuse("to", COMPACT_MESSAGE);
  if (!isStoredRelation(relation))
    throw refuse("relation", "must be a relation of links, such as related_to");
}

/**
 * A relation that its subject states itself, such as a property of a memory or `superseded_by`, is no statement of the
 * link: the subject has it, stored or in this part.
 */
async function checkStatedLinks({ store }: Services, records: readonly NumberedRecord[]): Promise<void> {
  const links = new Map(
    records.flatMap(({ record }) =>
      record.kind === "link" && isStoredRelation(record.relation) && !isStatedByLink(record.relation)
        ? [[record, toLinkingTriple({ ...record, relation: record.relation })] as const]
        : [],
    ),
  );
  if (links.size === 0) return;
  const stored = await store.subjects.findTriples([
    ...new Set([...links.values()].map(({ subject }) => subject)),
  ]);
  // A subject that is stored stays as it is, whatever this part says of it.
  const known = new Set(stored.map(({ subject }) => subject));
  const added = records
    .flatMap(({ record }) => listTriples(record))
    .filter(({ subject }) => !known.has(subject));
  const stated = new Set([...stored, ...added].map(toTripleKey));
  await checkEach(records, (record) => {
    const triple = record.kind === "link" ? links.get(record) : undefined;
    if (triple !== undefined && !stated.has(toTripleKey(triple)))
      throw refuse(
        "relation",
        `${triple.subject} does not state ${triple.predicate} ${triple.object}: its own line comes first, and has it`,
      );
  });
}

function listTriples(record: ExportRecord): Triple[] {
  switch (record.kind) {
    case "memory":
      return toMemoryTriples(toMemory(record));
    case "agent":
    case "project":
    case "resource":
      return toRecordTriples(record);
    default:
      return [];
  }
}
