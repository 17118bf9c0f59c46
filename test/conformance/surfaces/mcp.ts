// The official client of the Model Context Protocol, speaking to the service in one version of the protocol.
import { Client as McpClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect } from "vitest";
import type { Client } from "../support/client";

export const VERSIONS = ["2026-07-28", "2025-11-25", "2025-06-18"] as const;
export type Version = (typeof VERSIONS)[number];

/** Every one that a test opened is closed by it: `await using`. */
export type Connection = McpClient & AsyncDisposable;

export async function connectMcp(
  { key, url, fetch }: Pick<Client, "key" | "url" | "fetch">,
  { version = VERSIONS[0], headers = {} }: { version?: Version; headers?: Record<string, string> } = {},
): Promise<Connection> {
  const client = new McpClient(
    { name: "conformance", version: "1.0.0" },
    version === "2026-07-28"
      ? { versionNegotiation: { mode: { pin: version } } }
      : { versionNegotiation: { mode: "legacy" }, supportedProtocolVersions: [version] },
  );
  const authorization: Record<string, string> = key === null ? {} : { Authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL(url("/mcp")), {
    requestInit: { headers: { ...authorization, ...headers } },
    fetch,
  });
  await client.connect(transport);
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

type Called = Awaited<ReturnType<McpClient["callTool"]>>;

/** The text of a result's only content. */
export function textOf({ content }: Called): string {
  expect(content).toHaveLength(1);
  const [block] = content;
  return block?.type === "text" ? block.text : "";
}

/** What a tool answered, which it says in both forms alike. */
export async function call<T>(client: McpClient, name: string, given: object = {}): Promise<T> {
  const result = await client.callTool({ name, arguments: { ...given } });
  expect(result.isError ?? false, `${name}: ${textOf(result)}`).toBe(false);
  expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
  return result.structuredContent as T;
}

/** What a tool that failed told its model. */
export async function failing(
  client: McpClient,
  name: string,
  given: object,
): Promise<{ error: string; code: string }> {
  const result = await client.callTool({ name, arguments: { ...given } });
  expect(result.isError, `${name}: ${textOf(result)}`).toBe(true);
  expect(result.structuredContent).toBeUndefined();
  return JSON.parse(textOf(result));
}
