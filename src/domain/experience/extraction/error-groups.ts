// The errors of many episodes by their type, each with what is said of it most often.

import type { Episode, EpisodeError } from "../../../schemas/episode";
import { normaliseContent } from "../../../text/memory-text";

export type ErrorGroup = {
  key: string;
  type: string;
  /** Empty when nobody said more. */
  message: string;
  /** Of errors with that message, else of any. */
  resolution: string | null;
  /** Those that met it, each once, in the order of time. */
  episodes: Episode[];
};

type Named = Pick<EpisodeError, "type" | "message">;

/** The type in the form in which two types are the same. */
export function errorType({ type }: Named): string {
  return normaliseContent(type);
}

/** The same for the very same error. */
export function exactError({ type, message }: Named): string {
  return JSON.stringify([normaliseContent(type), normaliseContent(message)]);
}

/** Of episodes in the order of time: what most of them met comes first, then by key. */
export function groupErrors(episodes: readonly Episode[], keyOf = errorType): ErrorGroup[] {
  const met = new Map<string, { errors: EpisodeError[]; episodes: Set<Episode> }>();
  for (const episode of episodes) {
    for (const error of episode.errors_encountered) {
      const key = keyOf(error);
      const group = met.get(key) ?? { errors: [], episodes: new Set() };
      group.errors.push(error);
      group.episodes.add(episode);
      met.set(key, group);
    }
  }
  const groups = [...met].map(([key, { errors, episodes }]) => {
    const message = mostFrequent(errors.map((error) => error.message)) ?? "";
    return {
      key,
      type: mostFrequent(errors.map(({ type }) => type)) ?? key,
      message,
      resolution: resolutionOf(errors, message) ?? resolutionOf(errors),
      episodes: [...episodes],
    };
  });
  return groups.sort((a, b) => b.episodes.length - a.episodes.length || (a.key < b.key ? -1 : 1));
}

function resolutionOf(errors: readonly EpisodeError[], said?: string): string | null {
  const same = errors.filter(
    ({ message }) => said === undefined || normaliseContent(message) === normaliseContent(said),
  );
  return mostFrequent(same.map(({ resolution }) => resolution ?? ""));
}

/** The newest of the most frequent texts, as it was last written; null when all are empty. */
function mostFrequent(texts: readonly string[]): string | null {
  const counts = new Map<string, { count: number; last: number; text: string }>();
  for (const [last, text] of texts.entries()) {
    const key = normaliseContent(text);
    if (key !== "") counts.set(key, { count: (counts.get(key)?.count ?? 0) + 1, last, text: text.trim() });
  }
  const [first] = [...counts.values()].sort((a, b) => b.count - a.count || b.last - a.last);
  return first?.text ?? null;
}
