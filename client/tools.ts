// The methods of tools: their definitions for a model, and the execution of its calls.
import { createMethods } from "./call";
import type {
  AnthropicToolResult,
  NamedToolResult,
  OpenAiToolResult,
  Operations,
  ResponsesToolResult,
  ToolExecute,
} from "./schema.generated";
import type { CallOptions, Transport } from "./transport";

type ToolFormat = NonNullable<Operations["GET /v1/tools"]["input"]["format"]>;
type ModelOutput = ToolExecute["call"];

/** The result of a call in its format; for a whole answer, the list of its results. */
export type ToolResultFor<C> = C extends readonly (infer Part)[]
  ? ToolResultFor<Part>[]
  : C extends { choices: unknown }
    ? OpenAiToolResult[]
    : C extends { output: unknown }
      ? ResponsesToolResult[]
      : C extends { role: "assistant"; content: readonly unknown[] }
        ? AnthropicToolResult[]
        : C extends { role: "assistant" }
          ? OpenAiToolResult[]
          : ResultOfCall<C>;

/** Parts of an answer that are no calls have no result. */
type ResultOfCall<C> = C extends { type: "function" }
  ? OpenAiToolResult
  : C extends { type: "function_call" }
    ? ResponsesToolResult
    : C extends { type: "tool_use" }
      ? AnthropicToolResult
      : C extends { type: string }
        ? never
        : NamedToolResult;

/** Executes a model's tool calls as the model returned them. */
export type ExecuteTools = <const C extends ModelOutput>(
  input: Omit<ToolExecute, "call"> & { call: C },
  options?: CallOptions,
) => Promise<ToolResultFor<C>>;

export function createTools(transport: Transport) {
  const { call } = createMethods(transport, {});
  const definitions = call("GET /v1/tools");
  return {
    /** Returns the tool definitions, ready to pass to a model. */
    list: (format: ToolFormat = "openai", options?: CallOptions) => definitions({ format }, options),
    /** Executes one call, or all calls of a model's answer, and returns the results to append. */
    execute: call("POST /v1/tools/execute") as ExecuteTools,
  };
}
