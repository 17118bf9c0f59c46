// kioku mcp: serves the MCP server of a Kioku service over stdio, for clients that do not speak HTTP.
import { resolve } from "node:path";
import { defineCommand, OWNER_OPTIONS, toOwner } from "../command";
import { runBridge } from "../mcp/bridge";

const HEADERS = {
  session_id: "kioku-session-id",
  user_id: "kioku-user-id",
  agent_id: "kioku-agent-id",
  project_id: "kioku-project-id",
} as const;

export const mcp = defineCommand({
  name: "mcp",
  summary: "Run an MCP server over stdio, for clients without HTTP",
  takes: [],
  options: {
    ...OWNER_OPTIONS,
    graph: { type: "boolean", about: "the tools of server-memory, at /mcp/graph" },
    folder: {
      type: "string",
      value: "<path>",
      about: "where a local service is found (default: the current folder)",
    },
  },
  about:
    "A client starts it: kioku init writes its configuration. --session, --user, --agent and --project pin the owner of all calls. Messages go to stdout, logs to stderr",
  example: "kioku mcp --url https://kioku.example.workers.dev",
  async run({ values, terminal, cwd, reconnect }) {
    const owner = toOwner(values);
    const names = Object.keys(HEADERS) as (keyof typeof HEADERS)[];
    const pins = names.flatMap((name) => (owner[name] === undefined ? [] : [[HEADERS[name], owner[name]]]));
    const path = values.graph ? "/mcp/graph" : "/mcp";
    const connect = () => reconnect(resolve(cwd, values.folder ?? ""));
    const { url, keyFile } = connect();
    terminal.note(`kioku mcp: ${url}${path}${keyFile === null ? "" : `, with the key in ${keyFile}`}`);
    await runBridge({
      input: terminal.input,
      write: terminal.line,
      log: terminal.note,
      connect,
      path,
      headers: Object.fromEntries(pins),
    });
    return 0;
  },
});
