// Records the state of memories that are about to change in place, in the batch of the change, and erases from recorded
// states what is erased elsewhere.
import { type SQL, sql } from "drizzle-orm";
import { MEMORY_RELATIONS } from "../../ontology/property-values";
import { computeLiteralKey, DERIVED_PREDICATES, listResourceKeys, type Triple } from "../../ontology/triples";

/** The columns of a memory's row that change in place. */
export const VERSIONED_COLUMNS = [
  "type",
  "content",
  "confidence",
  "importance",
  "source_type",
  "rationale",
  "topic_key",
  "topic_scope",
  "valid_from",
  "valid_until",
  "live",
  "evidence",
  "properties",
  "metadata",
  "tags",
] as const;

/**
 * Records the states of the memories that `ids` selects, as far as their rows `m` meet the condition. A state that lasted
 * less than a millisecond is not recorded.
 */
export function recordVersions(
  tenant: string,
  ids: SQL,
  { at, where = sql`true` }: { at: string; where?: SQL },
): SQL {
  const state = sql.raw(VERSIONED_COLUMNS.map((column) => `'${column}', m.${column}`).join(", "));
  const changing = sql`SELECT m.id FROM memories m WHERE m.tenant = ${tenant} AND m.id IN (${ids}) AND ${where}`;
  // A list of subjects, since a join would read all triples of the tenant while some are in the earlier layout.
  return sql`INSERT OR IGNORE INTO memory_versions (tenant, memory_id, until, state, triples)
    SELECT m.tenant, m.id, ${at}, json_object(${state}), json_group_array(json(s.triple)) FROM (
        SELECT t.subject, json_array(t.predicate, t.object_key, t.datatype, t.graph, iif(t.digest IS NULL, NULL, t.object)) AS triple
        FROM triples t WHERE t.tenant = ${tenant} AND t.subject IN (SELECT 'jido:memory_' || id FROM (${changing}))) s
      CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = substr(s.subject, ${"jido:memory_".length + 1}) GROUP BY m.id`;
}

/** Returns the triples of a state as `recordVersions` writes them. */
export function toVersionTriples(triples: readonly Triple[]): string {
  const stored = triples
    .filter(({ predicate }) => !DERIVED_PREDICATES.has(predicate))
    .map(({ predicate, object, datatype }) => {
      const key = datatype === "" ? object : computeLiteralKey(object);
      return [predicate, key, datatype, "", key === object ? null : object];
    });
  const distinct = new Map(stored.map((triple) => [JSON.stringify(triple), triple]));
  return JSON.stringify([...distinct.values()]);
}

/**
 * Numbers the predicates of versions that come from another database, which may be in none of its triples: queries find
 * the triples of versions by these numbers. `rows` is a JSON array of rows.
 */
export function numberPredicates(rows: string): SQL {
  return sql`INSERT INTO predicates (iri) SELECT DISTINCT t.value ->> 0
    FROM json_each(${rows}) v CROSS JOIN json_each(v.value ->> '$.triples') t
    WHERE t.value ->> 0 NOT IN (SELECT iri FROM predicates)`;
}

/**
 * Records the states of memories that are about to end, if they have an end of validity: the present one replaces it.
 * Everything else of a state that ends stays in the row.
 */
export function recordPlannedEnds(tenant: string, ids: SQL, at: string): SQL {
  return recordVersions(tenant, ids, { at, where: sql`m.live = 1 AND m.valid_until IS NOT NULL` });
}

/** Deletes the versions of memories: `ids` is a SELECT of their ids in parentheses. */
export function deleteVersions(tenant: string, ids: SQL): SQL {
  return sql`DELETE FROM memory_versions WHERE tenant = ${tenant} AND memory_id IN ${ids}`;
}

/** Selects the properties of the versions that refer to an agent, project or resource. */
export function selectReferringVersions(tenant: string, iri: string): SQL {
  return sql`SELECT state ->> '$.properties' AS properties FROM memory_versions
    WHERE tenant = ${tenant} AND EXISTS (SELECT 1 FROM json_each(memory_versions.triples) e WHERE ${pointsTo(listResourceKeys(iri))})`;
}

function pointsTo(keys: readonly string[]): SQL {
  return sql`e.value ->> 2 = '' AND e.value ->> 1 IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`;
}

/**
 * Removes an erased agent, project or resource from versions. `values` are the values of properties that name it, by
 * property.
 */
export function eraseReferenceFromVersions(
  tenant: string,
  keys: readonly string[],
  values: readonly { name: string; value: string }[],
): SQL {
  const isErased = pointsTo(keys);
  const named = sql`(SELECT value ->> '$.name', value ->> '$.value' FROM json_each(${JSON.stringify(values)}))`;
  return sql`UPDATE memory_versions SET
      triples = ${keepTriples(isErased)},
      state = json_set(state, '$.properties', (
        SELECT json_group_object(key, json(kept)) FROM (
          SELECT p.key, (SELECT json_group_array(one.value) FROM json_each(p.value) one
            WHERE (p.key, one.value) NOT IN ${named}) AS kept
          FROM json_each(memory_versions.state ->> '$.properties') p
        ) WHERE kept <> '[]') || '')
    WHERE tenant = ${tenant} AND EXISTS (SELECT 1 FROM json_each(memory_versions.triples) e WHERE ${isErased})`;
}

/** Removes erased memories from the versions of those that related to them. `ids` is a SELECT in parentheses. */
export function eraseFromVersions(tenant: string, ids: SQL): SQL {
  const names = sql`(SELECT value FROM json_each(${JSON.stringify(MEMORY_RELATIONS)}))`;
  const isErased = sql`e.value ->> 2 = '' AND e.value ->> 1 IN (SELECT 'jido:memory_' || id FROM ${ids})`;
  return sql`UPDATE memory_versions SET
      triples = ${keepTriples(isErased)},
      state = json_set(state, '$.properties', (
        SELECT json_group_object(key, json(kept)) FROM (
          SELECT p.key, iif(p.key IN ${names},
            (SELECT json_group_array(id.value) FROM json_each(p.value) id WHERE id.value NOT IN ${ids}), p.value) AS kept
          FROM json_each(memory_versions.state ->> '$.properties') p
        ) WHERE kept <> '[]') || '')
    WHERE tenant = ${tenant} AND EXISTS (SELECT 1 FROM json_each(memory_versions.triples) e WHERE ${isErased})`;
}

/** Removes erased episodes from the evidence in versions, by their ids and by their IRIs. */
export function eraseEvidenceFromVersions(
  tenant: string,
  { ids, keys }: { ids: readonly string[]; keys: readonly string[] },
): SQL {
  const isErased = pointsTo(keys);
  return sql`UPDATE memory_versions SET
      triples = ${keepTriples(isErased)},
      state = json_set(state, '$.evidence', (
        SELECT json_group_array(value) FROM json_each(memory_versions.state ->> '$.evidence')
        WHERE value NOT IN (SELECT value FROM json_each(${JSON.stringify(ids)}))) || '')
    WHERE tenant = ${tenant} AND EXISTS (SELECT 1 FROM json_each(memory_versions.triples) e WHERE ${isErased})`;
}

function keepTriples(isErased: SQL): SQL {
  return sql`(SELECT json_group_array(json(e.value)) FROM json_each(memory_versions.triples) e WHERE NOT (${isErased}))`;
}
