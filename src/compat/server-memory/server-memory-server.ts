// The server at /mcp/graph, which stands in for `@modelcontextprotocol/server-memory`: its tools, its one resource, and
// its answers to the letter. Whose graph it is, the headers of the request say.
import {
  type CallToolRequest,
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from "@modelcontextprotocol/server";
import { once, step } from "../../http/idempotency";
import { validate } from "../../http/validate-input";
import { answering, failureOf } from "../../mcp/mcp-errors";
import { PROTOCOL_VERSIONS } from "../../mcp/mcp-server";
import { idempotencyOf } from "../../mcp/mcp-tools";
import type { McpRequest } from "../../mcp/request-scope";
import { findGraphTool, GRAPH_TOOLS } from "../../operations/graph/graph-operations";
import { errorMessage } from "../../operations/tools/execute-tool-call";
import { toolDefinitions } from "../../operations/tools/registry";
import { NO_TARGET } from "../../operations/tools/tool";
import type { JsonObject } from "../../platform/json";
import { VERSION } from "../../version";

const RESOURCE = {
  uri: "memory://knowledge-graph",
  name: "knowledge-graph",
  title: "Knowledge Graph",
  description: "The full knowledge graph with all entities and relations",
  mimeType: "application/json",
};

export function createGraphServer(request: McpRequest): Server {
  const server = new Server(
    { name: "kioku-graph", title: "Kioku, as a knowledge graph", version: VERSION },
    { capabilities: { tools: {}, resources: {} }, supportedProtocolVersions: PROTOCOL_VERSIONS },
  );
  server.setRequestHandler("tools/list", listGraphTools);
  server.setRequestHandler("tools/call", ({ params }) => callGraphTool(request, params));
  server.setRequestHandler("resources/list", () => ({ resources: [RESOURCE] }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) =>
    answering(request.requestId, async () => {
      if (uri !== RESOURCE.uri) throw new ResourceNotFoundError(uri);
      const { text } = await run(request, "read_graph", {}, {});
      return { contents: [{ uri, mimeType: RESOURCE.mimeType, text }] };
    }),
  );
  return server;
}

function listGraphTools(): ListToolsResult {
  return { tools: toolDefinitions("mcp", GRAPH_TOOLS) as ListToolsResult["tools"] };
}

async function callGraphTool(
  request: McpRequest,
  { name, arguments: given = {}, _meta: meta = {} }: CallToolRequest["params"],
): Promise<CallToolResult> {
  try {
    const { text, body } = await run(request, name, given, meta);
    return { content: [{ type: "text", text }], structuredContent: { ...body } };
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const text = errorMessage(failureOf(error, request.requestId));
    return { isError: true, content: [{ type: "text", text }] };
  }
}

async function run(
  { services, defaults: { agent_id = null, project_id = null } }: McpRequest,
  name: string,
  given: object,
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
  const input = validate(tool.input, given, "arguments") as JsonObject;
  const target = { ...NO_TARGET, agent_id, project_id };
  const idempotency = await idempotencyOf(name, { given, target }, meta);
  const { body } = await once(services.store, idempotency, () =>
    tool.run(services, target, input, step(idempotency, name)),
  );
  return { text: tool.tell(body), body };
}
