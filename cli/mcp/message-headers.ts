// The headers of a message over streamable HTTP. The versions of 2025 have a session and send its version; newer ones have
// neither, and repeat the version, the method and the name of each request for proxies.

export type Message = {
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown>;
};

/** Of the versions of 2025: what the answer to `initialize` has agreed on. */
export type McpSession = { id?: string | undefined; protocolVersion?: string | undefined };

const VERSION_FIELD = "io.modelcontextprotocol/protocolVersion";
/** The parameter that Mcp-Name repeats, by method. */
const NAME_FIELDS: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

export function createMessageHeaders({ method = "", params }: Message, session: McpSession): Headers {
  const headers = new Headers({
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
  });
  const version = (params?._meta as Record<string, unknown> | undefined)?.[VERSION_FIELD];
  if (typeof version === "string") {
    headers.set("mcp-protocol-version", version);
    headers.set("mcp-method", method);
    const name = params?.[NAME_FIELDS[method] ?? ""];
    if (typeof name === "string") headers.set("mcp-name", encodeHeader(name));
  } else if (method !== "initialize") addSessionHeaders(headers, session);
  return headers;
}

export function addSessionHeaders(headers: Headers, { id, protocolVersion }: McpSession): void {
  if (id !== undefined) headers.set("mcp-session-id", id);
  if (protocolVersion !== undefined) headers.set("mcp-protocol-version", protocolVersion);
}

/** Encodes a text that no header can have, as the protocol defines it. */
function encodeHeader(text: string): string {
  const isPlain = /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
