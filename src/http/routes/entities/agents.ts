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
import { groupRoutes } from "../../endpoint";
import { decodeCursor, NamePosition, toPage } from "../../pagination";
import { describeTriples, respondWithTriples, SYNTAX_NOTE } from "../../rdf-response";

export function agentRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Agents, projects and resources", stage: "store" });

  routes.get("/v1/agents", "listAgents", {
    summary: "List agents by id",
    description:
      "Those that are declared, and those that a session, a memory, an episode, a policy or a ledger names.",
    limitsReads: true,
    audit: { export: "export.agents" },
    bound: "handler",
    query: PageQuery,
    responses: {
      200: {
        description: "Agents",
        schema: pageSchema(AgentView),
        example: { data: [AGENT], next_cursor: null },
      },
    },
    handle: async ({ services, query: { limit, cursor } }) => {
      const after = decodeCursor(NamePosition, cursor)?.after ?? "";
      const agents = await listAgents(services, { after, limit: limit + 1 });
      return toPage(agents, limit, ({ id }) => ({ after: id }));
    },
  });

  routes.put("/v1/agents/{agent_id}", "putAgent", {
    summary: "Declare an agent: its class, roles and capabilities",
    description:
      "Replaces its declaration; without a class and properties, removes it. An agent with any `hasCapability` needs " +
      "`CanQueryMemory` to read long-term memory and `CanWriteMemory` to write it.",
    quota: ["bytes"],
    audit: { action: "agent.change" },
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
    handle: ({ services, params: { agent_id }, body }) => putAgent(services, agent_id, body),
  });

  routes.get("/v1/agents/{agent_id}", "getAgent", {
    summary: "Read an agent",
    bound: "agent",
    params: AgentParams,
    responses: { 200: { description: "The agent", schema: AgentView, example: AGENT } },
    handle: ({ services, params: { agent_id } }) => readAgent(services, agent_id),
  });

  routes.get("/v1/agents/{agent_id}/triples", "getAgentTriples", {
    summary: "Read an agent as triples",
    description: SYNTAX_NOTE,
    bound: "agent",
    params: AgentParams,
    responses: { 200: describeTriples(TRIPLES) },
    handle: async ({ c, services, params: { agent_id: id } }) =>
      respondWithTriples(c, await readOwnerTriples(services, { kind: "agent", id })),
  });

  routes.delete("/v1/agents/{agent_id}", "deleteAgent", {
    summary: "Erase everything of an agent from every store",
    description:
      "Erases its sessions with their short-term memory, its messages, memories, entries and episodes, its policy, its " +
      "ledger, the handoffs from it and to it, its declaration and its briefing counts. After a 503, send the same " +
      "call again: it continues where the first one stopped, and its receipt counts what it erased itself.",
    bound: "agent",
    audit: { action: "agent.erase" },
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
    handle: async ({ services, params: { agent_id: id } }) => {
      const erased = await eraseOwner(services, { kind: "agent", id });
      return { deleted: selectCounts(erased, AgentReceipt.shape.deleted.keyof().options) };
    },
  });
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
