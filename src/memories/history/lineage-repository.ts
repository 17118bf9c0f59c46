// Reads what the lineage of a memory is built from: the activity that made it, the messages that it names, and the
// memories that rest on it.

import { sql } from "drizzle-orm";
import { readAll } from "../../kernel/databases/d1";
import { declareMethods } from "../../kernel/declare-methods";
import { parseJson } from "../../kernel/json";
import type { StoreContext } from "../../kernel/store-context";
import {
  hasIriObject,
  parseEvidenceIri,
  parseInstanceId,
  toEvidenceIri,
  toInstanceIri,
} from "../../ontology/triples";
import type { MessageRow } from "../../sessions/message-repository";
import type { MemoryActivity } from "../memory-fields";
import { MEMORY_PREFIX } from "../store/evidence-sources";

/** How and when a memory was stored. A row that was lost and rebuilt has no activity. */
export type ActivityRecord = { activity: MemoryActivity | null; recorded_at: string | null };

/** One memory gives support to another. */
type SupportEdge = { from: string; to: string; relation: string };

/** The relations by which the subject supports the object. By `derivedFrom` the object supports the subject. */
const SUPPORTING = ["jido:supports", "jido:confirms"];

export function createLineageRepository(context: StoreContext) {
  const { db, tenant } = context;
  const { reads } = declareMethods(context);

  return {
    readActivity: reads(async (id: string): Promise<ActivityRecord> => {
      const [row] = await readAll<{ activity: string | null; recorded_at: string | null }>(
        db,
        sql`SELECT activity, recorded_at FROM memories WHERE tenant = ${tenant} AND id = ${id}`,
      );
      const activity = row?.activity ?? null;
      return {
        activity: activity === null ? null : parseJson<MemoryActivity>(activity),
        recorded_at: row?.recorded_at ?? null,
      };
    }),

    /** Returns the messages with these ids. Ids are unique within a session. */
    findMessages: reads((ids: readonly string[]): Promise<MessageRow[]> => {
      return readAll<MessageRow>(
        db,
        sql`SELECT m.* FROM json_each(${JSON.stringify([...new Set(ids)])}) j CROSS JOIN messages m INDEXED BY messages_by_id
          ON m.tenant = ${tenant} AND m.id = j.value`,
      );
    }),

    /** Returns the steps from memories to those that they support, at most `limit`. */
    listSupported: reads(async (ids: readonly string[], limit: number): Promise<SupportEdge[]> => {
      const names = ids.flatMap((id) =>
        [toInstanceIri("memory", id), toEvidenceIri(id), toEvidenceIri(MEMORY_PREFIX + id)].map((iri) => ({
          id,
          iri,
        })),
      );
      const subjects = ids.map((id) => ({ id, iri: toInstanceIri("memory", id) }));
      const rows = await readAll<{ id: string; predicate: string; other: string }>(
        db,
        sql`SELECT j.value ->> '$.id' AS id, t.predicate, t.subject AS other FROM json_each(${JSON.stringify(names)}) j
            CROSS JOIN triples t ON t.tenant = ${tenant} AND t.object_key = j.value ->> '$.iri'
            WHERE ${hasIriObject("t")} AND t.predicate = 'jido:derivedFrom'
          UNION ALL SELECT j.value ->> '$.id', t.predicate, t.object FROM json_each(${JSON.stringify(subjects)}) j
            CROSS JOIN triples t ON t.tenant = ${tenant} AND t.subject = j.value ->> '$.iri'
            WHERE ${hasIriObject("t")} AND t.predicate IN (SELECT value FROM json_each(${JSON.stringify(SUPPORTING)}))
          LIMIT ${limit}`,
      );
      return rows.flatMap(({ id, predicate, other }) => {
        const to = parseInstanceId("memory", other);
        return to === null || to === id ? [] : [{ from: id, to, relation: predicate.replace("jido:", "") }];
      });
    }),

    /** Returns what supports memories: the ids of other memories, and the references of other evidence. */
    listSupport: reads(async (ids: readonly string[]): Promise<{ id: string; support: string }[]> => {
      const subjects = JSON.stringify(ids.map((id) => ({ id, iri: toInstanceIri("memory", id) })));
      const rows = await readAll<{ id: string; other: string }>(
        db,
        sql`SELECT j.value ->> '$.id' AS id, t.object AS other FROM json_each(${subjects}) j
            CROSS JOIN triples t ON t.tenant = ${tenant} AND t.subject = j.value ->> '$.iri'
            WHERE ${hasIriObject("t")} AND t.predicate = 'jido:derivedFrom'
          UNION ALL SELECT j.value ->> '$.id', t.subject FROM json_each(${subjects}) j
            CROSS JOIN triples t ON t.tenant = ${tenant} AND t.object_key = j.value ->> '$.iri'
            WHERE ${hasIriObject("t")} AND t.predicate IN (SELECT value FROM json_each(${JSON.stringify(SUPPORTING)}))`,
      );
      return rows.map(({ id, other }) => {
        const reference = parseEvidenceIri(other);
        return {
          id,
          support: reference?.replace(MEMORY_PREFIX, "") ?? parseInstanceId("memory", other) ?? other,
        };
      });
    }),
  };
}
