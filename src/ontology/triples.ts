// Triples with compact IRIs (`jido:summary`), the IRIs of instances, and the statements that write triples.
//
// SQL reads and writes the view `triples`, whose triggers know the layout of the tables. A condition on `object_key` needs
// `hasIriObject` or `isLookedUp` beside it: the index by object has no other triples. While
// triples of the earlier layout are moved, the view has two tables: then a join with it uses their indexes only if it does
// not aggregate, is not DISTINCT, and is ordered by columns that it selects.
import { type SQL, sql } from "drizzle-orm";
import { hash64 } from "../kernel/hash";
import { EXTENSION_NAMESPACE } from "./extension-names";

// The predicates of triples that follow from others. Such triples are not stored but added when triples are read.

/** The predicates of derived triples, each with the predicate that it follows from. */
const SOURCES: ReadonlyMap<string, string> = new Map([["jido:hasConfidence", "jido:confidenceValue"]]);

export const DERIVED_PREDICATES: ReadonlySet<string> = new Set(SOURCES.keys());

export const CONFIDENCE_LEVELS: ReadonlySet<string> = new Set(["jido:High", "jido:Medium", "jido:Low"]);

/** Returns the individual of `hasConfidence`: High from 0.8, Medium from 0.5. */
export function getConfidenceLevel(confidence: number): string {
  if (confidence >= 0.8) return "jido:High";
  return confidence >= 0.5 ? "jido:Medium" : "jido:Low";
}

/** Returns the predicate to read for the triples of a predicate: itself, or the one that it follows from. */
export function getStoredPredicate(predicate: string): string {
  return SOURCES.get(predicate) ?? predicate;
}

/** Subject and predicate are compact IRIs; so is the object when `datatype` is "". */
export type Triple = { subject: string; predicate: string; object: string; datatype: string };

/** Returns what tells triples apart. */
export function toTripleKey({ subject, predicate, object }: Triple): string {
  return JSON.stringify([subject, predicate, object]);
}

export const PREFIXES = {
  jido: "https://jido.ai/ontology#",
  ext: EXTENSION_NAMESPACE,
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  rdfs: "http://www.w3.org/2000/01/rdf-schema#",
  owl: "http://www.w3.org/2002/07/owl#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
  prov: "http://www.w3.org/ns/prov#",
} as const;

type InstanceKind = "memory" | "session" | "user" | "agent" | "project" | "evidence" | "link";

export function expandIri(compact: string): string {
  const colon = compact.indexOf(":");
  const prefix = PREFIXES[compact.slice(0, colon) as keyof typeof PREFIXES];
  return prefix === undefined ? compact : prefix + compact.slice(colon + 1);
}

export function toInstanceIri(kind: InstanceKind, id: string): string {
  return `jido:${kind}_${id}`;
}

/** Returns the id in an instance's compact IRI; null for an instance of another kind. */
export function parseInstanceId(kind: InstanceKind, compact: string): string | null {
  const start = `jido:${kind}_`;
  return compact.startsWith(start) ? compact.slice(start.length) : null;
}

/** Encodes the reference of evidence in its IRI, so that the triple alone restores it. Ids stay as they are. */
export function toEvidenceIri(reference: string): string {
  return toInstanceIri("evidence", encodeURIComponent(reference));
}

export function parseEvidenceIri(compact: string): string | null {
  const encoded = parseInstanceId("evidence", compact);
  return encoded === null ? null : decodeURIComponent(encoded);
}

/** Encodes a user's id: unlike other ids it may contain characters that an IRI reserves. */
export function toUserIri(id: string): string {
  return toInstanceIri("user", encodeURIComponent(id));
}

export function parseUserIri(compact: string): string | null {
  const encoded = parseInstanceId("user", compact);
  return encoded === null ? null : decodeURIComponent(encoded);
}

/** Formats a number as xsd:decimal, which has no exponent, so that it parses to the same number. */
export function formatDecimal(value: number): string {
  const text = String(value);
  const match = /^(\d)(?:\.(\d+))?e-(\d+)$/.exec(text);
  if (match === null) return text;
  const [, whole = "", fraction = "", exponent = "0"] = match;
  return `0.${"0".repeat(Number(exponent) - 1)}${whole}${fraction}`;
}

const LONG_LITERAL = 64;

/** Returns a digest of a long text, which keeps long texts out of keys; null for a short one. */
function computeDigest(text: string): string | null {
  return text.length > LONG_LITERAL ? `#${hash64(text)}` : null;
}

/** Returns the key of a literal: a digest if it is long. */
export function computeLiteralKey(literal: string): string {
  return computeDigest(literal) ?? literal;
}

/** Returns the keys of a resource: its IRI and, if that is long, the digest that the earlier layout stored. */
export function listResourceKeys(iri: string): string[] {
  const digest = computeDigest(iri);
  return digest === null ? [iri] : [iri, digest];
}

/** Matches the triples of an alias whose object is an IRI. */
export function hasIriObject(alias: string): SQL {
  return sql.raw(`${alias}.datatype = ''`);
}

/** Matches the triples of an alias whose literals are looked up: the first predicates in the table `predicates`. */
export function isLookedUp(alias: string): SQL {
  return sql.raw(`${alias}.predicate_number < 8`);
}

/** Matches the triples of an alias that point at a resource. */
export function pointsAt(alias: string, iri: string): SQL {
  const column = sql.raw(`${alias}.object_key`);
  const keys = listResourceKeys(iri).map((key) => sql`${key}`);
  return sql`${column} IN (${sql.join(keys, sql`, `)}) AND ${hasIriObject(alias)}`;
}

/** Nothing is inserted unless `where` holds. */
type InsertOptions = { where?: SQL; after?: SQL };

/**
 * Inserts the triples that are not stored yet and not derived. Their positions follow those of the triples that their
 * subjects have, or `after`, a number, which then also orders the subjects.
 */
export function insertTriples(
  tenant: string,
  inserted: readonly Triple[],
  { where = sql`true`, after }: InsertOptions = {},
): SQL {
  const subjects = Map.groupBy(
    inserted.filter(({ predicate }) => !DERIVED_PREDICATES.has(predicate)),
    ({ subject }) => subject,
  );
  const rows = [...subjects].map(([subject, triples]) => ({
    subject,
    triples: triples.map(({ predicate, object, datatype }) => ({
      predicate,
      object,
      datatype,
      digest: datatype === "" ? null : computeDigest(object),
    })),
  }));
  const last = sql`(SELECT t.position FROM triples t WHERE t.tenant = ${tenant} AND t.subject = j.value ->> '$.subject'
    ORDER BY t.position DESC LIMIT 1)`;
  return sql`WITH subjects AS MATERIALIZED (
      SELECT j.value ->> '$.subject' AS subject, j.value -> '$.triples' AS triples,
        coalesce(${after === undefined ? last : sql`${after} + j.key`}, -1) AS last
      FROM json_each(${JSON.stringify(rows)}) j WHERE ${where})
    INSERT INTO triples (tenant, subject, predicate, object, datatype, digest, position)
    SELECT ${tenant}, s.subject, t.value ->> '$.predicate', t.value ->> '$.object', t.value ->> '$.datatype',
      t.value ->> '$.digest', s.last + 1 + t.key
    FROM subjects s CROSS JOIN json_each(s.triples) t`;
}

export function deleteTriples(tenant: string, deleted: readonly Triple[]): SQL {
  const json = JSON.stringify(
    deleted.map(({ subject, predicate, object }) => ({ subject, predicate, object })),
  );
  return sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject IN (SELECT value ->> '$.subject' FROM json_each(${json}))
    AND (subject, predicate, object) IN (
      SELECT value ->> '$.subject', value ->> '$.predicate', value ->> '$.object' FROM json_each(${json}))`;
}
