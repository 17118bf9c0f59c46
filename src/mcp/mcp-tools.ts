// The registry's tools as Model Context Protocol tools: each takes where its call belongs beside its own input.
import {
  type CallToolRequest,
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { once, step } from "../http/idempotency";
import { IdempotencyKey } from "../http/openapi/document-route";
import { validate } from "../http/validate-input";
import { ALL_TOOLS, findTool, toolDefinitions, unknownTool } from "../operations/tools/registry";
import { anywhere, takeApart } from "../operations/tools/tool-input";
import { sha256Hex } from "../platform/hash";
import type { JsonObject } from "../platform/json";
import { z } from "../schemas/common";
import type { Idempotency } from "../session/session-rpc";
import { canonicalJson } from "../text/canonical-json";
import { failureOf, toolFailure } from "./mcp-errors";
import type { McpRequest } from "./request-scope";

/** In a call's `_meta`: the same key with the same arguments does the work once, as the header does over HTTP. */
export const IDEMPOTENCY_META = "dev.kioku/idempotency-key";

let definitions: ListToolsResult["tools"] | undefined;

/** Made once: it takes longer than most calls. */
export function listTools(): ListToolsResult {
  definitions ??= toolDefinitions(
    "mcp",
    ALL_TOOLS.map((tool) => ({ ...tool, input: anywhere(tool) })),
  ) as ListToolsResult["tools"];
  return { tools: definitions };
}

export async function callTool(
  { services, requestId, defaults }: McpRequest,
  { name, arguments: given = {}, _meta: meta = {} }: CallToolRequest["params"],
): Promise<CallToolResult> {
  const tool = findTool(name);
  if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(name));
  try {
    // What the schema asks for may be among the defaults: the tool itself says what it cannot do without.
    const lenient = anywhere({ ...tool, belongs: tool.belongs.partial() });
    const told = validate(lenient, given, "arguments") as JsonObject;
    const { target, input } = takeApart(tool, told, defaults);
    const idempotency = await idempotencyOf(name, { given, target }, meta);
    const { body } = await once(services.store, idempotency, () =>
      tool.run(services, target, input, step(idempotency, name)),
    );
    return { content: [{ type: "text", text: JSON.stringify(body) }], structuredContent: { ...body } };
  } catch (error) {
    return toolFailure(failureOf(error, requestId));
  }
}

export async function idempotencyOf(name: string, given: object, meta: object): Promise<Idempotency> {
  const { [IDEMPOTENCY_META]: key } = validate(
    z.object({ [IDEMPOTENCY_META]: IdempotencyKey }),
    meta,
    "_meta",
  );
  if (key === undefined) return null;
  const [op, fingerprint] = await Promise.all([
    sha256Hex(`mcp ${name} ${key}`),
    sha256Hex(canonicalJson(given)),
  ]);
  return { op, fingerprint };
}
