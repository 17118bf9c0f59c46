// The methods of users: their profile as JSON or as text for a prompt, and their erasure.
import { createMethods } from "./call";
import type { Transport } from "./transport";

export function createUsers(transport: Transport) {
  const { bare, text, list } = createMethods(transport, {});
  return {
    list: list("GET /v1/users"),
    get: bare("GET /v1/users/{id}"),
    /** Returns the profile as text for a system prompt. */
    getMarkdown: text("GET /v1/users/{id}", "text/markdown"),
    /** Erases everything of a user. A long erasure takes several calls; see docs/users.md. */
    erase: bare("DELETE /v1/users/{id}"),
  };
}
