// The methods of agents: `agents(id)` has those of one, `agents.list` lists all.
import { createMethods } from "./call";
import type { Transport } from "./transport";

export function createAgents(transport: Transport) {
  return Object.assign((agent_id: string) => createAgentHandle(transport, agent_id), {
    list: createMethods(transport, {}).list("GET /v1/agents"),
  });
}

function createAgentHandle(transport: Transport, agent_id: string) {
  const { call, bare } = createMethods(transport, { agent_id });
  return {
    /** Declares the agent: its class, roles and capabilities. */
    put: call("PUT /v1/agents/{agent_id}"),
    get: bare("GET /v1/agents/{agent_id}"),
    triples: bare("GET /v1/agents/{agent_id}/triples"),
    /** Erases everything of the agent. A long erasure takes several calls; see docs/erasure.md. */
    erase: bare("DELETE /v1/agents/{agent_id}"),
    policy: {
      put: call("PUT /v1/agents/{agent_id}/policy"),
      get: bare("GET /v1/agents/{agent_id}/policy"),
      delete: bare("DELETE /v1/agents/{agent_id}/policy"),
    },
  };
}
