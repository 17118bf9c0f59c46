// Episodes: the stored record of a posted one, its public view, the text it is compared by, and the evidence that a
// group of them gives a pattern.

import { DEFAULT_PROJECT } from "../../kernel/access";
import { compareText } from "../../language/normalise-text";
import type { Episode, EpisodeCreate } from "./episode-schemas";

/** Creates the record of a posted episode: not summarised, not archived, never used. */
export function toEpisode(input: EpisodeCreate, id: string, now: string): Episode {
  const { id: _id, consolidate: _consolidate, timestamp = now, ...fields } = input;
  return {
    id,
    timestamp,
    ...fields,
    summary: null,
    summarised: false,
    archived: false,
    archived_at: null,
    usage_count: 0,
    last_used: null,
    decayed_at: null,
  };
}

/** Returns the fields that callers see. An episode without a project belongs to the default one. */
export function toEpisodeView(stored: Episode): Omit<Episode, "decayed_at" | "base_importance"> {
  const { decayed_at: _decayed, base_importance: _base, ...episode } = stored;
  return { ...episode, project_id: episode.project_id ?? DEFAULT_PROJECT };
}

/**
 * Returns the text that an episode is embedded by: its goal alone. Measured with the embedded embedder, actions make
 * two tasks similar that merely take the same steps, and errors separate two attempts at one task.
 */
export function getEpisodeText({ context }: Pick<Episode, "context">): string {
  return context.goal;
}

export type PatternEvidence = {
  confidence: number;
  importance: number;
  source_episodes: string[];
  timestamp: string;
};

/** Confidence of a new pattern: the base plus a step for each episode, up to the maximum. */
const INITIAL_CONFIDENCE = { base: 0.5, perEpisode: 0.1, max: 0.95 } as const;

/** Computes the evidence for a pattern from at least one episode, sorted by time. Each has a weight of 1 by default. */
export function computeEvidence(
  episodes: readonly Episode[],
  weigh: (episode: Episode) => number = () => 1,
): PatternEvidence {
  const { base, perEpisode, max } = INITIAL_CONFIDENCE;
  const weight = episodes.reduce((sum, episode) => sum + weigh(episode), 0);
  const importance = episodes.reduce((sum, episode) => sum + episode.importance, 0) / episodes.length;
  return {
    confidence: round(Math.min(base + perEpisode * weight, max)),
    importance: round(importance),
    source_episodes: episodes.map(({ id }) => id),
    timestamp: episodes.at(-1)?.timestamp ?? "",
  };
}

/** Sorts episodes by timestamp, then by id. */
export function sortEpisodes(episodes: readonly Episode[]): Episode[] {
  return episodes.toSorted((a, b) => compareText(a.timestamp, b.timestamp) || compareText(a.id, b.id));
}

/** Removes floating-point noise, so that 0.5 + 0.3 is 0.8. */
function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
