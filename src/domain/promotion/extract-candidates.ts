// Extracts memory candidates from the sentences of evicted messages.
// Wrong memories do more harm than missing ones, so a sentence yields nothing without a clear match.
import { LIMITS } from "../../limits";
import type { MemoryType } from "../../ontology/terms.generated";
import type { Role } from "../../schemas/message";
import type { SourceType } from "../../schemas/session";
import { normaliseContent } from "../../text/normalise-text";
import { type Sentence, splitSentences } from "../../text/sentences";
import { LABELS, REMINDER, RULES, type Speaker } from "./extraction-rules";

export type MessageCandidate = {
  content: string;
  memory_type: MemoryType;
  confidence: number;
  source_type: SourceType;
  evidence: string[];
  rationale: string | null;
};

/** Candidates from one message: a message with more statements is a document. */
const MAX_CANDIDATES_PER_MESSAGE = 3;

/** A user's statements are more reliable than a model's. */
const SPEAKER_DEFAULTS = {
  user: { source_type: "user", confidence: 0.7 },
  assistant: { source_type: "agent", confidence: 0.6 },
} as const satisfies Record<Speaker, unknown>;

export function extractCandidates(message: {
  id: string;
  role: Role;
  content: string;
  timestamp: string;
}): MessageCandidate[] {
  const { id, role } = message;
  if (role !== "user" && role !== "assistant") return [];
  const found = new Map<string, MessageCandidate>();
  for (const sentence of extractSentences(message.content)) {
    if (found.size >= MAX_CANDIDATES_PER_MESSAGE) break;
    const match = classifySentence(sentence, role);
    if (
      match === null ||
      !match.content.includes(" ") ||
      SECRET_PATTERN.test(sentence.text) ||
      SHORT_LIVED.test(sentence.text)
    ) {
      continue;
    }
    found.set(normaliseContent(match.content), {
      content: match.content,
      memory_type: match.type,
      ...SPEAKER_DEFAULTS[role],
      evidence: [`message:${id}`],
      rationale: REASON.exec(match.content)?.[1] ?? null,
    });
  }
  return [...found.values()];
}

/** Returns the sentences of a message, without bold type and opening small talk. */
export function extractSentences(content: string): Sentence[] {
  return splitSentences(content.replace(BOLD, "$1")).map(stripOpening);
}

/** Whether a sentence is an assertion: no question, request, condition, secret or code, and not short-lived. */
export function isStatement({ text, prose }: Sentence): boolean {
  return (
    text.length <= LIMITS.contentChars &&
    !matchesAny(NOT_PROSE, prose) &&
    !QUESTION.test(prose) &&
    !matchesAny(NOT_ASSERTED, prose) &&
    !matchesAny(CONDITIONAL, prose) &&
    !SECRET_PATTERN.test(text) &&
    !SHORT_LIVED.test(text)
  );
}

/** Passwords, keys, tokens and card numbers, which must not reach memories that are put into prompts. */
export const SECRET_PATTERN =
  /\b(?:passwords?|passcode|passphrase|api[ _-]?keys?|secret keys?|access tokens?|private key|cvv|social security number)\b(?: \w+)? ?(?:is|was|are|=|:) ?\S|\b(?:sk|pk|ghp|gho|glpat|xox[abp])[-_][\w-]{6,}|\bAKIA[A-Z0-9]{12,}|\b[0-9a-f]{32,}\b|\b(?:\d[ -]?){13,19}\b/i;

/** Activities that are over within the hour. */
const SHORT_LIVED =
  /\b(?:brb|afk|for (?:lunch|dinner|breakfast)|(?:a|some|another) (?:coffee|snack|nap)|not to say)\b/i;

const BOLD = /\*\*([^*`\n]+)\*\*/g;
const REASON = /\b(?:because of|because|due to)\s+(.{3,}?)[.!\s]*$/i;

/** Opening small talk: "Thanks, …", "By the way …". */
const OPENING = new RegExp(
  [
    "^(?:(?:ok(?:ay)?|so|and|but|well|also|alright|anyway|yes|yeah|yep|no|nope|right|great|perfect|thanks",
    "|thank you|sure|hi|hello|hey|oh|ah|actually|sorry)(?: (?:there|again|so much|a lot))?\\s*[,!:—–-]+\\s*",
    "|(?:btw|by the way|also),?\\s+)+",
  ].join(""),
  "i",
);

/** Strips the opening, and straightens the apostrophes of the prose. */
function stripOpening({ text, prose }: Sentence): Sentence {
  const straight = prose.replace(/[‘’]/g, "'").replace(/\s/g, " ");
  const skip = OPENING.exec(straight)?.[0].length ?? 0;
  return { text: text.slice(skip).trimEnd(), prose: straight.slice(skip).trimEnd() };
}

/** Code, logs, stack traces, tables and data within prose. */
const NOT_PROSE = [
  /[{};]$|=>|==|\w\(\)|https?:\/\/\S{80}/,
  /^[[{<|]|^\$ |^at \S+[.(]/,
  /^(?:import|export|const|let|var|function|def|class|return|from) \S+ ?[=({;:]/,
  /^(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ERROR|WARN|INFO|DEBUG|FATAL)\b/,
  /^\W?\d{4}-\d\d-\d\d[T ]\d\d:/,
];

/** Questions, with or without a question mark. */
const QUESTION =
  /\?[)\]"']*$|^(?:have|has|had|did|do|does|should|could|can|would|will|shall|is|are|was|were|am|may|might|what|why|how|who|which|whose)\b/i;

/** Requests, examples and jokes. */
const NOT_ASSERTED = [
  /^(?:please )?(?:write|tell|translate|summari[sz]e|explain|generate|create|draft|rewrite|describe|list|show|give|help|act|find|search)\b/i,
  /\b(?:for example|for instance|e\.g\.|hypothetically|kidding|joking|haha|lol)\b/i,
];

const CONDITIONAL = [
  /^(?:if|unless|suppose|supposing|imagine|say|once|until|in case|whether|assum(?:e|ing)|let's (?:say|assume|pretend)|pretend)\b/i,
  /\b(?:if|unless|whether|until|once|before|when|wish) (?:we|i|you|they|he|she)(?:'ve|'d| have| had)? (?:decided?|agreed?|chose|chosen|choose|settled?)\b/i,
];

/** Returns the memory type of a sentence and the part of it to remember; null if no rule matches. */
function classifySentence(
  { text, prose }: Sentence,
  speaker: Speaker,
): { type: MemoryType; content: string } | null {
  if (!text.includes(" ")) return null;
  // A sentence of this length is pasted data, and slow to match.
  if (text.length > LIMITS.contentChars || matchesAny(NOT_PROSE, prose)) return null;
  const label = LABELS.find(({ name }) => name.test(prose));
  if (label !== undefined) return { type: label.type, content: text.replace(LABEL_PREFIX, "") };
  if (QUESTION.test(prose) || matchesAny(NOT_ASSERTED, prose)) return null;
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

const LABEL_PREFIX = /^[^:—–]+[:—–]\s*/;

function matchesAny(patterns: readonly RegExp[], prose: string): boolean {
  return patterns.some((pattern) => pattern.test(prose));
}
