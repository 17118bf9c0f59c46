// The MCP server at /mcp/graph, a replacement for `@modelcontextprotocol/server-memory`: the same tools, resource and
// response texts. The request's headers name the agent or project that owns the graph.

import {
  type CallToolRequest,
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from "@modelcontextprotocol/server";
import { runTool } from "../calls/run-idempotent";
import { withholdFromWriter } from "../calls/tool";
import type { App } from "../http/app-context";
import { validate } from "../http/read-request";
import { NO_OWNER } from "../kernel/access";
import { failure } from "../kernel/errors";
import type { JsonObject } from "../kernel/json";
import { VERSION } from "../kernel/version";
import type { McpRequest } from "../mcp/mcp-access";
import { mcpEndpoint } from "../mcp/mcp-routes";
import { PROTOCOL_VERSIONS } from "../mcp/mcp-server";
import { omitOutputSchemas, readIdempotencyMeta, toFailure, withProtocolErrors } from "../mcp/mcp-tools";
import { describeFailure } from "../tools/execute-tool-call";
import { listToolDefinitions } from "../tools/registry";
import { withMasked } from "../trust/privacy/privacy-gate";
import { findGraphTool, GRAPH_ERASE, GRAPH_TOOLS } from "./graph-operations";

const RESOURCE = {
  uri: "memory://knowledge-graph",
  name: "knowledge-graph",
  title: "Knowledge Graph",
  description: "The full knowledge graph with all entities and relations",
  mimeType: "application/json",
};

export function serverMemoryRoutes(app: App): void {
  mcpEndpoint(app, { path: "/mcp/graph", findTool: findGraphTool, createServer: createGraphServer });
}

function createGraphServer(request: McpRequest): Server {
  const server = new Server(
    { name: "kioku-graph", title: "Kioku, as a knowledge graph", version: VERSION },
    { capabilities: { tools: {}, resources: {} }, supportedProtocolVersions: PROTOCOL_VERSIONS },
  );
  server.setRequestHandler("tools/list", () => listGraphTools(request));
  server.setRequestHandler("tools/call", ({ params }) => callGraphTool(request, params));
  server.setRequestHandler("resources/list", () => ({ resources: [RESOURCE] }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) =>
    withProtocolErrors(request.requestId, async () => {
      if (uri !== RESOURCE.uri) throw new ResourceNotFoundError(uri);
      const { text } = await runGraphTool(request, "read_graph", {}, {});
      return { contents: [{ uri, mimeType: RESOURCE.mimeType, text }] };
    }),
  );
  return server;
}

function listGraphTools({ services }: McpRequest): ListToolsResult {
  const tools = listToolDefinitions("mcp", GRAPH_TOOLS) as ListToolsResult["tools"];
  return { tools: services.canRead ? tools : omitOutputSchemas(tools) };
}

async function callGraphTool(
  request: McpRequest,
  { name, arguments: args = {}, _meta: meta = {} }: CallToolRequest["params"],
): Promise<CallToolResult> {
  try {
    const { text, body } = await runGraphTool(request, name, args, meta);
    const content: CallToolResult["content"] = [{ type: "text", text }];
    return request.services.canRead ? { content, structuredContent: { ...body } } : { content };
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const text = describeFailure(toFailure(error, request.requestId));
    return { isError: true, content: [{ type: "text", text }] };
  }
}

async function runGraphTool(
  { services, pins, record }: McpRequest,
  name: string,
  args: object,
  meta: object,
): Promise<{ text: string; body: object }> {
  const tool = findGraphTool(name);
  if (tool === undefined) {
    const names = GRAPH_TOOLS.map((known) => known.name).join(", ");
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool: ${name}. The tools are ${names}.`,
    );
  }
  if (pins.user_id !== undefined || pins.session_id !== undefined)
    throw failure(
      "forbidden",
      "This client is pinned to a user or a session, and a graph belongs to an agent or a project. Leave out Kioku-User-Id and Kioku-Session-Id.",
    );
  const { binding, canRead } = services;
  const input = validate(tool.input, args, "arguments") as JsonObject;
  const owner = { ...NO_OWNER, agent_id: pins.agent_id ?? null, project_id: pins.project_id ?? null };
  const idempotency = await readIdempotencyMeta(meta, { name, args, owner, binding, canRead });
  const runOnce = () => runTool(services, tool, { owner, input, idempotency });
  // A graph is read as a whole.
  const run = () => (tool.scope === "read" ? services.limitReads(runOnce) : runOnce());
  const { body } = tool.erases ? await record(GRAPH_ERASE, `graph/${name}`, run) : await run();
  const text = canRead ? tool.render(body) : JSON.stringify(withholdFromWriter(services, tool, body));
  return { text, body: withMasked(body, services.masked) };
}
