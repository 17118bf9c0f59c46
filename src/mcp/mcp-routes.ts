// Serves the Model Context Protocol over streamable HTTP, with the keys, limits and headers of every other route.
import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  ProtocolErrorCode,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { cors } from "hono/cors";
import { wrapTime } from "hono/timing";
import type { Tool } from "../calls/tool";
import type { App, AppContext, Caller } from "../http/app-context";
import { countRefusedCall, recordCall } from "../http/audit-request";
import { openServices } from "../http/endpoint";
import { hasOAuth } from "../http/oauth/oauth-settings";
import { limitRate } from "../http/rate-limit";
import { readBody } from "../http/read-request";
import { FailureError, failure } from "../kernel/errors";
import { isJsonObject } from "../kernel/json";
import { findTool } from "../tools/registry";
import {
  authenticateMcp,
  authoriseMcp,
  describeProtectedResource,
  isAllowedOrigin,
  type McpRequest,
  METADATA_PATH,
  readPins,
  reportRejectedMessage,
  requiredScope,
} from "./mcp-access";
import { createMcpServer } from "./mcp-server";

/** An MCP server at one path. It is created for each request: the protocol is served without sessions. */
type McpEndpoint = {
  path: string;
  findTool: (name: string) => Tool | undefined;
  createServer: (request: McpRequest) => Server;
};

const PATH = "/mcp";

export function mcpRoutes(app: App): void {
  mcpEndpoint(app, { path: PATH, findTool, createServer: createMcpServer });
  app.use(METADATA_PATH, cors());
  app.get(METADATA_PATH, (c) => c.json(describeProtectedResource(c, PATH)));
  // Tokens are for one resource, and the HTTP API is another one.
  app.use(`${METADATA_PATH}/v1`, cors());
  app.get(`${METADATA_PATH}/v1`, (c, next) =>
    hasOAuth(c) ? c.json(describeProtectedResource(c, "/v1")) : next(),
  );
}

/** Registers an MCP server at its path, with CORS and its OAuth metadata document. */
export function mcpEndpoint(app: App, endpoint: McpEndpoint): void {
  const { path } = endpoint;
  app.use(path, async (c, next) => {
    const origin = c.req.header("Origin");
    if (origin !== undefined && !isAllowedOrigin(origin, c.req.url, c.var.settings.mcp.allowedOrigins))
      throw failure(
        "forbidden",
        "Origin: is not one that may call. Add it to ALLOWED_ORIGINS, or call from a server.",
        { errors: [{ path: "Origin", message: "must be the service's own, or one of ALLOWED_ORIGINS" }] },
      );
    await next();
  });
  app.use(
    path,
    cors({
      // The middleware above has rejected all other origins.
      origin: (origin) => origin,
      allowMethods: ["POST"],
      exposeHeaders: ["WWW-Authenticate", "X-Request-Id", "Server-Timing", "Retry-After"],
    }),
  );
  app.post(path, (c) => handle(c, endpoint));
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
  app.get(metadata, (c) => c.json(describeProtectedResource(c, path)));
}

async function handle(c: AppContext, { findTool, createServer }: McpEndpoint): Promise<Response> {
  const started = Date.now();
  const caller = await authenticateMcp(c);
  if (caller instanceof Response) return caller;
  if (!isJsonContentType(c.req.header("Content-Type")))
    return rpcError(c, 415, ProtocolErrorCode.InvalidRequest, "Content-Type: must be application/json.");
  const message = await readMessage(c);
  if (message instanceof Response) return message;
  const scope = requiredScope(message, findTool);
  const report = (error: unknown) => {
    countRefusedCall(c, caller, { action: `mcp.${scope ?? "call"}`, target: c.req.path }, error);
    reportRejectedMessage(c, caller, message, { started, error });
  };
  const forbidden = scope === null ? null : authoriseMcp(c, caller, scope, report);
  if (forbidden !== null) return forbidden;
  try {
    await limitRate(caller, scope ?? "read", c.var.settings.rateLimit, {
      limiter: c.env.KEY_LIMITER,
      now: Date.now(),
    });
    const request = createMcpRequest(c, caller);
    return await wrapTime(
      c,
      "mcp",
      serveMessage(c.req.raw, message, () => createServer(request)),
    );
  } catch (error) {
    report(error);
    throw error;
  }
}

function createMcpRequest(c: AppContext, caller: Caller): McpRequest {
  return {
    services: openServices(c, caller),
    requestId: c.var.requestId,
    pins: readPins(c, caller),
    record: (action, target, work) => recordCall(c, caller, { action, target }, work),
    bindServices: (binding) => openServices(c, { ...caller, binding }),
  };
}

async function readMessage(c: AppContext): Promise<object | Response> {
  try {
    const { value } = await readBody(c);
    if (isJsonObject(value)) return value;
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

/** Returns a JSON-RPC error for a request that contains no valid message. */
function rpcError(c: AppContext, status: 400 | 405 | 415, code: number, message: string): Response {
  return c.json({ jsonrpc: "2.0", id: null, error: { code, message } }, status);
}

/** Serves one message as JSON. `parsedBody` is the request's body, which has already been read. */
async function serveMessage(
  request: Request,
  parsedBody: unknown,
  createServer: () => Server,
): Promise<Response> {
  if (await isLegacyRequest(request, parsedBody)) return serveLegacy(request, parsedBody, createServer());
  // No server sends notifications, so a subscription would never receive anything.
  const handler = createMcpHandler(createServer, { legacy: "reject", maxSubscriptions: 0 });
  return handler.fetch(request, { parsedBody });
}

/** Serves the protocol versions of 2025. The SDK's own fallback would return an event stream of one event. */
async function serveLegacy(request: Request, parsedBody: unknown, server: Server): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await server.close();
  }
}
