// Parses a statement that gives one attribute of a subject one value: "Maria has moved to Rome" gives Maria the
// residence Rome. A statement that is not single-valued, asserted and present has no fact.
import { matchFrame } from "./change-frames";
import { cleanStatement } from "./clean-statement";
import { CONTACT_FORMS } from "./contact-rules";
import { WORK_FORMS } from "./employment-rules";
import { parseValue } from "./fact-values";
import { WORK_STATUS } from "./fact-words";
import { MEASURE_FORMS } from "./measurement-rules";
import { type ResolvedAttribute, resolveAttribute, toPossessive } from "./noun-phrases";
import { LIFE_FORMS } from "./personal-rules";
import { THING_FORMS } from "./possession-rules";
import { HOME_FORMS } from "./residence-rules";
import { type Fact, findFact, VALUE } from "./sentence-rule";
import { TOOL_FORMS } from "./tool-rules";

// All sentence forms, in the order in which they are tried: a plan or a version before a place, a place before a state.

const FORMS = [
  ...TOOL_FORMS,
  ...HOME_FORMS,
  ...WORK_FORMS,
  ...CONTACT_FORMS,
  ...LIFE_FORMS,
  ...THING_FORMS,
  ...MEASURE_FORMS,
];

export function matchForms(clause: string): Fact | null {
  return findFact(FORMS, clause);
}

/** Returns the subject, attribute and value of a single-valued statement; null for any other. */
export function parseFact(content: string): Fact | null {
  const cleaned = cleanStatement(content);
  if (cleaned === null) return null;
  const { clause, before, whole } = cleaned;
  return before === null
    ? (parseClause(clause) ?? matchFrame(clause))
    : (parseLinked(before, clause) ?? parseClause(whole));
}

function parseClause(clause: string): Fact | null {
  const plain = rewriteHolderName(rewriteNewValue(clause));
  return matchNounForms(plain) ?? matchForms(plain);
}

const NEW_VALUE =
  /^([^,;:]{1,50}?) (?:has|have|got)(?: got| gotten)? an? (?:new|different) ([^,;:]{1,40}?)(?:[,:]| -| —| –| called| named| and)? (?:(?:(?:it|his name|her name|their name|the name|which|and it) is|called|named) )?(?=(?:the )?[\p{Lu}\d+$€£`"]|\S+@)/u;
const CHANGED_OWN =
  /^([^,;:]{1,50}?)(?: has| have)? (changed|switched|updated|raised|lowered|moved|set|increased|reduced|cut) (?:his|her|their|its) /i;

/** "Erik has a new number: 555", "Ana changed her name to Kim": the noun gets its owner, as in "Erik's number is 555". */
function rewriteNewValue(clause: string): string {
  return clause
    .replace(NEW_VALUE, (_, owner: string, noun: string) => `${toPossessive(owner)} ${noun} is `)
    .replace(CHANGED_OWN, (_, owner: string, verb: string) => `we ${verb} ${toPossessive(owner)} `);
}

const HOLDER_NAME = /^([^,;:]{1,60}?)(?:'s name is| (?:is|are) (?:called|named)) (?=\p{Lu})/u;

/** "My boss is called Kevin" and "my boss's name is Kevin" state who the boss is, as "my boss is Kevin" does. */
function rewriteHolderName(clause: string): string {
  return clause.replace(HOLDER_NAME, (whole, holder: string) =>
    resolveAttribute(holder)?.kind === "person" ? `${holder} is ` : whole,
  );
}

const N = "(?<n>[^,;:]{1,80}?)";
const CHANGED =
  "changed|moved|relocated|updated|set|reset|raised|lowered|increased|decreased|reduced|cut|bumped|upgraded|downgraded|switched|pushed|" +
  "pushed back|pushed out|brought forward|moved up|extended|postponed|rescheduled|delayed|shifted|migrated|renamed|corrected|" +
  "adjusted|reassigned|transferred|handed over|passed|dropped|risen|rose|fallen|fell|gone up|went up|gone down|went down|grown|doubled|tripled|halved|" +
  "went|gone|jumped|climbed|amended|revised|tightened|relaxed|swapped|rotated|fixed|grew|shrunk|converted|slipped|reverted|expanded|put up|put down|turned up|turned down";
const IS =
  "(?:is|are|will be)(?: set to| set at| capped at| fixed at| limited to| down to| up to| scheduled for| planned for)?(?: on| in| at)?";
const HOLDS =
  "(?:is|are|been|(?:takes|taken|took) over(?: from [^,]{1,40}?)? as|succeed(?:s|ed) [^,]{1,40}? as|been made|been appointed|become|became|been named|been elected|was elected|was named|was appointed|replaced [^,]{1,40}? as|replaces [^,]{1,40}? as|serves as|acts as)";

/** Forms of "the N is V", in which the noun names the attribute. */
const NOUN_FORMS: readonly RegExp[] = [
  `(?:i|we|they|the team|the company|management)(?: have| has)? (?:${CHANGED}) ${N}(?: from [^,]{1,60}?)? (?:to|at|until) ${VALUE}`,
  `${N}(?: has| have| was| were| is| are| got)?(?: been| got)? (?:${CHANGED})(?: from [^,]{1,60}?)? (?:to|at|until|by) ${VALUE}`,
  `${N} ${IS} ${VALUE}`,
  `${N}: ${VALUE}`,
  `(?:please )?(?:change|update|set|move|correct) (?<n>(?:my|our|the) [^,;:]{1,60}?)(?: from [^,]{1,60}?)? to ${VALUE}`,
  `(?:please )?use (?<n>my (?:new )?[^,;:]{1,40}?)[,:]? (?<v>\\S{1,60})`,
  `(?:please )?use (?<v>\\S{1,60}) (?:as|for) (?<n>(?:my|our|the) .{1,60})`,
].map((form) => new RegExp(`^${form}$`, "i"));
const INVERSE_FORM = new RegExp(`^(?<v>[^,]{1,60}?)(?: has| have)? ${HOLDS} (?<n>[^,]{1,100})$`, "i");

function matchNounForms(clause: string): Fact | null {
  for (const pattern of NOUN_FORMS) {
    const { n = "", v = "" } = pattern.exec(clause)?.groups ?? {};
    const noun = resolveAttribute(n);
    const fact = noun === null ? null : toNounFact(noun, v);
    if (fact !== null) return fact;
  }
  const { n = "", v = "" } = INVERSE_FORM.exec(clause)?.groups ?? {};
  const noun = resolveAttribute(n);
  return noun === null || !canInvert(noun, n, v) ? null : toNounFact(noun, v);
}

/** "Dr Patel is my GP" names the holder; "Henrik is a manager" does not. */
function canInvert({ kind, attribute }: ResolvedAttribute, phrase: string, value: string): boolean {
  if (/^(?:an?|one|some|not) /i.test(phrase)) return false;
  if (/^(?:i|we|he|she|it|they|this|that|there|what|who|my|our|the|an?)\b/i.test(value)) return false;
  // "Uli is president of sales" states a title of Uli.
  if (kind === "person" && !/^(?:my|our|the) |'s | of (?:the|our) |on-call/i.test(phrase)) return false;
  if (["person", "email", "phone", "version"].includes(kind)) return true;
  return /^(?:favourite|preferred|goto|usual|tool_for)_/.test(attribute) || attribute === "employer";
}

const DEVICE = /\b(?:iphone|pixel|galaxy|samsung|fairphone|oneplus|nokia|xiaomi|motorola)\b/i;

function toNounFact({ subject, attribute, kind }: ResolvedAttribute, raw: string): Fact | null {
  const text = raw
    .replace(/^(?:the|an?) (.{1,30}) one$/i, "$1")
    .replace(/^(?:the |an? )(?=\S)/i, kind === "person" ? "$&" : "");
  const isEmail = parseValue("email", text) !== null;
  if (isOtherAttribute(attribute, text)) return null;
  if (/size$/.test(attribute) && LETTER_SIZE.test(text)) return { subject, attribute, value: text };
  if (attribute === "status" && STATUS.test(text)) return { subject, attribute, value: text };
  if (kind === "address" && isEmail)
    return { subject, attribute: attribute.replace(/address$/, "email"), value: text };
  if (kind === "person" && (isEmail || parseValue("phone", text) !== null))
    return { subject, attribute: `${attribute}_${isEmail ? "email" : "phone"}`, value: text };
  if (attribute === "phone" && DEVICE.test(text)) return { subject, attribute: "phone_model", value: text };
  const value = parseValue(kind, text);
  if (value === null) return null;
  return {
    subject,
    attribute: attribute === "birthday" && YEAR.test(value) ? "birth_year" : attribute,
    value,
  };
}
/** "The subscription went up to $15" states a price, "the cluster has moved to eu-west-1" a region. */
function isOtherAttribute(attribute: string, value: string): boolean {
  if (attribute === "car") return !/\p{Lu}/u.test(value);
  if (/plan$/.test(attribute)) return /\d/.test(value) && parseValue("amount", value) !== null;
  return (
    /(?:cluster|bucket|namespace)$/.test(attribute) && /^\S+ v?\d[\d.]*$|^[a-z]{2}-[a-z]+-\d$/i.test(value)
  );
}
const LETTER_SIZE = /^(?:X{0,3}[SL]|M|(?:extra )?(?:small|large)|medium)$/i;
const STATUS = new RegExp(`^${WORK_STATUS}$`, "i");
const YEAR = /^(?:19|20)\d\d$/;

/** Clauses that announce a new value: "Maria no longer lives in Paris", "I've got a new number". */
const ANNOUNCEMENT =
  /^(?<s>[^,;:]{1,60}?) (?:(?:am |is |are )?no longer|used to|(?:do|does|is|are|am) not|(?:has |have )?(?:left|quit|moved|changed|switched|sold|dropped|stopped|replaced|updated|got|gotten|bought|found|taken|took|packed|finished|resigned|gave|given|closed|outgrown|outgrew|graduated|retired|married|divorced|had|become|became|was promoted|been promoted|\p{L}{3,}ed)|has|have)\b ?(?<rest>.*)$/iu;
const PRONOUN = /^(?:i|we|she|he|they|it|that|this)$/i;

/** Parses the clause after an announcement, with its pronoun resolved. */
function parseLinked(before: string, clause: string): Fact | null {
  const [first = ""] = /^\S+/.exec(clause) ?? [];
  const isComplete =
    /^(?:i|we|my|our|the|\p{Lu}.*)$/u.test(first) && !/^(?:It|That|This|She|He|They|His|Her)$/.test(first);
  const own = isComplete ? parseClause(clause) : null;
  const earlier = parseClause(before);
  // A first clause with another fact is a second statement, which a replacement would hide.
  if (earlier !== null)
    return own !== null && own.subject === earlier.subject && own.attribute === earlier.attribute
      ? own
      : null;
  if (own !== null) return own;
  const { s, rest = "" } = ANNOUNCEMENT.exec(before)?.groups ?? {};
  if (s === undefined) return null;
  const predicate = clause.slice(first.length + 1);
  // After "got a new boss", "his name" is the boss's.
  if (/^(?:his|her|their|its)$/i.test(first))
    return /^an? /i.test(rest) ? null : parseClause(`${toPossessive(s)} ${predicate}`);
  if (!PRONOUN.test(first)) return parseClause(`${s} ${clause}`);
  if (/^(?:it|that|this)$/i.test(first)) {
    const [, thing] =
      /^(?:an? new|a different|my|our|his|her|their|the) (.{1,40})$/i.exec(rest) ??
      /^(\p{L}+)s$/u.exec(rest) ??
      [];
    return parseClause(`${thing === undefined ? s : `${toPossessive(s)} ${thing}`} ${predicate}`);
  }
  const isSpeaker = /^(?:i|we)$/i.test(first);
  return isSpeaker && first.toLowerCase() !== s.toLowerCase() ? null : parseClause(`${s} ${predicate}`);
}
