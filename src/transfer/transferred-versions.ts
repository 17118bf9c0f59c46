// Past states of memories in an export, and back. The triples of a state follow from its fields and from its memory, as
// those of a memory do; the links that no field states are its relations.
import { type SQL, sql } from "drizzle-orm";
import type { Binding } from "../kernel/access";
import { readAll, splitIntoChunks, WriteConflict } from "../kernel/databases/d1";
import { fromJson, hasPrefix } from "../kernel/databases/statements";
import { parseJson } from "../kernel/json";
import { matchOwner } from "../kernel/match-owner";
import type { StoreContext } from "../kernel/store-context";
import { NOT_ENDED } from "../memories/history/memory-history";
import { numberPredicates, toVersionTriples, VERSIONED_COLUMNS } from "../memories/history/record-versions";
import type { Memory } from "../memories/memory-schemas";
import { getTopicScope } from "../memories/store/memory-id";
import { fromMemoryRow, type MemoryRow, toMemoryTriples } from "../memories/store/memory-mapping";
import type { MemoryRecord, VersionRecord } from "./export-records";
import type { RecordPlace } from "./table-kinds";
import { RELATION_PREDICATES, toMemory, toRelationTriples } from "./transferred-memories";

type VersionRow = { memory_id: string; until: string; state: string; relations: string };

/** Reads the versions of the owner's memories, in the order of their memories' ids and of their times. */
export async function listVersionRecords(
  { db, tenant }: StoreContext,
  owner: Binding,
  { after, limit }: { after: RecordPlace | null; limit: number },
): Promise<{ records: VersionRecord[]; last: RecordPlace | null }> {
  const [memoryId, until] = after ?? ["", ""];
  const to = sql`coalesce(e.value ->> 4, e.value ->> 1)`;
  const relations = sql`SELECT json_group_array(json_object('predicate', e.value ->> 0, 'to', ${to})) FROM json_each(v.triples) e
    WHERE e.value ->> 2 = '' AND e.value ->> 0 IN (SELECT value FROM json_each(${RELATION_PREDICATES}))
      AND NOT (e.value ->> 0 = 'jido:derivedFrom' AND ${hasPrefix(to, "jido:evidence_")})`;
  const rows = await readAll<VersionRow>(
    db,
    sql`SELECT v.memory_id, v.until, v.state, (${relations}) AS relations FROM memory_versions v
      CROSS JOIN memories m ON m.tenant = v.tenant AND m.id = v.memory_id
      WHERE v.tenant = ${tenant} AND (v.memory_id, v.until) > (${memoryId}, ${until})
        AND ${matchOwner(owner, "m")}
      ORDER BY v.memory_id, v.until LIMIT ${limit}`,
  );
  const last = rows.at(-1);
  return { records: rows.map(toRecord), last: last === undefined ? null : [last.memory_id, last.until] };
}

type StoredState = Pick<MemoryRow, (typeof VERSIONED_COLUMNS)[number]>;

function toRecord({ memory_id, until, state, relations }: VersionRow): VersionRecord {
  const {
    topic_scope: _scope,
    live,
    evidence,
    properties,
    metadata,
    tags,
    ...fields
  } = parseJson<StoredState>(state);
  return {
    kind: "memory_version",
    memory_id,
    until,
    live: live === 1,
    ...fields,
    evidence: parseJson<string[]>(evidence),
    properties: parseJson<Memory["properties"]>(properties),
    metadata: parseJson<Memory["metadata"]>(metadata),
    tags: parseJson<string[]>(tags),
    relations: parseJson<VersionRecord["relations"]>(relations).toSorted((a, b) =>
      `${a.predicate} ${a.to}` < `${b.predicate} ${b.to}` ? -1 : 1,
    ),
  } as VersionRecord;
}

/** Builds a SELECT of the memories and times, as JSON, of those versions that are stored. */
export function selectKnownVersions(tenant: string, records: readonly VersionRecord[]): SQL {
  const keys = JSON.stringify(records.map(({ memory_id, until }) => [memory_id, until]));
  return sql`SELECT json_array(v.memory_id, v.until) AS key FROM json_each(${keys}) j
    CROSS JOIN memory_versions v ON v.tenant = ${tenant} AND v.memory_id = j.value ->> 0 AND v.until = j.value ->> 1`;
}

/** Returns the memories of versions by id: as they are stored, else as they come with the versions. */
export async function findVersionedMemories(
  { db, tenant }: StoreContext,
  versions: readonly VersionRecord[],
  imported: readonly MemoryRecord[],
): Promise<Map<string, Memory>> {
  const ids = [...new Set(versions.map(({ memory_id }) => memory_id))];
  if (ids.length === 0) return new Map();
  const rows = await readAll<MemoryRow>(
    db,
    sql`SELECT m.* FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = j.value`,
  );
  return new Map(
    [...imported.map(toMemory), ...rows.map(fromMemoryRow)].map((memory) => [memory.id, memory]),
  );
}

const COLUMNS = ["memory_id", "until", "state", "triples"];

/** Builds the statements that store versions. Their memories are stored before them. */
export function insertVersionRecords(
  tenant: string,
  records: readonly VersionRecord[],
  memories: ReadonlyMap<string, Memory>,
): SQL[] {
  const rows = records.map((record) => {
    const memory = memories.get(record.memory_id);
    if (memory === undefined) throw new WriteConflict("The memory was erased meanwhile");
    return toVersionRow(record, memory);
  });
  return splitIntoChunks(rows).flatMap((chunk) => {
    const json = JSON.stringify(chunk);
    return [
      sql`INSERT INTO memory_versions (tenant, ${sql.raw(COLUMNS.join(", "))}) SELECT ${tenant}, ${fromJson(COLUMNS, "j")}
        FROM json_each(${json}) j CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = j.value ->> '$.memory_id'`,
      numberPredicates(json),
    ];
  });
}

function toVersionRow(record: VersionRecord, memory: Memory) {
  const { kind: _kind, memory_id, until, live, relations, ...fields } = record;
  // Uses have no past: they are not among the triples of a version.
  const past: Memory = { ...memory, ...(live ? NOT_ENDED : {}), ...fields, access_count: 0 };
  const { evidence, properties, metadata, tags } = past;
  const columns: StoredState = {
    ...past,
    live: live ? 1 : 0,
    topic_scope: getTopicScope(past),
    evidence: JSON.stringify(evidence),
    properties: JSON.stringify(properties),
    metadata: JSON.stringify(metadata),
    tags: JSON.stringify(tags),
  };
  const triples = toMemoryTriples(past);
  return {
    memory_id,
    until,
    state: JSON.stringify(Object.fromEntries(VERSIONED_COLUMNS.map((name) => [name, columns[name]]))),
    triples: toVersionTriples([...triples, ...toRelationTriples(triples[0]?.subject ?? "", relations)]),
  };
}
