// Executes a tool call in the format of OpenAI or Anthropic and returns the result in the same format. A failure is a tool
// result, not an HTTP error, so that the model sees it and can correct its call.
import { describeDefect, FAILURES, type Failure, FailureError, unwrap } from "../../platform/errors";
import type { Idempotency } from "../../platform/idempotency";
import { AnyJson, z } from "../../schemas/common";
import { describeInvalidInput } from "../../schemas/validation-message";
import { bindToolCall } from "../bind-owner";
import { limitToReach, rejectBeyondReach } from "../call-reach";
import { deriveStep, runIdempotent } from "../run-idempotent";
import type { Services } from "../services";
import { describeUnknownTool, findTool } from "./registry";
import type { OwnerIds } from "./tool";

const OpenAiCall = z.object({
  id: z.string(),
  type: z.literal("function"),
  function: z.object({ name: z.string(), arguments: AnyJson.optional() }),
});

const AnthropicCall = z.object({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: AnyJson.optional(),
});

export const ToolCall = z.discriminatedUnion("type", [OpenAiCall, AnthropicCall], {
  error:
    'must be an OpenAI call {id, type: "function", function} or an Anthropic one {type: "tool_use", id, name, input}',
});
export type ToolCall = z.infer<typeof ToolCall>;

export const ToolResult = z.union([
  z.object({ role: z.literal("tool"), tool_call_id: z.string(), content: z.string() }),
  z.object({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    content: z.string(),
    is_error: z.boolean(),
  }),
]);
export type ToolResult = z.infer<typeof ToolResult>;

/** Executes a model's tool call. In a session, the call and its result are appended to the session's thread. */
export async function executeToolCall(
  services: Services,
  owner: OwnerIds,
  call: ToolCall,
  idempotency: Idempotency,
): Promise<ToolResult> {
  const reply = await runIdempotent(services.store, idempotency, async () => {
    const { result, failure } = await runToolCall(services, owner, call, deriveStep(idempotency, "call"));
    if (owner.session_id !== null) await recordToolUse(services, owner.session_id, call, result);
    // A failure of the service or of a limit may not occur again.
    const transient = failure !== null && FAILURES[failure.code].status >= 429;
    return { status: 200, body: result, transient };
  });
  return reply.body;
}

/** The call has taken effect, so a failure to append it to the thread is logged and does not fail the request. */
async function recordToolUse(
  { tenant, session }: Services,
  id: string,
  call: ToolCall,
  result: ToolResult,
): Promise<void> {
  try {
    unwrap(await session(id).recordToolUse({ tenant, id }, call.id, call, result));
  } catch (error) {
    console.error(JSON.stringify({ event: "thread.error", ...describeDefect(error) }));
  }
}

/** The tool result, and the failure it reports, if any. */
type ToolExecution = { result: ToolResult; failure: Failure | null };

async function runToolCall(
  services: Services,
  owner: OwnerIds,
  call: ToolCall,
  idempotency: Idempotency,
): Promise<ToolExecution> {
  const [name, input] =
    call.type === "function" ? [call.function.name, call.function.arguments] : [call.name, call.input];
  try {
    const value = await runByName(services, owner, name, input, idempotency);
    return { result: toToolResult(call, value, false), failure: null };
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    const { failure } = error;
    return {
      result: toToolResult(call, { error: describeFailure(failure), code: failure.code }, true),
      failure,
    };
  }
}

async function runByName(
  services: Services,
  owner: OwnerIds,
  name: string,
  input: unknown,
  idempotency: Idempotency,
) {
  const tool = findTool(name);
  if (tool === undefined) throw invalidRequest(describeUnknownTool(name));
  const parsed = tool.input.safeParse(typeof input === "string" ? parseArguments(input) : (input ?? {}), {
    reportInput: true,
  });
  if (!parsed.success) throw new FailureError(describeInvalidInput(parsed.error, "arguments").failure);
  const bound = await bindToolCall(services, tool, owner, parsed.data);
  const limited = await limitToReach(services, bound.owner);
  rejectBeyondReach(tool, limited, bound.input);
  return (await tool.run(services, limited, bound.input, idempotency)).body;
}

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch {
    throw invalidRequest(
      "The arguments are not valid JSON. Send one JSON object with the tool's parameters.",
    );
  }
}

function invalidRequest(detail: string): FailureError {
  return new FailureError({ code: "invalid_request", detail });
}

/** Describes a failure with all its field errors. */
export function describeFailure({ detail, errors }: Failure): string {
  if (errors === undefined || errors.length < 2) return detail;
  return errors.map(({ path, message }) => `${path}: ${message}`).join("; ");
}

function toToolResult(call: ToolCall, value: unknown, isError: boolean): ToolResult {
  const content = JSON.stringify(value);
  return call.type === "function"
    ? { role: "tool", tool_call_id: call.id, content }
    : { type: "tool_result", tool_use_id: call.id, content, is_error: isError };
}
