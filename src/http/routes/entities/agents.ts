// Agents as subjects: their class, names, roles and capabilities.
import { NAMESPACE } from "../../../ontology/terms.generated";
import {
  listAgents,
  putAgent,
  readAgent,
  readOwnerTriples,
} from "../../../operations/entities/declare-entity";
import { eraseOwner, selectCounts } from "../../../operations/owners/erase-owner";
import { PageQuery, pageSchema } from "../../../schemas/common";
import { AgentParams, AgentPut, AgentView } from "../../../schemas/entities/entity";
import { AgentReceipt } from "../../../schemas/owners/erasure";
import type { App } from "../../app-context";
import { endpoint } from "../../endpoint";
import { decodeCursor, NamePosition, toPage } from "../../pagination";
import { describeTriples, respondWithTriples, SYNTAX_NOTE } from "../../rdf-response";

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
      limitsReads: true,
      audit: { export: "export.agents" },
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
      quota: ["bytes"],
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
        200: describeTriples(TRIPLES),
      },
    },
    async ({ c, services, params: { agent_id: id } }) =>
      respondWithTriples(c, await readOwnerTriples(services, { kind: "agent", id })),
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/v1/agents/{agent_id}",
      operationId: "deleteAgent",
      summary: "Erase everything of an agent from every store",
      description:
        "Erases its sessions with their short-term memory, its messages, memories, entries and episodes, its policy, its " +
        "ledger, the handoffs from it and to it, its declaration and its briefing counts. After a 503, send the same " +
        "call again: it continues where the first one stopped, and its receipt counts what it erased itself.",
      tag: TAG,
      scope: "write",
      bound: "agent",
      audit: { action: "agent.erase" },
      stage: "store",
      params: AgentParams,
      responses: {
        200: {
          description: "The number of erased rows",
          schema: AgentReceipt,
          example: {
            deleted: {
              ...{ sessions: 1, messages: 2, memories: 4, episodes: 1, triples: 61, vectors: 7 },
              ...{ ledgers: 1, handoffs: 1, policies: 1 },
            },
          },
        },
      },
    },
    async ({ c, services, params: { agent_id: id } }) => {
      const erased = await eraseOwner(services, { kind: "agent", id });
      return c.json({ deleted: selectCounts(erased, AgentReceipt.shape.deleted.keyof().options) });
    },
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
