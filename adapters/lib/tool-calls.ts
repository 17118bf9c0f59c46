// A model's call of a tool, carried out by the service. Whatever goes wrong is a result that says what to change: the
// model can mend it, an exception it never sees.
import { isKiokuError } from "../../client/errors";
import type { Kioku } from "../../client/kioku";
import { type Belongs, belonging, IDS } from "./belongs";

/** What the tools need of the client. */
export type ToolClient = Pick<Kioku, "request" | "sessions" | "tools">;

export type ToolOptions = Belongs & {
  /** Which tools, by name: of all in a session, else of remember, recall and forget, which are the default. */
  tools?: readonly string[] | undefined;
};

export type ToolCall = { id: string; name: string; input: unknown };
/** JSON, as the model gets it. */
export type ToolOutcome = { content: string; is_error: boolean };

export type ToolDefinition = {
  name: string;
  description: string;
  input_schema: { type: "object"; [keyword: string]: unknown };
};

export type CallTool = (call: ToolCall, signal?: AbortSignal | undefined) => Promise<ToolOutcome>;

export type Toolbox = { definitions: ToolDefinition[]; has(name: string): boolean; call: CallTool };

export async function toolbox(kioku: ToolClient, { tools, ...given }: ToolOptions): Promise<Toolbox> {
  const belongs = belonging(given);
  const set = tools === undefined || belongs.session_id === undefined ? "core" : "all";
  const definitions = await definitionsOf(kioku, set, tools);
  const names = new Set(definitions.map(({ name }) => name));
  const call = belongs.session_id === undefined ? outsideSessions(kioku, belongs) : inSession(kioku, belongs);
  return { definitions, has: (name) => names.has(name), call };
}

async function definitionsOf(
  kioku: ToolClient,
  set: "core" | "all",
  names: ToolOptions["tools"],
): Promise<ToolDefinition[]> {
  const query = { format: "anthropic", set } as const;
  // The registry's own definitions, which the contract tells as JSON objects.
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

/** The session is made before its first call: a model asks for memories before it has given any. */
function inSession(kioku: ToolClient, { session_id: id = "", agent_id, project_id }: Belongs): CallTool {
  let made: Promise<unknown> | undefined;
  const make = async (): Promise<void> => {
    const result = await kioku.sessions.create({ id, agent_id, project_id }).catch((error) => error);
    // It is there already, or this key may only read.
    if (isKiokuError(result) && result.code !== "conflict" && result.code !== "forbidden") throw result;
  };
  return (call, signal) =>
    mendable(async () => {
      made ??= make();
      try {
        await made;
      } catch (error) {
        made = undefined;
        throw error;
      }
      const result = await kioku.tools.execute(
        { session_id: id, call: { type: "tool_use", ...call } },
        { signal },
      );
      return {
        content: result.content,
        is_error: "is_error" in result && result.is_error,
      };
    });
}

/** Without a session, a tool is the call of its name. Whose memory it is, is not the model's to say. */
function outsideSessions(kioku: ToolClient, belongs: Belongs): CallTool {
  return ({ name, input }, signal) =>
    mendable(async () => {
      const own = Object.keys(input ?? {}).find((field) => IDS.some((id) => id === field));
      if (own !== undefined) return failed(`${own}: is not a parameter: leave it out`, "invalid_request");
      const body = { ...(input ?? {}), ...belongs };
      const answer = await kioku.request("POST", `/v1/${name}` as string, { body, signal });
      return { content: JSON.stringify(answer), is_error: false };
    });
}

async function mendable(work: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  try {
    return await work();
  } catch (error) {
    if (!isKiokuError(error)) throw error;
    const { errors, detail, code } = error;
    return failed(
      errors.length < 2 ? detail : errors.map(({ path, message }) => `${path}: ${message}`).join("; "),
      code,
    );
  }
}

function failed(error: string, code: string): ToolOutcome {
  return { content: JSON.stringify({ error, code }), is_error: true };
}

/** What a failed outcome says. */
export function messageOf({ content }: ToolOutcome): string {
  return (JSON.parse(content) as { error: string }).error;
}
