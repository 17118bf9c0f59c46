// Episodes: records of attempts at a task.

import { createAccess } from "../../calls/call-access";
import { runIdempotent } from "../../calls/run-idempotent";
import type { App } from "../../http/app-context";
import { groupRoutes } from "../../http/endpoint";
import { decodeCursor, TimePosition, toPage } from "../../http/pagination";
import { DEFAULT_PROJECT } from "../../kernel/access";
import {
  EpisodeOutcome,
  Flag,
  Id,
  PageQuery,
  pageSchema,
  Since,
  Until,
  UserId,
  z,
} from "../../kernel/common";
import { deriveStep } from "../../kernel/idempotency";
import { withPendingEpisodeUsage } from "../../memories/usage/count-recall";
import { eraseEpisode, readEpisode, recordEpisode } from "./episode-operations";
import { toEpisodeView } from "./episode-record";
import { Episode, EpisodeCreate } from "./episode-schemas";

const Receipt = z
  .object({
    deleted: z.object({ episodes: z.number(), triples: z.number(), vectors: z.number(), links: z.number() }),
  })
  .openapi("EpisodeReceipt");

export function episodeRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Experience", stage: "store", bound: "owner" });

  routes.post("/v1/episodes", "createEpisode", {
    summary: "Record an attempt at a task",
    quota: ["episodes", "bytes"],
    body: EpisodeCreate,
    responses: {
      200: { description: "The episode already existed", schema: Episode },
      201: { description: "The episode was created", schema: Episode },
    },
    reply: ({ services, body, idempotency }) =>
      runIdempotent(services.store, idempotency, () =>
        recordEpisode(services, createAccess(services), body, deriveStep(idempotency, "write")),
      ),
  });

  routes.get("/v1/episodes", "listEpisodes", {
    summary: "List episodes, newest first",
    limitsReads: true,
    audit: { export: "export.episodes" },
    query: PageQuery.extend({
      project_id: Id.optional(),
      user_id: UserId.optional(),
      outcome: EpisodeOutcome.optional(),
      agent: Id.optional(),
      since: Since.optional().openapi({ description: "Episodes of this day, or this time, and later" }),
      until: Until.optional().openapi({ description: "Episodes of this day, or this time, and earlier" }),
      include_archived: Flag,
    }),
    responses: { 200: { description: "Episodes", schema: pageSchema(Episode) } },
    handle: async ({ services, query }) => {
      const { store, binding } = services;
      const { limit, cursor, project_id, user_id, outcome, agent, since, until, include_archived } = query;
      const filter = {
        project_id: project_id ?? null,
        // A key that is bound to the default project has what is shared there.
        unassigned: project_id === DEFAULT_PROJECT && binding.project_id === undefined,
        user_id: user_id ?? null,
        outcome: outcome ?? null,
        agent: agent ?? null,
        since: since ?? null,
        until: until ?? null,
        archived: include_archived,
      };
      const after = decodeCursor(TimePosition, cursor);
      const episodes = await withPendingEpisodeUsage(
        services,
        store.episodes.list(filter, { limit: limit + 1, after }),
      );
      return toPage(episodes.map(toEpisodeView), limit, ({ timestamp, id }) => ({ timestamp, id }));
    },
  });

  routes.get("/v1/episodes/{id}", "getEpisode", {
    summary: "Read an episode, including an archived one",
    bound: "episode",
    responses: { 200: { description: "The episode", schema: Episode } },
    handle: async ({ services, params: { id } }) => toEpisodeView(await readEpisode(services, id)),
  });

  routes.delete("/v1/episodes/{id}", "deleteEpisode", {
    summary: "Erase an episode from triples, read model, text index and vectors, with all references to it",
    audit: { action: "episode.erase" },
    bound: "episode",
    responses: {
      200: {
        description: "The number of erased rows",
        schema: Receipt,
        example: { deleted: { episodes: 1, triples: 14, vectors: 1, links: 2 } },
      },
    },
    handle: async ({ services, params: { id } }) => ({ deleted: await eraseEpisode(services, id) }),
  });
}
