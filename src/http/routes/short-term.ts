// A session's short-term memory: messages, working context, pending memories, promotion, the assembled context.

import { assemble } from "../../operations/assemble-context";
import { NO_TARGET } from "../../operations/tools/tool";
import { unwrap } from "../../platform/errors";
import { AssembleAnswer, AssembleInput } from "../../schemas/assemble";
import { Flag, Id, PageQuery, pageOf, z } from "../../schemas/common";
import {
  ContextItem,
  ContextKey,
  ContextPut,
  Message,
  MessagesAdded,
  MessagesCreate,
  PendingCreate,
  PendingItem,
  PromotionAnswer,
} from "../../schemas/session";
import { type App, endpoint, servicesOf } from "../endpoint";
import { once } from "../idempotency";
import { decodeCursor, toPage } from "../pagination";
import { SessionParams } from "./sessions";

const KeyParams = z.object({ id: Id, key: ContextKey });
const SeqCursor = z.object({ seq: z.number() });
const NameCursor = z.object({ after: z.string() });
const TAG = "Short-term memory";

export function shortTermRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/sessions/{id}/messages",
      summary: "Add messages to the conversation",
      tag: TAG,
      scope: "write",
      params: SessionParams,
      body: MessagesCreate,
      answers: { 201: { description: "What was added and what left the window", schema: MessagesAdded } },
    },
    async ({ c, caller, params: { id }, body, idempotency }) => {
      const { session, tenant } = servicesOf(c, caller);
      const work = () => session(id).addMessages({ tenant, id }, body.messages, idempotency);
      return c.json(unwrap(await c.var.timing.measure("session", work)), 201);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}/messages",
      summary: "The conversation window, oldest first",
      tag: TAG,
      scope: "read",
      params: SessionParams,
      query: PageQuery,
      answers: { 200: { description: "Messages", schema: pageOf(Message) } },
    },
    async ({ c, caller, params: { id }, query: { limit, cursor } }) => {
      const { session, tenant } = servicesOf(c, caller);
      const after = decodeCursor(SeqCursor, cursor)?.seq ?? 0;
      const work = () => session(id).listMessages({ tenant, id }, { limit: limit + 1, after });
      const page = toPage(unwrap(await c.var.timing.measure("session", work)), limit, ({ seq }) => ({ seq }));
      return c.json({ ...page, data: page.data.map(({ seq: _seq, ...message }) => message) });
    },
  );

  endpoint(
    app,
    {
      method: "put",
      path: "/v1/sessions/{id}/context/{key}",
      summary: "Put a value into the working context",
      tag: TAG,
      scope: "write",
      params: KeyParams,
      body: ContextPut,
      answers: { 200: { description: "The item", schema: ContextItem } },
    },
    async ({ c, caller, params: { id, key }, body }) => {
      const { session, tenant } = servicesOf(c, caller);
      return c.json(
        unwrap(
          await c.var.timing.measure("session", () => session(id).putContext({ tenant, id }, key, body)),
        ),
      );
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}/context/{key}",
      summary: "Read an item; counts as an access unless peek=true",
      tag: TAG,
      scope: "read",
      params: KeyParams,
      query: z.object({ peek: Flag }),
      answers: { 200: { description: "The item", schema: ContextItem } },
    },
    async ({ c, caller, params: { id, key }, query }) => {
      const { session, tenant } = servicesOf(c, caller);
      return c.json(
        unwrap(
          await c.var.timing.measure("session", () => session(id).getContext({ tenant, id }, key, query)),
        ),
      );
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}/context",
      summary: "The whole working context",
      tag: TAG,
      scope: "read",
      params: SessionParams,
      query: PageQuery,
      answers: { 200: { description: "Items, by key", schema: pageOf(ContextItem) } },
    },
    async ({ c, caller, params: { id }, query: { limit, cursor } }) => {
      const { session, tenant } = servicesOf(c, caller);
      const items = unwrap(
        await c.var.timing.measure("session", () => session(id).listContext({ tenant, id })),
      );
      return c.json(pageByName(items, ({ key }) => key, limit, cursor));
    },
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/v1/sessions/{id}/context/{key}",
      summary: "Take an item out of the working context",
      tag: TAG,
      scope: "write",
      params: KeyParams,
      answers: { 204: { description: "Gone", schema: null } },
    },
    async ({ c, caller, params: { id, key } }) => {
      const { session, tenant } = servicesOf(c, caller);
      unwrap(await c.var.timing.measure("session", () => session(id).deleteContext({ tenant, id }, key)));
      return c.body(null, 204);
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/sessions/{id}/pending",
      summary: "Offer a memory for promotion",
      tag: TAG,
      scope: "write",
      params: SessionParams,
      body: PendingCreate,
      answers: { 201: { description: "The pending memory", schema: PendingItem } },
    },
    async ({ c, caller, params: { id }, body, idempotency }) => {
      const { session, tenant } = servicesOf(c, caller);
      const work = () => session(id).addPending({ tenant, id }, body, idempotency);
      return c.json(unwrap(await c.var.timing.measure("session", work)), 201);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}/pending",
      summary: "What waits for promotion",
      tag: TAG,
      scope: "read",
      params: SessionParams,
      query: PageQuery,
      answers: { 200: { description: "Pending memories, by id", schema: pageOf(PendingItem) } },
    },
    async ({ c, caller, params: { id }, query: { limit, cursor } }) => {
      const { session, tenant } = servicesOf(c, caller);
      const items = unwrap(
        await c.var.timing.measure("session", () => session(id).listPending({ tenant, id })),
      );
      return c.json(pageByName(items, (item) => item.id, limit, cursor));
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/sessions/{id}/promote",
      summary: "Run a promotion now",
      tag: TAG,
      scope: "write",
      params: SessionParams,
      body: z.object({}).strict(),
      answers: { 200: { description: "What became long-term memory", schema: PromotionAnswer } },
    },
    async ({ c, caller, params: { id }, idempotency }) => {
      const { session, tenant } = servicesOf(c, caller);
      return c.json(
        unwrap(await c.var.timing.measure("session", () => session(id).promote({ tenant, id }, idempotency))),
      );
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/sessions/{id}/assemble",
      summary: "A prompt-ready context within a token budget",
      tag: TAG,
      scope: "read",
      params: SessionParams,
      body: AssembleInput,
      answers: { 200: { description: "The context, and what was left out of it", schema: AssembleAnswer } },
    },
    async ({ c, caller, params: { id }, body, idempotency }) => {
      const services = servicesOf(c, caller);
      const target = { ...NO_TARGET, session_id: id };
      const reply = await c.var.timing.measure("session", () =>
        once(services.store, idempotency, () => assemble.run(services, target, body, null)),
      );
      return c.json(reply.body);
    },
  );
}

/** A page of a short list that is held whole. */
function pageByName<T>(
  items: readonly T[],
  name: (item: T) => string,
  limit: number,
  cursor: string | undefined,
) {
  const after = decodeCursor(NameCursor, cursor)?.after;
  const ordered = [...items]
    .sort((a, b) => (name(a) < name(b) ? -1 : 1))
    .filter((item) => after === undefined || name(item) > after);
  return toPage(ordered, limit, (item) => ({ after: name(item) }));
}
