// Assembles conversation, working context and memories within a token budget: each part within its share, and every
// omission reported.
import type { Json } from "../../kernel/json";
import { formatValue } from "../../language/json-text";
import {
  CONTEXT_PAIR_OVERHEAD_TOKENS,
  countTokens,
  MEMORY_OVERHEAD_TOKENS,
  MESSAGE_OVERHEAD_TOKENS,
} from "../../language/token-count";
import type { Message } from "../../memories/message-schemas";
import type { TokenBudget } from "../../sessions/session-schemas";
import type { StoredItem } from "../../sessions/short-term/working-context";
import type { Part } from "./assemble-schemas";
import {
  type AssembledMessage,
  fitConversation,
  fitWithin,
  type LeftOut,
  type Summariser,
  toLeftOut,
} from "./fit-conversation";
import {
  CONTEXT_HEADING,
  FACTS_HEADING,
  MEMORY_HEADING,
  MESSAGES_HEADING,
  type PromptMemory,
  type PromptMessage,
  renderContextLine,
  renderMemoryLine,
  renderMessageLine,
  renderPrompt,
  renderTextLine,
  SUMMARY_HEADING,
} from "./render-prompt";
import { type KnownFact, type SessionKnowledge, selectNewFacts } from "./session-knowledge";

export type PromptInput<
  Memory extends PromptMemory & { id: string },
  Said extends PromptMessage & { id: string },
> = {
  /** The window, oldest first. */
  messages: readonly Message[];
  /** The number of messages that have left the window. */
  evicted: number;
  working: readonly (StoredItem & { importance: number })[];
  /** Facts, best first, and the summary, oldest line first. */
  knowledge: SessionKnowledge;
  /** Ranked, best first. */
  memories: readonly Memory[];
  /** Messages from outside of the window, ranked, best first. */
  recalled: readonly Said[];
  /** What long-term memory has besides these. */
  unselected: readonly LeftOut[];
  budget: TokenBudget;
  total: number;
  include: ReadonlySet<Part>;
  summariser: Summariser;
};

export type AssembledPrompt<Memory, Said> = {
  messages: AssembledMessage[];
  working_context: Record<string, Json>;
  /** The summary of what the window no longer contains; null if there is none. */
  summary: string | null;
  facts: KnownFact[];
  memories: Memory[];
  recalled_messages: Said[];
  prompt: string;
  tokens: { total: number; budget: number; conversation: number; working: number; long_term: number };
  left_out: LeftOut[];
};

type BudgetShares = { system: number; conversation: number; working: number; longTerm: number };

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
export function assemblePrompt<
  Memory extends PromptMemory & { id: string },
  Said extends PromptMessage & { id: string },
>(input: PromptInput<Memory, Said>): AssembledPrompt<Memory, Said> {
  const share = computeShares(input.budget, input.total);
  const longTerm = fitLongTerm(input, share.longTerm);
  const working = fitWorking(
    input,
    longTerm.memories.map(({ content }) => content),
    share.working,
  );
  const conversation = fitConversation(
    input.include.has("conversation") ? input.messages : [],
    share.conversation + share.working - working.tokens + share.longTerm - longTerm.tokens,
    input.summariser,
  );
  const { summary, facts } = working;
  const { memories, messages } = longTerm;
  return {
    messages: conversation.messages,
    working_context: Object.fromEntries(working.items.map(({ key, value }) => [key, value])),
    summary: summary.length === 0 ? null : summary.join("\n"),
    facts,
    memories,
    recalled_messages: messages,
    prompt: renderPrompt({
      working: working.items,
      summary,
      facts: facts.map(({ text }) => text),
      memories,
      messages,
    }),
    tokens: {
      total: conversation.tokens + working.tokens + longTerm.tokens,
      budget: input.total,
      conversation: conversation.tokens,
      working: working.tokens,
      long_term: longTerm.tokens,
    },
    left_out: [
      ...listEvicted(input),
      ...conversation.leftOut,
      ...working.leftOut,
      ...longTerm.leftOut,
      ...input.unselected,
    ],
  };
}

/** Names the messages that have left the window in one entry: there may be thousands. No message has this id. */
function listEvicted({
  include,
  evicted,
  budget,
}: Pick<PromptInput<never, never>, "include" | "evicted" | "budget">): LeftOut[] {
  if (evicted === 0 || !include.has("conversation")) return [];
  const reason = `${evicted} older messages are outside of the window of ${budget.conversation} tokens; recall finds them`;
  return [{ part: "conversation", id: "messages.evicted", reason }];
}

/** Fits the context items, then the summary, its newest lines first, then the facts that none of the rest states. */
function fitWorking(
  { include, working, knowledge }: Pick<PromptInput<never, never>, "include" | "working" | "knowledge">,
  remembered: readonly string[],
  share: number,
) {
  const isIncluded = include.has("working");
  const items = fitWithin(
    isIncluded ? working.toSorted((a, b) => b.importance - a.importance) : [],
    share,
    CONTEXT_HEADING,
    (item) => countTokens(renderContextLine(item)) + CONTEXT_PAIR_OVERHEAD_TOKENS,
  );
  const countLine = (text: string) => countTokens(renderTextLine(text)) + CONTEXT_PAIR_OVERHEAD_TOKENS;
  const summary = fitWithin(
    isIncluded ? knowledge.summary.toReversed() : [],
    share - items.tokens,
    SUMMARY_HEADING,
    countLine,
  );
  const known = [...remembered, ...working.map(({ value }) => formatValue(value))];
  const newFacts = isIncluded ? selectNewFacts(knowledge.facts, known) : [];
  const facts = fitWithin(
    newFacts.slice(0, MAX_FACTS),
    share - items.tokens - summary.tokens,
    FACTS_HEADING,
    ({ text }) => countLine(text),
  );
  const leftOut = [
    ...items.omitted.map(({ key }) => key),
    ...(summary.omitted.length === 0 ? [] : ["world.summary"]),
    ...facts.omitted.map(toFactId),
  ].map((id) => toLeftOut("working", id, "working context", share));
  const surplus = newFacts.slice(MAX_FACTS).map((fact) => ({
    part: "working" as const,
    id: toFactId(fact),
    reason: `beyond the ${MAX_FACTS} facts that match best`,
  }));
  return {
    items: items.kept,
    summary: summary.kept.toReversed(),
    facts: facts.kept,
    tokens: items.tokens + summary.tokens + facts.tokens,
    leftOut: [...leftOut, ...surplus],
  };
}

/** Facts of a prompt: more would drown the context items. */
const MAX_FACTS = 30;

function toFactId({ key }: KnownFact): string {
  return `world.facts.${key}`;
}

/** Fits the memories, then the recalled messages. */
function fitLongTerm<
  Memory extends PromptMemory & { id: string },
  Said extends PromptMessage & { id: string },
>(
  { include, ...input }: Pick<PromptInput<Memory, Said>, "include" | "memories" | "recalled">,
  share: number,
) {
  const isIncluded = include.has("long_term");
  const memories = fitWithin(
    isIncluded ? input.memories : [],
    share,
    MEMORY_HEADING,
    (memory) => countTokens(renderMemoryLine(memory)) + MEMORY_OVERHEAD_TOKENS,
  );
  const messages = fitWithin(
    isIncluded ? input.recalled : [],
    share - memories.tokens,
    MESSAGES_HEADING,
    (message) => countTokens(renderMessageLine(message)) + MESSAGE_OVERHEAD_TOKENS,
  );
  return {
    memories: memories.kept,
    messages: messages.kept,
    tokens: memories.tokens + messages.tokens,
    leftOut: [...memories.omitted, ...messages.omitted].map(({ id }) =>
      toLeftOut("long_term", id, "long-term", share),
    ),
  };
}
