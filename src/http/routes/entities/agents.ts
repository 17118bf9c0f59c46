// Agents as subjects: their class, names, roles and capabilities.
import { NAMESPACE } from "../../../ontology/terms.generated";
import {
  listAgents,
  putAgent,
  readAgent,
  readOwnerTriples,
} from "../../../operations/entities/declare-entity";
import { PageQuery, pageSchema } from "../../../schemas/common";
import { AgentParams, AgentPut, AgentView } from "../../../schemas/entities/entity";
import type { App } from "../../app-context";
import { endpoint } from "../../endpoint";
import { decodeCursor, NamePosition, toPage } from "../../pagination";
import { FullTriples, respondWithTriples, SYNTAX_NOTE } from "../../rdf-response";

const TAG = "Agents, projects and resources";

export function agentRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v1/agents",
      operationId: "listAgents",
      summary: "List agents by id",
      description:
        "Those that are declared, and those that a session, a memory, an episode, a policy or a ledger names.",
      tag: TAG,
      scope: "read",
      bound: "handler",
      stage: "store",
      query: PageQuery,
      responses: {
        200: {
          description: "Agents",
          schema: pageSchema(AgentView),
          example: { data: [AGENT], next_cursor: null },
        },
      },
    },
    async ({ c, services, query: { limit, cursor } }) => {
      const after = decodeCursor(NamePosition, cursor)?.after ?? "";
      const agents = await listAgents(services, { after, limit: limit + 1 });
      return c.json(toPage(agents, limit, ({ id }) => ({ after: id })));
    },
  );

  endpoint(
    app,
    {
      method: "put",
      path: "/v1/agents/{agent_id}",
      operationId: "putAgent",
      summary: "Declare an agent: its class, roles and capabilities",
      description:
        "Replaces its declaration; without a class and properties, removes it. An agent with any `hasCapability` needs " +
        "`CanQueryMemory` to read long-term memory and `CanWriteMemory` to write it.",
      tag: TAG,
      scope: "write",
      audit: { action: "agent.change" },
      stage: "store",
      params: AgentParams,
      body: AgentPut,
      example: {
        body: {
          class: "primary_agent",
          properties: {
            agentName: "Ada",
            hasRole: ["Planner", "Implementer"],
            hasCapability: ["CanWriteCode", "CanWriteMemory", "CanQueryMemory"],
          },
        },
      },
      responses: { 200: { description: "The agent", schema: AgentView, example: AGENT } },
    },
    async ({ c, services, params: { agent_id }, body }) => c.json(await putAgent(services, agent_id, body)),
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/agents/{agent_id}",
      operationId: "getAgent",
      summary: "Read an agent",
      tag: TAG,
      scope: "read",
      bound: "agent",
      stage: "store",
      params: AgentParams,
      responses: { 200: { description: "The agent", schema: AgentView, example: AGENT } },
    },
    async ({ c, services, params: { agent_id } }) => c.json(await readAgent(services, agent_id)),
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/agents/{agent_id}/triples",
      operationId: "getAgentTriples",
      summary: "Read an agent as triples",
      description: SYNTAX_NOTE,
      tag: TAG,
      scope: "read",
      bound: "agent",
      stage: "store",
      params: AgentParams,
      responses: {
        200: { description: "The triples, with full IRIs", schema: FullTriples, example: TRIPLES },
      },
    },
    async ({ c, services, params: { agent_id: id } }) =>
      respondWithTriples(c, await readOwnerTriples(services, { kind: "agent", id })),
  );
}

const AGENT = {
  id: "ada",
  class: "primary_agent",
  declared: true,
  properties: {
    agentName: ["Ada"],
    hasRole: ["Planner", "Implementer"],
    hasCapability: ["CanWriteCode", "CanWriteMemory", "CanQueryMemory"],
  },
};

const TRIPLES = {
  data: [
    ["http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "PrimaryAgent"],
    [`${NAMESPACE}hasRole`, "Planner"],
    [`${NAMESPACE}hasCapability`, "CanWriteMemory"],
  ].map(([predicate = "", object]) => ({
    subject: `${NAMESPACE}agent_ada`,
    predicate,
    object: `${NAMESPACE}${object}`,
  })),
};
