// `kioku/ai-sdk`: Kioku for Vercel's AI SDK: tools for the model, and a middleware that works without tool calls.
import { jsonSchema, type ToolSet, tool } from "ai";
import { createToolbox, readErrorMessage, type ToolClient, type ToolOptions } from "./lib/tool-calls";

export { type KiokuMiddlewareOptions, kiokuMiddleware } from "./lib/ai-middleware";

/** Returns the tools for `generateText({ tools })` and `streamText({ tools })`. */
export async function kiokuTools(kioku: ToolClient, options: ToolOptions): Promise<ToolSet> {
  const { definitions, call } = await createToolbox(kioku, options);
  return Object.fromEntries(
    definitions.map(({ name, description, input_schema }) => [
      name,
      tool({
        description,
        // The service validates the input; its error message lets the model correct the call.
        inputSchema: jsonSchema(input_schema),
        execute: async (input, { toolCallId: id, abortSignal }) => {
          const outcome = await call({ id, name, input }, abortSignal);
          if (outcome.is_error) throw new Error(readErrorMessage(outcome));
          return JSON.parse(outcome.content);
        },
      }),
    ]),
  );
}
