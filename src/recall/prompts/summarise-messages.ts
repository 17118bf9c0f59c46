// Summarises a conversation extractively: selects its highest-scoring messages, verbatim and in their order.

import { clip, toSingleLine } from "../../language/normalise-text";
import { splitSentences } from "../../language/sentences";
import { countTokens } from "../../language/token-count";
import type { Role } from "../../memories/message-schemas";

export type SummaryMessage = { id: string; role: Role; content: string; timestamp: string };

/** A text of one line per statement, and the ids of the messages it covers. */
export type Summary = { text: string; used: string[] };

const WEIGHTS = { role: 0.3, recency: 0.4, content: 0.3 };
const ROLE_SCORES: Record<Role, number> = { user: 1, system: 0.8, assistant: 0.6, tool: 0.4 };

const BOOSTS: readonly { boost: number; pattern: RegExp }[] = [
  { boost: 0.3, pattern: /\?(?=\s|$)/ },
  {
    boost: 0.4,
    pattern: /\b(?:decid(?:e|ed|ing)|decisions?|agreed|cho(?:se|sen)|settled on|going with|go with)\b/i,
  },
  {
    boost: 0.3,
    pattern:
      /\b(?:errors?|exceptions?|fail(?:s|ed|ing|ures?)?|bugs?|crash(?:ed|es|ing)?|broken|traceback)\b/i,
  },
  {
    boost: 0.2,
    pattern: /\b(?:important|critical|crucial|urgent|must|always|never|remember|required|deadline)\b/i,
  },
  { boost: 0.15, pattern: /`[^`]+`/ },
  {
    boost: 0.1,
    pattern:
      /[\w-]\.(?:[cm]?[jt]sx?|py|rb|exs?|go|rs|java|kt|swift|c|h|cpp|cs|php|sql|sh|json|ya?ml|toml|md|html|css|txt|csv|pdf|docx?|xlsx?)\b/i,
  },
];

/** Longer messages are represented by their highest-scoring sentence. */
const MAX_LINE_CHARS = 280;

/** Scores a text from 0 to 1 by the patterns it matches: questions, decisions, errors, emphasis, code, files. */
export function scoreContent(text: string): number {
  return Math.min(
    1,
    BOOSTS.reduce((sum, { boost, pattern }) => (pattern.test(text) ? sum + boost : sum), 0),
  );
}

/** Selects the best messages that fit into `maxTokens`, one line each, in the order of the conversation. */
export function summariseMessages(messages: readonly SummaryMessage[], maxTokens: number): Summary {
  const ranked = messages
    .map((message, index) => ({ message, index, score: scoreMessage(message, index, messages.length) }))
    .sort((a, b) => b.score - a.score);
  const picked: { index: number; id: string; line: string }[] = [];
  let room = maxTokens;
  for (const { message, index } of ranked) {
    const line = renderLine(message);
    if (line === null) continue;
    const cost = countTokens(line) + 1;
    if (cost > room) continue;
    picked.push({ index, id: message.id, line });
    room -= cost;
  }
  picked.sort((a, b) => a.index - b.index);
  return { text: picked.map(({ line }) => line).join("\n"), used: picked.map(({ id }) => id) };
}

function scoreMessage({ role, content }: SummaryMessage, index: number, count: number): number {
  const recency = (index + 1) / count;
  return (
    WEIGHTS.role * ROLE_SCORES[role] + WEIGHTS.recency * recency + WEIGHTS.content * scoreContent(content)
  );
}

function renderLine({ role, content }: SummaryMessage): string | null {
  const whole = toSingleLine(content);
  if (whole === "") return null;
  return `${role}: ${whole.length <= MAX_LINE_CHARS ? whole : clip(findTopSentence(content) ?? whole, MAX_LINE_CHARS)}`;
}

function findTopSentence(content: string): string | null {
  let best: { text: string; score: number } | null = null;
  for (const { text } of splitSentences(content)) {
    const score = scoreContent(text);
    if (best === null || score > best.score) best = { text: toSingleLine(text), score };
  }
  return best?.text ?? null;
}
