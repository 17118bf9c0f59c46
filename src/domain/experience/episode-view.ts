// An episode as its caller tells it, as it begins, and as it is shown. Pure.
import type { Episode, EpisodeCreate, Episode as View } from "../../schemas/episode";

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

export function toView({ decayed_at: _decayed, ...episode }: Episode): Omit<View, "decayed_at"> {
  return episode;
}
