// Assembles conversation, working context and memories within a token budget: each part within its share, and every
// omission reported.
import { isJsonObject, type Json } from "../../platform/json";
import type { Part } from "../../schemas/assemble";
import type { Message, Role } from "../../schemas/message";
import type { TokenBudget } from "../../schemas/session";
import {
  CONTEXT_PAIR_OVERHEAD_TOKENS,
  countTokens,
  MEMORY_OVERHEAD_TOKENS,
  MESSAGE_OVERHEAD_TOKENS,
} from "../../text/token-count";
import type { StoredItem } from "../short-term/working-context";
import {
  CONTEXT_HEADING,
  escapeText,
  MEMORY_HEADING,
  type PromptMemory,
  renderContextLine,
  renderMemoryLine,
  renderPrompt,
} from "./render-prompt";
import type { Summary, SummaryMessage } from "./summarise-messages";

export type LeftOut = { part: Part; id: string; reason: string };

/** Summarises messages in at most `maxTokens`, one statement per line. */
export type Summariser = (messages: SummaryMessage[], maxTokens: number) => Summary;

export type AssembledMessage = {
  /** Null for the summary, which is not a stored message. */
  id: string | null;
  role: Role;
  name: string | null;
  content: string;
  timestamp: string;
  /** Present if there are any: models reject a tool result without its call. */
  tool_calls?: Json[];
  tool_call_id?: string;
};

export type PromptInput<Memory extends PromptMemory & { id: string }> = {
  /** The window, oldest first. */
  messages: readonly Message[];
  working: readonly (StoredItem & { importance: number })[];
  /** Ranked, best first. */
  memories: readonly Memory[];
  budget: TokenBudget;
  total: number;
  include: ReadonlySet<Part>;
  summariser: Summariser;
};

export type AssembledPrompt<Memory> = {
  messages: AssembledMessage[];
  working_context: Record<string, Json>;
  memories: Memory[];
  prompt: string;
  tokens: { total: number; budget: number; conversation: number; working: number; long_term: number };
  left_out: LeftOut[];
};

export type BudgetShares = { system: number; conversation: number; working: number; longTerm: number };

/** The proportions in which system prompt, working context and long-term memory share the context budget. */
const CONTEXT_SPLIT = { system: 2, working: 4, longTerm: 6 } as const;

/** Scales the session's budget to `total`, also when its parts add up to more than its own total. */
export function computeShares(budget: TokenBudget, total: number): BudgetShares {
  const whole = Math.max(budget.total, budget.conversation + budget.context);
  const { system, working, longTerm } = CONTEXT_SPLIT;
  const part = (tokens: number, of: number, outOf: number) =>
    Math.floor((tokens * of * total) / (outOf * whole));
  const split = system + working + longTerm;
  return {
    system: part(budget.context, system, split),
    conversation: part(budget.conversation, 1, 1),
    working: part(budget.context, working, split),
    longTerm: part(budget.context, longTerm, split),
  };
}

/** The conversation receives the tokens that working context and memories leave unused; the system share stays free. */
export function assemblePrompt<Memory extends PromptMemory & { id: string }>(
  input: PromptInput<Memory>,
): AssembledPrompt<Memory> {
  const share = computeShares(input.budget, input.total);
  const working = fitWithin(
    input.include.has("working") ? input.working.toSorted((a, b) => b.importance - a.importance) : [],
    share.working,
    CONTEXT_HEADING,
    (item) => countTokens(renderContextLine(item)) + CONTEXT_PAIR_OVERHEAD_TOKENS,
  );
  const longTerm = fitWithin(
    input.include.has("long_term") ? input.memories : [],
    share.longTerm,
    MEMORY_HEADING,
    (memory) => countTokens(renderMemoryLine(memory)) + MEMORY_OVERHEAD_TOKENS,
  );
  const conversation = fitConversation(
    input.include.has("conversation") ? input.messages : [],
    share.conversation + share.working - working.tokens + share.longTerm - longTerm.tokens,
    input.summariser,
  );
  return {
    messages: conversation.messages,
    working_context: Object.fromEntries(working.kept.map(({ key, value }) => [key, value])),
    memories: longTerm.kept,
    prompt: renderPrompt({ working: working.kept, memories: longTerm.kept }),
    tokens: {
      total: conversation.tokens + working.tokens + longTerm.tokens,
      budget: input.total,
      conversation: conversation.tokens,
      working: working.tokens,
      long_term: longTerm.tokens,
    },
    left_out: [
      ...conversation.leftOut,
      ...working.omitted.map(({ key }) => toLeftOut("working", key, "working context", share.working)),
      ...longTerm.omitted.map(({ id }) => toLeftOut("long_term", id, "long-term", share.longTerm)),
    ],
  };
}

function toLeftOut(part: Part, id: string, name: string, tokens: number): LeftOut {
  return { part, id, reason: `over the ${name} budget of ${tokens} tokens` };
}

type Fitted<T> = { kept: T[]; omitted: T[]; tokens: number };

/** Selects the first items that fit with their heading; one that is too large does not exclude a smaller one after it. */
function fitWithin<T>(
  items: readonly T[],
  share: number,
  heading: string,
  cost: (item: T) => number,
): Fitted<T> {
  const fitted: Fitted<T> = { kept: [], omitted: [], tokens: 0 };
  const headingTokens = countTokens(`${heading}\n\n`);
  for (const item of items) {
    const tokens = (fitted.tokens === 0 ? headingTokens : fitted.tokens) + cost(item);
    if (tokens > share) {
      fitted.omitted.push(item);
      continue;
    }
    fitted.kept.push(item);
    fitted.tokens = tokens;
  }
  return fitted;
}

type Conversation = { messages: AssembledMessage[]; tokens: number; leftOut: LeftOut[] };

/** The part of the conversation's share that is reserved for a summary when messages must be omitted. */
const SUMMARY_SHARE = 0.1;

function fitConversation(messages: readonly Message[], share: number, summariser: Summariser): Conversation {
  const kept = dropOrphanResults(selectNewest(messages, share));
  const tokens = sumTokens(kept);
  if (kept.length === messages.length) return { messages: kept.map(toAssembledMessage), tokens, leftOut: [] };
  const keptMessages = new Set(kept);
  const omitted = messages.filter((message) => !keptMessages.has(message));
  const summary = renderSummary(omitted, share - tokens, summariser);
  const summarised = new Set(summary?.used);
  return {
    messages: [...(summary === null ? [] : [summary.message]), ...kept.map(toAssembledMessage)],
    tokens: tokens + (summary?.tokens ?? 0),
    leftOut: omitted.map(({ id }) =>
      summarised.has(id)
        ? { part: "conversation", id, reason: "summarised" }
        : toLeftOut("conversation", id, "conversation", share),
    ),
  };
}

/** Returns all messages, or the newest that leave room for a summary, without those larger than the whole share. */
function selectNewest(messages: readonly Message[], share: number): Message[] {
  if (sumTokens(messages) <= share) return [...messages];
  const kept: Message[] = [];
  const limit = share - Math.floor(share * SUMMARY_SHARE);
  let tokens = 0;
  for (const message of messages.toReversed()) {
    if (message.token_count > share) continue;
    tokens += message.token_count;
    if (tokens > limit && kept.length > 0) break;
    kept.push(message);
  }
  return kept.reverse();
}

/** Drops tool results whose call was omitted. */
function dropOrphanResults(messages: readonly Message[]): Message[] {
  const calls = new Set(messages.flatMap(({ tool_calls }) => (tool_calls ?? []).map(getCallId)));
  return messages.filter(
    ({ role, tool_call_id }) => role !== "tool" || tool_call_id === null || calls.has(tool_call_id),
  );
}

function getCallId(call: Json): Json | undefined {
  return isJsonObject(call) ? call.id : undefined;
}

function sumTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + message.token_count, 0);
}

function toAssembledMessage({
  id,
  role,
  name,
  content,
  timestamp,
  tool_calls,
  tool_call_id,
}: Message): AssembledMessage {
  return {
    id,
    role,
    name,
    content,
    timestamp,
    ...(tool_calls === null ? {} : { tool_calls }),
    ...(tool_call_id === null ? {} : { tool_call_id }),
  };
}

const SUMMARY_INTRO = "Summary of earlier messages:";

type RenderedSummary = { message: AssembledMessage; tokens: number; used: string[] };

/** Renders a system message that summarises the omitted messages within `room`; null when nothing useful fits. */
function renderSummary(
  messages: readonly Message[],
  room: number,
  summariser: Summariser,
): RenderedSummary | null {
  const maxTokens = room - MESSAGE_OVERHEAD_TOKENS - countTokens(SUMMARY_INTRO);
  if (maxTokens <= 0) return null;
  const { text, used } = summariser(messages.map(toSummaryMessage), maxTokens);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  // Escaping lengthens a summary, so its oldest lines may have to go.
  for (let first = 0; first < lines.length; first += 1) {
    const kept = lines.slice(first).map((line) => `- ${escapeText(line)}`);
    const content = [SUMMARY_INTRO, ...kept].join("\n");
    const tokens = countTokens(content) + MESSAGE_OVERHEAD_TOKENS;
    if (tokens > room) continue;
    const timestamp = messages.at(-1)?.timestamp ?? "";
    const message: AssembledMessage = { id: null, role: "system", name: null, content, timestamp };
    return { message, tokens, used: used.length === lines.length ? used.slice(first) : used };
  }
  return null;
}

function toSummaryMessage({ id, role, content, timestamp }: Message): SummaryMessage {
  return { id, role, content, timestamp };
}
