// Recalls by day, among the usage counts: the bucket of a row is the day, in days since 1970, and `calls` its count.
import { type SQL, sql } from "drizzle-orm";
import { DAY_MS } from "../../kernel/time";
import { countRecallsByDay, type Use } from "./apply-use";

const KIND = "recall";

/** Adds the recalls among the uses to the counts of their days. */
export function addRecalls(tenant: string, uses: readonly Use[]): SQL[] {
  const days = [...countRecallsByDay(uses)].map(([day, calls]) => ({ bucket: toBucket(day), calls }));
  if (days.length === 0) return [];
  return [
    sql`INSERT INTO usage_counts (tenant, kind, bucket, counts)
      SELECT ${tenant}, ${KIND}, value ->> '$.bucket', jsonb_object('calls', value ->> '$.calls')
      FROM json_each(${JSON.stringify(days)}) WHERE true
      ON CONFLICT (tenant, kind, bucket) DO UPDATE
        SET counts = jsonb_object('calls', (counts ->> '$.calls') + (excluded.counts ->> '$.calls'))`,
  ];
}

/** Selects the counts of the days from `since` to before `until`. */
export function selectRecalls(tenant: string, { since, until }: { since: string; until: string }): SQL {
  return sql`SELECT date(bucket * 86400, 'unixepoch') AS day, counts ->> '$.calls' AS count FROM usage_counts
    WHERE tenant = ${tenant} AND kind = ${KIND} AND bucket >= ${toBucket(since)} AND bucket < ${toBucket(until)}`;
}

function toBucket(time: string): number {
  return Math.floor(Date.parse(time) / DAY_MS);
}
