// Reorders the first hits of a search by a reranker, after everything else: the floor, duplicates and the mix of kinds
// decide which hits there are. If the reranker fails, the hits keep their order.

import { failure, logDefect } from "../../kernel/errors";
import type { RankingInput } from "../../memories/memory-schemas";
import { type Reranker, RerankerError } from "../../models/reranker";
import { formatMessage } from "../index/vector-records";
import { findRepeats, type RankedHit, type Repeats } from "./combine-hits";
import type { SearchHit } from "./hits";
import { roundScore } from "./rank-fusion";

/** The hits that a reranker reads: a model's time grows with each, and an answer is rarely behind them. */
export const RERANKED_HITS = 50;

type RerankOutcome<T> = {
  found: T[];
  /** Explains to the caller why the hits have the order of the search; null if they were reranked. */
  notReranked: string | null;
};

type RerankedRequest = {
  query?: string | undefined;
  ranking: RankingInput;
  choose?: unknown;
  inBackground?: boolean;
};

/**
 * Returns the reranker of a search, null if it has none: nothing to compare with, a caller that chooses from the
 * candidates itself, or one that nobody waits for. Throws if one is asked for and none is configured.
 */
export function resolveReranker(
  configured: Reranker | null,
  { query = "", ranking: { rerank }, choose, inBackground = false }: RerankedRequest,
): Reranker | null {
  if (rerank === true && configured === null) {
    const message = "needs a reranker, and none is configured: set RERANKER, or leave the option out";
    throw failure("unprocessable", `ranking.rerank: ${message}`, {
      errors: [{ path: "ranking.rerank", message }],
    });
  }
  const isReranked = rerank !== false && query.trim() !== "" && choose === undefined && !inBackground;
  return isReranked ? configured : null;
}

/**
 * Orders the first hits by the reranker's scores, which replace theirs. Messages that repeat a memory stay behind the
 * others, as without a reranker, unless they count as any hit.
 */
export async function rerankHits<T extends RankedHit>(
  reranker: Reranker,
  query: string,
  found: readonly T[],
  repeats: Repeats,
): Promise<RerankOutcome<T>> {
  const head = found.slice(0, RERANKED_HITS);
  if (head.length === 0) return { found: [], notReranked: null };
  try {
    const scores = await reranker.rerank(
      query,
      head.map(({ hit }) => getRerankedText(hit)),
    );
    const last = repeats === "ranked" ? new Set<T>() : findRepeats(head);
    const reranked = head
      .map((item, i) => ({ item, score: scores[i] ?? 0, isRepeat: last.has(item) }))
      // The sort is stable: equal scores keep their order.
      .sort((a, b) => Number(a.isRepeat) - Number(b.isRepeat) || b.score - a.score);
    const rest = found.slice(RERANKED_HITS).map((item) => ({ item, score: item.hit.score }));
    return { found: lowerInOrder([...reranked, ...rest]), notReranked: null };
  } catch (error) {
    if (!(error instanceof RerankerError)) throw error;
    logDefect("recall.not_reranked", error);
    const reason = error.timedOut ? "The reranker did not answer in time." : "The reranker failed.";
    return { found: [...found], notReranked: `${reason} The hits have the order of the search.` };
  }
}

/** Returns a hit as a reranker reads it; a message as it is embedded. */
function getRerankedText(hit: SearchHit): string {
  return hit.kind === "message" ? formatMessage(hit) : hit.content;
}

/** Gives each hit its score, or that of the hit before it if that is lower. Only reranked hits have the signal. */
function lowerInOrder<T extends RankedHit>(
  ordered: readonly { item: T; score: number; isRepeat?: boolean }[],
): T[] {
  let lowest = Number.POSITIVE_INFINITY;
  return ordered.map(({ item, score, isRepeat }) => {
    lowest = Math.min(lowest, score);
    const { signals } = item.hit;
    const reranked = isRepeat === undefined ? signals : { ...signals, rerank: roundScore(score) };
    return { ...item, hit: { ...item.hit, score: roundScore(lowest), signals: reranked } };
  });
}
