// `kioku/openai`: Kioku's tools for OpenAI's SDK and their executor, for chat completions and responses.
import type { RunnerFunction } from "openai/helpers/responses-tool-runner";
import type { RunnableToolFunctionWithoutParse } from "openai/lib/RunnableFunction";
import type {
  ChatCompletionFunctionTool,
  ChatCompletionMessageToolCall,
  ChatCompletionToolMessageParam,
} from "openai/resources/chat/completions";
import type {
  FunctionTool,
  ResponseFunctionToolCall,
  ResponseInputItem,
} from "openai/resources/responses/responses";
import { createToolbox, type ToolClient, type ToolDefinition, type ToolOptions } from "./lib/tool-calls";

export type OpenAiTools = {
  /** For `chat.completions.create({ tools })`. */
  tools: ChatCompletionFunctionTool[];
  /** For `responses.create({ tools })`. */
  responseTools: FunctionTool[];
  /** Runs a call and returns its message or output item; undefined if the tool is not Kioku's. */
  execute: Execute;
  /** For `chat.completions.runTools({ tools })`. */
  runnable: RunnableToolFunctionWithoutParse[];
  /** For `functions` of the Responses tool runner. */
  functions: RunnerFunction[];
};

type Execute = {
  (call: ChatCompletionMessageToolCall): Promise<ChatCompletionToolMessageParam | undefined>;
  (call: ResponseFunctionToolCall): Promise<ResponseInputItem.FunctionCallOutput | undefined>;
};

export async function openaiTools(kioku: ToolClient, options: ToolOptions): Promise<OpenAiTools> {
  const { definitions, has, call: run } = await createToolbox(kioku, options);

  async function runToolCall(id: string, name: string, text: string): Promise<string> {
    const parsed = parseArguments(text);
    return "error" in parsed
      ? JSON.stringify(parsed)
      : (await run({ id, name, input: parsed.input })).content;
  }

  async function execute(call: ChatCompletionMessageToolCall | ResponseFunctionToolCall) {
    if (call.type === "function_call") {
      if (!has(call.name)) return undefined;
      const output = await runToolCall(call.call_id, call.name, call.arguments);
      return { type: "function_call_output", call_id: call.call_id, output };
    }
    if (call.type !== "function" || !has(call.function.name)) return undefined;
    const content = await runToolCall(call.id, call.function.name, call.function.arguments);
    return { role: "tool", tool_call_id: call.id, content };
  }

  return {
    tools: definitions.map(({ name, description, input_schema: parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
    responseTools: definitions.map(toResponseTool),
    // The type of the result follows from the type of the call.
    execute: execute as Execute,
    // The runners pass no call id, so each call gets a new one.
    runnable: definitions.map(({ name, description, input_schema: parameters }) => ({
      type: "function",
      function: {
        name,
        description,
        parameters,
        function: (text) => runToolCall(crypto.randomUUID(), name, text),
      },
    })),
    functions: definitions.map((definition) => ({
      tool: toResponseTool(definition),
      execute: async (input, { signal } = { signal: undefined }) =>
        (await run({ id: crypto.randomUUID(), name: definition.name, input }, signal)).content,
    })),
  };
}

function toResponseTool({ name, description, input_schema: parameters }: ToolDefinition): FunctionTool {
  return { type: "function", name, description, parameters, strict: false };
}

function parseArguments(text: string): { input: unknown } | { error: string; code: string } {
  try {
    return { input: text.trim() === "" ? {} : JSON.parse(text) };
  } catch {
    return {
      error: "The arguments are not valid JSON. Send one JSON object with the tool's parameters.",
      code: "invalid_request",
    };
  }
}
