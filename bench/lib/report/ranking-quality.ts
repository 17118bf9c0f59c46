// How good a ranking is, by where it has what was to be found. All functions take the ranks of a question's
// evidence: 1 is the best, null is not found.

/**
 * The rank of each piece of evidence. A hit stands for one thing or for several, where the service holds several
 * as one; a thing's first place counts.
 */
export function ranksOf(evidence, hits) {
  return evidence.map((wanted) => {
    const at = hits.findIndex((hit) => hit.includes(wanted));
    return at === -1 ? null : at + 1;
  });
}

/** Hits as the sessions they are from: a session stands where its best hit stood. */
export function sessionsOf(hits) {
  return [...new Set(hits.flat())].map((session) => [session]);
}

/** The share of the evidence among the first k. */
export function recallAt(ranks, k) {
  return ranks.filter((rank) => rank !== null && rank <= k).length / ranks.length;
}

/** Relevance is yes or no. What shares a hit shares its gain, so that no ranking is better than the ideal one. */
export function ndcgAt(ranks, k) {
  const found = [...new Set(ranks.filter((rank) => rank !== null && rank <= k))];
  const ideal = Array.from({ length: Math.min(ranks.length, k) }, (_, i) => i + 1);
  return gain(found) / gain(ideal);
}

function gain(ranks) {
  return ranks.reduce((sum, rank) => sum + 1 / Math.log2(rank + 1), 0);
}

/** One through the rank of the first evidence; none found is 0. */
export function reciprocalRank(ranks) {
  const found = ranks.filter((rank) => rank !== null);
  return found.length === 0 ? 0 : 1 / Math.min(...found);
}

/** By the name of their column, in the order they are shown. */
export const MEASURES = {
  turn: {
    "R@5": (ranks) => recallAt(ranks, 5),
    "R@10": (ranks) => recallAt(ranks, 10),
    "R@20": (ranks) => recallAt(ranks, 20),
    "nDCG@10": (ranks) => ndcgAt(ranks, 10),
    MRR: reciprocalRank,
  },
  session: {
    "R@5": (ranks) => recallAt(ranks, 5),
    "R@10": (ranks) => recallAt(ranks, 10),
    "nDCG@10": (ranks) => ndcgAt(ranks, 10),
    MRR: reciprocalRank,
  },
};

/** Each measure of `level`, averaged over questions: `{ "R@5": 0.5, … }`. */
export function averages(level, ranksOfQuestions) {
  return Object.fromEntries(
    Object.entries(MEASURES[level]).map(([name, measure]) => [
      name,
      ranksOfQuestions.reduce((sum, ranks) => sum + measure(ranks), 0) / ranksOfQuestions.length,
    ]),
  );
}
