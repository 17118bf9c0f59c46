// Sessions: created, read, listed, changed, paused, closed and erased.

import type { App } from "../http/app-context";
import { groupRoutes } from "../http/endpoint";
import { decodeCursor, TimePosition, toPage } from "../http/pagination";
import { describeTriples, respondWithTriples, SYNTAX_NOTE } from "../http/rdf-response";
import { EmptyBody, Flag, Id, PageQuery, pageSchema, UserId, z } from "../kernel/common";
import { unwrap } from "../kernel/errors";
import { redactQuotations } from "../memories/redact-quotations";
import { NAMESPACE } from "../ontology/generated/terms.generated";
import { createSession, readSessionTriples } from "./session-operations";
import {
  PROMOTION_EXAMPLE,
  SESSION_EXAMPLE,
  Session,
  SessionCreate,
  SessionPatch,
  SessionPhaseInput,
  SessionStatus,
  SessionSummary,
  USED_SESSION_EXAMPLE,
} from "./session-schemas";

const EndedSession = Session.extend({ promoted: z.number() }).openapi("SessionEnded");
const Receipt = z
  .object({
    deleted: z.object({
      messages: z.number(),
      context: z.number(),
      pending: z.number(),
      memories: z.number(),
      triples: z.number().openapi({ description: "The triples of the erased memories" }),
      vectors: z.number(),
    }),
  })
  .openapi("SessionReceipt");

export function sessionRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Sessions", stage: "session", bound: "session" });

  routes.post("/v1/sessions", "createSession", {
    summary: "Create a session",
    quota: { handler: ["sessions"] },
    bound: "owner",
    body: SessionCreate,
    responses: { 201: { description: "The new session", schema: Session } },
    handle: async ({ services, body, idempotency }) =>
      (await createSession(services, body, idempotency)).body,
  });

  routes.get("/v1/sessions", "listSessions", {
    summary: "List sessions, newest first",
    limitsReads: true,
    audit: { export: "export.sessions" },
    bound: "owner",
    stage: "store",
    query: PageQuery.extend({
      user_id: UserId.optional(),
      agent_id: Id.optional(),
      project_id: Id.optional(),
      status: SessionStatus.optional(),
      phase: SessionPhaseInput.optional(),
    }),
    responses: { 200: { description: "Sessions", schema: pageSchema(SessionSummary) } },
    handle: async ({ services: { store }, query }) => {
      const filter = {
        user_id: query.user_id ?? null,
        agent_id: query.agent_id ?? null,
        project_id: query.project_id ?? null,
        status: query.status ?? null,
        phase: query.phase ?? null,
      };
      const after = decodeCursor(TimePosition, query.cursor);
      const sessions = await store.sessions.list(filter, { limit: query.limit + 1, after });
      return toPage(sessions, query.limit, ({ created_at, id }) => ({ timestamp: created_at, id }));
    },
  });

  routes.get("/v1/sessions/{id}", "getSession", {
    summary: "Read a session",
    responses: { 200: { description: "The session", schema: Session } },
    handle: async ({ services: { session, tenant }, params: { id } }) =>
      unwrap(await session(id).get({ tenant, id })),
  });

  routes.patch("/v1/sessions/{id}", "updateSession", {
    summary: "Change a session's settings",
    quota: ["bytes"],
    body: SessionPatch,
    responses: {
      200: {
        description: "The session",
        schema: Session,
        example: {
          ...USED_SESSION_EXAMPLE,
          updated_at: "2026-11-16T09:02:00.000Z",
          promotion: SESSION_EXAMPLE.promotion,
          counts: SESSION_EXAMPLE.counts,
        },
      },
    },
    handle: async ({ services: { session, tenant }, params: { id }, body }) =>
      unwrap(await session(id).patch({ tenant, id }, body)),
  });

  routes.get("/v1/sessions/{id}/triples", "getSessionTriples", {
    summary: "Read a session as triples",
    description: SYNTAX_NOTE,
    stage: "store",
    responses: { 200: describeTriples(TRIPLES) },
    handle: async ({ c, services, params: { id } }) =>
      respondWithTriples(c, await readSessionTriples(services, id)),
  });

  for (const { name, operationId, summary, schema, example } of TRANSITIONS) {
    routes.post(`/v1/sessions/{id}/${name}`, operationId, {
      summary,
      quota: { exempt: "It changes a status, and promotes candidates that were accepted before." },
      body: EmptyBody,
      responses: { 200: { description: "The session", schema, example } },
      handle: async ({ services: { session, tenant }, params: { id }, idempotency }) =>
        unwrap(await session(id)[name]({ tenant, id }, idempotency)),
    });
  }

  routes.delete("/v1/sessions/{id}", "deleteSession", {
    summary: "Erase a session, with `?memories=true` including its long-term memories",
    audit: { action: "session.erase" },
    query: z.object({ memories: Flag }),
    responses: {
      200: {
        description: "The number of erased rows",
        schema: Receipt,
        example: { deleted: { messages: 2, context: 0, pending: 0, memories: 3, triples: 44, vectors: 5 } },
      },
    },
    handle: async ({ services, params: { id }, query: { memories } }) => {
      const { session, tenant } = services;
      const deleted = unwrap(await session(id).erase({ tenant, id }, { memories }));
      if (memories) await redactQuotations(services);
      return { deleted };
    },
  });
}

const TRIPLES = {
  data: [
    ["http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "WorkSession"],
    [`${NAMESPACE}hasStatus`, "Active"],
    [`${NAMESPACE}hasPhase`, "ImplementationPhase"],
    [`${NAMESPACE}hasPrimaryAgent`, "agent_ada"],
  ].map(([predicate = "", object]) => ({
    subject: `${NAMESPACE}session_checkout-fix`,
    predicate,
    object: `${NAMESPACE}${object}`,
  })),
};

const TRANSITIONS = [
  {
    name: "pause",
    operationId: "pauseSession",
    summary: "Promote, then pause: no automatic promotion until resumed",
    schema: EndedSession,
    example: {
      ...USED_SESSION_EXAMPLE,
      status: "paused",
      updated_at: "2026-11-16T09:29:00.000Z",
      promoted: 0,
    },
  },
  {
    name: "resume",
    operationId: "resumeSession",
    summary: "Resume a paused or abandoned session",
    schema: Session,
    example: USED_SESSION_EXAMPLE,
  },
  {
    name: "close",
    operationId: "closeSession",
    summary: "Promote a last time, then close permanently",
    schema: EndedSession,
    example: {
      ...USED_SESSION_EXAMPLE,
      status: "closed",
      updated_at: "2026-11-16T09:32:00.000Z",
      ended_at: "2026-11-16T09:32:00.000Z",
      promotion: { ...PROMOTION_EXAMPLE, runs: 3, last_run: "2026-11-16T09:31:00.000Z" },
      counts: { messages: 2, tokens: 31, context: 0, pending: 0, memories: 3 },
      promoted: 0,
    },
  },
] as const;
