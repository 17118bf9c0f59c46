// Tool calls as model APIs return them, one or a whole answer with several, and their results.

import { AnyJson, addExample, z } from "../kernel/common";
import { isJsonObject } from "../kernel/json";

/** The name and the id of a call, which its result repeats. */
const CallName = z.string().max(256);
const CallId = z.string().max(512);
const Arguments = AnyJson.optional().openapi({ description: "An object, or the same as a JSON string" });

const OpenAiToolCall = z
  .object({
    id: CallId,
    type: z.literal("function"),
    function: z.object({ name: CallName, arguments: Arguments }),
  })
  .openapi("OpenAiToolCall", { description: "A tool call of OpenAI's chat completions" });

const ResponsesToolCall = z
  .object({
    type: z.literal("function_call"),
    id: CallId.nullish(),
    call_id: CallId,
    name: CallName,
    arguments: Arguments,
    status: z.string().nullish(),
  })
  .openapi("ResponsesToolCall", { description: "A function call of OpenAI's Responses" });

const AnthropicToolCall = z
  .object({ type: z.literal("tool_use"), id: CallId, name: CallName, input: Arguments })
  .openapi("AnthropicToolCall", { description: "A tool use of Anthropic's Messages" });

const NamedToolCall = z
  .object({ name: CallName, arguments: Arguments, id: CallId.optional() })
  .openapi("NamedToolCall", { description: "A call by name, as other models and programs write it" });

export type ToolCall =
  | z.infer<typeof OpenAiToolCall>
  | z.infer<typeof ResponsesToolCall>
  | z.infer<typeof AnthropicToolCall>
  | (z.infer<typeof NamedToolCall> & { type?: undefined });

/** The schemas of calls with a type, by it. A call without one is a call by name. */
const TYPED_CALLS: ReadonlyMap<unknown, z.ZodType> = new Map<unknown, z.ZodType>([
  ["function", OpenAiToolCall],
  ["function_call", ResponsesToolCall],
  ["tool_use", AnthropicToolCall],
]);

// Answers

const OtherPart = z
  .object({ type: z.string() })
  .openapi("OtherPart", { description: "A part that is no tool call, such as a text or reasoning" });

/** One part of an answer: a call, or something else. */
const AnswerPart = selectBranch(
  // A call by name comes last: other parts may have a name, too.
  z.union([OpenAiToolCall, ResponsesToolCall, AnthropicToolCall, OtherPart, NamedToolCall]),
  (part) => {
    if (!isJsonObject(part)) return null;
    return findCallSchema(part) ?? (typeof part.type === "string" ? OtherPart : null);
  },
  "must be a tool call such as {name, arguments}, or another part of an answer, which has a type",
);
type AnswerPart = z.infer<typeof AnswerPart>;
const AnswerParts = z.array(AnswerPart);

const AnswerMessage = z
  .object({
    role: z.literal("assistant"),
    content: z.union([z.string(), AnswerParts]).nullish(),
    tool_calls: AnswerParts.nullish(),
  })
  .openapi("AnswerMessage", {
    description: "A model's message, of OpenAI's chat completions or of Anthropic's Messages",
  });
type AnswerMessage = z.infer<typeof AnswerMessage>;

const ChatCompletion = z
  .object({ choices: z.array(z.object({ message: AnswerMessage })) })
  .openapi("ChatCompletion", { description: "An OpenAI chat completion. Its first choice counts" });
type ChatCompletion = z.infer<typeof ChatCompletion>;

const ModelResponse = z
  .object({ output: AnswerParts })
  .openapi("ModelResponse", { description: "A response of OpenAI's Responses" });
type ModelResponse = z.infer<typeof ModelResponse>;

/** The output of a model: one call, or an answer with any number of them. */
export const ModelOutput = selectBranch(
  z.union([
    OpenAiToolCall,
    ResponsesToolCall,
    AnthropicToolCall,
    AnswerParts,
    AnswerMessage,
    ChatCompletion,
    ModelResponse,
    NamedToolCall,
  ]),
  findOutputSchema,
  "must be a tool call ({name, arguments}, or one of OpenAI or Anthropic), a list of them, or a model's whole answer " +
    "(a message, a chat completion or a response)",
);
export type ModelOutput = z.infer<typeof ModelOutput>;

/** Returns the calls in a model's output, in order, and whether it is an answer rather than a single call. */
export function readToolCalls(output: ModelOutput): { calls: ToolCall[]; isAnswer: boolean } {
  const parts = listParts(output);
  return parts === null
    ? { calls: [output as ToolCall], isAnswer: false }
    : { calls: parts.filter(isToolCall), isAnswer: true };
}

/** Returns the parts of an answer; null for a single call. */
function listParts(output: ModelOutput): AnswerPart[] | null {
  switch (findOutputSchema(output)) {
    case AnswerParts:
      return output as AnswerPart[];
    case AnswerMessage:
      return listMessageParts(output as AnswerMessage);
    case ChatCompletion:
      return (output as ChatCompletion).choices
        .slice(0, 1)
        .flatMap(({ message }) => listMessageParts(message));
    case ModelResponse:
      return (output as ModelResponse).output;
    default:
      return null;
  }
}

function listMessageParts({ content, tool_calls }: AnswerMessage): AnswerPart[] {
  return [...(tool_calls ?? []), ...(Array.isArray(content) ? content : [])];
}

function isToolCall(part: AnswerPart): part is ToolCall {
  return findCallSchema(part) !== null;
}

/** Returns the schema of the output that a value is meant to be. */
function findOutputSchema(value: unknown): z.ZodType | null {
  if (Array.isArray(value)) return AnswerParts;
  if (!isJsonObject(value)) return null;
  if ("choices" in value) return ChatCompletion;
  if ("output" in value) return ModelResponse;
  return "role" in value ? AnswerMessage : findCallSchema(value);
}

/** Returns the schema of the call that an object is meant to be. */
function findCallSchema({ type, name }: Readonly<Record<string, unknown>>): z.ZodType | null {
  if (type === undefined) return name === undefined ? null : NamedToolCall;
  return TYPED_CALLS.get(type) ?? null;
}

/** Validates by the branch of a union that `select` finds, so that an error names the field that is wrong. */
function selectBranch<U extends z.ZodUnion>(
  union: U,
  select: (value: unknown) => z.ZodType | null,
  message: string,
) {
  return z.preprocess((value, ctx) => {
    const branch = select(value);
    if (branch === null) ctx.addIssue(value === undefined ? "is required" : message);
    for (const issue of branch?.safeParse(value, { reportInput: true }).error?.issues ?? [])
      ctx.addIssue({ ...issue });
    return value;
  }, union);
}

// Results

const OpenAiToolResult = z
  .object({ role: z.literal("tool"), tool_call_id: z.string(), content: z.string() })
  .openapi("OpenAiToolResult", { description: "A message to append to `messages`" });

const ResponsesToolResult = z
  .object({ type: z.literal("function_call_output"), call_id: z.string(), output: z.string() })
  .openapi("ResponsesToolResult", { description: "An item to append to `input`" });

const AnthropicToolResult = z
  .object({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    content: z.string(),
    is_error: z.boolean(),
  })
  .openapi("AnthropicToolResult", { description: "A block for the content of the next user message" });

const NamedToolResult = z
  .object({ id: z.string().optional(), name: z.string(), content: z.string(), is_error: z.boolean() })
  .openapi("NamedToolResult", { description: "The result of a call by name" });

const ToolResult = z.union([OpenAiToolResult, ResponsesToolResult, AnthropicToolResult, NamedToolResult]);
export type ToolResult = z.infer<typeof ToolResult>;

/** The result of one call, or the results of an answer's calls in order. */
export const ToolResults = z.union([
  OpenAiToolResult,
  ResponsesToolResult,
  AnthropicToolResult,
  NamedToolResult,
  z.array(ToolResult),
]);
addExample(ToolResults, {
  role: "tool",
  tool_call_id: "call_7Qb2",
  content:
    '{"count":1,"memories":[{"id":"b924eb2b8ea1f386820e4e58919566bf","kind":"memory","content":"We deploy on Fridays only after the smoke tests pass","type":"process_convention","confidence":0.9,"status":"live","timestamp":"2026-11-16T09:08:00.000Z","session_id":"checkout-fix","user_id":null,"agent_id":"ada","project_id":"shop","source_type":"agent","rationale":"Agreed after the outage in May","score":1.3416,"signals":{"lexical":1,"semantic":0.1466,"recency":1,"importance":1,"mode":"hybrid"},"superseded_by":null,"access_count":2,"metadata":{},"tags":[]}]}',
});
