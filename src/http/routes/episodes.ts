// Episodes: records of attempts at a task.

import { DEFAULT_PROJECT, NO_OWNER } from "../../domain/access";
import { toEpisodeView } from "../../domain/experience/episode-record";
import { eraseEpisode, readEpisode, recordEpisode } from "../../operations/experience/episode-operations";
import { withPendingEpisodeUsage } from "../../operations/memories/pending-usage";
import { deriveStep, runIdempotent } from "../../operations/run-idempotent";
import { Flag, Id, PageQuery, pageSchema, Since, Until, UserId, z } from "../../schemas/common";
import { Episode, EpisodeCreate, EpisodeOutcome } from "../../schemas/episode";
import type { App } from "../app-context";
import { endpoint } from "../endpoint";
import { decodeCursor, TimePosition, toPage } from "../pagination";

const TAG = "Experience";
const EpisodeParams = z.object({ id: Id });
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
      operationId: "createEpisode",
      summary: "Record an attempt at a task",
      tag: TAG,
      scope: "write",
      quota: ["episodes", "bytes"],
      bound: "owner",
      stage: "store",
      body: EpisodeCreate,
      example: { body: EPISODE_INPUT },
      responses: {
        200: { description: "The episode already existed", schema: Episode, example: EPISODE },
        201: { description: "The episode was created", schema: Episode, example: EPISODE },
      },
    },
    async ({ c, services, body, idempotency }) => {
      const reply = await runIdempotent(services.store, idempotency, () =>
        recordEpisode(services, NO_OWNER, body, deriveStep(idempotency, "write")),
      );
      return c.json(reply.body, reply.status);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/episodes",
      operationId: "listEpisodes",
      summary: "List episodes, newest first",
      tag: TAG,
      scope: "read",
      limitsReads: true,
      audit: { export: "export.episodes" },
      bound: "owner",
      stage: "store",
      query: PageQuery.extend({
        project_id: Id.optional(),
        user_id: UserId.optional(),
        outcome: EpisodeOutcome.optional(),
        agent: Id.optional(),
        since: Since.optional().openapi({ description: "Episodes of this day, or this time, and later" }),
        until: Until.optional().openapi({ description: "Episodes of this day, or this time, and earlier" }),
        include_archived: Flag,
      }),
      responses: {
        200: {
          description: "Episodes",
          schema: pageSchema(Episode),
          example: { data: [EPISODE], next_cursor: null },
        },
      },
    },
    async ({ c, services, query }) => {
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
      return c.json(toPage(episodes.map(toEpisodeView), limit, ({ timestamp, id }) => ({ timestamp, id })));
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/episodes/{id}",
      operationId: "getEpisode",
      summary: "Read an episode, including an archived one",
      tag: TAG,
      scope: "read",
      bound: "episode",
      stage: "store",
      params: EpisodeParams,
      responses: { 200: { description: "The episode", schema: Episode, example: EPISODE } },
    },
    async ({ c, services, params: { id } }) => c.json(toEpisodeView(await readEpisode(services, id))),
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/v1/episodes/{id}",
      operationId: "deleteEpisode",
      summary: "Erase an episode from triples, read model, text index and vectors, with all references to it",
      tag: TAG,
      scope: "write",
      audit: { action: "episode.erase" },
      bound: "episode",
      stage: "store",
      params: EpisodeParams,
      responses: {
        200: {
          description: "The number of erased rows",
          schema: Receipt,
          example: { deleted: { episodes: 1, triples: 14, vectors: 1, links: 2 } },
        },
      },
    },
    async ({ c, services, params: { id } }) => c.json({ deleted: await eraseEpisode(services, id) }),
  );
}

const EPISODE_INPUT = {
  id: "ep-guest-checkout",
  task_id: "SHOP-412",
  project_id: "shop",
  agent: "ada",
  duration_seconds: 1840,
  context: {
    phase: "implementation",
    goal: "Fix the guest checkout",
    constraints: ["No change of the database"],
    files_involved: ["lib/shop/checkout.ex"],
  },
  action_log: [
    { t: 0, action: "read_file", target: "lib/shop/checkout.ex" },
    { t: 320, action: "write_test", target: "test/shop/guest_checkout_test.exs" },
    { t: 900, action: "run_tests", result: "1 failure" },
    { t: 1800, action: "run_tests", result: "213 passed" },
  ],
  outcome: "success",
  errors_encountered: [
    {
      type: "KeyError",
      message: "key :customer_id not found",
      resolution: "Read the guest's e-mail in its place",
    },
  ],
  files_modified: ["lib/shop/checkout.ex"],
  git_commit: "4f1c2ab",
};

const EPISODE = {
  ...EPISODE_INPUT,
  user_id: null,
  artifacts_produced: [],
  files_read: [],
  tokens_used: null,
  importance: 0.5,
  timestamp: "2026-11-16T09:20:00.000Z",
  summary: null,
  summarised: false,
  archived: false,
  archived_at: null,
  usage_count: 0,
  last_used: null,
};
