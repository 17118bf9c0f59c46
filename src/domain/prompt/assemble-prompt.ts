// One prompt's worth of memory within a token budget: each part within its share, what is left out named.

import { TOKEN_BUDGET } from "../../limits";
import type { Json } from "../../platform/json";
import type { Part } from "../../schemas/assemble";
import type { Message, Role, TokenBudget } from "../../schemas/session";
import { countTokens } from "../../text/token-count";
import type { StoredItem } from "../short-term/working-context";
import {
  CONTEXT_HEADING,
  contextLine,
  escapeText,
  MEMORY_HEADING,
  memoryLine,
  type PromptMemory,
  renderPrompt,
} from "./render-prompt";
import type { Summary, SummaryMessage } from "./summarise-messages";

export type LeftOut = { part: Part; id: string; reason: string };

/** Writes at most `maxTokens` about the messages, one statement per line. */
export type Summariser = (messages: SummaryMessage[], maxTokens: number) => Summary;

export type AssembledMessage = {
  /** Null for the summary, which nobody sent. */
  id: string | null;
  role: Role;
  name: string | null;
  content: string;
  timestamp: string;
  /** Where there are some: a model refuses a tool's result without the call it answers. */
  tool_calls?: Json[];
  tool_call_id?: string;
};

export type AssembleInput<Memory extends PromptMemory & { id: string }> = {
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

export type Assembled<Memory> = {
  messages: AssembledMessage[];
  working_context: Record<string, Json>;
  memories: Memory[];
  prompt: string;
  tokens: { total: number; budget: number; conversation: number; working: number; long_term: number };
  left_out: LeftOut[];
};

export type Shares = { system: number; conversation: number; working: number; longTerm: number };

/** The session's budget in proportion to `total`; a budget whose parts exceed its own total is scaled down. */
export function shares(budget: TokenBudget, total: number): Shares {
  const whole = Math.max(budget.total, budget.conversation + budget.context);
  const { system, working, longTerm } = TOKEN_BUDGET.contextSplit;
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

/** What working and long-term memory leave unused flows to the conversation; the system share stays free. */
export function assemble<Memory extends PromptMemory & { id: string }>(
  input: AssembleInput<Memory>,
): Assembled<Memory> {
  const share = shares(input.budget, input.total);
  const working = within(
    input.include.has("working") ? input.working.toSorted((a, b) => b.importance - a.importance) : [],
    share.working,
    CONTEXT_HEADING,
    (item) => countTokens(contextLine(item)) + TOKEN_BUDGET.perContextPair,
  );
  const longTerm = within(
    input.include.has("long_term") ? input.memories : [],
    share.longTerm,
    MEMORY_HEADING,
    (memory) => countTokens(memoryLine(memory)) + TOKEN_BUDGET.perMemory,
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
      ...working.left.map(({ key }) => overBudget("working", key, "working context", share.working)),
      ...longTerm.left.map(({ id }) => overBudget("long_term", id, "long-term", share.longTerm)),
    ],
  };
}

function overBudget(part: Part, id: string, name: string, tokens: number): LeftOut {
  return { part, id, reason: `over the ${name} budget of ${tokens} tokens` };
}

type Fitted<T> = { kept: T[]; left: T[]; tokens: number };

/** The first items that fit under their heading; one that is too large does not keep a smaller one out. */
function within<T>(
  items: readonly T[],
  share: number,
  heading: string,
  cost: (item: T) => number,
): Fitted<T> {
  const fitted: Fitted<T> = { kept: [], left: [], tokens: 0 };
  const headed = countTokens(`${heading}\n\n`);
  for (const item of items) {
    const tokens = (fitted.tokens === 0 ? headed : fitted.tokens) + cost(item);
    if (tokens > share) {
      fitted.left.push(item);
      continue;
    }
    fitted.kept.push(item);
    fitted.tokens = tokens;
  }
  return fitted;
}

type Conversation = { messages: AssembledMessage[]; tokens: number; leftOut: LeftOut[] };

/** Of a conversation that must be cut, this part of its share is kept for the summary of what was cut. */
const SUMMARY_PART = 0.1;

function fitConversation(messages: readonly Message[], share: number, summariser: Summariser): Conversation {
  const kept = withoutOrphans(newest(messages, share));
  const tokens = tokensOf(kept);
  if (kept.length === messages.length) return { messages: kept.map(sent), tokens, leftOut: [] };
  const whole = new Set(kept);
  const cut = messages.filter((message) => !whole.has(message));
  const summary = summaryOf(cut, share - tokens, summariser);
  const used = new Set(summary?.used);
  return {
    messages: [...(summary === null ? [] : [summary.message]), ...kept.map(sent)],
    tokens: tokens + (summary?.tokens ?? 0),
    leftOut: cut.map(({ id }) =>
      used.has(id)
        ? { part: "conversation", id, reason: "summarised" }
        : overBudget("conversation", id, "conversation", share),
    ),
  };
}

/** All of them, or the newest that leave room for a summary; one larger than the whole share is passed over. */
function newest(messages: readonly Message[], share: number): Message[] {
  if (tokensOf(messages) <= share) return [...messages];
  const kept: Message[] = [];
  const limit = share - Math.floor(share * SUMMARY_PART);
  let tokens = 0;
  for (const message of messages.toReversed()) {
    if (message.token_count > share) continue;
    tokens += message.token_count;
    if (tokens > limit && kept.length > 0) break;
    kept.push(message);
  }
  return kept.reverse();
}

/** A tool's result goes with its call. */
function withoutOrphans(messages: readonly Message[]): Message[] {
  const calls = new Set(messages.flatMap(({ tool_calls }) => (tool_calls ?? []).map(idOf)));
  return messages.filter(
    ({ role, tool_call_id }) => role !== "tool" || tool_call_id === null || calls.has(tool_call_id),
  );
}

function idOf(call: Json): Json | undefined {
  return call !== null && typeof call === "object" && !Array.isArray(call) ? call.id : undefined;
}

function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + message.token_count, 0);
}

function sent({ id, role, name, content, timestamp, tool_calls, tool_call_id }: Message): AssembledMessage {
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

type SummaryMade = { message: AssembledMessage; tokens: number; used: string[] };

/** A system message that stands for the messages, within `room`; null when nothing useful fits. */
function summaryOf(messages: readonly Message[], room: number, summariser: Summariser): SummaryMade | null {
  const ask = room - TOKEN_BUDGET.perMessage - countTokens(SUMMARY_INTRO);
  if (ask <= 0) return null;
  const { text, used } = summariser(messages.map(summarisable), ask);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  // Escaping lengthens a summary: then its oldest lines give way.
  for (let first = 0; first < lines.length; first += 1) {
    const kept = lines.slice(first).map((line) => `- ${escapeText(line)}`);
    const content = [SUMMARY_INTRO, ...kept].join("\n");
    const tokens = countTokens(content) + TOKEN_BUDGET.perMessage;
    if (tokens > room) continue;
    const timestamp = messages.at(-1)?.timestamp ?? "";
    const message: AssembledMessage = { id: null, role: "system", name: null, content, timestamp };
    return { message, tokens, used: used.length === lines.length ? used.slice(first) : used };
  }
  return null;
}

function summarisable({ id, role, content, timestamp }: Message): SummaryMessage {
  return { id, role, content, timestamp };
}
