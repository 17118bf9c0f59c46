// Sessions: made, read, listed, changed, ended, erased.
import { unwrap } from "../../platform/errors";
import { Flag, Id, PageQuery, pageOf, z } from "../../schemas/common";
import { Session, SessionCreate, SessionPatch, SessionStatus, SessionSummary } from "../../schemas/session";
import { type App, endpoint, servicesOf } from "../endpoint";
import { once } from "../idempotency";
import { decodeCursor, toPage } from "../pagination";

export const SessionParams = z.object({ id: Id });
const Cursor = z.object({ timestamp: z.string(), id: z.string() });
const Ended = Session.extend({ promoted: z.number() }).openapi("SessionEnded");
const Receipt = z
  .object({
    deleted: z.object({
      messages: z.number(),
      context: z.number(),
      pending: z.number(),
      memories: z.number(),
      triples: z.number().openapi({ description: "Those of the erased memories" }),
      vectors: z.number(),
    }),
  })
  .openapi("SessionReceipt");
const TAG = "Sessions";

export function sessionRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/sessions",
      summary: "Make a session",
      tag: TAG,
      scope: "write",
      body: SessionCreate,
      answers: { 201: { description: "The new session", schema: Session } },
    },
    async ({ c, caller, body, idempotency }) => {
      const { store, session, tenant } = servicesOf(c, caller);
      // A repeated call must find the same object: its id then follows from the key.
      const id = body.id ?? (idempotency === null ? crypto.randomUUID() : idempotency.op.slice(0, 32));
      const reply = await c.var.timing.measure("session", () =>
        once(store, idempotency, async () => ({
          status: 201,
          body: unwrap(await session(id).create({ tenant, id }, body, idempotency)),
        })),
      );
      return c.json(reply.body, 201);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions",
      summary: "List sessions, newest first",
      tag: TAG,
      scope: "read",
      query: PageQuery.extend({
        agent_id: Id.optional(),
        project_id: Id.optional(),
        status: SessionStatus.optional(),
      }),
      answers: { 200: { description: "Sessions", schema: pageOf(SessionSummary) } },
    },
    async ({ c, caller, query }) => {
      const { store } = servicesOf(c, caller);
      const filter = {
        agent_id: query.agent_id ?? null,
        project_id: query.project_id ?? null,
        status: query.status ?? null,
      };
      const after = decodeCursor(Cursor, query.cursor);
      const sessions = await c.var.timing.measure("store", () =>
        store.listSessions(filter, { limit: query.limit + 1, after }),
      );
      return c.json(toPage(sessions, query.limit, ({ created_at, id }) => ({ timestamp: created_at, id })));
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}",
      summary: "Read a session",
      tag: TAG,
      scope: "read",
      params: SessionParams,
      answers: { 200: { description: "The session", schema: Session } },
    },
    async ({ c, caller, params: { id } }) => {
      const { session, tenant } = servicesOf(c, caller);
      return c.json(unwrap(await c.var.timing.measure("session", () => session(id).get({ tenant, id }))));
    },
  );

  endpoint(
    app,
    {
      method: "patch",
      path: "/v1/sessions/{id}",
      summary: "Change a session's settings",
      tag: TAG,
      scope: "write",
      params: SessionParams,
      body: SessionPatch,
      answers: { 200: { description: "The session", schema: Session } },
    },
    async ({ c, caller, params: { id }, body }) => {
      const { session, tenant } = servicesOf(c, caller);
      return c.json(
        unwrap(await c.var.timing.measure("session", () => session(id).patch({ tenant, id }, body))),
      );
    },
  );

  const transitions = {
    pause: { summary: "Promote, then pause: no alarm until resumed", answer: Ended },
    resume: { summary: "Resume a paused or abandoned session", answer: Session },
    close: { summary: "Promote a last time, then close for good", answer: Ended },
  } as const;
  for (const name of ["pause", "resume", "close"] as const) {
    const { summary, answer } = transitions[name];
    endpoint(
      app,
      {
        method: "post",
        path: `/v1/sessions/{id}/${name}`,
        summary,
        tag: TAG,
        scope: "write",
        params: SessionParams,
        body: z.object({}).strict(),
        answers: { 200: { description: "The session", schema: answer } },
      },
      async ({ c, caller, params: { id }, idempotency }) => {
        const { session, tenant } = servicesOf(c, caller);
        return c.json(
          unwrap(await c.var.timing.measure("session", () => session(id)[name]({ tenant, id }, idempotency))),
        );
      },
    );
  }

  endpoint(
    app,
    {
      method: "delete",
      path: "/v1/sessions/{id}",
      summary: "Erase a session, and with ?memories=true its long-term memories",
      tag: TAG,
      scope: "write",
      params: SessionParams,
      query: z.object({ memories: Flag }),
      answers: { 200: { description: "What was erased", schema: Receipt } },
    },
    async ({ c, caller, params: { id }, query }) => {
      const { session, tenant } = servicesOf(c, caller);
      const outcome = await c.var.timing.measure("session", () =>
        session(id).erase({ tenant, id }, { memories: query.memories }),
      );
      return c.json({ deleted: unwrap(outcome) });
    },
  );
}
