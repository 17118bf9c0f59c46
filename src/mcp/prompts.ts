// MCP prompts: a session's context for the next turn, and a briefing before a task.
import {
  type GetPromptRequest,
  type GetPromptResult,
  type ListPromptsResult,
  type PromptMessage,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { createAccess, fillOwnerIds } from "../calls/call-access";
import { PrimeInput, PrimeToolInput } from "../experience/briefing/briefing-schemas";
import { prime } from "../experience/briefing/prime";
import { validate } from "../http/read-request";
import { NO_OWNER, toOwner } from "../kernel/access";
import { RequiredSession, z } from "../kernel/common";
import { toSingleLine } from "../language/normalise-text";
import type { Role } from "../memories/message-schemas";
import { escapeSpeakerLabels } from "../policy/entry-memory";
import { assembleSession } from "../recall/prompts/assemble-context";
import { AssembleInput, AssembleToolInput } from "../recall/prompts/assemble-schemas";
import type { McpView } from "./mcp-access";
import { listSessionIds, requireSessionInView } from "./resources";

type Prompt<S extends z.ZodObject = z.ZodObject> = {
  name: string;
  title: string;
  description: string;
  args: S;
  /** Lists the completions of an argument. */
  complete: Record<string, (view: McpView) => Promise<string[]>>;
  get: (view: McpView, args: z.output<S>) => Promise<PromptMessage[]>;
};

/** Infers the argument type of `get` from the prompt's schema. */
function definePrompt<S extends z.ZodObject>(prompt: Prompt<S>): Prompt<S> {
  return prompt;
}

const { query, token_budget } = AssembleToolInput.shape;

const sessionContext = definePrompt({
  name: "session_context",
  title: "Context of a session",
  description: "A session's conversation, working context and memories, within a token budget",
  args: z
    .object({
      session_id: RequiredSession.shape.session_id,
      query,
      // Prompt arguments are strings.
      token_budget: z.coerce
        .number({ error: "must be a number" })
        .pipe(token_budget.unwrap())
        .optional()
        .meta(token_budget.meta() ?? {}),
    })
    .strict(),
  complete: { session_id: listSessionIds },
  async get(view, { session_id: id, ...options }) {
    await requireSessionInView(view, id);
    const { services } = view;
    const input = AssembleInput.parse(options);
    const access = createAccess(services, { ...NO_OWNER, ...toOwner(services.binding) });
    const { prompt, messages } = await assembleSession(services, id, access, input);
    const context = prompt === "" ? `Nothing is remembered in session ${id} yet.` : prompt;
    return [
      toPromptMessage("user", context),
      ...messages.map(({ role, name, content }) => toPromptMessage(role, content, name)),
    ];
  },
});

const primeTask = definePrompt({
  name: "prime_task",
  title: "Prepare for a task",
  description: "A briefing of patterns, mistakes to avoid and skills, followed by the task itself",
  args: z.object({ goal: PrimeToolInput.shape.goal, project_id: PrimeToolInput.shape.project_id }).strict(),
  complete: {},
  async get({ services, session: session_id }, args) {
    const owner = { ...NO_OWNER, ...toOwner(services.binding), session_id };
    const input = PrimeInput.parse(fillOwnerIds(services.binding, PrimeInput, args));
    const { prompt } = (await prime(services, createAccess(services, owner), input)).body;
    return [
      toPromptMessage("user", [prompt, `## Task\n${args.goal}`].filter((part) => part !== "").join("\n\n")),
    ];
  },
});

const PROMPTS = [sessionContext, primeTask] as unknown as readonly Prompt[];

/**
 * MCP has two roles. A message of another role is sent as the user's, prefixed with its role; lines in it that begin with
 * a speaker are quoted, so that a tool's output forges no other message.
 */
function toPromptMessage(role: Role, content: string, name: string | null = null): PromptMessage {
  const mcpRole = role === "user" || role === "assistant" ? role : "user";
  const isForeign = mcpRole !== role;
  const speaker = name === null ? (isForeign ? role : null) : toSingleLine(name);
  const said = isForeign ? escapeSpeakerLabels(content) : content;
  const text = speaker === null ? said : `${speaker}: ${said}`;
  return { role: mcpRole, content: { type: "text", text } };
}

export function findPromptCompletion(name: string, argument: string) {
  return PROMPTS.find((prompt) => prompt.name === name)?.complete[argument];
}

export function listPrompts(): ListPromptsResult {
  return {
    prompts: PROMPTS.map(({ name, title, description, args }) => ({
      name,
      title,
      description,
      arguments: Object.entries(args.shape).map(([argument, schema]) => ({
        name: argument,
        description: schema.meta()?.description ?? "",
        required: !schema.safeParse(undefined).success,
      })),
    })),
  };
}

export async function getPrompt(
  view: McpView,
  { name, arguments: args = {} }: GetPromptRequest["params"],
): Promise<GetPromptResult> {
  const prompt = PROMPTS.find((one) => one.name === name);
  if (prompt === undefined) {
    const names = PROMPTS.map((one) => one.name).join(", ");
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown prompt: ${name}. The prompts are ${names}.`,
    );
  }
  const messages = await prompt.get(view, validate(prompt.args, args, "arguments"));
  return { description: prompt.description, messages };
}
