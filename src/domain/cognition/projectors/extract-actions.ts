// What a message puts on the agenda, or says is done. Only what is labelled, asked to be reminded of, or said to be
// needed or next: what someone merely asks for is not an item of an agenda.
import { COGNITION, LIMITS } from "../../../limits";
import { clip } from "../../../text/normalise-text";
import { type Sentence, stripCodeFences } from "../../../text/sentences";
import { extractSentences, isStatement, SECRET_PATTERN } from "../../promotion/extract-candidates";

export type Speaker = "user" | "assistant";
type Status = "open" | "done";
export type TaskAction = { text: string; status: Status };

export function extractActions(content: string, speaker: Speaker): TaskAction[] {
  return splitBlocks(content, speaker)
    .flatMap(({ text, status }) =>
      status === null
        ? extractSentences(text).flatMap((sentence) => parseSentence(sentence, speaker))
        : parseListItem(text, status),
    )
    .slice(0, COGNITION.projectedPerEntry);
}

const LABELS = "to-?dos?|action items?|next steps?|next actions?";
const HEADING = new RegExp(
  `^\\s*(?:#{1,6}\\s+)?[*_]{0,2}(?:(?:our|my|the|remaining|open) )?(?:${LABELS})[*_]{0,2}:?[*_]{0,2}\\s*$`,
  "i",
);
const BULLET = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[([ xX])\]\s+)?(\S.*)$/;

type Block = { text: string; status: Status | null };

/**
 * The items of lists that are an agenda, and the text between them. A heading makes a list one; so do a user's boxes to
 * tick, while an assistant writes checklists of all kinds.
 */
function splitBlocks(content: string, speaker: Speaker): Block[] {
  const blocks: Block[] = [];
  let prose: string[] = [];
  let onAgenda = false;
  for (const line of stripCodeFences(content).split(/\r\n|[\n\r]/)) {
    const [, box, item] = BULLET.exec(line) ?? [];
    const status = box === "x" || box === "X" ? "done" : "open";
    const ticked = box !== undefined && (speaker === "user" || status === "done");
    if (item !== undefined && (onAgenda || ticked)) {
      blocks.push({ text: prose.join("\n"), status: null }, { text: item, status });
      prose = [];
    } else {
      prose.push(line);
      onAgenda = HEADING.test(line) || (onAgenda && line.trim() === "");
    }
  }
  return [...blocks, { text: prose.join("\n"), status: null }];
}

function parseListItem(item: string, status: Status): TaskAction[] {
  const [first] = extractSentences(item);
  return first === undefined ? [] : (parseLabelled(first) ?? toActions(first.text, status));
}

function parseSentence(sentence: Sentence, speaker: Speaker): TaskAction[] {
  const named = parseLabelled(sentence);
  if (named !== null) return named;
  const asked = speaker === "user" ? POLITE_REMINDER.exec(sentence.prose) : null;
  if (asked !== null) return toActions(sentence.text.slice(asked[0].length).replace(/\?+$/, ""), "open");
  if (!isStatement(sentence)) return [];
  for (const { by, lead, tail = /$/, not } of RULES) {
    const match = by === undefined || by === speaker ? lead.exec(sentence.prose) : null;
    if (match === null || !tail.test(sentence.prose)) continue;
    const clause = extractClause(sentence.text.slice(match[0].length).replace(tail, ""));
    return not?.test(clause) ? [] : toActions(`${clause}${match[1] ?? ""}`, "open");
  }
  return [];
}

const LABEL = new RegExp(
  `^(?:(${LABELS})|done|completed|finished)(?: ?\\([^)]{1,40}\\))?(?:\\s?[:—–]\\s?| - )(?=\\S)`,
  "i",
);

function parseLabelled({ text, prose }: Sentence): TaskAction[] | null {
  const label = LABEL.exec(prose);
  if (label === null) return null;
  return toActions(text.slice(label[0].length), label[1] === undefined ? "done" : "open");
}

/** A reminder that is asked for politely. */
const POLITE_REMINDER = /^(?:can|could|would|will) you (?:please )?remind me to (?=.+\?$)/i;

/** What one needs to do, and does not mean to do as a piece of work; and the steps of an explanation. */
const NOT_WORK =
  "(?!(?:be|know|understand|think|talk|go(?! live)|leave|say|see|hear|have|admit|ask you|tell you|remember|mention|point" +
  "|stress|emphasi[sz]e|confess|learn|wait|believe|feel|sleep|rest|worry|care|look(?! into)|get used|keep in mind|consider" +
  "|assume|note|reali[sz]e|accept|recall|explain|clarify|vent|eat|pee|focus|keep|grow|stay|catch up" +
  "|double down|get (?:back|some|going|moving|started|serious|ready)|move (?:fast|on|forward|quickly)" +
  "|find a (?:better |good )?way|fully|multiply|divide|subtract|calculate|compute|solve)\\b)";
const WHEN = "( tomorrow| later| tonight| (?:on|in|at|next|this) [\\w:]+(?: [\\w:]+)?)?";

type Rule = {
  by?: Speaker;
  /** What the clause follows; a time that is said there goes to the clause's end. */
  lead: RegExp;
  /** What it ends with, which is no part of it. */
  tail?: RegExp;
  not?: RegExp;
};

/** What only the sentences before it explain. */
const DANGLING_REFERENCE =
  /\b(?:it|it's|this(?! (?:week|month|year|quarter|sprint|morning|afternoon|evening|weekend)\b)|that(?!'s| \w+ing\b)|these|those|them|things?|stuff|something|anything|everything)\b/i;

const RULES: readonly Rule[] = [
  { by: "user", lead: startingWith(`remind (?:me|us)${WHEN} to `) },
  { by: "user", lead: startingWith("remember to ") },
  { lead: startingWith("(?:don't(?: let me)?|do not) forget to ") },
  {
    lead: startingWith(`(?:i|we)(?:'ll)?(?: still| also| really)? need to ${NOT_WORK}`),
    not: DANGLING_REFERENCE,
  },
  { lead: startingWith("(?:the|our|my) next (?:step|task|action)(?: here)? is to ") },
  {
    by: "assistant",
    lead: startingWith(`next,? (?:i|we)(?:'ll| will|'m going to|'re going to) ${NOT_WORK}`),
  },
  { by: "assistant", lead: startingWith(`i(?:'ll| will|'m going to) ${NOT_WORK}`), tail: / next[.!]*$/i },
];

function startingWith(words: string): RegExp {
  return new RegExp(`^(?:(?:please|so|and|but|also|then|now|finally),? )?${words}`, "i");
}

function toActions(said: string, status: Status): TaskAction[] {
  if (said.length > LIMITS.contentChars || SECRET_PATTERN.test(said)) return [];
  const text = formatTaskText(said);
  return NO_TASK.some((sign) => sign.test(text)) ? [] : [{ text, status }];
}

/** As it stands on the agenda: a clause that says what to do. */
export function formatTaskText(said: string): string {
  const clause = extractClause(said);
  return clip(clause.charAt(0).toUpperCase() + clause.slice(1), COGNITION.projectedChars);
}

const LEADING_WORDS =
  /^(?:(?:please|also|and|then|to|let's|(?:i|we)(?:'ll)?(?: still| also)? (?:need|have) to|remember to|don't forget to) )+/i;
/** Where the reason begins, or something else. */
const TRAILING_CLAUSE =
  /(?:;| [—–-] | \(?(?:because|so that|otherwise)\b|, (?:but|so|because|since|otherwise|as|which|or else|no|not|even|let's|ok|okay|thanks|please|right)\b| (?:please|thanks)[.!]*$).*$/i;

function extractClause(said: string): string {
  const plain = said.replace(/[‘’]/g, "'").replace(/(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])/g, "$1");
  const whole = plain.replace(/\s+/g, " ").trim().replace(LEADING_WORDS, "");
  const short = whole.replace(TRAILING_CLAUSE, "");
  return (short.includes(" ") ? short : whole).replace(/[\s.,;:!…]+$/, "");
}

const NO_TASK: readonly RegExp[] = [
  /^\S*$/,
  /\?$/,
  /^[^\p{L}\p{N}`"“]/u,
  /^(?:none|nothing|n\/a|tbd|no|not|see|as above)\b/i,
  // Without the sentence before it, nobody knows what is meant.
  /^(?:[\w'-]+ ){1,3}(?:it|this|that|them|these|those|something|anything|stuff|things|him|her|you|so|more|better)(?: (?:now|soon|again|today|later|first|asap|together|too|up|out|down|off|done))?$/i,
];
