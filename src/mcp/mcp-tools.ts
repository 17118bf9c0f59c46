// The registry's tools as Model Context Protocol tools: each takes where its call belongs beside its own input.
import {
  type CallToolRequest,
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { IdempotencyKey } from "../http/openapi/document-route";
import { validate } from "../http/read-request";
import { deriveStep, runIdempotent } from "../operations/run-idempotent";
import { ALL_TOOLS, describeUnknownTool, findTool, listToolDefinitions } from "../operations/tools/registry";
import { splitOwnerInput, withOwnerInput } from "../operations/tools/tool";
import { sha256Hex } from "../platform/hash";
import type { Idempotency } from "../platform/idempotency";
import type { JsonObject } from "../platform/json";
import { z } from "../schemas/common";
import { canonicalJson } from "../text/json-text";
import type { McpRequest } from "./mcp-access";
import { toFailure, toToolError } from "./mcp-errors";

/** In a call's `_meta`: the same key with the same arguments does the work once, as the header does over HTTP. */
export const IDEMPOTENCY_META = "dev.kioku/idempotency-key";

let definitions: ListToolsResult["tools"] | undefined;

/** Made once: it takes longer than most calls. */
export function listTools(): ListToolsResult {
  definitions ??= listToolDefinitions(
    "mcp",
    ALL_TOOLS.map((tool) => ({ ...tool, input: withOwnerInput(tool) })),
  ) as ListToolsResult["tools"];
  return { tools: definitions };
}

export async function callTool(
  { services, requestId, defaults }: McpRequest,
  { name, arguments: given = {}, _meta: meta = {} }: CallToolRequest["params"],
): Promise<CallToolResult> {
  const tool = findTool(name);
  if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, describeUnknownTool(name));
  try {
    // What the schema asks for may be among the defaults: the tool itself says what it cannot do without.
    const lenient = withOwnerInput({ ...tool, ownerInput: tool.ownerInput.partial() });
    const told = validate(lenient, given, "arguments") as JsonObject;
    const { owner, input } = splitOwnerInput(tool, told, defaults);
    const idempotency = await readIdempotencyMeta(name, { given, owner }, meta);
    const { body } = await runIdempotent(services.store, idempotency, () =>
      tool.run(services, owner, input, deriveStep(idempotency, name)),
    );
    return { content: [{ type: "text", text: JSON.stringify(body) }], structuredContent: { ...body } };
  } catch (error) {
    return toToolError(toFailure(error, requestId));
  }
}

export async function readIdempotencyMeta(name: string, given: object, meta: object): Promise<Idempotency> {
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
