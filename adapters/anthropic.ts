// `kioku/anthropic`: Kioku's tools for Anthropic's SDK, with what carries them out, and its memory tool.
import type { BetaRunnableTool } from "@anthropic-ai/sdk/lib/tools/BetaRunnableTool";
import type { Tool, ToolResultBlockParam, ToolUseBlock } from "@anthropic-ai/sdk/resources/messages";
import { messageOf, type ToolClient, type ToolOptions, toolbox } from "./lib/tool-calls";

export { type KiokuMemoryToolOptions, kiokuMemoryTool } from "./lib/memory-tool";

export type AnthropicTools = {
  /** For `messages.create({ tools })`. */
  tools: Tool[];
  /** The block that answers a call; undefined for a call of a tool that is not Kioku's. */
  execute(call: Pick<ToolUseBlock, "id" | "name" | "input">): Promise<ToolResultBlockParam | undefined>;
  /** For `beta.messages.toolRunner({ tools })`. */
  runnable: BetaRunnableTool[];
};

export async function anthropicTools(kioku: ToolClient, options: ToolOptions): Promise<AnthropicTools> {
  const { definitions, has, call: run } = await toolbox(kioku, options);
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
        // The runner makes an error result of it, with this text.
        if (outcome.is_error) throw new Error(messageOf(outcome));
        return outcome.content;
      },
    })),
  };
}
