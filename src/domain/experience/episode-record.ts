// An episode as its caller tells it, as it begins, and as it is shown. Pure.
import { EXPERIENCE } from "../../limits";
import type { Episode, EpisodeCreate, Episode as View } from "../../schemas/episode";
import { compareText } from "../../text/normalise-text";

export function toEpisode(told: EpisodeCreate, id: string, now: string): Episode {
  const { id: _id, consolidate: _consolidate, timestamp = now, ...fields } = told;
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

export function toEpisodeView({ decayed_at: _decayed, ...episode }: Episode): Omit<View, "decayed_at"> {
  return episode;
}

export function getEpisodeText({ context }: Pick<Episode, "context">): string {
  return context.goal;
}

export type PatternEvidence = {
  confidence: number;
  importance: number;
  source_episodes: string[];
  timestamp: string;
};

/** Of episodes in the order of time, at least one. */
export function computeEvidence(episodes: readonly Episode[]): PatternEvidence {
  const { base, step, most } = EXPERIENCE.confidence;
  const importance = episodes.reduce((sum, episode) => sum + episode.importance, 0) / episodes.length;
  return {
    confidence: round(Math.min(base + step * episodes.length, most)),
    importance: round(importance),
    source_episodes: episodes.map(({ id }) => id),
    timestamp: episodes.at(-1)?.timestamp ?? "",
  };
}

export function sortEpisodes(episodes: readonly Episode[]): Episode[] {
  return episodes.toSorted((a, b) => compareText(a.timestamp, b.timestamp) || compareText(a.id, b.id));
}

/** So that .5 + .3 is .8. */
function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
