// Creates the MCP server of one request: its capabilities and request handlers.
import { type CompleteRequest, type CompleteResult, Server } from "@modelcontextprotocol/server";
import { LIMITS } from "../kernel/limits";
import { MINUTE_MS } from "../kernel/time";
import { VERSION } from "../kernel/version";
import { type McpRequest, type McpView, resolveView } from "./mcp-access";
import { callTool, listTools, withProtocolErrors } from "./mcp-tools";
import { findPromptCompletion, getPrompt, listPrompts } from "./prompts";
import { findResourceCompletion, listResources, listResourceTemplates, readResource } from "./resources";

/** Newest first. A client that asks for an unsupported version is offered the first one. */
export const PROTOCOL_VERSIONS = ["2026-07-28", "2025-11-25", "2025-06-18"];

const INSTRUCTIONS = `Kioku is your long-term memory. It persists between conversations.
- Before you answer or act, recall what is known. Before a task, call prime.
- When you learn something worth keeping (a fact, a decision, a preference, a convention), remember it at once: one statement each. When it is no longer true, forget it, naming what replaces it.
- Within a session, note_fact what holds now and add_task what is left to do; next_task says what comes next.
- After a task, record_episode; after a mistake, learn.
- Name the user with user_id if you serve several people, and give the same session_id throughout a conversation. Recall finds what earlier sessions of the same user, agent or project remembered; without any id, memory is shared by all calls that name none.
- The error of a failed call explains the fix: apply it and call again.`;

/** Cache hints of results that are the same for every caller until the next deployment. */
const CACHE_HINT = { ttlMs: 5 * MINUTE_MS, cacheScope: "private" } as const;

export function createMcpServer(request: McpRequest): Server {
  const { requestId } = request;
  const server = new Server(
    { name: "kioku", title: "Kioku", version: VERSION, description: "Memory for AI agents" },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: INSTRUCTIONS,
      supportedProtocolVersions: PROTOCOL_VERSIONS,
      cacheHints: {
        "server/discover": CACHE_HINT,
        "tools/list": CACHE_HINT,
        "prompts/list": CACHE_HINT,
        "resources/templates/list": CACHE_HINT,
      },
    },
  );
  /** Resources and prompts show what the client is pinned to. */
  const run = <T>(work: (view: McpView) => Promise<T>) =>
    withProtocolErrors(requestId, async () => work(await resolveView(request)));
  /** Lists take turns with the tenant's searches. */
  const runLimited = <T>(work: (view: McpView) => Promise<T>) =>
    run((view) => view.services.limitReads(() => work(view)));
  server.setRequestHandler("tools/list", () => listTools(request));
  server.setRequestHandler("tools/call", ({ params }) => callTool(request, params));
  server.setRequestHandler("resources/templates/list", listResourceTemplates);
  server.setRequestHandler("resources/list", ({ params }) =>
    runLimited((view) => listResources(view, params?.cursor)),
  );
  server.setRequestHandler("resources/read", ({ params }) => run((view) => readResource(view, params.uri)));
  server.setRequestHandler("prompts/list", listPrompts);
  server.setRequestHandler("prompts/get", ({ params }) => run((view) => getPrompt(view, params)));
  server.setRequestHandler("completion/complete", ({ params }) =>
    runLimited((view) => complete(view, params)),
  );
  return server;
}

async function complete(
  view: McpView,
  { ref, argument }: CompleteRequest["params"],
): Promise<CompleteResult> {
  const listCandidates =
    ref.type === "ref/prompt"
      ? findPromptCompletion(ref.name, argument.name)
      : findResourceCompletion(ref.uri, argument.name);
  const candidates = (await listCandidates?.(view)) ?? [];
  const values = candidates.filter((value) => value.startsWith(argument.value));
  return { completion: { values, hasMore: candidates.length === LIMITS.pageMax } };
}
