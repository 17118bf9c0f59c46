// Takes a model's tool call as it is, runs it, and answers in the shape that model expects. A failure is a
// tool result that says what to change: the model can mend it, an HTTP error it never sees.
import { type Failure, FailureError } from "../../platform/errors";
import type { Idempotency } from "../../platform/idempotency";
import { AnyJson, z } from "../../schemas/common";
import { invalid } from "../../schemas/validation-message";
import type { Services } from "../services";
import { findTool, unknownTool } from "./registry";
import type { Target } from "./tool";

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

/** The result, and the failure it tells of, if it does. */
export type Executed = { result: ToolResult; failure: Failure | null };

export async function execute(
  services: Services,
  target: Target,
  call: ToolCall,
  idempotency: Idempotency,
): Promise<Executed> {
  const [name, given] =
    call.type === "function" ? [call.function.name, call.function.arguments] : [call.name, call.input];
  try {
    const value = await runTool(services, target, name, given, idempotency);
    return { result: resultOf(call, value, false), failure: null };
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    const { failure } = error;
    return { result: resultOf(call, { error: errorMessage(failure), code: failure.code }, true), failure };
  }
}

async function runTool(
  services: Services,
  target: Target,
  name: string,
  given: unknown,
  idempotency: Idempotency,
) {
  const tool = findTool(name);
  if (tool === undefined) throw refusal(unknownTool(name));
  const parsed = tool.input.safeParse(typeof given === "string" ? parseArguments(given) : (given ?? {}), {
    reportInput: true,
  });
  if (!parsed.success) throw new FailureError(invalid(parsed.error, "arguments").failure);
  return (await tool.run(services, target, parsed.data, idempotency)).body;
}

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch {
    throw refusal("The arguments are not valid JSON. Send one JSON object with the tool's parameters.");
  }
}

function refusal(detail: string): FailureError {
  return new FailureError({ code: "invalid_request", detail });
}

/** What was wrong, every field of it. */
export function errorMessage({ detail, errors }: Failure): string {
  if (errors === undefined || errors.length < 2) return detail;
  return errors.map(({ path, message }) => `${path}: ${message}`).join("; ");
}

function resultOf(call: ToolCall, value: unknown, isError: boolean): ToolResult {
  const content = JSON.stringify(value);
  return call.type === "function"
    ? { role: "tool", tool_call_id: call.id, content }
    : { type: "tool_result", tool_use_id: call.id, content, is_error: isError };
}
