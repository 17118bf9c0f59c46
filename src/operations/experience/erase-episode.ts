// Reads an episode, and erases it from D1, the vector index and the embedding cache of its project.

import { getEpisodeText } from "../../domain/experience/episode-record";
import { failure } from "../../platform/errors";
import type { Episode } from "../../schemas/episode";
import type { Services } from "../services";

export async function readEpisode({ store }: Services, id: string): Promise<Episode> {
  const episode = await store.episodes.find(id);
  if (episode === null) throw episodeNotFound(id);
  return episode;
}

/** Erases an episode and all references to it. Returns the number of rows of each kind. */
export async function eraseEpisode(services: Services, id: string) {
  const { store, project, indexing, later } = services;
  const episode = await readEpisode(services, id);
  if (episode.project_id !== null) await project(episode.project_id).forgetText(getEpisodeText(episode));
  const deleted = await store.episodes.erase(id);
  if (deleted.episodes === 0) throw episodeNotFound(id);
  later(indexing.wake());
  return deleted;
}

function episodeNotFound(id: string) {
  return failure("not_found", `Episode not found: ${id}. Check the id; GET /v1/episodes lists them.`);
}
