// Items of the providers `d1` and `vector` in an export, and back.
import { type SQL, sql } from "drizzle-orm";
import type { Binding } from "../kernel/access";
import { readAll, splitIntoChunks } from "../kernel/databases/d1";
import { ensureTenant, fromJson, getSeqRange, nextSeq } from "../kernel/databases/statements";
import { type Json, parseJson } from "../kernel/json";
import { matchSession } from "../kernel/match-owner";
import type { StoreContext } from "../kernel/store-context";
import { toItemText } from "../language/json-text";
import { queueVectors, selectIds } from "../memories/store/vector-queue";
import { computeItemVectorId, type ItemRow, toItemEntry } from "../recall/search/item-repository";
import type { ItemRecord } from "./export-records";
import type { RecordPage } from "./transferred-memories";

/** Reads items in the order in which they were stored. Those that sessions share are the tenant's alone. */
export async function listItemRecords(
  { db, tenant }: StoreContext,
  owner: Binding,
  { after, limit }: { after: number | null; limit: number },
): Promise<RecordPage<ItemRecord>> {
  const range = getSeqRange(tenant);
  const rows = await readAll<ItemRow>(
    db,
    sql`SELECT * FROM items m WHERE m.seq > ${after ?? range.from} AND m.seq < ${range.to}
      AND ${matchSession(tenant, owner, sql`m.session_id`)} ORDER BY m.seq LIMIT ${limit}`,
  );
  return {
    last: rows.at(-1)?.seq ?? null,
    records: rows.map(({ collection, key, value, session_id, updated_at, embedding, embedder }) => ({
      kind: "item",
      collection,
      key,
      value: parseJson<Json>(value),
      session_id,
      updated_at,
      embedding,
      embedder,
    })),
  };
}

/** Builds a SELECT of the collections and keys, as JSON, of those items that are stored. */
export function selectKnownItems(tenant: string, records: readonly ItemRecord[]): SQL {
  const keys = JSON.stringify(records.map(({ collection, key }) => [collection, key]));
  return sql`SELECT json_array(m.collection, m.key) AS key FROM json_each(${keys}) j
    CROSS JOIN items m ON m.tenant = ${tenant} AND m.collection = j.value ->> 0 AND m.key = j.value ->> 1`;
}

const COLUMNS = [
  ...["collection", "key", "value", "text", "session_id", "vector_id"],
  ...["updated_at", "embedding", "embedder"],
];

export async function insertItemRecords(tenant: string, records: readonly ItemRecord[]): Promise<SQL[]> {
  const rows = await Promise.all(
    records.map(async ({ kind: _kind, value, ...item }) => {
      const { collection, key } = item;
      const text = toItemText(key, value);
      const hasVector = collection.startsWith("vector/");
      return {
        ...item,
        value: JSON.stringify(value),
        text,
        vector_id: hasVector ? await computeItemVectorId(tenant, collection, key) : null,
        fts: toItemEntry(tenant, { collection, key, text }),
      };
    }),
  );
  return splitIntoChunks(rows).flatMap((chunk) => {
    const json = JSON.stringify(chunk);
    return [
      ensureTenant(tenant),
      sql`INSERT INTO items (seq, tenant, ${sql.raw(COLUMNS.join(", "))})
        SELECT ${nextSeq(tenant, "items")} + key, ${tenant}, ${fromJson(COLUMNS)} FROM json_each(${json})`,
      sql`INSERT OR REPLACE INTO items_fts (rowid, scope, text)
        SELECT m.seq, j.value ->> '$.fts.scope', j.value ->> '$.fts.words' FROM json_each(${json}) j
        CROSS JOIN items m ON m.tenant = ${tenant} AND m.collection = j.value ->> '$.collection' AND m.key = j.value ->> '$.key'`,
      queueVectors(tenant, "item", selectIds(chunk.flatMap(({ vector_id }) => vector_id ?? []))),
    ];
  });
}
