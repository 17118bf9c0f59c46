// Hybrid search: lexical and semantic candidates, fused into one ranking with explained hits. D1 decides: every hit is
// a row that meets the conditions at the time of the search, even if an index lags behind.
import { sql } from "drizzle-orm";
import type { Indexing } from "../indexing/indexing";
import { LIMITS } from "../limits";
import { type Database, readAll, runBatch } from "../platform/d1";
import type { ProviderQuery } from "../schemas/directive";
import { DEFAULT_RANKING, type RankingOptions, type RecallSource } from "../schemas/memory";
import type { Collection } from "../store/item-repository";
import { extractQueryTerms } from "../text/query-terms";
import type { SemanticServices } from "../vectors/semantic-services";
import { buildRowCondition, CORPORA, type Corpus, type RecallFilter, type RecallScope } from "./corpus";
import {
  type CorpusCandidate,
  loadHits,
  type SearchContext,
  type SearchHit,
  type SearchRow,
  toHit,
} from "./hits";
import { buildLexicalQuery } from "./lexical-search";
import { type RankedCandidate, rankCandidates, type SearchCandidate, type SearchMode } from "./rank-fusion";
import { requireSemantic, searchItems } from "./search-items";
import {
  runSemanticSearch,
  type SemanticMatches,
  type SemanticSearchRequest,
  SemanticSearchUnavailable,
} from "./semantic-search";

export type RecallRequest = RecallFilter & {
  query?: string | undefined;
  limit: number;
  mode: SearchMode;
  sources: readonly RecallSource[];
  ranking: RankingOptions;
  /** Selects from the ranked candidates; the first `limit` by default. */
  choose?: (ranked: readonly RankedCandidate<CorpusCandidate>[]) => RankedCandidate<CorpusCandidate>[];
};

/** The request for a prompt: a hybrid search of live memories of any type and time. */
export const PROMPT_RECALL = {
  type: "all",
  include_superseded: false,
  since: undefined,
  until: undefined,
  mode: "hybrid",
  sources: ["memories"] as const,
  ranking: DEFAULT_RANKING,
} satisfies Partial<RecallRequest>;

export type SearchResult = {
  hits: SearchHit[];
  /** The row of each hit, in order. */
  rows: SearchRow[];
  /** The mode that was used; `degraded` explains why it differs from the requested one. */
  mode: SearchMode;
  degraded: string | null;
  /** Whether some rows have no vectors yet, so that only lexical search could find them. */
  hasUnindexed: boolean;
};

type HybridContext = SearchContext & { semantic: SemanticServices | null };

export type Search = ReturnType<typeof createSearch>;

export function createSearch(options: {
  db: Database;
  tenant: string;
  semantic: SemanticServices | null;
  indexing: Indexing;
}) {
  return {
    /** Searches memories, messages and episodes within a scope. */
    recall: (scope: RecallScope, request: RecallRequest) => searchCorpora({ ...options, scope }, request),
    /** Searches the items of one collection by similarity. */
    searchItems: (collection: Collection, query: ProviderQuery) =>
      searchItems({ ...options, collection }, query),
    /** Throws if no embedder is configured. */
    requireEmbedder: () => void requireSemantic(options.semantic),
  };
}

async function searchCorpora(context: HybridContext, request: RecallRequest): Promise<SearchResult> {
  const query = request.query?.trim() ?? "";
  const corpora = [...new Set(request.sources)].map((source) => CORPORA[source]);
  if (query === "") return listNewest(context, corpora, request);

  const { matches, mode, degraded, hasUnindexed } = await trySemanticSearch(
    { ...context, corpora, filter: request, query },
    request.mode,
  );
  const read = await findCandidates(context, corpora, { ...request, query, mode }, matches);
  // Hybrid search adds only related texts to the lexical candidates; semantic search keeps every positive similarity.
  const minCosine = request.mode === "hybrid" ? (context.semantic?.embedder.minRelatedCosine ?? 0) : 0;
  const candidates = read.filter(({ bm25, cosine }) => bm25 !== null || (cosine ?? 0) > minCosine);
  const cutOff = Object.fromEntries(corpora.map(({ kind }, i) => [kind, matches?.[i]?.cutOff ?? 0]));
  const ranked = rankCandidates(candidates, { query, mode, ranking: request.ranking, cutOff });
  const wanted = request.choose?.(ranked) ?? ranked.slice(0, request.limit);
  return { ...(await loadHits(context, request, wanted)), mode, degraded, hasUnindexed };
}

type SemanticOutcome = Omit<SearchResult, "hits" | "rows"> & { matches: SemanticMatches[] | null };

/** Falls back to lexical search when semantic search is unavailable, and adds it when vectors are missing. */
async function trySemanticSearch(
  request: SemanticSearchRequest,
  requested: SearchMode,
): Promise<SemanticOutcome> {
  if (requested === "text") return { matches: null, mode: "text", degraded: null, hasUnindexed: false };
  try {
    const { matches, incomplete } = await runSemanticSearch(request);
    if (incomplete === null) return { matches, mode: requested, degraded: null, hasUnindexed: false };
    return {
      matches,
      mode: "hybrid",
      degraded: requested === "hybrid" ? null : `${incomplete} Searched by text, too.`,
      hasUnindexed: true,
    };
  } catch (error) {
    if (!(error instanceof SemanticSearchUnavailable)) throw error;
    return {
      matches: null,
      mode: "text",
      degraded: `${error.message} Answered by text.`,
      hasUnindexed: false,
    };
  }
}

type CandidateRequest = RecallFilter & { query: string; limit: number; mode: SearchMode };

/** Candidates of a lexical search: few suffice, because fusion only reorders near-ties. */
const CANDIDATES_PER_HIT = 3;
const MIN_CANDIDATES = 30;

/** Reads the lexical candidates and the rows of the semantic matches in one round trip. */
async function findCandidates(
  { db, tenant, scope }: SearchContext,
  corpora: readonly Corpus[],
  request: CandidateRequest,
  matches: readonly SemanticMatches[] | null,
): Promise<CorpusCandidate[]> {
  const terms = request.mode === "semantic" ? [] : extractQueryTerms(request.query);
  // A lexical search has few candidates: reading their whole rows saves a second round trip.
  const whole = matches === null;
  const limit = whole ? Math.max(MIN_CANDIDATES, request.limit * CANDIDATES_PER_HIT) : LIMITS.recallMatches;
  const reads = corpora.flatMap((corpus, i) => {
    const columns = whole
      ? sql`m.*, ${corpus.rankingColumns}`
      : sql`m.${sql.raw(corpus.vectorId)} AS vector_id, ${corpus.rankingColumns}`;
    const ids = [...(matches?.[i]?.cosines.keys() ?? [])];
    const lexical = buildLexicalQuery({ tenant, scope, corpus, terms, filter: request, limit }, columns);
    // CROSS JOIN starts at the ids: the planner would otherwise scan the whole scope.
    const semantic = sql`SELECT ${columns}, NULL AS bm25 FROM json_each(${JSON.stringify(ids)}) j
      CROSS JOIN ${sql.raw(corpus.table)} m ON m.tenant = ${tenant} AND m.${sql.raw(corpus.vectorId)} = j.value
      WHERE ${buildRowCondition(tenant, scope, corpus, request)}`;
    return [
      ...(terms.length === 0 ? [] : [{ corpus, i, statement: lexical }]),
      ...(ids.length === 0 ? [] : [{ corpus, i, statement: semantic }]),
    ];
  });
  const results = await runBatch(
    db,
    reads.map(({ statement }) => statement),
  );
  const candidates = new Map<string, CorpusCandidate>();
  for (const [n, { corpus, i }] of reads.entries()) {
    for (const row of (results[n] ?? []) as (SearchCandidate & {
      id?: string;
      vector_id?: string;
      type: string | null;
    })[]) {
      const key = `${corpus.kind} ${row.seq}`;
      if (candidates.has(key)) continue;
      const cosine = matches?.[i]?.cosines.get(row.vector_id ?? row.id ?? "") ?? null;
      candidates.set(key, {
        ...row,
        kind: corpus.kind,
        corpus,
        cosine,
        row: whole ? (row as unknown as SearchRow) : null,
      });
    }
  }
  return [...candidates.values()];
}

/** Answers a search without a query: the newest rows first. */
async function listNewest(
  { db, tenant, scope }: HybridContext,
  corpora: readonly Corpus[],
  request: RecallRequest,
): Promise<SearchResult> {
  const lists = await Promise.all(
    corpora.map(async (corpus) => {
      const order =
        corpus.kind === "message" ? sql`m.timestamp DESC, m.seq DESC` : sql`m.timestamp DESC, m.id`;
      const rows = await readAll<SearchRow & SearchCandidate>(
        db,
        sql`SELECT m.*, ${corpus.rankingColumns} FROM ${sql.raw(corpus.table)} m
          WHERE ${buildRowCondition(tenant, scope, corpus, request)} ORDER BY ${order} LIMIT ${request.limit}`,
      );
      return rows.map((row) => ({ ...row, corpus, kind: corpus.kind, bm25: null, cosine: null, row }));
    }),
  );
  const options = {
    query: "",
    mode: "text",
    ranking: request.ranking,
    cutOff: {},
  } as const;
  const newest = rankCandidates(lists.flat(), options)
    .toSorted((a, b) => Date.parse(b.candidate.timestamp) - Date.parse(a.candidate.timestamp))
    .slice(0, request.limit);
  return {
    hits: newest.map(({ candidate, score, signals }) => toHit(candidate.kind, candidate.row, score, signals)),
    rows: newest.map(({ candidate }) => candidate.row),
    mode: "text",
    degraded: null,
    hasUnindexed: false,
  };
}
