// One request of the Model Context Protocol, answered as JSON. Nothing is kept between requests: each has a server
// of its own, and there are no sessions to begin, to route by or to end.
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

/** `parsed` is the request's body, which has been read. */
export async function serveMcp(request: Request, parsed: unknown, server: () => Server): Promise<Response> {
  const legacy = await isLegacyRequest(request, parsed);
  return legacy ? serveLegacy(request, parsed, server()) : serveModern(request, parsed, server);
}

function serveModern(request: Request, parsedBody: unknown, server: () => Server): Promise<Response> {
  // Nothing here tells of changes: a subscription would be a stream that stays silent.
  const handler = createMcpHandler(server, { legacy: "reject", maxSubscriptions: 0 });
  return handler.fetch(request, { parsedBody });
}

/** The SDK's own fallback for versions of 2025 answers with an event stream of one event. */
async function serveLegacy(request: Request, parsedBody: unknown, server: Server): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await server.close();
  }
}
