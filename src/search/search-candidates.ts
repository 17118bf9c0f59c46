// The candidates of a recall: what each channel found, as far as it stands in D1, and then the rows of the best.
import { sql } from "drizzle-orm";
import { LIMITS } from "../limits";
import { type Database, runBatch } from "../platform/d1";
import { extractQueryTerms } from "../text/query-terms";
import { type Corpus, filters, type RecallFilter, type RecallScope } from "./corpus";
import { type Row, toHit } from "./hits";
import { lexicalQuery } from "./lexical-search";
import type { Candidate, Mode, Ranked } from "./rank-fusion";
import type { Recalled } from "./search";
import type { Found } from "./semantic-search";

export type Where = { db: Database; tenant: string; scope: RecallScope };

export type Search = RecallFilter & { query: string; limit: number; mode: Mode };

/** A candidate, with its row where that was read along. */
export type Placed = Candidate & { corpus: Corpus; row: Row | null; type: string | null };

/** By text alone fewer candidates do: nothing but near-ties is reordered. */
const PER_HIT = 3;
const LEAST = 30;

/** Everything that either channel found and that stands, in one round trip. */
export async function readCandidates(
  { db, tenant, scope }: Where,
  corpora: readonly Corpus[],
  request: Search,
  found: readonly Found[] | null,
): Promise<Placed[]> {
  const terms = request.mode === "semantic" ? [] : extractQueryTerms(request.query);
  // The few are read whole: that saves a second trip.
  const whole = found === null;
  const limit = whole ? Math.max(LEAST, request.limit * PER_HIT) : LIMITS.recallMatches;
  const reads = corpora.flatMap((corpus, i) => {
    const columns = whole
      ? sql`m.*, ${corpus.brief}`
      : sql`m.${sql.raw(corpus.vectorId)} AS vector_id, ${corpus.brief}`;
    const ids = [...(found?.[i]?.cosines.keys() ?? [])];
    const text = lexicalQuery({ tenant, scope, corpus, terms, filter: request, limit }, columns);
    // The ids first: by its scope the planner would read the whole scope.
    const near = sql`SELECT ${columns}, NULL AS bm25 FROM json_each(${JSON.stringify(ids)}) j
      CROSS JOIN ${sql.raw(corpus.table)} m ON m.tenant = ${tenant} AND m.${sql.raw(corpus.vectorId)} = j.value
      WHERE ${filters(tenant, scope, corpus, request)}`;
    return [
      ...(terms.length === 0 ? [] : [{ corpus, i, statement: text }]),
      ...(ids.length === 0 ? [] : [{ corpus, i, statement: near }]),
    ];
  });
  const results = await runBatch(
    db,
    reads.map(({ statement }) => statement),
  );
  const placed = new Map<string, Placed>();
  for (const [n, { corpus, i }] of reads.entries()) {
    for (const row of (results[n] ?? []) as (Candidate & {
      id?: string;
      vector_id?: string;
      type: string | null;
    })[]) {
      const key = `${corpus.kind} ${row.seq}`;
      if (placed.has(key)) continue;
      const cosine = found?.[i]?.cosines.get(row.vector_id ?? row.id ?? "") ?? null;
      placed.set(key, {
        ...row,
        kind: corpus.kind,
        corpus,
        cosine,
        row: whole ? (row as unknown as Row) : null,
      });
    }
  }
  return [...placed.values()];
}

/** The rows of the best, where they are not there yet; what was forgotten in between is left out. */
export async function complete(
  { db, tenant, scope }: Where,
  filter: RecallFilter,
  ranked: readonly Ranked<Placed>[],
): Promise<Pick<Recalled, "hits" | "rows">> {
  const missing = Map.groupBy(
    ranked.filter(({ candidate }) => candidate.row === null),
    ({ candidate }) => candidate.corpus,
  );
  const results = await runBatch(
    db,
    [...missing].map(([corpus, mine]) => {
      const seqs = JSON.stringify(mine.map(({ candidate }) => candidate.seq));
      return sql`SELECT m.* FROM json_each(${seqs}) j CROSS JOIN ${sql.raw(corpus.table)} m ON m.seq = j.value
        WHERE ${filters(tenant, scope, corpus, filter)}`;
    }),
  );
  const rows = new Map(
    [...missing.keys()].flatMap(({ kind }, i) =>
      ((results[i] ?? []) as Row[]).map((row) => [`${kind} ${row.seq}`, row] as const),
    ),
  );
  const found = ranked.flatMap(({ candidate, score, signals }) => {
    const row = candidate.row ?? rows.get(`${candidate.kind} ${candidate.seq}`);
    return row === undefined ? [] : [{ row, hit: toHit(candidate.kind, row, score, signals) }];
  });
  return { hits: found.map(({ hit }) => hit), rows: found.map(({ row }) => row) };
}
