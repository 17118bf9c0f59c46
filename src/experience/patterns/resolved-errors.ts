// Extracts learnings from the errors that episodes resolved: the type of the error is the trigger, its message the
// cause, its resolution the fix and the prevention.

import { computeEvidence, type PatternEvidence, sortEpisodes } from "../episodes/episode-record";
import type { Episode } from "../episodes/episode-schemas";
import { computeErrorKey, groupErrors, weighError } from "./anti-patterns";

export type ResolvedError = PatternEvidence & {
  trigger: string;
  root_cause: string;
  fix: string;
  prevention: string;
  /** When it occurred first; `timestamp` is the last time. */
  first_seen: string;
};

/** Extracts one learning for each type and message of a resolved error, from episodes in any order. */
export function extractResolvedErrors(episodes: readonly Episode[]): ResolvedError[] {
  const resolved = sortEpisodes(episodes).map((episode) => ({
    ...episode,
    errors_encountered: episode.errors_encountered.filter(({ resolution }) => resolution !== null),
  }));
  return groupErrors(resolved, computeErrorKey).flatMap(
    ({ type, message, resolution, episodes: affected }) =>
      resolution === null
        ? []
        : [
            {
              trigger: type,
              root_cause: message === "" ? type : message,
              fix: resolution,
              prevention: resolution,
              first_seen: affected[0]?.timestamp ?? "",
              ...computeEvidence(affected, weighError),
            },
          ],
  );
}
