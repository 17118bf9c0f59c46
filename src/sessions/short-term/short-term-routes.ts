// The short-term memory of a session: messages, working context, pending memories and their promotion; and the context
// assembled from memory for the next turn.

import { createAccess } from "../../calls/call-access";
import type { App } from "../../http/app-context";
import { groupRoutes } from "../../http/endpoint";
import { decodeCursor, pageByName, toPage } from "../../http/pagination";
import { EmptyBody, Flag, Id, PageQuery, pageSchema, UserAgentProject, z } from "../../kernel/common";
import { unwrap } from "../../kernel/errors";
import { Message, MessagesAdded, MessagesCreate } from "../../memories/message-schemas";
import { assembleContext } from "../../recall/prompts/assemble-context";
import { AssembleAnswer, AssembleInput } from "../../recall/prompts/assemble-schemas";
import { addMessages } from "../session-operations";
import {
  CONTEXT_ITEM_EXAMPLE,
  ContextItem,
  ContextKey,
  ContextPut,
  PendingCreate,
  PendingItem,
  PromotionAnswer,
} from "../session-schemas";

const SeqCursor = z.object({ seq: z.number() });
/** The messages, and the owner of a session that they create. */
const MessagesInSession = z
  .object({ ...MessagesCreate.shape, ...UserAgentProject.shape })
  .strict()
  .openapi("MessagesInSession");

export function messageRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Short-term memory", stage: "session", bound: "session" });

  routes.post("/v1/sessions/{id}/messages", "addMessages", {
    summary: "Add messages to the conversation",
    quota: ["messages", "bytes"],
    body: MessagesInSession,
    example: { body: NEW_MESSAGES },
    responses: { 201: { description: "The number of added and evicted messages", schema: MessagesAdded } },
    handle: async ({ services, params, body, idempotency }) => {
      const { messages, user_id = null, agent_id = null, project_id = null } = body;
      const owner = { session_id: params.id, user_id, agent_id, project_id };
      return (await addMessages(services, createAccess(services, owner), { messages }, idempotency)).body;
    },
  });

  routes.get("/v1/sessions/{id}/messages", "listMessages", {
    summary: "List the messages of the conversation window, oldest first",
    audit: { export: "export.messages" },
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

const KeyParams = z.object({ id: Id, key: ContextKey });
/** The input, and the owner of a session that does not exist yet. */
const AssembleInSession = z
  .object({ ...AssembleInput.shape, ...UserAgentProject.shape })
  .strict()
  .openapi("AssembleInSession");

export function contextRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Short-term memory", stage: "session", bound: "session" });

  routes.put("/v1/sessions/{id}/context/{key}", "putContext", {
    summary: "Set a key of the working context",
    quota: ["memories", "bytes"],
    bound: "first-write",
    params: KeyParams,
    body: ContextPut,
    responses: {
      200: {
        description: "The item",
        schema: ContextItem,
        example: {
          ...CONTEXT_ITEM_EXAMPLE,
          access_count: 1,
          last_accessed: "2026-11-16T09:04:00.000Z",
          importance: 0.6425,
        },
      },
    },
    handle: async ({ services: { session, tenant }, params: { id, key }, body }) =>
      unwrap(await session(id).putContext({ tenant, id }, key, body)),
  });

  routes.get("/v1/sessions/{id}/context/{key}", "getContext", {
    summary: "Read a key of the working context; counts as an access unless `peek=true`",
    params: KeyParams,
    query: z.object({ peek: Flag }),
    responses: { 200: { description: "The item", schema: ContextItem } },
    handle: async ({ services: { session, tenant, canWrite }, params: { id, key }, query }) => {
      const peek = query.peek || !canWrite;
      return unwrap(await session(id).getContext({ tenant, id }, key, { peek }));
    },
  });

  routes.get("/v1/sessions/{id}/context", "listContext", {
    summary: "List the working context",
    audit: { export: "export.context" },
    query: PageQuery,
    responses: { 200: { description: "Items, by key", schema: pageSchema(ContextItem) } },
    handle: async ({ services: { session, tenant }, params: { id }, query }) => {
      const items = unwrap(await session(id).listContext({ tenant, id }));
      return pageByName(items, ({ key }) => key, query);
    },
  });

  routes.delete("/v1/sessions/{id}/context/{key}", "deleteContext", {
    summary: "Delete a key of the working context",
    audit: { exempt: "the working state of a session, which its agent changes all the time" },
    params: KeyParams,
    handle: async ({ services: { session, tenant }, params: { id, key } }) => {
      unwrap(await session(id).deleteContext({ tenant, id }, key));
    },
  });

  routes.post("/v1/sessions/{id}/assemble", "assemble", {
    summary: "Assemble a prompt-ready context within a token budget",
    scope: "read",
    capability: "CanQueryMemory",
    body: AssembleInSession,
    example: {
      body: { query: "Deploy the fix of the guest checkout", token_budget: 2000, scope: "project" },
    },
    responses: {
      200: { description: "The context, and the items that did not fit", schema: AssembleAnswer },
    },
    handle: async ({ services, params: { id }, body }) => {
      const { user_id = null, agent_id = null, project_id = null, ...input } = body;
      const owner = { session_id: id, user_id, agent_id, project_id };
      return (await assembleContext(services, createAccess(services, owner), input)).body;
    },
  });
}

export function promotionRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Short-term memory", stage: "session", bound: "session" });

  routes.post("/v1/sessions/{id}/pending", "addPending", {
    summary: "Add a pending memory",
    quota: ["memories", "bytes"],
    bound: "first-write",
    body: PendingCreate,
    responses: { 201: { description: "The pending memory", schema: PendingItem } },
    handle: async ({ services: { session, tenant }, params: { id }, body, idempotency }) =>
      unwrap(await session(id).addPending({ tenant, id }, body, idempotency)),
  });

  routes.get("/v1/sessions/{id}/pending", "listPending", {
    summary: "List pending memories",
    audit: { export: "export.pending" },
    query: PageQuery,
    responses: { 200: { description: "Pending memories, by id", schema: pageSchema(PendingItem) } },
    handle: async ({ services: { session, tenant }, params: { id }, query }) => {
      const items = unwrap(await session(id).listPending({ tenant, id }));
      return pageByName(items, (item) => item.id, query);
    },
  });

  routes.post("/v1/sessions/{id}/promote", "promote", {
    summary: "Run a promotion now",
    quota: { exempt: "It promotes candidates that were accepted before." },
    body: EmptyBody,
    responses: { 200: { description: "The promoted memories", schema: PromotionAnswer } },
    handle: async ({ services: { session, tenant }, params: { id }, idempotency }) =>
      unwrap(await session(id).promote({ tenant, id }, idempotency)),
  });
}
