// Lists the newest rows of one or more corpora: the answer to a search without a query.
import { sql } from "drizzle-orm";
import { runBatch } from "../../kernel/databases/d1";
import { LIMITS } from "../../kernel/limits";
import type { RankingOptions } from "../../memories/memory-schemas";
import { combineNewest, type Repeats } from "./combine-hits";
import { buildRowCondition, type Corpus, type RecallFilter, selectCorpusTable } from "./corpus";
import { type LoadedHit, type SearchContext, type SearchRow, SPARE_HITS, toLoadedHit } from "./hits";
import { rankCandidates, type SearchCandidate } from "./rank-fusion";

type NewestRequest = RecallFilter & {
  limit: number;
  ranking: RankingOptions;
  repeats: Repeats;
  collapsesDuplicates?: boolean;
};

/** Returns the newest rows first. Unless repeats are ranked, messages follow the memories, which are older. */
export async function listNewest(
  context: SearchContext,
  corpora: readonly Corpus[],
  request: NewestRequest,
): Promise<LoadedHit[]> {
  const { limit, repeats, collapsesDuplicates = false } = request;
  let found: LoadedHit[] = [];
  for (const count of collapsesDuplicates ? [limit + SPARE_HITS, LIMITS.recallMatches] : [limit]) {
    const { newest, isComplete } = await readNewest(context, corpora, request, count);
    found = combineNewest(newest, { collapsesDuplicates, repeats });
    if (isComplete || found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** Reads the newest rows of each corpus in one round trip, and merges them by time. */
async function readNewest(
  { db, tenant, scope }: SearchContext,
  corpora: readonly Corpus[],
  request: NewestRequest,
  count: number,
): Promise<{ newest: LoadedHit[]; isComplete: boolean }> {
  const results = await runBatch(
    db,
    corpora.map((corpus) => {
      const order =
        corpus.kind === "message" ? sql`m.timestamp DESC, m.seq DESC` : sql`m.timestamp DESC, m.id`;
      return sql`SELECT m.*, ${corpus.rankingColumns} FROM ${selectCorpusTable(corpus, request)} m
        WHERE ${buildRowCondition(tenant, scope, corpus, request)} ORDER BY ${order} LIMIT ${count}`;
    }),
  );
  const candidates = corpora.flatMap(({ kind }, i) =>
    ((results[i] ?? []) as (SearchRow & SearchCandidate)[]).map((row) => ({
      ...row,
      kind,
      bm25: null,
      parts: 0,
      cosine: null,
      row,
    })),
  );
  const { ranking } = request;
  const newest = rankCandidates(candidates, { query: "", mode: "text", ranking, cutOff: {} })
    .toSorted((a, b) => Date.parse(b.candidate.timestamp) - Date.parse(a.candidate.timestamp))
    .map(({ candidate, score, signals }) => toLoadedHit(candidate.kind, candidate.row, score, signals));
  return { newest, isComplete: results.every((rows) => rows.length < count) };
}
