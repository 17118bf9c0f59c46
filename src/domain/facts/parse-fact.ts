// Parses a statement that gives one attribute of a subject one value: "Maria has moved to Rome" gives Maria the
// residence Rome. A statement that is not single-valued, asserted and present has no fact.
import { cleanStatement } from "./clean-statement";
import { type Fact, matchForms } from "./fact-forms";
import { parseValue } from "./fact-values";
import { type ResolvedAttribute, resolveAttribute, USER } from "./noun-phrases";

export type { Fact } from "./fact-forms";

/** Returns the subject, attribute and value of a single-valued statement; null for any other. */
export function parseFact(content: string): Fact | null {
  const cleaned = cleanStatement(content);
  if (cleaned === null) return null;
  const { clause, before } = cleaned;
  return before === null ? parseClause(clause) : parseLinked(before, clause);
}

function parseClause(clause: string): Fact | null {
  return matchNounForms(clause) ?? matchForms(clause);
}

const N = "(?<n>[^,;:]{1,80}?)";
const V = "(?<v>.{1,100})";
const CHANGED =
  "changed|moved|updated|set|reset|raised|lowered|increased|decreased|reduced|cut|bumped|upgraded|downgraded|switched|pushed|pushed back|pushed out|brought forward|moved up|extended|postponed|rescheduled|delayed|shifted|migrated|renamed|corrected|adjusted|reassigned|transferred|handed over|passed|dropped|risen|rose|fallen|fell|gone up|went up|gone down|went down|grown|grew|shrunk|converted|doubled|halved";

type NounForm = { pattern: RegExp; isInverse?: boolean };

/** Forms of "the N is V", in which the noun names the attribute. */
const NOUN_FORMS: readonly NounForm[] = [
  {
    pattern: new RegExp(
      `^(?:i|we|they|the team|the company|management)(?: have| has)? (?:${CHANGED}) ${N}(?: from [^,]{1,60}?)? (?:to|at|until) ${V}$`,
      "i",
    ),
  },
  {
    pattern: new RegExp(
      `^${N}(?: has| have| had| was| were| is| are| got)?(?: been)? (?:${CHANGED})(?: from [^,]{1,60}?)? (?:to|at|until|by) ${V}$`,
      "i",
    ),
  },
  {
    pattern: new RegExp(
      `^${N} (?:is|are)(?: called| named| set to| set at| capped at| fixed at| down to| up to| scheduled for| located)?(?: on| in| at)? (?:the same as )?${V}$`,
      "i",
    ),
  },
  { pattern: new RegExp(`^${N}: ${V}$`, "i") },
  {
    pattern:
      /^(?<v>[^,]{1,60}?)(?: has| have)? (?:is|are|taken over as|took over as|been appointed|become|became|been named|was named|replaced [^,]{1,40}? as) (?<n>(?:my|our|the|[^,]{1,40}'s)? ?[^,]{1,60})$/i,
    isInverse: true,
  },
];

function matchNounForms(clause: string): Fact | null {
  for (const { pattern, isInverse = false } of NOUN_FORMS) {
    const { n, v } = pattern.exec(clause)?.groups ?? {};
    const noun = n === undefined ? null : resolveAttribute(n);
    if (noun === null || v === undefined) continue;
    if (isInverse && !canInvert(noun, n ?? "", v)) continue;
    const fact = toNounFact(noun, v);
    if (fact !== null) return fact;
  }
  return null;
}

/** "Dr Patel is my GP" names the holder; "Henrik is a manager" does not. */
function canInvert({ kind, attribute }: ResolvedAttribute, phrase: string, value: string): boolean {
  if (
    /^(?:an?|one|some|not) /i.test(phrase) ||
    /^(?:i|we|he|she|it|they|this|that|there|what|who|my|our|the|an?) ?\b/i.test(value)
  )
    return false;
  if (kind === "person" || kind === "email" || kind === "phone") return true;
  return attribute.startsWith("favourite_") || attribute === "employer" || attribute.startsWith("tool_for_");
}

function toNounFact({ subject, attribute, kind }: ResolvedAttribute, raw: string): Fact | null {
  const text = raw
    .replace(/^(?:the|an?) (.{1,30}) one$/i, "$1")
    .replace(/^(?:the |an? )(?=\S)/i, kind === "person" ? "$&" : "");
  if (kind === "address" && parseValue("email", text) !== null)
    return { subject, attribute: attribute.replace(/address$/, "email"), value: text };
  const value = parseValue(kind, text);
  return value === null ? null : { subject, attribute, value };
}

/** Clauses that announce a new value: "Maria no longer lives in Paris", "I've got a new number". */
const ANNOUNCEMENT =
  /^(?<s>[^,;:]{1,60}?) (?:no longer|used to|(?:do|does|is|are|am) not|(?:has |have )?(?:left|quit|moved|changed|switched|sold|dropped|stopped|replaced|updated)|(?:has |have )?(?:got|gotten|bought|found|taken|took)|has|have)\b ?(?<rest>.*)$/i;

/** Parses the clause after an announcement, with its pronoun resolved. */
function parseLinked(before: string, clause: string): Fact | null {
  const { s, rest = "" } = ANNOUNCEMENT.exec(before)?.groups ?? {};
  if (s === undefined) return null;
  const [pronoun = ""] = /^\S+/.exec(clause) ?? [];
  const predicate = clause.slice(pronoun.length + 1);
  if (/^(?:it|that|this)$/i.test(pronoun)) {
    const [, thing] = /^(?:an? new|a different|my|our|his|her|their|the) (.{1,40})$/i.exec(rest) ?? [];
    if (thing === undefined) return parseClause(`${s} ${predicate}`);
    const owner = /^i$/i.test(s) ? "my" : /^we$/i.test(s) ? "our" : `${s}'s`;
    return parseClause(`${owner} ${thing} ${predicate}`);
  }
  const isUser = /^(?:i|we)$/i.test(pronoun);
  if (isUser && pronoun.toLowerCase() !== s.toLowerCase()) return null;
  const fact = parseClause(`${s} ${predicate}`);
  return fact !== null && (isUser ? fact.subject === USER || pronoun.toLowerCase() === "we" : true)
    ? fact
    : null;
}
