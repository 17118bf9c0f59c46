// Detects ranking signals in a query: the one speaker it names, and the times it mentions.
import { scoreTimeProximity, type TimeRange } from "../text/time-expressions/time-ranges";

export type QuerySignals = {
  /** Whether this is the only speaker that the query names. */
  matchesSpeaker(name: string | null): boolean;
  /** Returns how well a date fits the times that the query mentions, from 0 to 1. */
  scoreDate(timestamp: string): number;
};

/** `names` are the speakers of the candidates, `times` those of the query. */
export function detectQuerySignals(
  query: string,
  names: Iterable<string | null>,
  times: readonly TimeRange[] = [],
): QuerySignals {
  const queryWords = new Set(splitWords(query));
  const named = new Set<string>();
  for (const name of names) {
    if (name !== null && splitWords(name).some((word) => queryWords.has(word))) named.add(name);
  }
  return {
    matchesSpeaker: (name) => named.size === 1 && name !== null && named.has(name),
    scoreDate: (timestamp) => scoreTimeProximity(times, timestamp),
  };
}

function splitWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
