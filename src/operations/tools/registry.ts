// The registry of operations: every tool there is, by name, and its definition in the formats that models take.
import { z } from "../../schemas/common";
import { acknowledgeHandoff } from "../acknowledge-handoff";
import { addMessages } from "../add-messages";
import { assemble } from "../assemble-context";
import { forget } from "../forget";
import { handOff } from "../hand-off";
import { learn } from "../learn";
import { listHandoffs } from "../list-handoffs";
import { prime } from "../prime";
import { readCheckpoint } from "../read-checkpoint";
import { continuity } from "../read-continuity";
import { recall } from "../recall";
import { recordEpisode } from "../record-episode";
import { remember } from "../remember";
import { saveCheckpoint } from "../save-checkpoint";
import { findSkill } from "../skills/find-skill";
import { readSkill } from "../skills/read-skill";
import { saveSkill } from "../skills/save-skill";
import type { Tool } from "./tool";

/** What every agent needs. Each tool checks its own input before it runs, so they can stand in one list. */
export const TOOLS = [remember, recall, forget] as unknown as readonly Tool[];

/** With what an agent that works in sessions, learns and hands over needs beside. */
export const ALL_TOOLS = [
  ...TOOLS,
  assemble,
  continuity,
  addMessages,
  prime,
  recordEpisode,
  learn,
  saveCheckpoint,
  readCheckpoint,
  handOff,
  listHandoffs,
  acknowledgeHandoff,
  findSkill,
  readSkill,
  saveSkill,
] as unknown as readonly Tool[];

export function findTool(name: string): Tool | undefined {
  return ALL_TOOLS.find((tool) => tool.name === name);
}

export function unknownTool(name: string): string {
  return `Unknown tool: ${name}. The tools are ${ALL_TOOLS.map((tool) => tool.name).join(", ")}.`;
}

/** Named sets, so that a model is not told of more than it needs. */
export const SETS = { core: TOOLS, all: ALL_TOOLS };
export const SET_NAMES = ["core", "all"] as const satisfies readonly (keyof typeof SETS)[];

export const FORMATS = ["openai", "anthropic", "mcp"] as const;
export type Format = (typeof FORMATS)[number];

export function toolDefinitions(format: Format, tools: readonly Tool[] = TOOLS) {
  return tools.map((tool) => DEFINE[format](tool, schemaOf(tool.input)));
}

const DEFINE: Record<Format, (tool: Tool, input: object) => object> = {
  openai: ({ name, description }, input) => ({
    type: "function",
    function: { name, description, parameters: input },
  }),
  anthropic: ({ name, description }, input) => ({ name, description, input_schema: input }),
  mcp: ({ name, title, description, output, annotations }, input) => ({
    name,
    title,
    description,
    inputSchema: input,
    outputSchema: schemaOf(output),
    // They work on this service's own memory alone.
    annotations: { title, ...annotations, openWorldHint: false },
  }),
};

/** What a caller may send: defaults are optional, transformed values are described as they are given. */
function schemaOf(schema: z.ZodType) {
  const { $schema: _schema, ...json } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    // zod leaves out the default of a value that it also transforms, such as a confidence.
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      if (def.type === "default") jsonSchema.default = def.defaultValue;
    },
  });
  return json;
}
