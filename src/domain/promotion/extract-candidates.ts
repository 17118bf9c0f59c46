// What an evicted message leaves behind: its sentences that carry a sign of lasting value, as candidates.
// Wrong memories do more harm than missing ones, so a sentence without a clear sign yields nothing.
import { LIMITS } from "../../limits";
import type { MemoryType, Role, SourceType } from "../../schemas/session";
import { normaliseContent, type Sentence, sentences } from "../../text/memory-text";
import { LABELS, REMINDER, RULES, type Speaker } from "./extraction-rules";

export type MessageCandidate = {
  content: string;
  memory_type: MemoryType;
  confidence: number;
  source_type: SourceType;
  evidence: string[];
  rationale: string | null;
};

/** What users say of their own affairs weighs more than what a model makes of it. */
const SPEAKERS = {
  user: { source_type: "user", confidence: 0.7 },
  assistant: { source_type: "agent", confidence: 0.6 },
} as const satisfies Record<Speaker, unknown>;

export function candidatesFrom(message: {
  id: string;
  role: Role;
  content: string;
  timestamp: string;
}): MessageCandidate[] {
  const { id, role } = message;
  if (role !== "user" && role !== "assistant") return [];
  const found = new Map<string, MessageCandidate>();
  for (const sentence of saidIn(message.content)) {
    if (found.size >= LIMITS.candidatesPerMessage) break;
    const match = judge(sentence, role);
    if (
      match === null ||
      !match.content.includes(" ") ||
      PRIVATE.test(sentence.text) ||
      FLEETING.test(sentence.text)
    ) {
      continue;
    }
    found.set(normaliseContent(match.content), {
      content: match.content,
      memory_type: match.type,
      ...SPEAKERS[role],
      evidence: [`message:${id}`],
      rationale: REASON.exec(match.content)?.[1] ?? null,
    });
  }
  return [...found.values()];
}

/** The sentences of a message, without bold type and the small talk they open with. */
export function saidIn(content: string): Sentence[] {
  return sentences(content.replace(BOLD, "$1")).map(opened);
}

/** Whether a sentence plainly says that something is so: not asked, supposed, secret, code or soon over. */
export function isStatement({ text, prose }: Sentence): boolean {
  return (
    text.length <= LIMITS.contentChars &&
    !any(NOT_PROSE, prose) &&
    !QUESTION.test(prose) &&
    !any(NOT_MEANT, prose) &&
    !any(CONDITIONAL, prose) &&
    !PRIVATE.test(text) &&
    !FLEETING.test(text)
  );
}

/** Secrets belong nowhere near a memory that is put into prompts. */
export const PRIVATE =
  /\b(?:passwords?|passcode|passphrase|api[ _-]?keys?|secret keys?|access tokens?|private key|cvv|social security number)\b(?: \w+)? ?(?:is|was|are|=|:) ?\S|\b(?:sk|pk|ghp|gho|glpat|xox[abp])[-_][\w-]{6,}|\bAKIA[A-Z0-9]{12,}|\b[0-9a-f]{32,}\b|\b(?:\d[ -]?){13,19}\b/i;

/** What is over within the hour. */
const FLEETING =
  /\b(?:brb|afk|for (?:lunch|dinner|breakfast)|(?:a|some|another) (?:coffee|snack|nap)|not to say)\b/i;

const BOLD = /\*\*([^*`\n]+)\*\*/g;
const REASON = /\b(?:because of|because|due to)\s+(.{3,}?)[.!\s]*$/i;

/** The small talk a sentence opens with: "Thanks, …", "By the way …". */
const OPENING = new RegExp(
  [
    "^(?:(?:ok(?:ay)?|so|and|but|well|also|alright|anyway|yes|yeah|yep|no|nope|right|great|perfect|thanks",
    "|thank you|sure|hi|hello|hey|oh|ah|actually|sorry)(?: (?:there|again|so much|a lot))?\\s*[,!:—–-]+\\s*",
    "|(?:btw|by the way|also),?\\s+)+",
  ].join(""),
  "i",
);

/** The sentence without its opening, and with straight apostrophes in its prose. */
function opened({ text, prose }: Sentence): Sentence {
  const straight = prose.replace(/[‘’]/g, "'").replace(/\s/g, " ");
  const skip = OPENING.exec(straight)?.[0].length ?? 0;
  return { text: text.slice(skip).trimEnd(), prose: straight.slice(skip).trimEnd() };
}

/** Code, logs, traces, tables and data that found their way into prose. */
const NOT_PROSE = [
  /[{};]$|=>|==|\w\(\)|https?:\/\/\S{80}/,
  /^[[{<|]|^\$ |^at \S+[.(]/,
  /^(?:import|export|const|let|var|function|def|class|return|from) \S+ ?[=({;:]/,
  /^(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ERROR|WARN|INFO|DEBUG|FATAL)\b/,
  /^\W?\d{4}-\d\d-\d\d[T ]\d\d:/,
];

/** Asked, whether or not a question mark says so. */
const QUESTION =
  /\?[)\]"']*$|^(?:have|has|had|did|do|does|should|could|can|would|will|shall|is|are|was|were|am|may|might|what|why|how|who|which|whose)\b/i;

/** Asked for, told as a story, or said in jest. */
const NOT_MEANT = [
  /^(?:please )?(?:write|tell|translate|summari[sz]e|explain|generate|create|draft|rewrite|describe|list|show|give|help|act|find|search)\b/i,
  /\b(?:for example|for instance|e\.g\.|hypothetically|kidding|joking|haha|lol)\b/i,
];

const CONDITIONAL = [
  /^(?:if|unless|suppose|supposing|imagine|say|once|until|in case|whether|assum(?:e|ing)|let's (?:say|assume|pretend)|pretend)\b/i,
  /\b(?:if|unless|whether|until|once|before|when|wish) (?:we|i|you|they|he|she)(?:'ve|'d| have| had)? (?:decided?|agreed?|chose|chosen|choose|settled?)\b/i,
];

/** The kind of memory a sentence is, and the part of it that says so; null for none. */
function judge({ text, prose }: Sentence, speaker: Speaker): { type: MemoryType; content: string } | null {
  if (!text.includes(" ")) return null;
  // What runs on for that long without a stop is pasted data, and slow to search.
  if (text.length > LIMITS.contentChars || any(NOT_PROSE, prose)) return null;
  const label = LABELS.find(({ name }) => name.test(prose));
  if (label !== undefined) return { type: label.type, content: text.replace(LABEL, "") };
  if (QUESTION.test(prose) || any(NOT_MEANT, prose)) return null;
  const conditional = any(CONDITIONAL, prose);
  const rule = RULES.find(
    ({ by, signs, not, evenConditional }) =>
      (by === undefined || by === speaker) &&
      (evenConditional === true || !conditional) &&
      any(signs, prose) &&
      !(not?.test(prose) ?? false),
  );
  if (rule === undefined) return null;
  return { type: rule.type, content: text.slice(REMINDER.exec(prose)?.[0].length ?? 0) };
}

const LABEL = /^[^:—–]+[:—–]\s*/;

function any(signs: readonly RegExp[], prose: string): boolean {
  return signs.some((sign) => sign.test(prose));
}
