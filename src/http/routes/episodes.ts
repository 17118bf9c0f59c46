// Episodes: what happened when something was tried. Written, read, listed, erased.

import { episodeText } from "../../domain/experience/episode-text";
import { toView } from "../../domain/experience/episode-view";
import { recordEpisode } from "../../operations/record-episode";
import { NO_TARGET } from "../../operations/tools/tool";
import { type FailureError, failure } from "../../platform/errors";
import { Flag, Id, PageQuery, pageOf, Time, z } from "../../schemas/common";
import { Episode, EpisodeCreate, Outcome } from "../../schemas/experience";
import { type App, endpoint, servicesOf } from "../endpoint";
import { once, step } from "../idempotency";
import { decodeCursor, toPage } from "../pagination";

const TAG = "Experience";
const EpisodeParams = z.object({ id: Id });
const Cursor = z.object({ timestamp: z.string(), id: z.string() });
const Receipt = z
  .object({
    deleted: z.object({ episodes: z.number(), triples: z.number(), vectors: z.number(), links: z.number() }),
  })
  .openapi("EpisodeReceipt");

export function episodeRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/episodes",
      summary: "Tell what happened when a task was tried",
      tag: TAG,
      scope: "write",
      body: EpisodeCreate,
      answers: {
        200: { description: "The episode, which was there before", schema: Episode },
        201: { description: "The new episode", schema: Episode },
      },
    },
    async ({ c, caller, body, idempotency }) => {
      const services = servicesOf(c, caller);
      const reply = await c.var.timing.measure("store", () =>
        once(services.store, idempotency, () =>
          recordEpisode.run(services, NO_TARGET, body, step(idempotency, "write")),
        ),
      );
      return c.json(reply.body, reply.status as 200 | 201);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/episodes",
      summary: "List episodes, newest first",
      tag: TAG,
      scope: "read",
      query: PageQuery.extend({
        project_id: Id.optional(),
        outcome: Outcome.optional(),
        agent: Id.optional(),
        since: Time.optional(),
        until: Time.optional(),
        include_archived: Flag,
      }),
      answers: { 200: { description: "Episodes", schema: pageOf(Episode) } },
    },
    async ({ c, caller, query }) => {
      const { store } = servicesOf(c, caller);
      const { limit, cursor, project_id, outcome, agent, since, until, include_archived } = query;
      const filter = {
        project_id: project_id ?? null,
        outcome: outcome ?? null,
        agent: agent ?? null,
        since: since ?? null,
        until: until ?? null,
        archived: include_archived,
      };
      const after = decodeCursor(Cursor, cursor);
      const episodes = await c.var.timing.measure("store", () =>
        store.listEpisodes(filter, { limit: limit + 1, after }),
      );
      return c.json(toPage(episodes.map(toView), limit, ({ timestamp, id }) => ({ timestamp, id })));
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/episodes/{id}",
      summary: "An episode, also an archived one",
      tag: TAG,
      scope: "read",
      params: EpisodeParams,
      answers: { 200: { description: "The episode", schema: Episode } },
    },
    async ({ c, caller, params: { id } }) => {
      const { store } = servicesOf(c, caller);
      const episode = await c.var.timing.measure("store", () => store.findEpisode(id));
      if (episode === null) throw notFound(id);
      return c.json(toView(episode));
    },
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/v1/episodes/{id}",
      summary: "Erase an episode from triples, read model, text index, vectors and what refers to it",
      tag: TAG,
      scope: "write",
      params: EpisodeParams,
      answers: { 200: { description: "What was erased", schema: Receipt } },
    },
    async ({ c, caller, params: { id } }) => {
      const { store, project, later } = servicesOf(c, caller);
      const deleted = await c.var.timing.measure("store", async () => {
        const episode = await store.findEpisode(id);
        if (episode === null) throw notFound(id);
        if (episode.project_id !== null) await project(episode.project_id).forgetText(episodeText(episode));
        return store.eraseEpisode(id);
      });
      if (deleted.episodes === 0) throw notFound(id);
      later(store.wakeIndexer());
      return c.json({ deleted });
    },
  );
}

function notFound(id: string): FailureError {
  return failure("not_found", `Episode not found: ${id}. Check the id; GET /v1/episodes lists them.`);
}
