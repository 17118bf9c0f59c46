// Episodes: records the trace of an attempt and schedules consolidation of its project (record_episode); reads and
// erases episodes.

import { resolveOwner } from "../../calls/call-access";
import { defineTool, type OperationReply } from "../../calls/tool";
import { type Access, DEFAULT_PROJECT } from "../../kernel/access";
import { OptionalSession, type z } from "../../kernel/common";
import { failure, unwrap } from "../../kernel/errors";
import type { Idempotency } from "../../kernel/idempotency";
import { withPendingEpisodeUsage } from "../../memories/usage/count-recall";
import type { Services } from "../../services/services";
import { getEpisodeText, toEpisode, toEpisodeView } from "./episode-record";
import type { ErasedEpisodes } from "./episode-repository";
import { Episode, type EpisodeCreate, RecordEpisodeInput } from "./episode-schemas";

export async function recordEpisode(
  services: Services,
  { owner }: Access,
  input: EpisodeCreate,
  idempotency: Idempotency,
): Promise<OperationReply<z.output<typeof Episode>>> {
  const { store } = services;
  const defaults = await resolveOwner(services, owner);
  const user_id = input.user_id ?? defaults.user_id;
  const projectId = input.project_id ?? defaults.project_id ?? DEFAULT_PROJECT;
  // The default project is everybody's: an episode of a user has no project there, and stays with the user.
  const isPersonal = projectId === DEFAULT_PROJECT && user_id !== null;
  const request = {
    ...input,
    agent: input.agent ?? defaults.agent_id,
    project_id: isPersonal && services.binding.project_id === undefined ? null : projectId,
    user_id,
  };
  // Derived from the idempotency key, so that a repeated call finds the same episode.
  const id = request.id ?? `ep-${(idempotency?.op ?? crypto.randomUUID()).replaceAll("-", "").slice(0, 32)}`;
  const written = await store.episodes.write(toEpisode(request, id, new Date(services.now()).toISOString()), {
    dated: request.timestamp !== undefined,
    operation: idempotency,
  });
  const { episode, created } = unwrap(written);
  services.later(services.indexing.wake());
  const ref = { tenant: services.tenant, id: projectId };
  const note = { finished: request.consolidate, phase: request.context.phase };
  services.later(services.project(ref.id).noteEpisode(ref, note));
  return { status: created ? 201 : 200, body: toEpisodeView(episode) };
}

export const recordEpisodeTool = defineTool({
  name: "record_episode",
  title: "Record an attempt",
  description:
    "Record an attempt at a task, whether it succeeded or failed: its goal, steps, errors with their resolutions, and " +
    "outcome. Episodes of a project are consolidated into patterns and warnings, which prime returns for later tasks.",
  scope: "write",
  quota: ["episodes", "bytes"],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  ownerInput: OptionalSession,
  input: RecordEpisodeInput,
  output: Episode,
  responses: { 200: "The episode, which existed already", 201: "The new episode" },
  servesBound: true,
  run: recordEpisode,
});

export async function readEpisode(services: Services, id: string): Promise<Episode> {
  const read = services.store.episodes.find(id).then((found) => (found === null ? [] : [found]));
  const [episode] = await withPendingEpisodeUsage(services, read);
  if (episode === undefined) throw episodeNotFound(id);
  return episode;
}

export async function eraseEpisode(services: Services, id: string): Promise<ErasedEpisodes> {
  const deleted = await eraseEpisodes(services, [id]);
  if (deleted.episodes === 0) throw episodeNotFound(id);
  return deleted;
}

/** Erases episodes, all references to them and their cached texts. Returns the number of rows of each kind. */
export async function eraseEpisodes(services: Services, ids: readonly string[]): Promise<ErasedEpisodes> {
  const { store, project, indexing, later } = services;
  const texts = new Map<string, string[]>();
  for (const episode of await store.episodes.findMany(ids)) {
    const projectId = episode.project_id ?? DEFAULT_PROJECT;
    texts.set(projectId, [...(texts.get(projectId) ?? []), getEpisodeText(episode)]);
  }
  for (const [projectId, ofProject] of texts) await project(projectId).forgetTexts(ofProject);
  const deleted = await store.episodes.erase(ids);
  later(indexing.wake());
  return deleted;
}

function episodeNotFound(id: string) {
  return failure("not_found", `Episode not found: ${id}. Check the id; GET /v1/episodes lists them.`);
}
