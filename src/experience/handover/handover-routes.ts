// Ledgers: the checkpoints of an agent. Handoffs: work that one agent hands over to another.

import { createAccess } from "../../calls/call-access";
import type { App } from "../../http/app-context";
import { groupRoutes } from "../../http/endpoint";
import { decodeCursor, TimePosition, toPage } from "../../http/pagination";
import { Id, PageQuery, pageSchema, z } from "../../kernel/common";
import { FailureError, fieldFailure } from "../../kernel/errors";
import { HandoffReceipt, LedgerReceipt } from "../../owners/entities/entity-schemas";
import { eraseLedger, noLedger, readCheckpoint, saveCheckpoint } from "./checkpoint-operations";
import { acknowledgeHandoff, eraseHandoff, handOff } from "./handoff-operations";
import { handoffNotFound } from "./handoff-repository";
import {
  AcknowledgeInput,
  HANDOFF_EXAMPLE,
  Handoff,
  HandoffCreate,
  HandoffStatus,
  Ledger,
  LedgerPut,
} from "./handover-schemas";

const Cursor = z.object({ version: z.number() });

export function ledgerRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Ledgers and handoffs", stage: "store", bound: "agent" });

  routes.put("/v1/ledgers/{agent_id}", "putLedger", {
    summary: "Save a checkpoint of an agent",
    description: "A checkpoint that is identical to the newest one adds no version.",
    quota: ["bytes"],
    body: LedgerPut,
    bodyRequired: true,
    responses: { 200: { description: "The newest checkpoint", schema: Ledger } },
    handle: async ({ services, params: { agent_id }, body }) => {
      if (body.agent_id !== undefined && body.agent_id !== agent_id)
        throw fieldFailure("agent_id", `must be ${agent_id}, as in the path: change it or leave it out`);
      return (await saveCheckpoint(services, createAccess(services), { ...body, agent_id })).body;
    },
  });

  routes.get("/v1/ledgers/{agent_id}", "getLedger", {
    summary: "Read the newest checkpoint of an agent",
    responses: { 200: { description: "The ledger", schema: Ledger } },
    handle: async ({ services, params: { agent_id } }) =>
      (await readCheckpoint(services, createAccess(services), { agent_id })).body,
  });

  routes.get("/v1/ledgers/{agent_id}/history", "listLedgers", {
    summary: "List the checkpoints of an agent, newest first",
    limitsReads: true,
    audit: { export: "export.ledgers" },
    query: PageQuery,
    responses: { 200: { description: "Ledgers", schema: pageSchema(Ledger) } },
    handle: async ({ services: { store }, params: { agent_id }, query: { limit, cursor } }) => {
      const before = decodeCursor(Cursor, cursor)?.version ?? null;
      const ledgers = await store.ledgers.list(agent_id, { limit: limit + 1, before });
      if (ledgers.length === 0 && before === null) throw noLedger(agent_id);
      return toPage(ledgers, limit, ({ version }) => ({ version }));
    },
  });

  routes.delete("/v1/ledgers/{agent_id}", "deleteLedger", {
    summary: "Erase all checkpoints of an agent",
    audit: { action: "ledger.erase" },
    responses: { 200: { description: "The number of erased checkpoints", schema: LedgerReceipt } },
    handle: async ({ services, params: { agent_id } }) => ({
      deleted: { checkpoints: await eraseLedger(services, agent_id) },
    }),
  });
}

export function handoffRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Ledgers and handoffs", stage: "store" });

  routes.post("/v1/handoffs", "createHandoff", {
    summary: "Hand work over to another agent",
    quota: ["bytes"],
    body: HandoffCreate,
    responses: {
      200: { description: "The handoff already existed", schema: Handoff },
      201: { description: "The handoff was created", schema: Handoff },
    },
    reply: ({ services, body, idempotency }) => handOff(services, createAccess(services), body, idempotency),
  });

  routes.get("/v1/handoffs", "listHandoffs", {
    summary: "List handoffs, newest first",
    limitsReads: true,
    audit: { export: "export.handoffs" },
    query: PageQuery.extend({
      to_agent: Id.optional(),
      from_agent: Id.optional(),
      project_id: Id.optional(),
      status: HandoffStatus.optional(),
    }),
    responses: { 200: { description: "Handoffs", schema: pageSchema(Handoff) } },
    handle: async ({ services: { store }, query }) => {
      const filter = {
        to_agent: query.to_agent ?? null,
        from_agent: query.from_agent ?? null,
        project_id: query.project_id ?? null,
        status: query.status ?? null,
      };
      const after = decodeCursor(TimePosition, query.cursor);
      const handoffs = await store.handoffs.list(filter, { limit: query.limit + 1, after });
      return toPage(handoffs, query.limit, ({ timestamp, id }) => ({ timestamp, id }));
    },
  });

  routes.get("/v1/handoffs/{id}", "getHandoff", {
    summary: "Read a handoff",
    responses: { 200: { description: "The handoff", schema: Handoff } },
    handle: async ({ services: { store }, params: { id } }) => {
      const handoff = await store.handoffs.find(id);
      if (handoff === null) throw new FailureError(handoffNotFound(id).failure);
      return handoff;
    },
  });

  routes.post("/v1/handoffs/{id}/acknowledge", "acknowledgeHandoff", {
    summary: "Acknowledge a handoff",
    description: "The first agent takes the work. Every later call is a conflict that names that agent.",
    quota: { exempt: "It changes a status." },
    body: AcknowledgeInput,
    responses: {
      200: {
        description: "The acknowledged handoff",
        schema: Handoff,
        example: {
          ...HANDOFF_EXAMPLE,
          status: "acknowledged",
          acknowledged_by: "ben",
          acknowledged_at: "2026-11-16T09:27:00.000Z",
        },
      },
    },
    handle: async ({ services, params: { id }, body: { agent_id }, idempotency }) =>
      (await acknowledgeHandoff(services, createAccess(services), { handoff_id: id, agent_id }, idempotency))
        .body,
  });

  routes.delete("/v1/handoffs/{id}", "deleteHandoff", {
    summary: "Erase a handoff",
    audit: { action: "handoff.erase" },
    responses: { 200: { description: "The number of erased handoffs", schema: HandoffReceipt } },
    handle: async ({ services, params: { id } }) => {
      await eraseHandoff(services, id);
      return { deleted: { handoffs: 1 } };
    },
  });
}
