// Types for the tests; the benchmark itself is plain JavaScript.

type Ranks = readonly (number | null)[];

export function ranksOf<T>(evidence: readonly T[], hits: readonly (readonly T[])[]): (number | null)[];
export function sessionsOf(hits: readonly (readonly number[])[]): number[][];
export function recallAt(ranks: Ranks, k: number): number;
export function ndcgAt(ranks: Ranks, k: number): number;
export function reciprocalRank(ranks: Ranks): number;
export function averages(
  level: "turn" | "session",
  ranksOfQuestions: readonly Ranks[],
): Record<string, number>;
