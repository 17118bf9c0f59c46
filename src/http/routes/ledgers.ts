// Ledgers: where an agent stands, and where it stood.

import { noLedger, readCheckpoint } from "../../operations/read-checkpoint";
import { saveCheckpoint } from "../../operations/save-checkpoint";
import { NO_TARGET } from "../../operations/tools/tool";
import { FailureError, invalidField } from "../../platform/errors";
import { Id, PageQuery, pageOf, z } from "../../schemas/common";
import { Ledger, LedgerPut } from "../../schemas/handover";
import { type App, endpoint, servicesOf } from "../endpoint";
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
      summary: "An agent's checkpoint",
      description: "One that says just what the newest says adds no version.",
      tag: TAG,
      scope: "write",
      params: AgentParams,
      body: LedgerPut,
      bodyRequired: true,
      answers: { 200: { description: "The ledger as it stands now", schema: Ledger } },
    },
    async ({ c, caller, params: { agent_id }, body }) => {
      if (body.agent_id !== undefined && body.agent_id !== agent_id)
        throw new FailureError(
          invalidField("agent_id", `must be ${agent_id}, as in the path: change it or leave it out`).failure,
        );
      const services = servicesOf(c, caller);
      const reply = await c.var.timing.measure("store", () =>
        saveCheckpoint.run(services, NO_TARGET, { ...body, agent_id }, null),
      );
      return c.json(reply.body);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/ledgers/{agent_id}",
      summary: "Where an agent stands: its newest checkpoint",
      tag: TAG,
      scope: "read",
      params: AgentParams,
      answers: { 200: { description: "The ledger", schema: Ledger } },
    },
    async ({ c, caller, params: { agent_id } }) => {
      const services = servicesOf(c, caller);
      const reply = await c.var.timing.measure("store", () =>
        readCheckpoint.run(services, NO_TARGET, { agent_id }, null),
      );
      return c.json(reply.body);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/ledgers/{agent_id}/history",
      summary: "An agent's checkpoints, newest first",
      tag: TAG,
      scope: "read",
      params: AgentParams,
      query: PageQuery,
      answers: { 200: { description: "Ledgers", schema: pageOf(Ledger) } },
    },
    async ({ c, caller, params: { agent_id }, query: { limit, cursor } }) => {
      const { store } = servicesOf(c, caller);
      const before = decodeCursor(Cursor, cursor)?.version ?? null;
      const ledgers = await c.var.timing.measure("store", () =>
        store.listLedgers(agent_id, { limit: limit + 1, before }),
      );
      if (ledgers.length === 0 && before === null) throw noLedger(agent_id);
      return c.json(toPage(ledgers, limit, ({ version }) => ({ version })));
    },
  );
}
