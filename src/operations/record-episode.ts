// record_episode: how an attempt at a task went, so that the next one can learn from it.

import { toEpisode, toEpisodeView } from "../domain/experience/episode-record";
import { unwrap } from "../platform/errors";
import { Episode } from "../schemas/episode";
import { OptionalSession, RecordEpisodeInput } from "../schemas/tool-parameters";
import { belongingOf } from "./resolve-scope";
import { defineTool } from "./tools/tool";

export const recordEpisode = defineTool({
  name: "record_episode",
  title: "Record an attempt",
  description:
    "Tell how an attempt at a task went, whether it succeeded or failed: its goal, the steps, the errors and their " +
    "resolutions, the outcome. Episodes of a project become patterns and warnings that prime gives before later tasks.",
  scope: "write",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  belongs: OptionalSession,
  input: RecordEpisodeInput,
  output: Episode,
  answers: { 200: "The episode, which was there before", 201: "The new episode" },
  async run(services, target, input, idempotency) {
    const { store } = services;
    const own = await belongingOf(services, target);
    const told = {
      ...input,
      agent: input.agent ?? own.agent_id,
      project_id: input.project_id ?? own.project_id,
    };
    // A repeated call must find the same episode: its id then follows from the key.
    const id = told.id ?? `ep-${(idempotency?.op ?? crypto.randomUUID()).replaceAll("-", "").slice(0, 32)}`;
    const written = await store.episodes.write(toEpisode(told, id, new Date(services.now()).toISOString()), {
      dated: told.timestamp !== undefined,
      operation: idempotency,
    });
    const { episode, created } = unwrap(written);
    services.later(services.indexing.wake());
    if (told.project_id !== null) {
      const ref = { tenant: services.tenant, id: told.project_id };
      services.later(services.project(ref.id).noteEpisode(ref, { finished: told.consolidate }));
    }
    return { status: created ? 201 : 200, body: toEpisodeView(episode) };
  },
});
