// Users: the people whom memories concern, with their profile and their erasure.
import { renderProfile } from "../../domain/users/render-profile";
import { eraseOwner, selectCounts } from "../../operations/owners/erase-owner";
import { listUsers, readUserProfile } from "../../operations/users/read-user";
import { PageQuery, pageSchema } from "../../schemas/common";
import { UserParams, UserProfile, UserReceipt, UserSummary } from "../../schemas/owners/user";
import type { App } from "../app-context";
import { groupRoutes } from "../endpoint";
import { decodeCursor, NamePosition, toPage } from "../pagination";
import { prefers } from "../read-request";

const MARKDOWN = "text/markdown";

export function userRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Users", stage: "store", bound: "user" });

  routes.get("/v1/users", "listUsers", {
    summary: "List users by id",
    description: "A user exists as soon as a session, a message, a memory or an episode has their `user_id`.",
    limitsReads: true,
    audit: { export: "export.users" },
    bound: "handler",
    query: PageQuery,
    responses: {
      200: {
        description: "Users",
        schema: pageSchema(UserSummary),
        example: { data: [USER], next_cursor: null },
      },
    },
    handle: async ({ services, query: { limit, cursor } }) => {
      const after = decodeCursor(NamePosition, cursor)?.after ?? "";
      const users = await listUsers(services, { after, limit: limit + 1 });
      return toPage(users, limit, ({ id }) => ({ after: id }));
    },
  });

  routes.get("/v1/users/{id}", "getUser", {
    summary: "Read a user's profile: facts, preferences and recent topics",
    description:
      "With `Accept: text/markdown`, a text for a system prompt. Encode the id in the path: `auth0%7C123`.",
    limitsReads: true,
    params: UserParams,
    responses: {
      200: {
        description: "The profile",
        schema: UserProfile,
        types: [MARKDOWN],
        example: PROFILE,
        exampleText: renderProfile(PROFILE),
      },
    },
    handle: async ({ c, services, params: { id } }) => {
      const profile = await readUserProfile(services, id);
      c.header("Vary", "Accept");
      if (!prefers(c, MARKDOWN)) return c.json(profile);
      return c.body(renderProfile(profile), 200, { "Content-Type": `${MARKDOWN}; charset=utf-8` });
    },
  });

  routes.delete("/v1/users/{id}", "deleteUser", {
    summary: "Erase everything of a user from every store",
    description:
      "Erases the user's sessions with their short-term memory, and their messages, memories and episodes, from " +
      "triples, read model, text index and vectors. After a 503, send the same call again: it continues where the " +
      "first one stopped, and its receipt counts what it erased itself.",
    audit: { action: "user.erase", personal: ["id"] },
    params: UserParams,
    responses: {
      200: {
        description: "The number of erased rows",
        schema: UserReceipt,
        example: { deleted: { sessions: 0, messages: 0, memories: 2, episodes: 0, triples: 26, vectors: 2 } },
      },
    },
    handle: async ({ services, params: { id } }) => {
      const erased = await eraseOwner(services, { kind: "user", id });
      return { deleted: selectCounts(erased, UserReceipt.shape.deleted.keyof().options) };
    },
  });
}

const USER = {
  id: "mia",
  first_seen: "2026-11-16T09:02:00.000Z",
  last_seen: "2026-11-16T09:13:00.000Z",
  counts: { sessions: 0, messages: 0, memories: 2 },
};

const PROFILE = {
  ...USER,
  facts: [
    {
      id: "07812f11a2a2d74ab509d3e6b5298031",
      content: "Mia reviews everything that touches payments",
      type: "fact",
      confidence: 0.8,
      timestamp: "2026-11-16T09:13:00.000Z",
    },
  ],
  preferences: [
    {
      id: "1e8a6d8f704c5b6eaf9d8c7b6a594837",
      content: "Mia prefers short answers",
      type: "preference",
      confidence: 0.9,
      timestamp: "2026-11-16T09:02:00.000Z",
    },
  ],
  topics: ["payments", "checkout"],
};
