// Handoffs: work that one agent leaves to another, until somebody takes it.

import { acknowledgeHandoff } from "../../operations/acknowledge-handoff";
import { handOff } from "../../operations/hand-off";
import { NO_TARGET } from "../../operations/tools/tool";
import { FailureError } from "../../platform/errors";
import { Id, PageQuery, pageOf, z } from "../../schemas/common";
import { AcknowledgeInput, Handoff, HandoffCreate, HandoffStatus } from "../../schemas/handover";
import { handoffNotFound } from "../../store/handover/handoff-repository";
import { type App, endpoint, servicesOf } from "../endpoint";
import { decodeCursor, toPage } from "../pagination";

const TAG = "Ledgers and handoffs";
const HandoffParams = z.object({ id: Id });
const Cursor = z.object({ timestamp: z.string(), id: z.string() });

export function handoffRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/handoffs",
      summary: "Hand work to another agent",
      tag: TAG,
      scope: "write",
      body: HandoffCreate,
      answers: {
        200: { description: "The handoff, which was there before", schema: Handoff },
        201: { description: "The new handoff", schema: Handoff },
      },
    },
    async ({ c, caller, body, idempotency }) => {
      const services = servicesOf(c, caller);
      const reply = await c.var.timing.measure("store", () =>
        handOff.run(services, NO_TARGET, body, idempotency),
      );
      return c.json(reply.body, reply.status);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/handoffs",
      summary: "List handoffs, newest first",
      tag: TAG,
      scope: "read",
      query: PageQuery.extend({
        to_agent: Id.optional(),
        from_agent: Id.optional(),
        project_id: Id.optional(),
        status: HandoffStatus.optional(),
      }),
      answers: { 200: { description: "Handoffs", schema: pageOf(Handoff) } },
    },
    async ({ c, caller, query }) => {
      const { store } = servicesOf(c, caller);
      const filter = {
        to_agent: query.to_agent ?? null,
        from_agent: query.from_agent ?? null,
        project_id: query.project_id ?? null,
        status: query.status ?? null,
      };
      const after = decodeCursor(Cursor, query.cursor);
      const handoffs = await c.var.timing.measure("store", () =>
        store.listHandoffs(filter, { limit: query.limit + 1, after }),
      );
      return c.json(toPage(handoffs, query.limit, ({ timestamp, id }) => ({ timestamp, id })));
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/handoffs/{id}",
      summary: "Read a handoff",
      tag: TAG,
      scope: "read",
      params: HandoffParams,
      answers: { 200: { description: "The handoff", schema: Handoff } },
    },
    async ({ c, caller, params: { id } }) => {
      const { store } = servicesOf(c, caller);
      const handoff = await c.var.timing.measure("store", () => store.findHandoff(id));
      if (handoff === null) throw new FailureError(handoffNotFound(id).failure);
      return c.json(handoff);
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/handoffs/{id}/acknowledge",
      summary: "Take a handoff",
      description: "The first agent has it; every later call is a conflict that names that agent.",
      tag: TAG,
      scope: "write",
      params: HandoffParams,
      body: AcknowledgeInput,
      answers: { 200: { description: "The handoff, which is yours", schema: Handoff } },
    },
    async ({ c, caller, params: { id }, body: { agent_id }, idempotency }) => {
      const services = servicesOf(c, caller);
      const reply = await c.var.timing.measure("store", () =>
        acknowledgeHandoff.run(services, NO_TARGET, { handoff_id: id, agent_id }, idempotency),
      );
      return c.json(reply.body);
    },
  );
}
