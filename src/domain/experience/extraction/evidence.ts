// What the episodes behind a pattern make of it: how certain it is, how much it matters, since when it holds.
import { EXPERIENCE } from "../../../limits";
import type { Episode } from "../../../schemas/episode";
import { compareText } from "../text-order";

export type Evidence = {
  confidence: number;
  importance: number;
  source_episodes: string[];
  timestamp: string;
};

/** Of episodes in the order of time, at least one. */
export function evidenceOf(episodes: readonly Episode[]): Evidence {
  const { base, step, most } = EXPERIENCE.confidence;
  const importance = episodes.reduce((sum, episode) => sum + episode.importance, 0) / episodes.length;
  return {
    confidence: rounded(Math.min(base + step * episodes.length, most)),
    importance: rounded(importance),
    source_episodes: episodes.map(({ id }) => id),
    timestamp: episodes.at(-1)?.timestamp ?? "",
  };
}

export function inOrder(episodes: readonly Episode[]): Episode[] {
  return episodes.toSorted((a, b) => compareText(a.timestamp, b.timestamp) || compareText(a.id, b.id));
}

/** So that .5 + .3 is .8. */
function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
