// Ledgers: the checkpoints of an agent.

import { NO_OWNER } from "../../domain/access";
import {
  eraseLedger,
  noLedger,
  readCheckpoint,
  saveCheckpoint,
} from "../../operations/checkpoint-operations";
import { FailureError, invalidField } from "../../platform/errors";
import { Id, PageQuery, pageSchema, z } from "../../schemas/common";
import { Ledger, LedgerPut } from "../../schemas/handover";
import { LedgerReceipt } from "../../schemas/owners/erasure";
import type { App } from "../app-context";
import { groupRoutes } from "../endpoint";
import { decodeCursor, toPage } from "../pagination";

const AgentParams = z.object({ agent_id: Id });
const Cursor = z.object({ version: z.number() });

export function ledgerRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Ledgers and handoffs", stage: "store", bound: "agent" });

  routes.put("/v1/ledgers/{agent_id}", "putLedger", {
    summary: "Save a checkpoint of an agent",
    description: "A checkpoint that is identical to the newest one adds no version.",
    quota: ["bytes"],
    params: AgentParams,
    body: LedgerPut,
    bodyRequired: true,
    example: {
      body: {
        tasks_completed: 3,
        current_task: "SHOP-412: guest checkout",
        state: { branch: "guest-checkout", tests: "213 passed" },
        context: { reviewer: "mia" },
      },
    },
    responses: { 200: { description: "The newest checkpoint", schema: Ledger, example: LEDGER } },
    handle: async ({ services, params: { agent_id }, body }) => {
      if (body.agent_id !== undefined && body.agent_id !== agent_id)
        throw new FailureError(
          invalidField("agent_id", `must be ${agent_id}, as in the path: change it or leave it out`).failure,
        );
      return (await saveCheckpoint(services, NO_OWNER, { ...body, agent_id })).body;
    },
  });

  routes.get("/v1/ledgers/{agent_id}", "getLedger", {
    summary: "Read the newest checkpoint of an agent",
    params: AgentParams,
    responses: { 200: { description: "The ledger", schema: Ledger, example: LEDGER } },
    handle: async ({ services, params: { agent_id } }) =>
      (await readCheckpoint(services, NO_OWNER, { agent_id })).body,
  });

  routes.get("/v1/ledgers/{agent_id}/history", "listLedgers", {
    summary: "List the checkpoints of an agent, newest first",
    limitsReads: true,
    audit: { export: "export.ledgers" },
    params: AgentParams,
    query: PageQuery,
    responses: {
      200: {
        description: "Ledgers",
        schema: pageSchema(Ledger),
        example: { data: [LEDGER], next_cursor: null },
      },
    },
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
    params: AgentParams,
    responses: {
      200: {
        description: "The number of erased checkpoints",
        schema: LedgerReceipt,
        example: { deleted: { checkpoints: 1 } },
      },
    },
    handle: async ({ services, params: { agent_id } }) => ({
      deleted: { checkpoints: await eraseLedger(services, agent_id) },
    }),
  });
}

const LEDGER = {
  tasks_completed: 3,
  current_task: "SHOP-412: guest checkout",
  state: { branch: "guest-checkout", tests: "213 passed" },
  context: { reviewer: "mia" },
  agent_id: "ada",
  version: 1,
  last_checkpoint: "2026-11-16T09:25:00.000Z",
};
