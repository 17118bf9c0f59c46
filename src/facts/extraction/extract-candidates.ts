// Extracts memory candidates from the sentences of messages: which sentences of a conversation are of lasting value,
// and of which memory type. The rule families are in extraction/.

import type { SourceType } from "../../kernel/common";
import type { JsonObject } from "../../kernel/json";
import { LIMITS } from "../../kernel/limits";
import { removeInvisible } from "../../kernel/validate-input";
import { normaliseContent } from "../../language/normalise-text";
import { type Sentence, splitSentences } from "../../language/sentences";
import type { Role } from "../../memories/message-schemas";
import type { MemoryType } from "../../ontology/generated/terms.generated";
import { hasSecret } from "../../trust/privacy/mask-values";
import { getMessageSource } from "../../trust/source-rank";
import { isAcknowledgement } from "./acknowledgements";
import { judgeStatement } from "./judge-statement";
import {
  CONDITIONAL,
  DIRECT_REQUEST,
  matchesAny,
  NOT_MEANT,
  NOT_PROSE,
  QUESTION,
  SHORT_LIVED,
} from "./not-asserted";
import { LABELS, REMINDER, RULES, type Speaker } from "./typed-rules";

type MessageCandidate = {
  content: string;
  memory_type: MemoryType;
  confidence: number;
  source_type: SourceType;
  evidence: string[];
  rationale: string | null;
};

/** Candidates from one message: a message with more statements is a document. */
const MAX_CANDIDATES_PER_MESSAGE = 20;

/** Sentences of one message that are searched. People write fewer; a pasted document has more. */
const MAX_SENTENCES_PER_MESSAGE = 60;

/**
 * A user's statements are more reliable than a model's. The confidence of a user's statement lifts a fresh fact over
 * the default promotion threshold of 0.6.
 */
const SPEAKER_CONFIDENCE: Readonly<Record<Speaker, number>> = { user: 0.8, assistant: 0.6 };

export function extractCandidates(message: {
  id: string;
  role: Role;
  content: string;
  timestamp: string;
  metadata?: JsonObject;
}): MessageCandidate[] {
  const { id, role } = message;
  if (role !== "user" && role !== "assistant") return [];
  const found = new Map<string, MessageCandidate>();
  for (const sentence of extractSentences(message.content).slice(0, MAX_SENTENCES_PER_MESSAGE)) {
    if (found.size >= MAX_CANDIDATES_PER_MESSAGE) break;
    const match = classifySentence(sentence, role);
    if (match === null || !match.content.includes(" ")) continue;
    found.set(normaliseContent(match.content), {
      content: match.content,
      memory_type: match.type,
      confidence: SPEAKER_CONFIDENCE[role],
      source_type: getMessageSource(message),
      evidence: [`message:${id}`],
      rationale: REASON.exec(match.content)?.[1] ?? null,
    });
  }
  return [...found.values()];
}

/** Whether a text of a turn holds anything that promotion would keep. */
export function hasLastingContent(text: string, speaker: Speaker = "user"): boolean {
  return extractCandidates({ id: "", role: speaker, content: text, timestamp: "" }).length > 0;
}

/** Returns the sentences of a message, without bold type and opening small talk. */
export function extractSentences(content: string): Sentence[] {
  return splitSentences(removeInvisible(content).replace(BOLD, "$1")).map(stripOpening);
}

/** Whether a sentence is an assertion: no question, request, condition, secret or code, and not short-lived. */
export function isStatement({ text, prose }: Sentence): boolean {
  return (
    text.length <= LIMITS.contentChars &&
    !matchesAny(NOT_PROSE, prose) &&
    !QUESTION.test(prose) &&
    !DIRECT_REQUEST.test(prose) &&
    !matchesAny(NOT_MEANT, prose) &&
    !matchesAny(CONDITIONAL, prose) &&
    !hasSecret(text) &&
    !SHORT_LIVED.test(text)
  );
}

const BOLD = /\*\*([^*`\n]+)\*\*/g;
const REASON = /\b(?:because of|because|due to)\s+(.{3,}?)[.!\s]*$/i;

/** Opening small talk: "Thanks, …", "By the way …", "Just so you know, …". */
const OPENING = new RegExp(
  [
    "^(?:(?:ok(?:ay)?|so|and|but|well|also|alright|anyway|yes|yeah|yep|no|nope|right|great|perfect|thanks|cool",
    "|thank you|sure|hi|hello|hey|oh|ah|actually|sorry|fun fact|quick note|side note|just so you know|heads up|fyi",
    "|for context|for reference|for what it's worth|good morning|good evening|oops|wait|hmm|um|erm|no wait|tbh|to be honest)",
    "(?: (?:there|again|so much|a lot|all|everyone|kioku))? ?[,!:—–-]+ ?",
    "|(?:btw|by the way|also|fyi|wow|whoa|omg|ugh|phew|yay|gosh|hey|hi|ok|okay|yeah|honestly|tbh|um|hmm),? ",
    "|(?:you (?:should|might want to|ought to) know|i (?:should|must|forgot to|wanted to) (?:mention|add|say|tell you|point out)",
    "|(?:it's |it is )?(?:worth|important) (?:mentioning|knowing|noting|to know)|it (?:might|may) help to know",
    "|(?:a bit|something|one thing|some background) about (?:me|us)|about (?:me|us|myself))",
    "(?: that| ?[:,—–-]+)? (?=(?:i|i'm|i've|i'd|my|we|we're|we've|our|the)\\b))+",
  ].join(""),
  "i",
);

/** Strips the opening, straightens the apostrophes of the prose and folds its accents, which keeps every offset. */
function stripOpening({ text, prose }: Sentence): Sentence {
  const straight = prose
    .replace(/[‘’]/g, "'")
    .replace(/\s/g, " ")
    .replace(/[\u00c0-\u024f\u1e00-\u1eff]/g, foldAccent);
  const skip = OPENING.exec(straight)?.[0].length ?? 0;
  return { text: text.slice(skip).trimEnd(), prose: straight.slice(skip).trimEnd() };
}

/** Returns the letter without its accent: the rules know names such as Gdansk by their ASCII letters. */
function foldAccent(letter: string): string {
  return UNDECOMPOSED[letter] ?? letter.normalize("NFD").charAt(0);
}

const UNDECOMPOSED: Readonly<Record<string, string>> = {
  ß: "s",
  ø: "o",
  Ø: "O",
  ł: "l",
  Ł: "L",
  đ: "d",
  Đ: "D",
  æ: "a",
  Æ: "A",
  ı: "i",
};

type Classified = { type: MemoryType; content: string };

/** Returns the memory type of a sentence and the part of it to remember; null if no rule matches. */
function classifySentence({ text, prose }: Sentence, speaker: Speaker): Classified | null {
  if (!text.includes(" ") || hasSecret(text)) return null;
  if (SHORT_LIVED.test(text) && !LASTING_HABIT.test(text)) return null;
  // A sentence of this length is pasted data, and slow to match.
  if (text.length > LIMITS.contentChars || matchesAny(NOT_PROSE, prose)) return null;
  const label = LABELS.find(({ name }) => name.test(prose));
  if (label !== undefined) return { type: label.type, content: text.replace(LABEL_PREFIX, "") };
  if (matchesAny(NOT_MEANT, prose)) return null;
  return matchTypedRule({ text, prose }, speaker) ?? matchStatement({ text, prose }, speaker);
}

/** "I always have a coffee before work" is a habit. */
const LASTING_HABIT = /\b(?:always|every|each|usually|never|like|love|hate|daily)\b/i;

const LABEL_PREFIX = /^[^:—–]+[:—–]\s*/;

/** Matches decisions, conventions, risks and the other types that a form of words shows. */
function matchTypedRule({ text, prose }: Sentence, speaker: Speaker): Classified | null {
  if (QUESTION.test(prose)) return null;
  if (DIRECT_REQUEST.test(prose) && !STANDING_INSTRUCTION.test(prose)) return null;
  const isConditional = matchesAny(CONDITIONAL, prose);
  const rule = RULES.find(
    ({ by, patterns, except, evenConditional }) =>
      (by === undefined || by === speaker) &&
      (evenConditional === true || !isConditional) &&
      matchesAny(patterns, prose) &&
      !(except?.test(prose) ?? false),
  );
  if (rule === undefined) return null;
  return { type: rule.type, content: text.slice(REMINDER.exec(prose)?.[0].length ?? 0) };
}

/** "Give me prices in euros from now on" holds beyond the turn. */
const STANDING_INSTRUCTION =
  /\b(?:from now on|from here on|going forward|in (?:the )?future|by default|every time|as a rule|unless i (?:say|ask|tell)|(?:in|for) (?:all|every)(?: of)? (?:our|my|your)? ?\w+)\b/i;

/** Nobody states a plain fact at greater length: such a sentence is a pasted text without full stops. */
const MAX_STATEMENT_CHARS = 500;

/** Matches plain statements: a user's about their life and work, an assistant's that confirm one. */
function matchStatement({ text, prose }: Sentence, speaker: Speaker): Classified | null {
  if (text.length > MAX_STATEMENT_CHARS) return null;
  if (speaker === "assistant") return isAcknowledgement(prose) ? { type: "fact", content: text } : null;
  const statement = judgeStatement(prose);
  return statement === null
    ? null
    : { type: statement.kind, content: text.slice(statement.from, statement.to).trim() };
}
