// Ledgers: where an agent stands, and where it stood.
import { FailureError, fail, invalidField } from "../errors";
import { Id, PageQuery, pageOf, z } from "../schemas/common";
import { Ledger, LedgerPut } from "../schemas/handover";
import { type App, endpoint, servicesOf } from "./endpoint";
import { decodeCursor, toPage } from "./paging";

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
      const { store } = servicesOf(c, caller);
      const checkpoint = { ...body, agent_id, last_checkpoint: body.last_checkpoint ?? null };
      return c.json(await c.var.timing.measure("store", () => store.saveLedger(checkpoint)));
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
      const { store } = servicesOf(c, caller);
      const [newest] = await c.var.timing.measure("store", () =>
        store.listLedgers(agent_id, { limit: 1, before: null }),
      );
      if (newest === undefined) throw noLedger(agent_id);
      return c.json(newest);
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

function noLedger(agentId: string): FailureError {
  return new FailureError(
    fail("not_found", `Agent ${agentId} has no ledger. Write one with PUT /v1/ledgers/${agentId}.`).failure,
  );
}
