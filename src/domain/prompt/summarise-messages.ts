// An extractive summary: the sentences of a conversation that say most, in their own words and order.

import type { Role } from "../../schemas/session";
import { clip, sentences } from "../../text/memory-text";
import { countTokens } from "../../text/token-count";

export type SummaryMessage = { id: string; role: Role; content: string; timestamp: string };

/** A text of one line per statement, and the ids of the messages it speaks for. */
export type Summary = { text: string; used: string[] };

const WEIGHTS = { role: 0.3, recency: 0.4, content: 0.3 };
const ROLES: Record<Role, number> = { user: 1, system: 0.8, assistant: 0.6, tool: 0.4 };

const BOOSTS: readonly { boost: number; sign: RegExp }[] = [
  { boost: 0.3, sign: /\?(?=\s|$)/ },
  {
    boost: 0.4,
    sign: /\b(?:decid(?:e|ed|ing)|decisions?|agreed|cho(?:se|sen)|settled on|going with|go with)\b/i,
  },
  {
    boost: 0.3,
    sign: /\b(?:errors?|exceptions?|fail(?:s|ed|ing|ures?)?|bugs?|crash(?:ed|es|ing)?|broken|traceback)\b/i,
  },
  {
    boost: 0.2,
    sign: /\b(?:important|critical|crucial|urgent|must|always|never|remember|required|deadline)\b/i,
  },
  { boost: 0.15, sign: /`[^`]+`/ },
  {
    boost: 0.1,
    sign: /[\w-]\.(?:[cm]?[jt]sx?|py|rb|exs?|go|rs|java|kt|swift|c|h|cpp|cs|php|sql|sh|json|ya?ml|toml|md|html|css|txt|csv|pdf|docx?|xlsx?)\b/i,
  },
];

/** Longer messages are represented by their most telling sentence. */
const LINE_CHARS = 280;

/** How much a text says, from 0 to 1, by the signs it carries. */
export function contentScore(text: string): number {
  return Math.min(
    1,
    BOOSTS.reduce((sum, { boost, sign }) => (sign.test(text) ? sum + boost : sum), 0),
  );
}

/** The best lines that fit into `maxTokens`, in the order of the conversation. */
export function summarise(messages: readonly SummaryMessage[], maxTokens: number): Summary {
  const ranked = messages
    .map((message, index) => ({ message, index, score: scoreOf(message, index, messages.length) }))
    .sort((a, b) => b.score - a.score);
  const picked: { index: number; id: string; line: string }[] = [];
  let room = maxTokens;
  for (const { message, index } of ranked) {
    const line = lineOf(message);
    if (line === null) continue;
    const cost = countTokens(line) + 1;
    if (cost > room) continue;
    picked.push({ index, id: message.id, line });
    room -= cost;
  }
  picked.sort((a, b) => a.index - b.index);
  return { text: picked.map(({ line }) => line).join("\n"), used: picked.map(({ id }) => id) };
}

function scoreOf({ role, content }: SummaryMessage, index: number, count: number): number {
  const recency = (index + 1) / count;
  return WEIGHTS.role * ROLES[role] + WEIGHTS.recency * recency + WEIGHTS.content * contentScore(content);
}

function lineOf({ role, content }: SummaryMessage): string | null {
  const whole = oneLine(content);
  if (whole === "") return null;
  return `${role}: ${whole.length <= LINE_CHARS ? whole : clip(mostTelling(content) ?? whole, LINE_CHARS)}`;
}

function mostTelling(content: string): string | null {
  let best: { text: string; score: number } | null = null;
  for (const { text } of sentences(content)) {
    const score = contentScore(text);
    if (best === null || score > best.score) best = { text: oneLine(text), score };
  }
  return best?.text ?? null;
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}
