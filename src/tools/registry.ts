// Every tool there is, by name, and its definition in the formats that models take.
import { z } from "../schemas/common";
import { forget } from "./forget";
import { recall } from "./recall";
import { remember } from "./remember";
import type { Tool } from "./tool";

/** Each tool checks its own input before it runs, so they can stand in one list. */
export const TOOLS = [remember, recall, forget] as unknown as readonly Tool[];

export function findTool(name: string): Tool | undefined {
  return TOOLS.find((tool) => tool.name === name);
}

export const FORMATS = ["openai", "anthropic", "mcp"] as const;
export type Format = (typeof FORMATS)[number];

export function toolDefinitions(format: Format) {
  return TOOLS.map((tool) => DEFINE[format](tool, schemaOf(tool.input)));
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
    annotations,
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
