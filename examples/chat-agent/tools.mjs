// The model's tools: two that run locally, and the memory tools, which run in Kioku.
import { calculate } from "./calculator.mjs";

const LOCAL = {
  time: {
    description: "The date and time now, in UTC",
    parameters: { type: "object", properties: {} },
    run: () => new Date().toISOString(),
  },
  calculator: {
    description: "The value of an expression of numbers, + - * / and brackets",
    parameters: {
      type: "object",
      properties: { expression: { type: "string", description: "For example (1.5 + 2) * 4" } },
      required: ["expression"],
    },
    run: ({ expression }) => String(calculate(String(expression))),
  },
};

const LOCAL_DEFINITIONS = Object.entries(LOCAL).map(([name, { description, parameters }]) => ({
  type: "function",
  function: { name, description, parameters },
}));

export function createTools(memory) {
  return {
    definitions: () => [...LOCAL_DEFINITIONS, ...memory.tools()],

    /** Runs a tool call. A failure is returned as a result, so that the model can correct the call. */
    async run(call) {
      const { name } = call.function;
      if (Object.hasOwn(LOCAL, name))
        return { role: "tool", tool_call_id: call.id, content: runLocally(call) };
      if (memory.tools().some((tool) => tool.function.name === name)) return memory.execute(call);
      return { role: "tool", tool_call_id: call.id, content: `There is no tool ${name}.` };
    },
  };
}

function runLocally({ function: { name, arguments: given } }) {
  try {
    return LOCAL[name].run(JSON.parse(given || "{}"));
  } catch (error) {
    return `${name} failed: ${error.message}`;
  }
}
