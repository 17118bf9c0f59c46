// The command line: one task per run. Steps and the outcome go to stdout, errors of memory to stderr.
import { createAgent } from "./agent.mjs";
import { createMemory } from "./memory.mjs";
import { createModel } from "./model.mjs";
import { createScriptedModel } from "./scripted-model.mjs";
import { createTools } from "./tools.mjs";

const env = process.env;
const goal = process.argv.slice(2).join(" ").trim();
const missing = ["KIOKU_URL", "KIOKU_API_KEY", "PROJECT_ID", "WORKSPACE"].filter((name) => !env[name]);
if (missing.length > 0 || goal === "") {
  const problem =
    missing.length > 0
      ? `set ${missing.join(", ")} in the environment; README.md says to what`
      : 'say what to do: node index.mjs "Fix the failing test price.test.mjs"';
  console.error(`coding-agent: ${problem}.`);
  process.exit(1);
}

const memory = await createMemory({
  url: env.KIOKU_URL,
  key: env.KIOKU_API_KEY,
  projectId: env.PROJECT_ID,
  warn: console.error,
});
const model = env.LLM_URL
  ? createModel({ url: env.LLM_URL, key: env.LLM_API_KEY, model: env.LLM_MODEL })
  : createScriptedModel();
const agent = createAgent({ model, memory, tools: createTools(env.WORKSPACE), print: console.log });

try {
  const { outcome } = await agent.run(goal);
  process.exitCode = outcome === "success" ? 0 : 1;
} catch (error) {
  console.error(`model: ${error.message}`);
  process.exitCode = 1;
} finally {
  await memory.close();
}
