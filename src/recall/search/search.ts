// Hybrid search: lexical and semantic candidates, fused into one ranking with explained hits. D1 decides: every hit is
// a row that meets the conditions at the time of the search, even if an index lags behind.
import type { ProviderQuery } from "../../cognition/runtime/thread-schemas";
import type { Binding } from "../../kernel/access";
import type { Database } from "../../kernel/databases/d1";
import type { SearchSettings } from "../../kernel/env";
import { findTimeRanges, removeRelativeTimes, type TimeRange } from "../../language/times/time-ranges";
import { hasContentWords } from "../../language/words/query-terms";
import {
  DEFAULT_SOURCES,
  type RankingInput,
  type RankingOptions,
  type RecallSource,
} from "../../memories/memory-schemas";
import type { SearchTarget } from "../../memories/store/namespace";
import { DEFAULT_RANKING, type Embedder } from "../../models/embedders/embedder";
import type { Reranker } from "../../models/reranker";
import type { Indexing } from "../index/indexing";
import type { SemanticServices } from "../vectors/semantic-services";
import { combineHits, type Repeats } from "./combine-hits";
import { CORPORA, type CorpusKind, narrowScope, type RecallFilter } from "./corpus";
import { addSemanticCandidates, type HybridContext, type LikelyRow, searchIndexes } from "./find-candidates";
import {
  type CorpusCandidate,
  type LoadedHit,
  loadHits,
  type SearchContext,
  type SearchHit,
  type SearchRow,
  SPARE_HITS,
} from "./hits";
import type { Collection } from "./item-repository";
import { listNewest } from "./list-newest";
import { type RankedCandidate, rankCandidates, type SearchMode } from "./rank-fusion";
import { limitReads, READ_CLOCK } from "./read-limits";
import type { AnswerConfidence } from "./recall-schemas";
import {
  addRelevance,
  getRelevanceFloor,
  keepOwnMatches,
  keepRelevant,
  NO_FLOOR,
  type RelevanceFloor,
  rateConfidence,
} from "./relevance-floor";
import { RERANKED_HITS, rerankHits, resolveReranker } from "./rerank-hits";
import { requireSemantic, searchItems } from "./search-items";
import { countCompared } from "./semantic-search";

// The ranking options of a search: those of the request, else those that suit the embedder, else the defaults. Pure.

/** `embedder` is null when the search is lexical: then there is nothing to fuse. */
export function resolveRanking(
  { fusion, semantic_weight, user_prior }: RankingInput,
  embedder: Pick<Embedder, "preset"> | null,
): RankingOptions {
  const preset = embedder?.preset ?? DEFAULT_RANKING;
  return {
    fusion: fusion ?? preset.fusion,
    semantic_weight: semantic_weight ?? preset.semantic_weight,
    user_prior: user_prior ?? DEFAULT_RANKING.user_prior,
  };
}

export type RecallRequest = RecallFilter & {
  query?: string | undefined;
  limit: number;
  mode: SearchMode;
  /** Without sources, messages complement memories: see `combineHits`. */
  sources?: readonly RecallSource[] | undefined;
  ranking: RankingInput;
  /** Returns one of several live memories with the same type and content, as different sessions store them. */
  collapsesDuplicates?: boolean;
  /** By default `last` without sources, otherwise `ranked`. */
  repeats?: Repeats;
  /** Selects this many hits of each kind, instead of `limit` hits of all kinds. */
  limits?: Partial<Record<CorpusKind, number>>;
  /** Selects from the ranked candidates; the first `limit` by default. */
  choose?: (ranked: readonly RankedCandidate<CorpusCandidate>[]) => RankedCandidate<CorpusCandidate>[];
  /** Told the likely hits before their rows are read, so that what depends on them can be read at the same time. */
  prefetch?: (likely: readonly LikelyRow[]) => void;
  /** No caller waits for the search, so that the tenant's limits on searches do not apply. */
  inBackground?: boolean;
  min_score?: number | undefined;
  min_relevance?: number | undefined;
  /** The asker's clock, ISO 8601 with an offset; the service's own by default. */
  now?: string | undefined;
  /** Also returns hits below the relevance floor, as the hits that `choose` selects. */
  keepsIrrelevant?: boolean;
};

/** The request for a prompt: a hybrid search of live memories of any type and time. */
export const PROMPT_RECALL = {
  type: "all",
  include_superseded: false,
  since: undefined,
  until: undefined,
  mode: "hybrid",
  sources: ["memories"] as const,
  ranking: {},
} satisfies Partial<RecallRequest>;

export type SearchResult = {
  hits: SearchHit[];
  /** The row of each hit, in order. */
  rows: SearchRow[];
  /** The mode that was used; `degraded` explains why it differs from the requested one. */
  mode: SearchMode;
  degraded: string | null;
  /** Why the hits have the order of the search although there is a reranker. */
  notReranked: string | null;
  /** The times that the query mentions, which steer the ranking. */
  times: TimeRange[];
  /** Whether some rows have no vectors yet, so that only lexical search could find them. */
  hasUnindexed: boolean;
  /** Candidates of each kind that rank too low to be read: an upper bound of the hits beyond those that were. */
  unread: Partial<Record<CorpusKind, number>>;
  /** How far the best hit can be trusted to answer the query. */
  confidence: AnswerConfidence;
};

export type Search = ReturnType<typeof createSearch>;

export function createSearch(options: {
  db: Database;
  tenant: string;
  semantic: SemanticServices | null;
  reranker: Reranker | null;
  indexing: Indexing;
  /** The owner that every search is limited to. */
  binding: Binding;
  limits: SearchSettings;
  now: () => number;
}) {
  return {
    /** Searches memories, messages and episodes within a scope. */
    recall: async (
      requested: SearchTarget,
      { within: binding = options.binding, ...request }: RecallRequest,
    ): Promise<SearchResult> => {
      const { scope, within } = narrowScope(requested, binding);
      const { db, tenant, limits } = options;
      const reranker = resolveReranker(options.reranker, request);
      const run = (charge?: (ms: number) => void) =>
        searchCorpora(
          { ...options, db: charge === undefined ? db : { ...db, charge }, scope, postings: limits.postings },
          { ...request, within, depth: Math.max(request.limit, reranker === null ? 0 : RERANKED_HITS) },
        );
      const { found, ...result } =
        request.inBackground === true ? await run() : await limitReads(tenant, limits, READ_CLOCK, run);
      if (reranker === null) return { ...result, ...rateHits(request, found), notReranked: null };
      // Outside the tenant's turn: nobody waits for the database meanwhile.
      const reranked = await rerankHits(reranker, request.query ?? "", found, getRepeats(request));
      const hits = selectHits(reranked.found, request.limit, request.limits);
      return { ...result, ...rateHits(request, hits), notReranked: reranked.notReranked };
    },
    /** Searches the items of one collection by similarity. */
    searchItems: (collection: Collection, query: ProviderQuery) =>
      searchItems({ ...options, collection }, query),
    /** Returns the embedder. Throws if none is configured. */
    requireEmbedder: () => requireSemantic(options.semantic).embedder,
  };
}

/** `depth` is the number of hits to find if there are no `limits`: the caller takes the first `limit` of them. */
type DeepRequest = RecallRequest & { depth: number };

type SearchOutcome = Omit<SearchResult, "hits" | "rows" | "notReranked" | "confidence"> & {
  found: LoadedHit[];
};

async function searchCorpora(context: HybridContext, request: DeepRequest): Promise<SearchOutcome> {
  const query = request.query?.trim() ?? "";
  const corpora = [...new Set(request.sources ?? DEFAULT_SOURCES)].map((source) => CORPORA[source]);
  if (query === "") {
    const ranking = resolveRanking(request.ranking, null);
    const found = await listNewest(context, corpora, { ...request, ranking, repeats: getRepeats(request) });
    return { found, mode: "text", degraded: null, times: [], hasUnindexed: false, unread: {} };
  }

  const { lexical, matches, mode, degraded, hasUnindexed } = await searchIndexes(context, corpora, {
    ...request,
    query,
  });
  // Hybrid search adds only related texts to the lexical candidates; semantic search keeps every positive similarity.
  const minRelated = context.semantic?.embedder.minRelatedCosine ?? 0;
  const minCosine = request.mode === "hybrid" ? minRelated : 0;
  const cutOff = Object.fromEntries(corpora.map(({ kind }, i) => [kind, matches?.[i]?.cutOff ?? 0]));
  const ranking = resolveRanking(
    request.ranking,
    matches === null ? null : (context.semantic?.embedder ?? null),
  );
  const times = findTimeRanges(query, request.now ?? new Date(context.now()).toISOString());
  const rank = (candidates: readonly CorpusCandidate[]) =>
    rankCandidates(candidates, { query, mode, ranking, cutOff, times });
  const ranked =
    matches === null
      ? rank(lexical)
      : rank(
          await addSemanticCandidates(
            context,
            corpora,
            { ...request, minCosine },
            { lexical, matches },
            selectLikely(request, rank(lexical)),
          ),
        );
  const chosen = request.choose?.(ranked);
  // The floor is measured in cosines of an embedder that states its scale.
  const hasFloor = matches !== null && minRelated > 0 && request.keepsIrrelevant !== true;
  const compared = context.semantic === null ? 0 : countCompared(context.semantic);
  const isAmongMany = matches?.some(({ cosines }) => cosines.size >= compared) ?? false;
  const floor = hasFloor
    ? getRelevanceFloor(query, mode === "text" ? "text" : request.mode, isAmongMany)
    : NO_FLOOR;
  const { hits: found, unread } =
    chosen === undefined
      ? await loadBestHits(
          context,
          { ...request, query, times, fusion: ranking.fusion, floor: toFloor(request, floor), minCosine },
          ranked,
        )
      : { hits: await loadHits(context, request, chosen), unread: {} };
  return { found, mode, degraded, times, hasUnindexed, unread };
}

/** Returns the lexical candidates that are likely to be hits, ranked without those that only the vector index found. */
function selectLikely(
  { depth, choose }: DeepRequest,
  ranked: readonly RankedCandidate<CorpusCandidate>[],
): CorpusCandidate[] {
  const kinds = Map.groupBy(ranked, ({ candidate }) => candidate.kind);
  const likely =
    choose?.(ranked) ?? [...kinds.values()].flatMap((kind) => kind.slice(0, depth + 2 * SPARE_HITS));
  return likely.map(({ candidate }) => candidate);
}

/** Returns the floor that the caller sets, if any, in place of the default. */
function toFloor({ min_relevance: least }: RecallRequest, floor: RelevanceFloor): RelevanceFloor {
  return least === undefined ? floor : { hit: least, best: least, similar: 2 };
}

/** Loads and combines the best relevant hits. If too many are duplicates of others, all candidates are loaded. */
async function loadBestHits(
  context: SearchContext,
  request: DeepRequest & {
    query: string;
    times: readonly TimeRange[];
    fusion: RankingOptions["fusion"];
    floor: RelevanceFloor;
    minCosine: number;
  },
  ranked: readonly RankedCandidate<CorpusCandidate>[],
): Promise<{ hits: LoadedHit[]; unread: SearchResult["unread"] }> {
  const { query, limit, depth, limits, fusion, floor, minCosine, collapsesDuplicates = false } = request;
  // Hits are measured by what is asked, not by when, unless that is all: the date is a signal.
  const subject = removeRelativeTimes(query, request.times);
  const asked = hasContentWords(subject) ? subject : query;
  const kinds = Map.groupBy(ranked, ({ candidate }) => candidate.kind);
  const isMixed = kinds.has("memory") && kinds.has("message");
  const load = async (wanted: readonly RankedCandidate<CorpusCandidate>[]) => {
    const loaded = await loadHits(context, request, wanted);
    const rated = addRelevance(asked, keepOwnMatches(asked, loaded, minCosine));
    const relevant = keepRelevant(rated, floor);
    return { relevant, irrelevant: rated.length - relevant.length };
  };
  if (limits === undefined && !isMixed && !(collapsesDuplicates && kinds.has("memory"))) {
    const wanted = ranked.slice(0, depth + SPARE_HITS);
    const { relevant, irrelevant } = await load(wanted);
    const isEnough = relevant.length + irrelevant >= depth || wanted.length === ranked.length;
    const hits = isEnough ? relevant : (await load(ranked)).relevant;
    return { hits: hits.slice(0, depth), unread: isEnough ? countUnread(kinds, wanted) : {} };
  }
  const options = {
    query,
    limit,
    isLexicalRelative: fusion === "weighted",
    collapsesDuplicates,
    repeats: getRepeats(request),
  };
  const best = new Set([...kinds.values()].flatMap((kind) => kind.slice(0, depth + SPARE_HITS)));
  const wanted = ranked.filter((candidate) => best.has(candidate));
  const { relevant, irrelevant } = await load(wanted);
  const combined = combineHits(relevant, options);
  // Behind irrelevant hits there are hardly any better ones.
  const isEnough = combined.length + irrelevant >= depth || wanted.length === ranked.length;
  const hits = isEnough ? combined : combineHits((await load(ranked)).relevant, options);
  return { hits: selectHits(hits, depth, limits), unread: isEnough ? countUnread(kinds, wanted) : {} };
}

/** Counts the candidates of each kind that are not among those to be read. */
function countUnread(
  kinds: ReadonlyMap<CorpusKind, readonly RankedCandidate<CorpusCandidate>[]>,
  wanted: readonly RankedCandidate<CorpusCandidate>[],
): SearchResult["unread"] {
  const read = new Set(wanted);
  return Object.fromEntries(
    [...kinds].map(([kind, ranked]) => [kind, ranked.filter((candidate) => !read.has(candidate)).length]),
  );
}

function selectHits(hits: readonly LoadedHit[], limit: number, limits: RecallRequest["limits"]): LoadedHit[] {
  if (limits === undefined) return hits.slice(0, limit);
  const left = new Map(Object.entries(limits));
  return hits.filter(({ hit: { kind } }) => {
    const room = left.get(kind) ?? 0;
    left.set(kind, room - 1);
    return room > 0;
  });
}

function getRepeats({
  sources,
  repeats = sources === undefined ? "last" : "ranked",
}: RecallRequest): Repeats {
  return repeats;
}

/** Leaves out hits below the least score, and rates the others as an answer. */
function rateHits(
  { min_score: least = Number.NEGATIVE_INFINITY }: RecallRequest,
  found: readonly LoadedHit[],
): Pick<SearchResult, "hits" | "rows" | "confidence"> {
  const kept = found.filter(({ hit }) => hit.score >= least);
  return {
    hits: kept.map(({ hit }) => hit),
    rows: kept.map(({ row }) => row),
    confidence: rateConfidence(kept),
  };
}
