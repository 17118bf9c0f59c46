// Memory policy: per agent, and the two calls of a turn. Preflight before the model, turns after it.

import { parseNamespace } from "../../domain/policy/resolve-namespace";
import { DEFAULT_POLICY, policyOver } from "../../domain/policy/resolve-policy";
import { captureTurn } from "../../operations/policy/capture-turn";
import { preflight } from "../../operations/policy/preflight";
import { memoryStoreOf } from "../../operations/policy/select-entry-store";
import { agentPolicy } from "../../operations/policy/turn-context";
import { writeEntry } from "../../operations/policy/write-entry";
import { unwrap } from "../../platform/errors";
import { Id, PageQuery, pageOf, z } from "../../schemas/common";
import {
  Entry,
  EntryCreate,
  Policy,
  PolicyInput,
  PreflightAnswer,
  PreflightInput,
  TurnAnswer,
  TurnInput,
} from "../../schemas/policy";
import { type App, endpoint, servicesOf } from "../endpoint";
import { once } from "../idempotency";
import { decodeCursor, toPage } from "../pagination";
import { SessionParams } from "./sessions";

const TAG = "Policy and turns";
const AgentParams = z.object({ agent_id: Id });
const Cursor = z.object({ created_at: z.string(), id: z.string() });

export function policyRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "put",
      path: "/v1/agents/{agent_id}/policy",
      summary: "Set an agent's memory policy",
      tag: TAG,
      scope: "write",
      params: AgentParams,
      body: PolicyInput,
      bodyRequired: true,
      answers: { 200: { description: "The whole policy", schema: Policy } },
    },
    async ({ c, caller, params: { agent_id }, body }) => {
      const { store } = servicesOf(c, caller);
      await c.var.timing.measure("store", () => store.savePolicy(agent_id, body));
      return c.json(policyOver(DEFAULT_POLICY, body));
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/agents/{agent_id}/policy",
      summary: "An agent's memory policy; the defaults if it was given none",
      tag: TAG,
      scope: "read",
      params: AgentParams,
      answers: { 200: { description: "The whole policy", schema: Policy } },
    },
    async ({ c, caller, params: { agent_id } }) => {
      const { store } = servicesOf(c, caller);
      return c.json(await c.var.timing.measure("store", () => agentPolicy(store, agent_id)));
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/sessions/{id}/preflight",
      summary: "The messages of the next turn, with memory in them",
      tag: TAG,
      scope: "read",
      params: SessionParams,
      body: PreflightInput,
      answers: {
        200: { description: "What to send, and which memories are in it", schema: PreflightAnswer },
      },
    },
    async ({ c, caller, params: { id }, body, idempotency }) => {
      const services = servicesOf(c, caller);
      const entries = memoryStoreOf(c.env, services);
      const reply = await c.var.timing.measure("preflight", () =>
        once(services.store, idempotency, async () => ({
          status: 200,
          body: await preflight(services, entries, id, body),
        })),
      );
      return c.json(reply.body);
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/sessions/{id}/turns",
      summary: "A finished turn, to be captured as the policy says",
      description: "A capture that fails is told in the answer, and is no error: the turn is over.",
      tag: TAG,
      scope: "write",
      params: SessionParams,
      body: TurnInput,
      answers: { 200: { description: "Whether it was captured", schema: TurnAnswer } },
    },
    async ({ c, caller, params: { id }, body, idempotency }) => {
      const services = servicesOf(c, caller);
      const entries = memoryStoreOf(c.env, services);
      const reply = await c.var.timing.measure("capture", () =>
        once(services.store, idempotency, async () => {
          const { passing, ...answer } = await captureTurn(services, entries, {
            sessionId: id,
            turn: body,
            idempotency,
          });
          return { status: 200, body: answer, passing };
        }),
      );
      return c.json(reply.body);
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/entries",
      summary: "Write an entry into an agent's memory",
      tag: TAG,
      scope: "write",
      body: EntryCreate,
      answers: {
        200: { description: "The entry, which was there before", schema: Entry },
        201: { description: "The new entry", schema: Entry },
      },
    },
    async ({ c, caller, body, idempotency }) => {
      const services = servicesOf(c, caller);
      const entries = memoryStoreOf(c.env, services);
      const reply = await c.var.timing.measure("store", () =>
        once(services.store, idempotency, async () => {
          const { entry, created } = await writeEntry(services, entries, body, idempotency);
          return { status: created ? 201 : 200, body: entry };
        }),
      );
      return c.json(reply.body, reply.status as 200 | 201);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/entries",
      summary: "The entries of a namespace, newest first",
      tag: TAG,
      scope: "read",
      query: PageQuery.extend({ namespace: z.string({ error: "is required" }) }),
      answers: { 200: { description: "Entries", schema: pageOf(Entry) } },
    },
    async ({ c, caller, query: { namespace: name, limit, cursor } }) => {
      const services = servicesOf(c, caller);
      const namespace = unwrap(parseNamespace(name));
      const after = decodeCursor(Cursor, cursor) ?? null;
      const work = () => memoryStoreOf(c.env, services).list_entries({ namespace, limit: limit + 1, after });
      const found = await c.var.timing.measure("store", work);
      return c.json(toPage(found, limit, ({ id, created_at }) => ({ id, created_at })));
    },
  );
}
