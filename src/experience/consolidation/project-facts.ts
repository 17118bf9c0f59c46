// Whose experience a project's object consolidates: that of the project, which all its users share. No team shares
// the default project: a user's experience there belongs to that user.
import { DEFAULT_PROJECT, type Owner } from "../../kernel/access";
import type { Memory } from "../../memories/memory-schemas";
import type { Episode } from "../episodes/episode-schemas";

export type OwnedExperience = {
  owner: Pick<Owner, "project_id" | "user_id">;
  /** Sorted by timestamp, then id. */
  episodes: readonly Episode[];
  /** All patterns and learnings of the owner, including those that are no longer live. */
  patterns: readonly Memory[];
  learnings: readonly Memory[];
};

/** Splits the experience of a project by owner: the project itself, and in the default project each user. */
export function splitByOwner(
  projectId: string,
  { episodes, patterns, learnings }: Omit<OwnedExperience, "owner">,
): OwnedExperience[] {
  const project = { project_id: projectId, user_id: null };
  if (projectId !== DEFAULT_PROJECT) return [{ owner: project, episodes, patterns, learnings }];
  const byUser = Map.groupBy(episodes, ({ user_id }) => user_id);
  const users = [...byUser.keys()].filter((user) => user !== null);
  return [null, ...users].map((user_id) => {
    const isOwn = (memory: Memory) => memory.user_id === user_id;
    return {
      owner: user_id === null ? project : { project_id: null, user_id },
      episodes: byUser.get(user_id) ?? [],
      patterns: patterns.filter(isOwn),
      learnings: learnings.filter(isOwn),
    };
  });
}
