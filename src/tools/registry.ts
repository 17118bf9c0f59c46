// The registry of tools, and their definitions in the formats of model providers.

import type { Tool } from "../calls/tool";
import {
  addTaskTool,
  completeTaskTool,
  listTasksTool,
  nextTaskTool,
  noteFactTool,
  readWorldTool,
} from "../cognition/spaces/world-operations";
import { primeTool } from "../experience/briefing/prime";
import { continuityTool } from "../experience/briefing/read-continuity";
import { recordEpisodeTool } from "../experience/episodes/episode-operations";
import { readCheckpointTool, saveCheckpointTool } from "../experience/handover/checkpoint-operations";
import {
  acknowledgeHandoffTool,
  handOffTool,
  listHandoffsTool,
} from "../experience/handover/handoff-operations";
import { learnTool } from "../experience/patterns/learn";
import { findSkillTool, readSkillTool, saveSkillTool } from "../experience/skills/skill-operations";
import { queryGraphTool } from "../graph/query-graph";
import { z } from "../kernel/common";
import { forgetTool } from "../memories/forget";
import { rememberTool } from "../memories/remember";
import { recallEntriesTool } from "../policy/entry-operations";
import { assembleTool } from "../recall/prompts/assemble-context";
import { recallTool } from "../recall/search/recall";
import { addMessagesTool } from "../sessions/session-operations";

/** The tools that every agent needs. The cast drops their input types: each input is validated before `run`. */
export const CORE_TOOLS = [rememberTool, recallTool, forgetTool] as unknown as readonly Tool[];

/** All tools: also those for agents that work in sessions, learn and hand over. */
export const ALL_TOOLS = [
  ...CORE_TOOLS,
  recallEntriesTool,
  assembleTool,
  continuityTool,
  addMessagesTool,
  readWorldTool,
  noteFactTool,
  listTasksTool,
  nextTaskTool,
  addTaskTool,
  completeTaskTool,
  primeTool,
  recordEpisodeTool,
  learnTool,
  saveCheckpointTool,
  readCheckpointTool,
  handOffTool,
  listHandoffsTool,
  acknowledgeHandoffTool,
  findSkillTool,
  readSkillTool,
  saveSkillTool,
  queryGraphTool,
] as unknown as readonly Tool[];

export function findTool(name: string): Tool | undefined {
  return ALL_TOOLS.find((tool) => tool.name === name);
}

export function describeUnknownTool(name: string): string {
  return `Unknown tool: ${name}. The tools are ${ALL_TOOLS.map((tool) => tool.name).join(", ")}.`;
}

/** Named sets, so that a model gets no more tools than it needs. */
export const TOOL_SETS = { core: CORE_TOOLS, all: ALL_TOOLS };
export const TOOL_SET_NAMES = ["core", "all"] as const satisfies readonly (keyof typeof TOOL_SETS)[];

export const TOOL_FORMATS = ["openai", "openai-responses", "anthropic", "mcp"] as const;
type ToolFormat = (typeof TOOL_FORMATS)[number];

export function listToolDefinitions(format: ToolFormat, tools: readonly Tool[] = CORE_TOOLS) {
  return tools.map((tool) => FORMATTERS[format](tool, toInputSchema(tool.input)));
}

const FORMATTERS: Record<ToolFormat, (tool: Tool, input: object) => object> = {
  openai: ({ name, description }, input) => ({
    type: "function",
    function: { name, description, parameters: input },
  }),
  // The Responses API makes a function strict by default, which requires every parameter.
  "openai-responses": ({ name, description }, input) => ({
    type: "function",
    name,
    description,
    parameters: input,
    strict: false,
  }),
  anthropic: ({ name, description }, input) => ({ name, description, input_schema: input }),
  mcp: ({ name, title, description, output, annotations }, input) => ({
    name,
    title,
    description,
    inputSchema: input,
    outputSchema: toInputSchema(output),
    // The tools reach only this service's own memory.
    annotations: { title, ...annotations, openWorldHint: false },
  }),
};

/** Returns the JSON Schema of the input side: defaults are optional, transformed values described before the transform. */
function toInputSchema(schema: z.ZodType) {
  const { $schema: _schema, ...json } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    // zod omits the default of a transformed value, such as a confidence.
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      if (def.type === "default") jsonSchema.default = def.defaultValue;
    },
  });
  return json;
}
