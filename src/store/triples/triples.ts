// Triples with compact IRIs (`jido:summary`), the IRIs of instances, and the statements that write triples.
import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { sanitiseErrors } from "../../platform/d1";
import { hash64 } from "../../platform/hash";
import type { StoreContext } from "../store-context";
import { triples } from "../tables";

/** Subject and predicate are compact IRIs; so is the object when `datatype` is "". */
export type Triple = { subject: string; predicate: string; object: string; datatype: string };

export const PREFIXES = {
  jido: "https://jido.ai/ontology#",
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  rdfs: "http://www.w3.org/2000/01/rdf-schema#",
  owl: "http://www.w3.org/2002/07/owl#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
  prov: "http://www.w3.org/ns/prov#",
} as const;

export type InstanceKind = "memory" | "session" | "user" | "agent" | "project" | "evidence" | "link";

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

const LONG_OBJECT = 64;

/** Returns a digest of a long object, which keeps long texts out of the indexes; null for a short one. */
function computeDigest(object: string): string | null {
  return object.length > LONG_OBJECT ? `#${hash64(object)}` : null;
}

/** Returns the value of the generated column `object_key`. */
export function computeObjectKey(object: string): string {
  return computeDigest(object) ?? object;
}

export function toTripleRow(triple: Triple) {
  return { ...triple, digest: computeDigest(triple.object) };
}

export function insertTriples(tenant: string, inserted: readonly Triple[]): SQL {
  return sql`INSERT INTO triples (tenant, subject, predicate, object, datatype, digest)
    SELECT ${tenant}, value ->> '$.subject', value ->> '$.predicate', value ->> '$.object', value ->> '$.datatype', value ->> '$.digest'
    FROM json_each(${JSON.stringify(inserted.map(toTripleRow))}) WHERE true
    ON CONFLICT DO NOTHING`;
}

export function deleteTriples(tenant: string, deleted: readonly Triple[]): SQL {
  const keys = deleted.map(({ subject, predicate, object }) => ({
    subject,
    predicate,
    key: computeObjectKey(object),
  }));
  return sql`DELETE FROM triples WHERE id IN (
    SELECT t.id FROM json_each(${JSON.stringify(keys)}) j CROSS JOIN triples t ON t.tenant = ${tenant}
      AND t.subject = j.value ->> '$.subject' AND t.predicate = j.value ->> '$.predicate' AND t.object_key = j.value ->> '$.key')`;
}

export type TriplePattern = { subject?: string; predicate?: string; object?: string };

export function createTripleRepository({ db, tenant }: StoreContext) {
  return {
    /** Returns the triples that match every given part of a pattern. Each combination of parts has its index. */
    match({ subject, predicate, object }: TriplePattern): Promise<Triple[]> {
      const conditions: SQL[] = [eq(triples.tenant, tenant)];
      if (subject !== undefined) conditions.push(eq(triples.subject, subject));
      if (predicate !== undefined) conditions.push(eq(triples.predicate, predicate));
      if (object !== undefined)
        conditions.push(eq(triples.object_key, computeObjectKey(object)), eq(triples.object, object));
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
    },
  };
}
