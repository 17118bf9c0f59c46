// Sessions: created, read, listed, changed, paused, closed and erased.

import { NAMESPACE } from "../../../ontology/terms.generated";
import { redactQuotations } from "../../../operations/erasure/redact-quotations";
import { createSession, readSessionTriples } from "../../../operations/session-operations";
import { unwrap } from "../../../platform/errors";
import { Flag, Id, PageQuery, pageSchema, UserId, z } from "../../../schemas/common";
import {
  Session,
  SessionCreate,
  SessionPatch,
  SessionPhaseInput,
  SessionStatus,
  SessionSummary,
} from "../../../schemas/session";
import type { App } from "../../app-context";
import { endpoint } from "../../endpoint";
import { decodeCursor, TimePosition, toPage } from "../../pagination";
import { describeTriples, respondWithTriples, SYNTAX_NOTE } from "../../rdf-response";

export const SessionParams = z.object({ id: Id });
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
const TAG = "Sessions";

export function sessionRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/sessions",
      operationId: "createSession",
      summary: "Create a session",
      tag: TAG,
      scope: "write",
      quota: { handler: ["sessions"] },
      bound: "owner",
      stage: "session",
      body: SessionCreate,
      example: {
        body: {
          id: "checkout-fix",
          agent_id: "ada",
          project_id: "shop",
          reach: "project",
          phase: "implementation",
          promotion: { threshold: 0.6 },
          metadata: { ticket: "SHOP-412" },
        },
      },
      responses: {
        201: { description: "The new session", schema: Session, example: NEW_SESSION },
      },
    },
    async ({ c, services, body, idempotency }) => {
      const reply = await createSession(services, body, idempotency);
      return c.json(reply.body, 201);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions",
      operationId: "listSessions",
      summary: "List sessions, newest first",
      tag: TAG,
      scope: "read",
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
      responses: {
        200: {
          description: "Sessions",
          schema: pageSchema(SessionSummary),
          example: { data: [SESSION_SUMMARY], next_cursor: null },
        },
      },
    },
    async ({ c, services: { store }, query }) => {
      const filter = {
        user_id: query.user_id ?? null,
        agent_id: query.agent_id ?? null,
        project_id: query.project_id ?? null,
        status: query.status ?? null,
        phase: query.phase ?? null,
      };
      const after = decodeCursor(TimePosition, query.cursor);
      const sessions = await store.sessions.list(filter, { limit: query.limit + 1, after });
      return c.json(toPage(sessions, query.limit, ({ created_at, id }) => ({ timestamp: created_at, id })));
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}",
      operationId: "getSession",
      summary: "Read a session",
      tag: TAG,
      scope: "read",
      bound: "session",
      stage: "session",
      params: SessionParams,
      responses: { 200: { description: "The session", schema: Session, example: NEW_SESSION } },
    },
    async ({ c, services: { session, tenant }, params: { id } }) => {
      return c.json(unwrap(await session(id).get({ tenant, id })));
    },
  );

  endpoint(
    app,
    {
      method: "patch",
      path: "/v1/sessions/{id}",
      operationId: "updateSession",
      summary: "Change a session's settings",
      tag: TAG,
      scope: "write",
      quota: ["bytes"],
      bound: "session",
      stage: "session",
      params: SessionParams,
      body: SessionPatch,
      example: {
        body: {
          token_budget: { total: 16000, conversation: 10000 },
          metadata: { ticket: "SHOP-412", reviewer: "mia" },
        },
      },
      responses: {
        200: {
          description: "The session",
          schema: Session,
          example: {
            ...SESSION,
            updated_at: "2026-11-16T09:02:00.000Z",
            promotion: NEW_SESSION.promotion,
            counts: NEW_SESSION.counts,
          },
        },
      },
    },
    async ({ c, services: { session, tenant }, params: { id }, body }) => {
      return c.json(unwrap(await session(id).patch({ tenant, id }, body)));
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}/triples",
      operationId: "getSessionTriples",
      summary: "Read a session as triples",
      description: SYNTAX_NOTE,
      tag: TAG,
      scope: "read",
      bound: "session",
      stage: "store",
      params: SessionParams,
      responses: {
        200: describeTriples(TRIPLES),
      },
    },
    async ({ c, services, params: { id } }) => respondWithTriples(c, await readSessionTriples(services, id)),
  );

  for (const { name, operationId, summary, schema, example } of TRANSITIONS) {
    endpoint(
      app,
      {
        method: "post",
        path: `/v1/sessions/{id}/${name}`,
        operationId,
        summary,
        tag: TAG,
        scope: "write",
        quota: { exempt: "It changes a status, and promotes candidates that were accepted before." },
        bound: "session",
        stage: "session",
        params: SessionParams,
        body: z.object({}).strict(),
        example: { body: {} },
        responses: { 200: { description: "The session", schema, example } },
      },
      async ({ c, services: { session, tenant }, params: { id }, idempotency }) => {
        return c.json(unwrap(await session(id)[name]({ tenant, id }, idempotency)));
      },
    );
  }

  endpoint(
    app,
    {
      method: "delete",
      path: "/v1/sessions/{id}",
      operationId: "deleteSession",
      summary: "Erase a session, with `?memories=true` including its long-term memories",
      tag: TAG,
      scope: "write",
      audit: { action: "session.erase" },
      bound: "session",
      stage: "session",
      params: SessionParams,
      query: z.object({ memories: Flag }),
      responses: {
        200: {
          description: "The number of erased rows",
          schema: Receipt,
          example: { deleted: { messages: 2, context: 0, pending: 0, memories: 3, triples: 44, vectors: 5 } },
        },
      },
    },
    async ({ c, services, params: { id }, query: { memories } }) => {
      const { session, tenant } = services;
      const deleted = unwrap(await session(id).erase({ tenant, id }, { memories }));
      if (memories) await redactQuotations(services);
      return c.json({ deleted });
    },
  );
}

const PROMOTION = {
  enabled: true,
  interval_ms: 30000,
  threshold: 0.6,
  max_per_run: 20,
  weights: { recency: 0.2, frequency: 0.3, confidence: 0.25, salience: 0.25 },
  runs: 2,
  total_promoted: 2,
  last_run: "2026-11-16T09:28:00.000Z",
  next_run: null,
};

const SESSION_SUMMARY = {
  id: "checkout-fix",
  status: "active",
  user_id: null,
  agent_id: "ada",
  project_id: "shop",
  reach: "project",
  phase: "implementation",
  continues: null,
  created_at: "2026-11-16T09:01:00.000Z",
  updated_at: "2026-11-16T09:01:00.000Z",
  ended_at: null,
};

const SESSION = {
  ...SESSION_SUMMARY,
  participating_agents: [],
  updated_at: "2026-11-16T09:30:00.000Z",
  token_budget: { total: 16000, conversation: 10000, context: 6000 },
  promotion: PROMOTION,
  counts: { messages: 2, tokens: 31, context: 1, pending: 0, memories: 4 },
  policy: null,
  privacy: "standard",
  metadata: { ticket: "SHOP-412", reviewer: "mia" },
};

const NEW_SESSION = {
  ...SESSION,
  updated_at: SESSION.created_at,
  token_budget: { total: 32000, conversation: 20000, context: 12000 },
  promotion: { ...PROMOTION, runs: 0, total_promoted: 0, last_run: null },
  counts: { messages: 0, tokens: 0, context: 0, pending: 0, memories: 0 },
  metadata: { ticket: "SHOP-412" },
};

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
    example: { ...SESSION, status: "paused", updated_at: "2026-11-16T09:29:00.000Z", promoted: 0 },
  },
  {
    name: "resume",
    operationId: "resumeSession",
    summary: "Resume a paused or abandoned session",
    schema: Session,
    example: SESSION,
  },
  {
    name: "close",
    operationId: "closeSession",
    summary: "Promote a last time, then close permanently",
    schema: EndedSession,
    example: {
      ...SESSION,
      status: "closed",
      updated_at: "2026-11-16T09:32:00.000Z",
      ended_at: "2026-11-16T09:32:00.000Z",
      promotion: { ...PROMOTION, runs: 3, last_run: "2026-11-16T09:31:00.000Z" },
      counts: { messages: 2, tokens: 31, context: 0, pending: 0, memories: 3 },
      promoted: 0,
    },
  },
] as const;
