// POST /mcp and POST /mcp/graph: the Model Context Protocol over streamable HTTP, with the keys, limits and headers of
// every other call.
import { isJsonContentType, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server";
import { cors } from "hono/cors";
import { createGraphServer } from "../compat/server-memory/server-memory-server";
import type { AppContext } from "../http/context";
import { type App, servicesOf } from "../http/endpoint";
import { limitRate } from "../http/rate-limit";
import { readBody } from "../http/validate-input";
import { findGraphTool } from "../operations/graph/graph-operations";
import { findTool } from "../operations/tools/registry";
import type { Tool } from "../operations/tools/tool";
import { FailureError, failure } from "../platform/errors";
import { isAllowedOrigin } from "./allowed-origins";
import { admit, METADATA_PATH, protectedResource, refuse, scopeOf } from "./mcp-access";
import { createMcpServer } from "./mcp-server";
import { defaultsOf, type McpRequest } from "./request-scope";
import { serveMcp } from "./serve-request";

/** What is served at one address: its tools by their names, and who answers. */
type Served = {
  path: string;
  find: (name: string) => Tool | undefined;
  create: (request: McpRequest) => Server;
};

const MAIN: Served = { path: "/mcp", find: findTool, create: createMcpServer };
const GRAPH: Served = { path: "/mcp/graph", find: findGraphTool, create: createGraphServer };

export function mcpRoutes(app: App): void {
  for (const served of [MAIN, GRAPH]) mcpRoute(app, served);
  app.use(METADATA_PATH, cors());
  app.get(METADATA_PATH, (c) => c.json(protectedResource(c, MAIN.path)));
}

function mcpRoute(app: App, served: Served): void {
  const { path } = served;
  app.use(path, async (c, next) => {
    const origin = c.req.header("Origin");
    if (origin !== undefined && !isAllowedOrigin(origin, c.req.url, c.var.settings.mcp.allowedOrigins))
      throw failure(
        "forbidden",
        "Origin: is not one that may call. Add it to MCP_ALLOWED_ORIGINS, or call from a server.",
        { errors: [{ path: "Origin", message: "must be the service's own, or one of MCP_ALLOWED_ORIGINS" }] },
      );
    await next();
  });
  app.use(
    path,
    cors({
      // Whatever comes here has been allowed above.
      origin: (origin) => origin,
      allowMethods: ["POST"],
      exposeHeaders: ["WWW-Authenticate", "X-Request-Id", "Server-Timing", "Retry-After"],
    }),
  );
  app.post(path, (c) => handle(c, served));
  app.all(path, (c) => {
    c.header("Allow", "POST, OPTIONS");
    return rpcError(
      c,
      405,
      ProtocolErrorCode.InvalidRequest,
      `Send a POST: there is no stream and no session to ${c.req.method}.`,
    );
  });

  const metadata = METADATA_PATH + path;
  app.use(metadata, cors());
  app.get(metadata, (c) => c.json(protectedResource(c, path)));
}

async function handle(c: AppContext, { find, create }: Served): Promise<Response> {
  const caller = await admit(c);
  if (caller instanceof Response) return caller;
  if (!isJsonContentType(c.req.header("Content-Type")))
    return rpcError(c, 415, ProtocolErrorCode.InvalidRequest, "Content-Type: must be application/json.");
  const message = await readMessage(c);
  if (message instanceof Response) return message;
  const scope = scopeOf(message, find);
  const refusal = scope === null ? null : refuse(c, caller, scope);
  if (refusal !== null) return refusal;
  limitRate(caller, scope ?? "read", c.var.settings.rateLimit, Date.now());
  const request = { services: servicesOf(c, caller), requestId: c.var.requestId, defaults: defaultsOf(c) };
  return c.var.timing.measure("mcp", () => serveMcp(c.req.raw, message, () => create(request)));
}

async function readMessage(c: AppContext): Promise<object | Response> {
  try {
    const { value } = await readBody(c);
    if (value !== null && typeof value === "object" && !Array.isArray(value)) return value;
    return rpcError(
      c,
      400,
      ProtocolErrorCode.InvalidRequest,
      "The body must be one JSON-RPC message: send those of a batch one by one.",
    );
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    return rpcError(c, 400, ProtocolErrorCode.ParseError, error.failure.detail);
  }
}

/** An answer to what never became a message of the protocol. */
function rpcError(c: AppContext, status: 400 | 405 | 415, code: number, message: string): Response {
  return c.json({ jsonrpc: "2.0", id: null, error: { code, message } }, status);
}
