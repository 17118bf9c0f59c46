// The short-term memory of a session: messages, working context, pending memories and their promotion; and the context
// assembled from memory for the next turn.
import { assembleContext } from "../../operations/assemble-context";
import { addMessages } from "../../operations/session-operations";
import { unwrap } from "../../platform/errors";
import { AssembleAnswer, AssembleInput } from "../../schemas/assemble";
import { Flag, Id, PageQuery, pageSchema, z } from "../../schemas/common";
import { LastingOwnerIds } from "../../schemas/memory";
import { Message, MessagesAdded, MessagesCreate } from "../../schemas/message";
import {
  ContextItem,
  ContextKey,
  ContextPut,
  PendingCreate,
  PendingItem,
  PromotionAnswer,
} from "../../schemas/session";
import type { App } from "../app-context";
import { groupRoutes } from "../endpoint";
import { decodeCursor, pageByName, toPage } from "../pagination";
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

const KeyParams = z.object({ id: Id, key: ContextKey });
/** The input, and the owner of a session that does not exist yet. */
const AssembleInSession = z
  .object({ ...AssembleInput.shape, ...LastingOwnerIds.shape })
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
    example: { body: { value: "Phoenix 1.8", source: "tool", confidence: 0.95 } },
    responses: {
      200: {
        description: "The item",
        schema: ContextItem,
        example: {
          ...CONTEXT,
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
    responses: { 200: { description: "The item", schema: ContextItem, example: CONTEXT } },
    handle: async ({ services: { session, tenant, canWrite }, params: { id, key }, query }) => {
      const peek = query.peek || !canWrite;
      return unwrap(await session(id).getContext({ tenant, id }, key, { peek }));
    },
  });

  routes.get("/v1/sessions/{id}/context", "listContext", {
    summary: "List the working context",
    audit: { export: "export.context" },
    params: SessionParams,
    query: PageQuery,
    responses: {
      200: {
        description: "Items, by key",
        schema: pageSchema(ContextItem),
        example: { data: [CONTEXT], next_cursor: null },
      },
    },
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
    params: SessionParams,
    body: AssembleInSession,
    example: {
      body: { query: "Deploy the fix of the guest checkout", token_budget: 2000, scope: "project" },
    },
    responses: {
      200: {
        description: "The context, and the items that did not fit",
        schema: AssembleAnswer,
        example: ASSEMBLED_CONTEXT,
      },
    },
    handle: async ({ services, params: { id }, body }) => {
      const { user_id = null, agent_id = null, project_id = null, ...input } = body;
      const owner = { session_id: id, user_id, agent_id, project_id };
      return (await assembleContext(services, owner, input)).body;
    },
  });
}

const CONTEXT = {
  key: "framework",
  value: "Phoenix 1.8",
  source: "tool",
  confidence: 0.95,
  access_count: 2,
  first_seen: "2026-11-16T09:04:00.000Z",
  last_accessed: "2026-11-16T09:05:00.000Z",
  suggested_type: "fact",
  importance: 0.6725,
};

const ASSEMBLED_CONTEXT = {
  messages: [
    {
      id: "msg-1",
      role: "user",
      name: "Mia",
      content: "Checkout has been failing for guests since Monday.",
      timestamp: "2026-11-16T09:03:00.000Z",
    },
    {
      id: "msg-2",
      role: "assistant",
      name: null,
      content: "The payment step reads the customer id, which guests do not have.",
      timestamp: "2026-11-16T09:03:00.000Z",
    },
  ],
  working_context: { framework: "Phoenix 1.8" },
  summary: null,
  facts: [],
  memories: [
    {
      id: "ab6a92ee32fc50cabc64c255171ccc6b",
      kind: "memory",
      content: "Guests have no customer id at checkout",
      type: "discovery",
      confidence: 0.9,
      status: "live",
      timestamp: "2026-11-16T09:06:00.000Z",
      session_id: "checkout-fix",
      user_id: null,
      agent_id: "ada",
      project_id: "shop",
      source_type: "agent",
      rationale: "It is why the payment step fails",
      score: 1.5659,
      signals: { lexical: 1, semantic: 0.3864, recency: 1, importance: 0.655, mode: "hybrid" },
      superseded_by: null,
      access_count: 0,
      metadata: {},
      tags: [],
    },
    {
      id: "d2738fe512d8476e3f904e9c40532471",
      kind: "memory",
      content: "Hotfixes are deployed on any day",
      type: "process_convention",
      confidence: 0.8,
      status: "live",
      timestamp: "2026-11-16T09:09:00.000Z",
      session_id: null,
      user_id: null,
      agent_id: null,
      project_id: "shop",
      source_type: "user",
      rationale: null,
      score: 0.315,
      signals: { lexical: 0, semantic: 0.125, recency: 1, importance: 1, mode: "hybrid" },
      superseded_by: null,
      access_count: 2,
      metadata: {},
      tags: [],
    },
    {
      id: "b924eb2b8ea1f386820e4e58919566bf",
      kind: "memory",
      content: "We deploy on Fridays only after the smoke tests pass",
      type: "process_convention",
      confidence: 0.9,
      status: "live",
      timestamp: "2026-11-16T09:08:00.000Z",
      session_id: "checkout-fix",
      user_id: null,
      agent_id: "ada",
      project_id: "shop",
      source_type: "agent",
      rationale: "Agreed after the outage in May",
      score: 0.3091,
      signals: { lexical: 0, semantic: 0.1141, recency: 1, importance: 1, mode: "hybrid" },
      superseded_by: null,
      access_count: 3,
      metadata: {},
      tags: [],
    },
  ],
  recalled_messages: [],
  prompt:
    "## Session Context\n- **framework**: Phoenix 1.8\n\n## Remembered Information\n- [discovery, confidence 0.9, 2026-11-16] Guests have no customer id at checkout (because: It is why the payment step fails)\n- [process_convention, confidence 0.8, 2026-11-16] Hotfixes are deployed on any day\n- [process_convention, confidence 0.9, 2026-11-16] We deploy on Fridays only after the smoke tests pass (because: Agreed after the outage in May)",
  tokens: { total: 187, budget: 2000, conversation: 31, working: 15, long_term: 141 },
  left_out: [],
};

export function promotionRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Short-term memory", stage: "session", bound: "session" });

  routes.post("/v1/sessions/{id}/pending", "addPending", {
    summary: "Add a pending memory",
    quota: ["memories", "bytes"],
    bound: "first-write",
    params: SessionParams,
    body: PendingCreate,
    example: {
      body: {
        content: "Guests have no customer id at checkout",
        memory_type: "discovery",
        confidence: "high",
        evidence: ["lib/shop/checkout.ex"],
        rationale: "It is why the payment step fails",
        suggested_by: "agent",
      },
    },
    responses: { 201: { description: "The pending memory", schema: PendingItem, example: PENDING } },
    handle: async ({ services: { session, tenant }, params: { id }, body, idempotency }) =>
      unwrap(await session(id).addPending({ tenant, id }, body, idempotency)),
  });

  routes.get("/v1/sessions/{id}/pending", "listPending", {
    summary: "List pending memories",
    audit: { export: "export.pending" },
    params: SessionParams,
    query: PageQuery,
    responses: {
      200: {
        description: "Pending memories, by id",
        schema: pageSchema(PendingItem),
        example: { data: [PENDING], next_cursor: null },
      },
    },
    handle: async ({ services: { session, tenant }, params: { id }, query }) => {
      const items = unwrap(await session(id).listPending({ tenant, id }));
      return pageByName(items, (item) => item.id, query);
    },
  });

  routes.post("/v1/sessions/{id}/promote", "promote", {
    summary: "Run a promotion now",
    quota: { exempt: "It promotes candidates that were accepted before." },
    params: SessionParams,
    body: z.object({}).strict(),
    example: { body: {} },
    responses: {
      200: {
        description: "The promoted memories",
        schema: PromotionAnswer,
        example: {
          promoted: [
            { memory_id: "16304ee22c42a268346723dde09797e6", memory_type: "fact", importance_score: 0.6725 },
            {
              memory_id: "ab6a92ee32fc50cabc64c255171ccc6b",
              memory_type: "discovery",
              importance_score: 0.655,
            },
          ],
          remaining: 0,
        },
      },
    },
    handle: async ({ services: { session, tenant }, params: { id }, idempotency }) =>
      unwrap(await session(id).promote({ tenant, id }, idempotency)),
  });
}

const PENDING = {
  id: "f97e2e2d-2ac6-4db6-9814-f0bf082ee640",
  content: "Guests have no customer id at checkout",
  memory_type: "discovery",
  confidence: 0.9,
  source_type: "agent",
  evidence: ["lib/shop/checkout.ex"],
  rationale: "It is why the payment step fails",
  suggested_by: "agent",
  importance_score: 0.655,
  created_at: "2026-11-16T09:06:00.000Z",
  access_count: 1,
  topic_key: null,
};
