// The command line: each line of stdin is a turn, answers go to stdout, errors to stderr.
import { createInterface } from "node:readline";
import { createAgent } from "./agent.mjs";
import { createMemory } from "./memory.mjs";
import { createModel } from "./model.mjs";
import { createTools } from "./tools.mjs";

const REQUIRED = ["KIOKU_URL", "KIOKU_API_KEY", "LLM_URL", "LLM_MODEL", "AGENT_ID", "SESSION_ID"];
const env = process.env;

const missing = REQUIRED.filter((name) => !env[name]);
if (missing.length > 0) {
  console.error(`chat-agent: set ${missing.join(", ")} in the environment; README.md says to what.`);
  process.exit(1);
}

const memory = createMemory({
  url: env.KIOKU_URL,
  key: env.KIOKU_API_KEY,
  agentId: env.AGENT_ID,
  userId: env.USER_ID,
  sessionId: env.SESSION_ID,
  policy: { scope: env.MEMORY_SCOPE || "agent", capture: "conversation" },
  warn: console.error,
});
const model = createModel({ url: env.LLM_URL, key: env.LLM_API_KEY, model: env.LLM_MODEL });
const agent = createAgent({ model, memory, tools: createTools(memory) });

const lines = createInterface({
  input: process.stdin,
  output: process.stdout,
  terminal: process.stdin.isTTY,
});
const ask = () => process.stdin.isTTY && lines.prompt();

ask();
for await (const line of lines) {
  if (line.trim() !== "") {
    // Only a failure of the model fails a turn; the next turn may succeed.
    await agent.turn(line, console.log).catch((error) => console.error(`model: ${error.message}`));
  }
  ask();
}
