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
import { endpoint } from "../endpoint";
import { decodeCursor, toPage } from "../pagination";

const TAG = "Ledgers and handoffs";
const AgentParams = z.object({ agent_id: Id });
const Cursor = z.object({ version: z.number() });

export function ledgerRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "put",
      path: "/v1/ledgers/{agent_id}",
      operationId: "putLedger",
      summary: "Save a checkpoint of an agent",
      description: "A checkpoint that is identical to the newest one adds no version.",
      tag: TAG,
      scope: "write",
      quota: ["bytes"],
      bound: "agent",
      stage: "store",
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
    },
    async ({ c, services, params: { agent_id }, body }) => {
      if (body.agent_id !== undefined && body.agent_id !== agent_id)
        throw new FailureError(
          invalidField("agent_id", `must be ${agent_id}, as in the path: change it or leave it out`).failure,
        );
      const reply = await saveCheckpoint(services, NO_OWNER, { ...body, agent_id });
      return c.json(reply.body);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/ledgers/{agent_id}",
      operationId: "getLedger",
      summary: "Read the newest checkpoint of an agent",
      tag: TAG,
      scope: "read",
      bound: "agent",
      stage: "store",
      params: AgentParams,
      responses: { 200: { description: "The ledger", schema: Ledger, example: LEDGER } },
    },
    async ({ c, services, params: { agent_id } }) => {
      const reply = await readCheckpoint(services, NO_OWNER, { agent_id });
      return c.json(reply.body);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/ledgers/{agent_id}/history",
      operationId: "listLedgers",
      summary: "List the checkpoints of an agent, newest first",
      tag: TAG,
      scope: "read",
      limitsReads: true,
      audit: { export: "export.ledgers" },
      bound: "agent",
      stage: "store",
      params: AgentParams,
      query: PageQuery,
      responses: {
        200: {
          description: "Ledgers",
          schema: pageSchema(Ledger),
          example: { data: [LEDGER], next_cursor: null },
        },
      },
    },
    async ({ c, services: { store }, params: { agent_id }, query: { limit, cursor } }) => {
      const before = decodeCursor(Cursor, cursor)?.version ?? null;
      const ledgers = await store.ledgers.list(agent_id, { limit: limit + 1, before });
      if (ledgers.length === 0 && before === null) throw noLedger(agent_id);
      return c.json(toPage(ledgers, limit, ({ version }) => ({ version })));
    },
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/v1/ledgers/{agent_id}",
      operationId: "deleteLedger",
      summary: "Erase all checkpoints of an agent",
      tag: TAG,
      scope: "write",
      bound: "agent",
      audit: { action: "ledger.erase" },
      stage: "store",
      params: AgentParams,
      responses: {
        200: {
          description: "The number of erased checkpoints",
          schema: LedgerReceipt,
          example: { deleted: { checkpoints: 1 } },
        },
      },
    },
    async ({ c, services, params: { agent_id } }) =>
      c.json({ deleted: { checkpoints: await eraseLedger(services, agent_id) } }),
  );
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
