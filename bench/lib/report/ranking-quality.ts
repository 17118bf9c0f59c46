// Measures the quality of a ranking by the ranks of a question's evidence: 1 is the best, null is not found.

export type Ranks = readonly (number | null)[];

export type Level = "turn" | "session";

/**
 * Returns the rank of each piece of evidence. A hit stands for one item, or for several where the service stores them
 * as one; an item's first place counts.
 */
export function rankEvidence<T>(evidence: readonly T[], hits: readonly (readonly T[])[]): (number | null)[] {
  return evidence.map((wanted) => {
    const at = hits.findIndex((hit) => hit.includes(wanted));
    return at === -1 ? null : at + 1;
  });
}

/** Replaces hits by their sessions: a session takes the place of its best hit. */
export function mergeIntoSessions(hits: readonly (readonly number[])[]): number[][] {
  return [...new Set(hits.flat())].map((session) => [session]);
}

/** The share of the evidence among the first k. */
export function computeRecall(ranks: Ranks, k: number): number {
  return ranks.filter((rank) => rank !== null && rank <= k).length / ranks.length;
}

/** Relevance is binary. Items that share a hit share its gain, so that no ranking is better than the ideal one. */
export function computeNdcg(ranks: Ranks, k: number): number {
  const found = [...new Set(ranks.filter((rank) => rank !== null && rank <= k))];
  const ideal = Array.from({ length: Math.min(ranks.length, k) }, (_, i) => i + 1);
  return computeGain(found) / computeGain(ideal);
}

function computeGain(ranks: Ranks): number {
  return ranks.reduce<number>((sum, rank) => (rank === null ? sum : sum + 1 / Math.log2(rank + 1)), 0);
}

/** 1 divided by the rank of the first evidence; 0 when none was found. */
export function computeReciprocalRank(ranks: Ranks): number {
  const found = ranks.filter((rank) => rank !== null);
  return found.length === 0 ? 0 : 1 / Math.min(...found);
}

/** By the name of their column, in the order of the report. */
export const MEASURES: Readonly<Record<Level, Readonly<Record<string, (ranks: Ranks) => number>>>> = {
  turn: {
    "R@5": (ranks) => computeRecall(ranks, 5),
    "R@10": (ranks) => computeRecall(ranks, 10),
    "R@20": (ranks) => computeRecall(ranks, 20),
    "nDCG@10": (ranks) => computeNdcg(ranks, 10),
    MRR: computeReciprocalRank,
  },
  session: {
    "R@5": (ranks) => computeRecall(ranks, 5),
    "R@10": (ranks) => computeRecall(ranks, 10),
    "nDCG@10": (ranks) => computeNdcg(ranks, 10),
    MRR: computeReciprocalRank,
  },
};

/** Averages each measure of `level` over the questions: `{ "R@5": 0.5, … }`. */
export function averageMeasures(level: Level, ranksByQuestion: readonly Ranks[]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(MEASURES[level]).map(([name, compute]) => [
      name,
      ranksByQuestion.reduce((sum, ranks) => sum + compute(ranks), 0) / ranksByQuestion.length,
    ]),
  );
}
