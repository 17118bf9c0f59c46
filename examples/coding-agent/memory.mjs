// Experience through Kioku, over MCP with the official client: prime before a task, record_episode after it. Failures go
// to `warn` and never stop the work.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

export async function createMemory({ url, key, projectId, warn }) {
  const client = new Client({ name: "coding-agent", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", url), {
    // The project pins whose experience the calls are about.
    requestInit: { headers: { Authorization: `Bearer ${key}`, "Kioku-Project-Id": projectId } },
  });
  const connected = await client.connect(transport).then(
    () => true,
    (error) => {
      warn(`memory: ${error.message}`);
      return false;
    },
  );

  /** Returns a tool's result; null if it failed. */
  async function call(name, args) {
    if (!connected) return null;
    try {
      const { isError, structuredContent, content } = await client.callTool({ name, arguments: args });
      if (!isError) return structuredContent;
      warn(`memory: ${name}: ${content[0]?.text}`);
    } catch (error) {
      warn(`memory: ${name}: ${error.message}`);
    }
    return null;
  }

  return {
    /** Returns the briefing for a task as Markdown; empty if there is none. */
    prime: async (goal) => (await call("prime", { goal }))?.prompt ?? "",
    recordEpisode: (episode) => call("record_episode", episode),
    close: () => client.close(),
  };
}
