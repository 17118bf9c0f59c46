// Users: the people whom memories concern, with their profile and their erasure.
import type { App } from "../http/app-context";
import { groupRoutes } from "../http/endpoint";
import { decodeCursor, NamePosition, toPage } from "../http/pagination";
import { prefers } from "../http/read-request";
import { PageQuery, pageSchema } from "../kernel/common";
import {
  USER_PROFILE_EXAMPLE,
  UserParams,
  UserProfile,
  UserReceipt,
  UserSummary,
} from "./entities/entity-schemas";
import { eraseOwner, selectCounts } from "./erase-owner";
import { listUsers, readUserProfile, renderProfile } from "./read-user";

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
    responses: { 200: { description: "Users", schema: pageSchema(UserSummary) } },
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
        exampleText: renderProfile(USER_PROFILE_EXAMPLE),
      },
    },
    handle: async ({ c, services, params: { id } }) => {
      const profile = await readUserProfile(services, id);
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
    responses: { 200: { description: "The number of erased rows", schema: UserReceipt } },
    handle: async ({ services, params: { id } }) => {
      const erased = await eraseOwner(services, { kind: "user", id });
      return { deleted: selectCounts(erased, UserReceipt.shape.deleted.keyof().options) };
    },
  });
}
