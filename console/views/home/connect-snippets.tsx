// How to connect a program: snippets with the address of this service and the key of this tab.
import { CodeBlock } from "../../components/code-block";
import { Tabs } from "../../components/tabs";
import { useConnection } from "../../state/sign-in";

export function ConnectSnippets() {
  const { key, own } = useConnection();
  const user = own.bind?.user_id ?? "alex";
  const url = location.origin;
  const settings = `export KIOKU_URL=${url}
export KIOKU_API_KEY=${key}`;
  const snippets: Record<string, string> = {
    HTTP: `curl -sS ${url}/v1/remember \\
  -H 'Authorization: Bearer ${key}' \\
  -d '{"user_id":"${user}","content":"I live in Lisbon","source_type":"user"}'

curl -sS ${url}/v1/recall \\
  -H 'Authorization: Bearer ${key}' \\
  -d '{"user_id":"${user}","query":"Where do I live?"}'`,
    Client: `// ${settings.replace("\n", "\n// ")}
import { Kioku } from "kioku/client";

const kioku = new Kioku();
await kioku.remember({ user_id: "${user}", content: "I live in Lisbon", source_type: "user" });
const { memories } = await kioku.recall({ user_id: "${user}", query: "Where do I live?" });`,
    MCP: `claude mcp add --transport http kioku ${url}/mcp \\
  --header "Authorization: Bearer ${key}"`,
    "AI SDK": `// ${settings.replace("\n", "\n// ")}
import { generateText, stepCountIs } from "ai";
import { kiokuTools } from "kioku/ai-sdk";
import { Kioku } from "kioku/client";

const tools = await kiokuTools(new Kioku(), { session_id: "monday", user_id: "${user}" });
const { text } = await generateText({ model, tools, stopWhen: stepCountIs(5), prompt });`,
    LangGraph: `// ${settings.replace("\n", "\n// ")}
import { Kioku } from "kioku/client";
import { KiokuStore } from "kioku/langgraph";

const store = new KiokuStore(new Kioku(), { project_id: "assistant" });
const graph = builder.compile({ store });`,
  };
  const tabs = Object.entries(snippets).map(([name, code]) => ({
    name,
    content: <CodeBlock code={code} label={name} />,
  }));
  return (
    <>
      <Tabs label="Ways to connect" tabs={tabs} />
      <p class="soft">
        Every call is in the <a href="/docs">API reference</a>, every class and property in the{" "}
        <a href="/ontology">ontology</a>.
      </p>
    </>
  );
}
