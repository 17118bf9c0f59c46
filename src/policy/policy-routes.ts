// Memory policies of agents, and the two calls of a turn: preflight before the model runs, capture after it.

import { runIdempotent } from "../calls/run-idempotent";
import type { App } from "../http/app-context";
import { groupRoutes } from "../http/endpoint";
import { PolicyReceipt } from "../owners/entities/entity-schemas";
import { Policy, PolicyInput } from "../sessions/policy-settings";
import { captureTurn } from "./capture-turn";
import { PreflightAnswer, PreflightInput, TurnAnswer, TurnInput } from "./policy-schemas";
import { preflight } from "./preflight";
import { DEFAULT_POLICY, mergePolicy } from "./resolve-policy";
import { selectEntryStore } from "./select-entry-store";
import { erasePolicy, loadAgentPolicy, savePolicy } from "./turn-context";

export function policyRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Policy and turns", stage: "store", bound: "agent" });

  routes.put("/v1/agents/{agent_id}/policy", "putPolicy", {
    summary: "Set an agent's memory policy",
    quota: ["bytes"],
    audit: { action: "policy.change" },
    body: PolicyInput,
    bodyRequired: true,
    responses: { 200: { description: "The complete policy", schema: Policy } },
    handle: async ({ services: { store }, params: { agent_id }, body }) => {
      await savePolicy(store, agent_id, body);
      return mergePolicy(DEFAULT_POLICY, body);
    },
  });

  routes.get("/v1/agents/{agent_id}/policy", "getPolicy", {
    summary: "Read an agent's memory policy, or the defaults",
    responses: { 200: { description: "The complete policy", schema: Policy } },
    handle: ({ services: { store }, params: { agent_id } }) => loadAgentPolicy(store, agent_id),
  });

  routes.delete("/v1/agents/{agent_id}/policy", "deletePolicy", {
    summary: "Erase an agent's memory policy; the defaults apply again",
    audit: { action: "policy.erase" },
    responses: { 200: { description: "The number of erased policies", schema: PolicyReceipt } },
    handle: async ({ services: { store }, params: { agent_id } }) => {
      await erasePolicy(store, agent_id);
      return { deleted: { policies: 1 } };
    },
  });

  routes.post("/v1/sessions/{id}/preflight", "preflight", {
    summary: "Build the messages of the next turn, with memory injected",
    scope: "read",
    capability: "CanQueryMemory",
    bound: "session",
    stage: "preflight",
    body: PreflightInput,
    responses: {
      200: { description: "The messages to send, and the injected memories", schema: PreflightAnswer },
    },
    handle: async ({ services, params: { id }, body }) => {
      const entries = selectEntryStore(services, body.store);
      return await preflight(services, entries, id, body);
    },
  });

  routes.post("/v1/sessions/{id}/turns", "captureTurn", {
    summary: "Capture a finished turn, as the policy specifies",
    description: "A failed capture is reported in the response and is not an error: the turn is over.",
    quota: { handler: ["memories", "bytes"] },
    bound: "first-write",
    stage: "capture",
    body: TurnInput,
    responses: { 200: { description: "Whether the turn was captured", schema: TurnAnswer } },
    handle: async ({ services, params: { id }, body, idempotency }) =>
      (
        await runIdempotent(services.store, idempotency, async () => {
          const call = { sessionId: id, turn: body, idempotency };
          const { transient, ...turn } = await captureTurn(services, call);
          return { status: 200, body: turn, transient };
        })
      ).body,
  });
}
