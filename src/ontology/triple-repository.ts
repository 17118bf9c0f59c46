// Finds triples by a pattern.
import { sql } from "drizzle-orm";
import { type Database, readAll } from "../kernel/databases/d1";
import { declareMethods } from "../kernel/declare-methods";
import type { StoreContext } from "../kernel/store-context";
import { CONFIDENCE_LEVELS, getConfidenceLevel, getStoredPredicate, pointsAt, type Triple } from "./triples";

/** The given parts of a triple. An object without a subject is a resource. */
type TriplePattern = { subject?: string; predicate?: string; object?: string };

export function createTripleRepository(context: StoreContext) {
  const { db, tenant } = context;
  const { reads } = declareMethods(context);

  return {
    /** Returns the triples that match every given part of a pattern, derived ones included, in the order of subjects. */
    match: reads(async (pattern: TriplePattern): Promise<Triple[]> => {
      const { subject, predicate, object } = pattern;
      const isMatching = (triple: Triple) =>
        (predicate === undefined || triple.predicate === predicate) &&
        (object === undefined || triple.object === object);
      const stored = await readStored(db, tenant, pattern);
      const isLevel = subject === undefined && object !== undefined && CONFIDENCE_LEVELS.has(object);
      const confidences = isLevel ? await readConfidences(db, tenant) : [];
      return addDerivedTriples([...stored, ...confidences]).filter(isMatching);
    }),
  };
}

/** Reads the triples that a pattern matches, and those from which the derived ones of its subject follow. */
function readStored(
  db: Database,
  tenant: string,
  { subject, predicate, object }: TriplePattern,
): Promise<Triple[]> {
  const conditions = [sql`t.tenant = ${tenant}`];
  if (subject !== undefined) conditions.push(sql`t.subject = ${subject}`);
  if (predicate !== undefined) conditions.push(sql`t.predicate = ${getStoredPredicate(predicate)}`);
  if (object !== undefined && subject === undefined) conditions.push(pointsAt("t", object));
  return readAll<Triple>(
    db,
    // The plus keeps SQLite from reading all subjects of the tenant, which are in order already.
    sql`SELECT t.subject, t.predicate, t.object, t.datatype FROM triples t
      WHERE ${sql.join(conditions, sql` AND `)} ORDER BY +t.subject, t.position`,
  );
}

/** Reads the confidences of all memories, from which the index by object does not find their levels. */
function readConfidences(db: Database, tenant: string): Promise<Triple[]> {
  return readAll<Triple>(
    db,
    sql`SELECT 'jido:memory_' || id AS subject, 'jido:confidenceValue' AS predicate, confidence AS object, 'xsd:decimal' AS datatype
      FROM memories WHERE tenant = ${tenant} ORDER BY id`,
  );
}

/** Adds the derived triples, each before the one that it follows from. */
export function addDerivedTriples(stored: readonly Triple[]): Triple[] {
  return stored.flatMap((triple) => {
    const { subject, predicate, object } = triple;
    if (predicate !== "jido:confidenceValue") return [triple];
    const level = getConfidenceLevel(Number(object));
    return [{ subject, predicate: "jido:hasConfidence", object: level, datatype: "" }, triple];
  });
}
