// Knowledge graphs: one route per operation. server-memory-routes.ts serves the same operations as MCP tools.

import { runTool } from "../calls/run-idempotent";
import { splitOwnerInput } from "../calls/tool";
import { StrictGraphInputs } from "../graph/knowledge-graph-schemas";
import type { App } from "../http/app-context";
import { groupRoutes } from "../http/endpoint";
import type { JsonObject } from "../kernel/json";
import { GRAPH_ERASE, GRAPH_TOOLS, GraphOwnerIds, type GraphTool } from "./graph-operations";

const OWNER_NOTE =
  "Works on the graph of the given `agent_id` or `project_id`, or on the tenant's own graph without either.";

export function graphRoutes(app: App): void {
  for (const tool of GRAPH_TOOLS) registerGraphTool(app, tool);
}

function registerGraphTool(app: App, tool: GraphTool): void {
  const { name, title, description, scope, output, responses } = tool;
  const { operationId, body, response } = EXAMPLES[name];
  const routes = groupRoutes(app, { tag: "Knowledge graph", stage: "graph" });
  routes.post(`/v1/graph/${name}`, operationId, {
    summary: title,
    description: `${description}. ${OWNER_NOTE}`,
    scope,
    ...(scope === "read" && { limitsReads: true }),
    ...(scope === "write" && {
      quota: tool.quota === undefined ? { exempt: "It deletes." } : { handler: tool.quota },
    }),
    ...(tool.erases && { audit: { action: GRAPH_ERASE } }),
    body: StrictGraphInputs[name].safeExtend(GraphOwnerIds.shape),
    example: { body: { ...body, project_id: "shop" } },
    responses: { 200: { description: responses[200] ?? title, schema: output, example: response } },
    handle: async ({ services, body, idempotency }) => {
      const { owner, input } = splitOwnerInput(tool, body as JsonObject);
      return (await runTool(services, tool, { owner, input, idempotency })).body;
    },
  });
}

const MIA = { name: "Mia", entityType: "person", observations: ["Reviews payments"] };
const CHECKOUT = { name: "Checkout", entityType: "component", observations: ["Written in Elixir"] };
const UPDATED_CHECKOUT = {
  ...CHECKOUT,
  observations: [...CHECKOUT.observations, "Guests are known by their e-mail"],
};
const REVIEWS = { from: "Mia", to: "Checkout", relationType: "reviews" };

/** Operation ids and examples, by tool name. The examples work on the graph of one project. */
const EXAMPLES: Readonly<
  Record<GraphTool["name"], { operationId: string; body: JsonObject; response: JsonObject }>
> = {
  create_entities: {
    operationId: "createEntities",
    body: { entities: [MIA, CHECKOUT] },
    response: { entities: [MIA, CHECKOUT] },
  },
  create_relations: {
    operationId: "createRelations",
    body: { relations: [REVIEWS] },
    response: { relations: [REVIEWS] },
  },
  add_observations: {
    operationId: "addObservations",
    body: { observations: [{ entityName: "Checkout", contents: ["Guests are known by their e-mail"] }] },
    response: {
      results: [{ entityName: "Checkout", addedObservations: ["Guests are known by their e-mail"] }],
    },
  },
  delete_entities: {
    operationId: "deleteEntities",
    body: { entityNames: ["Mia"] },
    response: { success: true, message: "Entities deleted successfully" },
  },
  delete_observations: {
    operationId: "deleteObservations",
    body: { deletions: [{ entityName: "Checkout", observations: ["Written in Elixir"] }] },
    response: { success: true, message: "Observations deleted successfully" },
  },
  delete_relations: {
    operationId: "deleteRelations",
    body: { relations: [REVIEWS] },
    response: { success: true, message: "Relations deleted successfully" },
  },
  read_graph: {
    operationId: "readGraph",
    body: {},
    response: { entities: [MIA, UPDATED_CHECKOUT], relations: [REVIEWS] },
  },
  search_nodes: {
    operationId: "searchNodes",
    body: { query: "elixir" },
    response: { entities: [UPDATED_CHECKOUT], relations: [REVIEWS] },
  },
  open_nodes: {
    operationId: "openNodes",
    body: { names: ["Mia"] },
    response: { entities: [MIA], relations: [REVIEWS] },
  },
};
