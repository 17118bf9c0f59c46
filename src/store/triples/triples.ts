// IRIs: stored compact (`jido:summary`), shown in full. Minting and reading the names of instances.
import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { type Database, sanitiseErrors } from "../../platform/d1";
import { hash64 } from "../../platform/hash";
import type { StoreContext } from "../store-context";
import { triples } from "../tables";

export const PREFIXES = {
  jido: "https://jido.ai/ontology#",
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  rdfs: "http://www.w3.org/2000/01/rdf-schema#",
  owl: "http://www.w3.org/2002/07/owl#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
  prov: "http://www.w3.org/ns/prov#",
} as const;

export type InstanceKind = "memory" | "session" | "agent" | "project" | "evidence" | "link";

export function expand(compact: string): string {
  const colon = compact.indexOf(":");
  const prefix = PREFIXES[compact.slice(0, colon) as keyof typeof PREFIXES];
  return prefix === undefined ? compact : prefix + compact.slice(colon + 1);
}

export function instance(kind: InstanceKind, id: string): string {
  return `jido:${kind}_${id}`;
}

/** The id in an instance's compact IRI, or null when it names something else. */
export function idOf(kind: InstanceKind, compact: string): string | null {
  const start = `jido:${kind}_`;
  return compact.startsWith(start) ? compact.slice(start.length) : null;
}

/** Evidence is named by its reference, so that the triple alone gives it back; ids pass through unchanged. */
export function evidenceIri(reference: string): string {
  return instance("evidence", encodeURIComponent(reference));
}

export function evidenceReference(compact: string): string | null {
  const encoded = idOf("evidence", compact);
  return encoded === null ? null : decodeURIComponent(encoded);
}
/** Subject and predicate are compact IRIs; `datatype` is "" when the object is one too. */

export type Triple = { subject: string; predicate: string; object: string; datatype: string };
/** A number as xsd:decimal, which knows no exponent; reads back as the same number. */

export function decimal(value: number): string {
  const text = String(value);
  const match = /^(\d)(?:\.(\d+))?e-(\d+)$/.exec(text);
  if (match === null) return text;
  const [, whole = "", fraction = "", exponent = "0"] = match;
  return `0.${"0".repeat(Number(exponent) - 1)}${whole}${fraction}`;
}
/** A triple with the digest that keeps long texts out of the indexes. */

export function toTripleRow(triple: Triple) {
  return { ...triple, digest: objectDigest(triple.object) };
}
export const LONG_OBJECT = 64;
export function objectDigest(object: string): string | null {
  return object.length > LONG_OBJECT ? `#${hash64(object)}` : null;
}
/** What `object_key` holds for this object. */

export function objectKey(object: string): string {
  return objectDigest(object) ?? object;
}
export function insertTriples(tenant: string, triples: readonly Triple[]): SQL {
  return sql`INSERT INTO triples (tenant, subject, predicate, object, datatype, digest)
    SELECT ${tenant}, value ->> '$.subject', value ->> '$.predicate', value ->> '$.object', value ->> '$.datatype', value ->> '$.digest'
    FROM json_each(${JSON.stringify(triples.map(toTripleRow))}) WHERE true
    ON CONFLICT DO NOTHING`;
}
export function deleteTriples(tenant: string, triples: readonly Triple[]): SQL {
  const keys = triples.map(toTripleRow).map(({ subject, predicate, object, digest }) => ({
    subject,
    predicate,
    key: digest ?? object,
  }));
  return sql`DELETE FROM triples WHERE id IN (
    SELECT t.id FROM json_each(${JSON.stringify(keys)}) j CROSS JOIN triples t ON t.tenant = ${tenant}
      AND t.subject = j.value ->> '$.subject' AND t.predicate = j.value ->> '$.predicate' AND t.object_key = j.value ->> '$.key')`;
}
export type TriplePattern = { subject?: string; predicate?: string; object?: string };
/** Triples that match a pattern of compact IRIs; every given part narrows it, each shape has its index. */

export async function matchTriples(db: Database, tenant: string, pattern: TriplePattern): Promise<Triple[]> {
  const { subject, predicate, object } = pattern;
  const conditions: SQL[] = [eq(triples.tenant, tenant)];
  if (subject !== undefined) conditions.push(eq(triples.subject, subject));
  if (predicate !== undefined) conditions.push(eq(triples.predicate, predicate));
  if (object !== undefined)
    conditions.push(eq(triples.object_key, objectKey(object)), eq(triples.object, object));
  return sanitiseErrors(() =>
    db.orm
      .select({
        subject: triples.subject,
        predicate: triples.predicate,
        object: triples.object,
        datatype: triples.datatype,
      })
      .from(triples)
      .where(and(...conditions))
      .orderBy(asc(triples.id)),
  );
}
export function createTripleRepository({ db, tenant }: StoreContext) {
  return { match: (pattern: TriplePattern) => matchTriples(db, tenant, pattern) };
}
