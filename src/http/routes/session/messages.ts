// The messages of a session's conversation.
import { addMessages } from "../../../operations/session-operations";
import { unwrap } from "../../../platform/errors";
import { PageQuery, pageSchema, z } from "../../../schemas/common";
import { LastingOwnerIds } from "../../../schemas/memory";
import { Message, MessagesAdded, MessagesCreate } from "../../../schemas/message";
import type { App } from "../../app-context";
import { groupRoutes } from "../../endpoint";
import { decodeCursor, toPage } from "../../pagination";
import { SessionParams } from "./sessions";

const SeqCursor = z.object({ seq: z.number() });
/** The messages, and the owner of a session that they create. */
const MessagesInSession = z
  .object({ ...MessagesCreate.shape, ...LastingOwnerIds.shape })
  .strict()
  .openapi("MessagesInSession");

export function messageRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Short-term memory", stage: "session", bound: "session" });

  routes.post("/v1/sessions/{id}/messages", "addMessages", {
    summary: "Add messages to the conversation",
    quota: ["messages", "bytes"],
    params: SessionParams,
    body: MessagesInSession,
    example: { body: NEW_MESSAGES },
    responses: {
      201: {
        description: "The number of added and evicted messages",
        schema: MessagesAdded,
        example: { added: 2, duplicates: 0, evicted: 0, tokens: { used: 31, max: 10000 } },
      },
    },
    handle: async ({ services, params, body, idempotency }) => {
      const { messages, user_id = null, agent_id = null, project_id = null } = body;
      const owner = { session_id: params.id, user_id, agent_id, project_id };
      return (await addMessages(services, owner, { messages }, idempotency)).body;
    },
  });

  routes.get("/v1/sessions/{id}/messages", "listMessages", {
    summary: "List the messages of the conversation window, oldest first",
    audit: { export: "export.messages" },
    params: SessionParams,
    query: PageQuery,
    responses: { 200: { description: "Messages", schema: pageSchema(Message), example: MESSAGE_PAGE } },
    handle: async ({ services: { session, tenant }, params: { id }, query: { limit, cursor } }) => {
      const after = decodeCursor(SeqCursor, cursor)?.seq ?? 0;
      const page = toPage(
        unwrap(await session(id).listMessages({ tenant, id }, { limit: limit + 1, after })),
        limit,
        ({ seq }) => ({ seq }),
      );
      return { ...page, data: page.data.map(({ seq: _seq, ...message }) => message) };
    },
  });
}

const NEW_MESSAGES = {
  messages: [
    { id: "msg-1", role: "user", name: "Mia", content: "Checkout has been failing for guests since Monday." },
    {
      id: "msg-2",
      role: "assistant",
      content: "The payment step reads the customer id, which guests do not have.",
    },
  ],
};

const MESSAGE_PAGE = {
  data: [
    {
      id: "msg-1",
      role: "user",
      name: "Mia",
      content: "Checkout has been failing for guests since Monday.",
      timestamp: "2026-11-16T09:03:00.000Z",
      token_count: 13,
      tool_calls: null,
      tool_call_id: null,
      metadata: {},
    },
    {
      id: "msg-2",
      role: "assistant",
      name: null,
      content: "The payment step reads the customer id, which guests do not have.",
      timestamp: "2026-11-16T09:03:00.000Z",
      token_count: 18,
      tool_calls: null,
      tool_call_id: null,
      metadata: {},
    },
  ],
  next_cursor: null,
};
