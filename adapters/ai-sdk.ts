// `kioku/ai-sdk`: Kioku for Vercel's AI SDK: tools that the model calls, and a middleware that needs no calls.
import { jsonSchema, type ToolSet, tool } from "ai";
import { messageOf, type ToolClient, type ToolOptions, toolbox } from "./lib/tool-calls";

export { type KiokuMiddlewareOptions, kiokuMiddleware } from "./lib/ai-middleware";

/** For `generateText({ tools })` and `streamText({ tools })`. */
export async function kiokuTools(kioku: ToolClient, options: ToolOptions): Promise<ToolSet> {
  const { definitions, call } = await toolbox(kioku, options);
  return Object.fromEntries(
    definitions.map(({ name, description, input_schema }) => [
      name,
      tool({
        description,
        // The service checks the input: what it says of a bad one, the model can mend.
        inputSchema: jsonSchema(input_schema),
        execute: async (input, { toolCallId: id, abortSignal }) => {
          const outcome = await call({ id, name, input }, abortSignal);
          if (outcome.is_error) throw new Error(messageOf(outcome));
          return JSON.parse(outcome.content);
        },
      }),
    ]),
  );
}
