// Finds the candidates of a search in at most two round trips: one reads the lexical matches and the backlog while the
// vector index is asked; the other reads the rows that only the index found, and whole rows of the likely hits.
import { type SQL, sql } from "drizzle-orm";
import { runBatch } from "../../kernel/databases/d1";
import { LIMITS } from "../../kernel/limits";
import { extractSearchTerms } from "../../language/words/query-terms";
import type { SemanticServices } from "../vectors/semantic-services";
import { buildRowCondition, type Corpus, type RecallFilter, selectCorpusTable } from "./corpus";
import {
  buildHitReads,
  type CorpusCandidate,
  collectHitRows,
  type HitRead,
  type SearchContext,
  type SearchRow,
  SPARE_HITS,
} from "./hits";
import { buildLexicalQuery, buildPartsQuery } from "./lexical-search";
import type { SearchCandidate, SearchMode } from "./rank-fusion";
import {
  runSemanticSearch,
  type SemanticMatches,
  type SemanticSearchRequest,
  SemanticSearchUnavailable,
  UnreadableQuery,
} from "./semantic-search";

export type HybridContext = SearchContext & {
  semantic: SemanticServices | null;
  postings: number;
  now: () => number;
};

type IndexRequest = RecallFilter & { query: string; depth: number; mode: SearchMode };

/** What both indexes found. `matches` is null if the vector index was not asked. */
type IndexMatches = {
  /** With their whole rows if `matches` is null. */
  lexical: CorpusCandidate[];
  /** Of each corpus, in order. */
  matches: SemanticMatches[] | null;
  /** The mode that was used; `degraded` explains why it differs from the requested one. */
  mode: SearchMode;
  degraded: string | null;
  /** Whether some rows have no vectors yet, so that only lexical search could find them. */
  hasUnindexed: boolean;
};

const NO_MATCHES: SemanticMatches = { cosines: new Map(), cutOff: 0 };

/**
 * Searches the text index and the vector index side by side. Falls back to lexical search when semantic search is
 * unavailable, and adds it when vectors are missing.
 */
export async function searchIndexes(
  context: HybridContext,
  corpora: readonly Corpus[],
  request: IndexRequest,
): Promise<IndexMatches> {
  const { db } = context;
  const { mode } = request;
  const readLexical = async (whole: boolean): Promise<CorpusCandidate[]> => {
    const reads = planLexicalReads(context, corpora, request, whole);
    return collectLexical(reads, await runBatch(db, reads.map(getStatement)), whole);
  };
  if (mode === "text")
    return { lexical: await readLexical(true), matches: null, mode, degraded: null, hasUnindexed: false };
  const beside = mode === "semantic" ? [] : planLexicalReads(context, corpora, request, false);
  let lexical: CorpusCandidate[] = [];
  const search: SemanticSearchRequest = { ...context, corpora, filter: request, query: request.query };
  try {
    const { matches, incomplete } = await runSemanticSearch(search, async (backlog) => {
      const results = await runBatch(db, [...backlog, ...beside.map(getStatement)]);
      lexical = collectLexical(beside, results.slice(backlog.length), false);
      return results.slice(0, backlog.length);
    });
    if (incomplete === null)
      return {
        lexical: addCosines(lexical, corpora, matches),
        matches,
        mode,
        degraded: null,
        hasUnindexed: false,
      };
    if (mode === "semantic") lexical = await readLexical(false);
    return {
      lexical: addCosines(lexical, corpora, matches),
      matches,
      mode: "hybrid",
      degraded: mode === "hybrid" ? null : `${incomplete} Searched by text, too.`,
      hasUnindexed: true,
    };
  } catch (error) {
    if (!(error instanceof SemanticSearchUnavailable)) throw error;
    // Texts that cannot be read have no vectors: the words are all there is, and the relevance floor applies to them.
    const isUnreadable = error instanceof UnreadableQuery;
    return {
      lexical: await readLexical(!isUnreadable),
      matches: isUnreadable ? corpora.map(() => NO_MATCHES) : null,
      mode: "text",
      degraded: `${error.message} Answered by text.`,
      hasUnindexed: false,
    };
  }
}

/** Candidates of a lexical search: few suffice, because fusion only reorders near-ties. */
const CANDIDATES_PER_HIT = 3;
const MIN_CANDIDATES = 30;

/** A row of a read: BM25 comes with lexical matches, the number of terms within words with those of a scan. */
type CandidateRow = Omit<SearchCandidate, "kind" | "bm25" | "parts" | "cosine"> & {
  bm25?: number;
  parts?: number;
  vector_id: string;
  type: string | null;
};

type LexicalRead = { corpus: Corpus; terms: number; statement: SQL };

function getStatement({ statement }: { statement: SQL }): SQL {
  return statement;
}

function selectVectorId({ vectorId }: Corpus): SQL {
  return sql`m.${sql.raw(vectorId)} AS vector_id`;
}

/** A lexical search without a semantic one has few candidates: their whole rows are read at once. */
function planLexicalReads(
  { tenant, scope, postings }: HybridContext,
  corpora: readonly Corpus[],
  request: IndexRequest,
  whole: boolean,
): LexicalRead[] {
  const terms = extractSearchTerms(request.query);
  if (terms.length === 0) return [];
  const limit = whole ? Math.max(MIN_CANDIDATES, request.depth * CANDIDATES_PER_HIT) : LIMITS.recallMatches;
  return corpora.flatMap((corpus) => {
    const ranking = sql`${corpus.rankingColumns}, ${selectVectorId(corpus)}`;
    const columns = whole ? sql`m.*, ${ranking}` : ranking;
    const search = { tenant, scope, corpus, terms, filter: request, limit, postings };
    const parts = buildPartsQuery(search, columns);
    return [buildLexicalQuery(search, columns), ...(parts === null ? [] : [parts])].map((statement) => ({
      corpus,
      terms: terms.length,
      statement,
    }));
  });
}

function collectLexical(
  reads: readonly LexicalRead[],
  results: readonly unknown[][],
  whole: boolean,
): CorpusCandidate[] {
  const candidates = new Map<string, CorpusCandidate>();
  for (const [n, { corpus, terms }] of reads.entries()) {
    for (const row of (results[n] ?? []) as CandidateRow[]) {
      const key = `${corpus.kind} ${row.seq}`;
      const known = candidates.get(key);
      const { vector_id: vectorId, ...columns } = row;
      candidates.set(key, {
        ...columns,
        kind: corpus.kind,
        corpus,
        vectorId,
        cosine: null,
        bm25: known?.bm25 ?? row.bm25 ?? null,
        parts: Math.max(known?.parts ?? 0, row.parts === undefined ? 0 : row.parts / terms),
        loaded: whole ? { row: row as unknown as SearchRow, context: "", neighbours: [] } : null,
      });
    }
  }
  return [...candidates.values()];
}

function addCosines(
  candidates: readonly CorpusCandidate[],
  corpora: readonly Corpus[],
  matches: readonly SemanticMatches[],
): CorpusCandidate[] {
  return candidates.map((candidate) => ({
    ...candidate,
    cosine: matches[corpora.indexOf(candidate.corpus)]?.cosines.get(candidate.vectorId) ?? null,
  }));
}

/** A row that is likely to be a hit. `type` is null if only the vector index found it. */
export type LikelyRow = Pick<CorpusCandidate, "kind" | "vectorId" | "type" | "cosine">;

/** Of the rows that only the vector index found, so many times the wanted ones are read whole, the nearest first. */
const WHOLE_PER_HIT = 2;

/**
 * Returns the lexical candidates and those that only the vector index found with a cosine above `minCosine`, in one round
 * trip. It also reads the whole rows of the `likely` hits among the lexical candidates and of the nearest others.
 */
export async function addSemanticCandidates(
  context: SearchContext,
  corpora: readonly Corpus[],
  request: RecallFilter & {
    depth: number;
    minCosine: number;
    prefetch?: ((likely: readonly LikelyRow[]) => void) | undefined;
  },
  { lexical, matches }: { lexical: readonly CorpusCandidate[]; matches: readonly SemanticMatches[] },
  likely: readonly CorpusCandidate[],
): Promise<CorpusCandidate[]> {
  const { tenant, scope } = context;
  const whole = WHOLE_PER_HIT * (request.depth + SPARE_HITS);
  const known = new Set(lexical.map(({ kind, vectorId }) => `${kind} ${vectorId}`));
  const others = corpora.map(({ kind }, i) =>
    [...(matches[i] ?? NO_MATCHES).cosines]
      .filter(([id, cosine]) => cosine > request.minCosine && !known.has(`${kind} ${id}`))
      .toSorted(([, a], [, b]) => b - a),
  );
  request.prefetch?.([
    ...likely,
    ...corpora.flatMap(({ kind }, i) =>
      (others[i] ?? []).slice(0, whole).map(([vectorId, cosine]) => ({ kind, vectorId, type: null, cosine })),
    ),
  ]);
  const reads = corpora.flatMap((corpus, i): (HitRead & { ranksBy?: SemanticMatches })[] => {
    const found = matches[i] ?? NO_MATCHES;
    const ids = (others[i] ?? []).map(([id]) => id);
    const columns = sql`${corpus.rankingColumns}, ${selectVectorId(corpus)}`;
    const seqs = likely.flatMap((candidate) => (candidate.corpus === corpus ? [candidate.seq] : []));
    const rest = ids.slice(whole);
    return [
      ...buildHitReads(context, request, corpus, { seqs }),
      ...buildHitReads(context, request, corpus, { vectorIds: ids.slice(0, whole), columns }).map((read) =>
        read.part === "rows" ? { ...read, ranksBy: found } : read,
      ),
      ...(rest.length === 0
        ? []
        : [
            {
              corpus,
              part: "columns" as const,
              ranksBy: found,
              // CROSS JOIN starts at the ids: the planner would otherwise scan the whole scope.
              statement: sql`SELECT ${columns} FROM json_each(${JSON.stringify(rest)}) j
                CROSS JOIN ${selectCorpusTable(corpus, request)} m ON m.tenant = ${tenant} AND m.${sql.raw(corpus.vectorId)} = j.value
                WHERE ${buildRowCondition(tenant, scope, corpus, request)}`,
            },
          ]),
    ];
  });
  const results = await runBatch(context.db, reads.map(getStatement));
  const loaded = collectHitRows(reads, results);
  const semantic = reads.flatMap(({ corpus, ranksBy }, n) =>
    ranksBy === undefined
      ? []
      : ((results[n] ?? []) as CandidateRow[]).map(({ vector_id: vectorId, ...columns }) => ({
          ...columns,
          kind: corpus.kind,
          corpus,
          vectorId,
          cosine: ranksBy.cosines.get(vectorId) ?? null,
          bm25: null,
          parts: 0,
          loaded: null,
        })),
  );
  return [...lexical, ...semantic].map((candidate) => ({
    ...candidate,
    loaded: candidate.loaded ?? loaded.get(`${candidate.kind} ${candidate.seq}`) ?? null,
  }));
}
