// Memories and episodes of an export, and back. An imported record keeps its id, its times and its counts. Its identity
// is computed for the tenant that it is imported into, so that the same content is still one memory there.
import { type SQL, sql } from "drizzle-orm";
import {
  type EpisodeRow,
  fromEpisodeRow,
  insertEpisodeRows,
  toEpisodeRow,
  toEpisodeTriples,
} from "../experience/episodes/episode-mapping";
import type { Episode } from "../experience/episodes/episode-schemas";
import type { Binding } from "../kernel/access";
import { readAll, splitIntoChunks } from "../kernel/databases/d1";
import { getSeqRange } from "../kernel/databases/statements";
import { parseJson } from "../kernel/json";
import { EPISODE_OWNER, matchOwner, matchOwnerColumns } from "../kernel/match-owner";
import type { StoreContext } from "../kernel/store-context";
import { isGenericPredicate, LINKING_PREDICATES } from "../memories/links/link-triples";
import type { MemoryActivity } from "../memories/memory-fields";
import type { Memory } from "../memories/memory-schemas";
import { markOutdated } from "../memories/store/forget-memories";
import { computeIdentity } from "../memories/store/memory-id";
import {
  fromMemoryRow,
  insertMemoryRows,
  type MemoryRow,
  toMemoryRow,
  toMemoryTriples,
} from "../memories/store/memory-mapping";
import { queueVectors, selectIds } from "../memories/store/vector-queue";
import { selectEpisodeRow, selectMemoryRow } from "../memories/usage/usage-counts";
import { insertTriples, type Triple, toEvidenceIri, toInstanceIri } from "../ontology/triples";
import type { EpisodeRecord, MemoryRecord } from "./export-records";

type SeqPage = { after: number | null; limit: number };
export type RecordPage<R> = { records: R[]; last: number | null };

type Relation = MemoryRecord["relations"][number];

/** Reads memories in the order in which they were stored. */
export async function listMemoryRecords(
  context: StoreContext,
  owner: Binding,
  page: SeqPage,
): Promise<RecordPage<MemoryRecord>> {
  const isOwned = matchOwner(owner, "m");
  const rows = await readAll<MemoryRow>(
    context.db,
    selectPage(context.tenant, sql`${selectMemoryRow("m")} FROM memories m`, isOwned, page),
  );
  const relations = await readRelations(
    context,
    rows.map(({ id }) => toInstanceIri("memory", id)),
  );
  return {
    last: rows.at(-1)?.seq ?? null,
    records: rows.map((row) => {
      const { base_importance: _base, ...memory } = fromMemoryRow(row);
      return {
        kind: "memory",
        ...memory,
        recorded_at: row.recorded_at,
        ended_at: row.ended_at,
        activity: row.activity === null ? null : parseJson<MemoryActivity>(row.activity),
        relations: relations.get(toInstanceIri("memory", row.id)) ?? [],
      } as MemoryRecord;
    }),
  };
}

export async function listEpisodeRecords(
  context: StoreContext,
  owner: Binding,
  page: SeqPage,
): Promise<RecordPage<EpisodeRecord>> {
  const isOwned = matchOwnerColumns(owner, EPISODE_OWNER) ?? sql`false`;
  const rows = await readAll<EpisodeRow>(
    context.db,
    selectPage(context.tenant, sql`${selectEpisodeRow("m")} FROM episodes m`, isOwned, page),
  );
  const relations = await readRelations(
    context,
    rows.map(({ id }) => toEvidenceIri(id)),
  );
  return {
    last: rows.at(-1)?.seq ?? null,
    records: rows.map((row) => {
      const {
        base_importance: _base,
        summarised: _summarised,
        archived: _archived,
        ...episode
      } = fromEpisodeRow(row);
      return {
        kind: "episode",
        ...episode,
        relations: relations.get(toEvidenceIri(row.id)) ?? [],
      } as EpisodeRecord;
    }),
  };
}

function selectPage(tenant: string, from: SQL, isOwned: SQL, { after, limit }: SeqPage): SQL {
  const range = getSeqRange(tenant);
  return sql`SELECT ${from} WHERE m.seq > ${after ?? range.from} AND m.seq < ${range.to} AND ${isOwned}
    ORDER BY m.seq LIMIT ${limit}`;
}

/** The predicates of links that no field of a record has, as JSON. */
export const RELATION_PREDICATES = JSON.stringify(
  LINKING_PREDICATES.filter(
    (predicate) => isGenericPredicate(predicate) && predicate !== "jido:supersededBy",
  ),
);

/** Whether a predicate may be that of a relation in a record. */
export function isRelationPredicate(predicate: string): boolean {
  return isGenericPredicate(predicate) && predicate !== "jido:supersededBy";
}

/** Reads the linking triples of subjects, but for evidence, which is a field. */
async function readRelations(
  { db, tenant }: StoreContext,
  subjects: readonly string[],
): Promise<Map<string, Relation[]>> {
  const rows = await readAll<Triple>(
    db,
    sql`SELECT t.subject, t.predicate, t.object, t.position FROM json_each(${JSON.stringify(subjects)}) j
      CROSS JOIN triples t ON t.tenant = ${tenant} AND t.subject = j.value
      WHERE t.datatype = '' AND t.predicate IN (SELECT value FROM json_each(${RELATION_PREDICATES}))
      ORDER BY t.subject, t.predicate, t.object`,
  );
  const relations = new Map<string, Relation[]>();
  for (const { subject, predicate, object } of rows) {
    if (predicate === "jido:derivedFrom" && object.startsWith("jido:evidence_")) continue;
    relations.set(subject, [...(relations.get(subject) ?? []), { predicate, to: object }]);
  }
  return relations;
}

export function toRelationTriples(subject: string, relations: readonly Relation[]): Triple[] {
  return relations.map(({ predicate, to }) => ({ subject, predicate, object: to, datatype: "" }));
}

/** Returns the memory that a record states. */
export function toMemory({
  kind: _kind,
  recorded_at: _recorded,
  ended_at: _ended,
  activity: _activity,
  relations: _relations,
  ...memory
}: MemoryRecord): Memory {
  return memory;
}

/** Builds the statements that store memories, with their triples, text-index entries and places in the backlog. */
export async function insertMemoryRecords(tenant: string, records: readonly MemoryRecord[]): Promise<SQL[]> {
  const statements: SQL[] = [];
  for (const chunk of splitIntoChunks(records)) {
    const rows = await Promise.all(
      chunk.map(async (record) => {
        const memory = toMemory(record);
        const row = toMemoryRow(tenant, await computeIdentity(tenant, memory), memory);
        const activity = record.activity === null ? null : JSON.stringify(record.activity);
        return { ...row, activity, recorded_at: record.recorded_at, ended_at: record.ended_at ?? null };
      }),
    );
    const triples = chunk.flatMap((record) => [
      ...toMemoryTriples(toMemory(record)),
      ...toRelationTriples(toInstanceIri("memory", record.id), record.relations),
    ]);
    const ids = chunk.map(({ id }) => id);
    const ended = rows.filter(({ live }) => live === 0).map(({ id }) => id);
    statements.push(
      ...insertMemoryRows(tenant, rows),
      insertTriples(tenant, triples),
      queueVectors(tenant, "memory", selectIds(ids)),
      ...(ended.length === 0 ? [] : [markOutdated(tenant, selectIds(ended))]),
    );
  }
  return statements;
}

/** Builds the statements that store episodes, as `insertMemoryRecords` does. */
export async function insertEpisodeRecords(
  tenant: string,
  records: readonly EpisodeRecord[],
): Promise<SQL[]> {
  const statements: SQL[] = [];
  for (const chunk of splitIntoChunks(records)) {
    const rows = await Promise.all(chunk.map((record) => toEpisodeRow(tenant, toEpisode(record))));
    const triples = chunk.flatMap((record) => [
      ...toEpisodeTriples(toEpisode(record)),
      ...toRelationTriples(toEvidenceIri(record.id), record.relations),
    ]);
    const vectors = rows.filter(({ live }) => live === 1).map(({ vector_id }) => vector_id);
    statements.push(
      ...insertEpisodeRows(tenant, rows),
      insertTriples(tenant, triples),
      queueVectors(tenant, "episode", selectIds(vectors)),
    );
  }
  return statements;
}

function toEpisode({ kind: _kind, relations: _relations, ...episode }: EpisodeRecord): Episode {
  const { summary, archived_at } = episode;
  return { ...episode, summarised: summary !== null, archived: archived_at !== null };
}
