// Runs a model's tool calls on the service. A failed call is returned as a result with its remedy, because the model
// can react to a result but never sees an exception.
import { isKiokuError } from "../../client/errors";
import type { Kioku } from "../../client/kioku";
import { checkOwner, type MemoryOwner } from "./owner";

/** The methods of the client that the tools use. */
export type ToolClient = Pick<Kioku, "request" | "sessions" | "tools">;

export type ToolOptions = MemoryOwner & {
  /** Names of the tools. In a session, all are available; without one, remember, recall and forget, the default. */
  tools?: readonly string[] | undefined;
};

export type ToolCall = { id: string; name: string; input: unknown };
/** The result for the model; the content is JSON. */
export type ToolOutcome = { content: string; is_error: boolean };

export type ToolDefinition = {
  name: string;
  description: string;
  input_schema: { type: "object"; [keyword: string]: unknown };
};

export type CallTool = (call: ToolCall, signal?: AbortSignal | undefined) => Promise<ToolOutcome>;

export type Toolbox = { definitions: ToolDefinition[]; has(name: string): boolean; call: CallTool };

export async function createToolbox(kioku: ToolClient, { tools, ...ids }: ToolOptions): Promise<Toolbox> {
  const owner = checkOwner(ids);
  const set = tools === undefined || owner.session_id === undefined ? "core" : "all";
  const definitions = await loadDefinitions(kioku, set, tools);
  const names = new Set(definitions.map(({ name }) => name));
  const call =
    owner.session_id === undefined
      ? createSessionlessCaller(kioku, owner)
      : createSessionCaller(kioku, owner);
  return { definitions, has: (name) => names.has(name), call };
}

async function loadDefinitions(
  kioku: ToolClient,
  set: "core" | "all",
  names: ToolOptions["tools"],
): Promise<ToolDefinition[]> {
  const query = { format: "anthropic", set } as const;
  // The API types the definitions only as JSON objects.
  const known = (await kioku.request("GET", "/v1/tools", { query })) as unknown as ToolDefinition[];
  if (names === undefined) return known;
  return names.map((name) => {
    const definition = known.find((tool) => tool.name === name);
    if (definition !== undefined) return definition;
    throw new Error(
      `tools: there is no tool ${name}. The tools are ${known.map((tool) => tool.name).join(", ")}.`,
    );
  });
}

/** Creates the session before its first call, because a model may recall before it remembers. */
function createSessionCaller(kioku: ToolClient, owner: MemoryOwner): CallTool {
  const { session_id: id = "", user_id, agent_id, project_id } = owner;
  let created: Promise<unknown> | undefined;
  const create = async (): Promise<void> => {
    const result = await kioku.sessions.create({ id, user_id, agent_id, project_id }).catch((error) => error);
    // The session exists already, or the key is read-only.
    if (isKiokuError(result) && result.code !== "conflict" && result.code !== "forbidden") throw result;
  };
  return (call, signal) =>
    reportFailure(async () => {
      created ??= create();
      try {
        await created;
      } catch (error) {
        created = undefined;
        throw error;
      }
      // With all ids: a session of somebody else is refused.
      return execute(kioku, owner, call, signal);
    });
}

/** Without a session, the service limits each call to the owner. The model cannot choose another one. */
function createSessionlessCaller(kioku: ToolClient, owner: MemoryOwner): CallTool {
  return (call, signal) => reportFailure(() => execute(kioku, owner, call, signal));
}

async function execute(
  kioku: ToolClient,
  owner: MemoryOwner,
  call: ToolCall,
  signal: AbortSignal | undefined,
): Promise<ToolOutcome> {
  const { content, is_error } = await kioku.tools.execute(
    { ...owner, call: { type: "tool_use", ...call } },
    { signal },
  );
  return { content, is_error };
}

async function reportFailure(work: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  try {
    return await work();
  } catch (error) {
    if (!isKiokuError(error)) throw error;
    const { errors, detail, code } = error;
    return createFailure(
      errors.length < 2 ? detail : errors.map(({ path, message }) => `${path}: ${message}`).join("; "),
      code,
    );
  }
}

function createFailure(error: string, code: string): ToolOutcome {
  return { content: JSON.stringify({ error, code }), is_error: true };
}

/** Returns the error message of a failed call. */
export function readErrorMessage({ content }: ToolOutcome): string {
  return (JSON.parse(content) as { error: string }).error;
}
