// The registry's tools as MCP tools. Each takes the ids of its owner beside its own input.

import {
  type CallToolRequest,
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { runTool } from "../calls/run-idempotent";
import { splitOwnerInput, withholdFromWriter, withOwnerInput } from "../calls/tool";
import { IdempotencyKey } from "../http/document-route";
import { reportDefect } from "../http/problem-details";
import { validate } from "../http/read-request";
import { isBound, type Owner, toOwner } from "../kernel/access";
import { z } from "../kernel/common";
import { FAILURES, type Failure, FailureError } from "../kernel/errors";
import { sha256Hex } from "../kernel/hash";
import type { Idempotency } from "../kernel/idempotency";
import type { JsonObject } from "../kernel/json";
import { canonicalJson } from "../language/json-text";
import type { Services } from "../services/services";
import { describeFailure, reportFailedCall } from "../tools/execute-tool-call";
import { ALL_TOOLS, describeUnknownTool, findTool, listToolDefinitions } from "../tools/registry";
import { withMasked } from "../trust/privacy/privacy-gate";
import { type McpRequest, pinToolCall } from "./mcp-access";

/** The member of a call's `_meta` that has the function of the Idempotency-Key header. */
export const IDEMPOTENCY_META = "dev.kioku/idempotency-key";

let definitions: ListToolsResult["tools"] | undefined;

/** Returns the definitions, which are cached: computing them takes longer than most calls. */
export function listTools({ services }: McpRequest): ListToolsResult {
  definitions ??= listToolDefinitions(
    "mcp",
    ALL_TOOLS.map((tool) => ({ ...tool, input: withOwnerInput(tool) })),
  ) as ListToolsResult["tools"];
  return { tools: services.canRead ? definitions : omitOutputSchemas(definitions) };
}

/** A key without the scope `read` gets a part of each answer, which its schema does not describe. */
export function omitOutputSchemas(tools: ListToolsResult["tools"]): ListToolsResult["tools"] {
  return tools.map(({ outputSchema: _schema, ...tool }) => tool);
}

export async function callTool(
  request: McpRequest,
  { name, arguments: args = {}, _meta: meta = {} }: CallToolRequest["params"],
): Promise<CallToolResult> {
  const { services, requestId } = request;
  const { binding, canRead } = services;
  const started = services.now();
  const tool = findTool(name);
  if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, describeUnknownTool(name));
  try {
    // The pins may supply required owner ids, so all of them are optional here; the tool checks those it needs.
    const schema = withOwnerInput({ ...tool, ownerInput: tool.ownerInput.partial() });
    const validated = validate(schema, args, "arguments") as JsonObject;
    const { owner, input } = await pinToolCall(request, tool, splitOwnerInput(tool, validated));
    const idempotency = await readIdempotencyMeta(meta, { name, args, owner, binding, canRead });
    const isPinned = isBound(request.pins);
    const reply = await runTool(services, tool, { owner, input, idempotency, byModel: true, isPinned });
    const body = withMasked(withholdFromWriter(services, tool, reply.body), services.masked);
    const content: CallToolResult["content"] = [{ type: "text", text: JSON.stringify(body) }];
    return canRead ? { content, structuredContent: { ...body } } : { content };
  } catch (error) {
    const { tenant, telemetry } = services;
    const session_id = request.pins.session_id ?? args.session_id;
    reportFailedCall(telemetry, { tenant, tool: name, session_id, started, error });
    return toToolError(toFailure(error, requestId));
  }
}

type ToolRequest = { name: string; args: object; owner: Required<Owner> } & Pick<
  Services,
  "binding" | "canRead"
>;

/**
 * Reads the idempotency key of a call. The fingerprint covers the arguments and the owner; each binding has its own keys,
 * and so have keys that may not read.
 */
export async function readIdempotencyMeta(
  meta: object,
  { name, args, owner, binding, canRead }: ToolRequest,
): Promise<Idempotency> {
  const { [IDEMPOTENCY_META]: key } = validate(
    z.object({ [IDEMPOTENCY_META]: IdempotencyKey }),
    meta,
    "_meta",
  );
  if (key === undefined) return null;
  const [op, fingerprint] = await Promise.all([
    sha256Hex(
      `${isBound(binding) ? `${canonicalJson(toOwner(binding))} ` : ""}${canRead ? "" : "write-only "}mcp ${name} ${key}`,
    ),
    sha256Hex(canonicalJson({ given: args, target: owner })),
  ]);
  return { op, fingerprint };
}

// Converts failures to MCP responses. A failed tool call is a result that the model reads; any other failure is a
// protocol error.

export function toFailure(error: unknown, requestId: string): Failure {
  return error instanceof FailureError ? error.failure : reportDefect(error, requestId);
}

function toToolError(failure: Failure): CallToolResult {
  const body = { error: describeFailure(failure), code: failure.code };
  return { isError: true, content: [{ type: "text", text: JSON.stringify(body) }] };
}

/** Runs a request other than a tool call, and converts its failure to a protocol error. */
export async function withProtocolErrors<T>(requestId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const failure = toFailure(error, requestId);
    const isServerError = FAILURES[failure.code].status >= 500;
    throw new ProtocolError(
      isServerError ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams,
      describeFailure(failure),
    );
  }
}
