// A knowledge graph over HTTP, operation by operation; src/mcp serves the same operations as tools.
import { GRAPH_TOOLS, GraphOwnerIds, type GraphTool } from "../../operations/graph/graph-operations";
import { takeApart } from "../../operations/tools/tool-input";
import type { JsonObject } from "../../platform/json";
import { StrictGraphInputs } from "../../schemas/knowledge-graph";
import { type App, endpoint, servicesOf } from "../endpoint";
import { once, step } from "../idempotency";

const TAG = "Knowledge graph";
const WHOSE =
  "With `agent_id` or `project_id` it is that agent's or project's graph, without either the tenant's own.";

export function graphRoutes(app: App): void {
  for (const tool of GRAPH_TOOLS) graphRoute(app, tool);
}

function graphRoute(app: App, tool: GraphTool): void {
  const { name, title, description, scope, output, answers } = tool;
  endpoint(
    app,
    {
      method: "post",
      path: `/v1/graph/${name}`,
      summary: title,
      description: `${description}. ${WHOSE}`,
      tag: TAG,
      scope,
      body: StrictGraphInputs[name].safeExtend(GraphOwnerIds.shape),
      answers: { 200: { description: answers[200] ?? title, schema: output } },
    },
    async ({ c, caller, body, idempotency }) => {
      const services = servicesOf(c, caller);
      const { target, input } = takeApart(tool, body as JsonObject);
      const run = () => tool.run(services, target, input, step(idempotency, name));
      const reply = await c.var.timing.measure("graph", () => once(services.store, idempotency, run));
      return c.json(reply.body);
    },
  );
}
