// `kioku/anthropic`: Kioku's tools for Anthropic's SDK, their executor, and a backend for Anthropic's memory tool.
import type { BetaRunnableTool } from "@anthropic-ai/sdk/lib/tools/BetaRunnableTool";
import type { Tool, ToolResultBlockParam, ToolUseBlock } from "@anthropic-ai/sdk/resources/messages";
import { createToolbox, readErrorMessage, type ToolClient, type ToolOptions } from "./lib/tool-calls";

export { type KiokuMemoryToolOptions, kiokuMemoryTool } from "./lib/memory-tool";

export type AnthropicTools = {
  /** For `messages.create({ tools })`. */
  tools: Tool[];
  /** Runs a call and returns its result block; undefined if the tool is not Kioku's. */
  execute(call: Pick<ToolUseBlock, "id" | "name" | "input">): Promise<ToolResultBlockParam | undefined>;
  /** For `beta.messages.toolRunner({ tools })`. */
  runnable: BetaRunnableTool[];
};

export async function anthropicTools(kioku: ToolClient, options: ToolOptions): Promise<AnthropicTools> {
  const { definitions, has, call: run } = await createToolbox(kioku, options);
  return {
    tools: definitions,
    async execute({ id, name, input }) {
      if (!has(name)) return undefined;
      return { type: "tool_result", tool_use_id: id, ...(await run({ id, name, input })) };
    },
    runnable: definitions.map((definition) => ({
      ...definition,
      type: "custom",
      parse: (input: unknown) => input,
      run: async (input: unknown, context) => {
        const id = context?.toolUse.id ?? crypto.randomUUID();
        const signal = context?.signal ?? undefined;
        const outcome = await run({ id, name: definition.name, input }, signal);
        // The runner turns the exception into an error result with this text.
        if (outcome.is_error) throw new Error(readErrorMessage(outcome));
        return outcome.content;
      },
    })),
  };
}
