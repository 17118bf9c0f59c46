// Forms of statements about names, how to reach and answer someone, and preferences between alternatives.
import { parseValue } from "./fact-values";
import { EXCLUSIVE_OPTIONS, LANGUAGE } from "./fact-words";
import { resolveSubject, toAttributeWords, USER } from "./noun-phrases";
import {
  BE,
  defineForm,
  type Fact,
  type FormGroups,
  HAVE,
  makeFact,
  type SentenceForm,
  SUBJECT,
  stateAttribute,
  VALUE,
} from "./sentence-rule";

/** Of pets, children and siblings one may have several, each with a name of its own. */
const MANY_NAMED =
  /\b(?:cat|dog|pet|puppy|kitten|horse|rabbit|hamster|bird|parrot|fish|goldfish|son|daughter|child|kid|baby|brother|sister|friend|cousin|uncle|aunt|niece|nephew|colleague|co-worker|coworker|neighbou?r|teacher|student|classmate|roommate|flatmate|grandson|granddaughter|feature|server|street|nurse)$/;

function toNamed({ s = "", v = "" }: FormGroups): Fact | null {
  const subject = resolveSubject(s);
  if (subject === null || MANY_NAMED.test(subject) || /^(?:my|our|the) /.test(v)) return null;
  return makeFact(subject, "name", parseValue("name", v));
}

function toContact({ s = "me", v = "" }: FormGroups): Fact | null {
  const subject = resolveSubject(s);
  if (parseValue("email", v) !== null) return makeFact(subject, "email", v);
  return parseValue("phone", v) === null ? null : makeFact(subject, "phone", v);
}

/** "Prefers tea over coffee": the pair is the topic, the first of it the value. */
function toChoice({ s = "", v = "", other = "" }: FormGroups): Fact | null {
  const [one, two] = [toAttributeWords(v), toAttributeWords(other)];
  return one === null || two === null
    ? null
    : makeFact(resolveSubject(s), `preference_${[one, two].sort().join("_or_")}`, v);
}

/** "Prefers dark mode": one of options that exclude each other. */
function toOption({ s = "user", v = "" }: FormGroups): Fact | null {
  const option = v.toLowerCase().replace(/^(?:the |an? )/, "");
  for (const [attribute, pattern] of EXCLUSIVE_OPTIONS) {
    const [, value] = pattern.exec(option) ?? [];
    if (value !== undefined) return makeFact(resolveSubject(s), attribute, value);
  }
  return null;
}

function toReplyLanguage({ s = "user", v = "" }: FormGroups): Fact | null {
  return LANGUAGE.test(v) ? makeFact(resolveSubject(s), "reply_language", v) : null;
}

export const CONTACT_FORMS: readonly SentenceForm[] = [
  // Names.
  defineForm(`${SUBJECT} ${BE} code-?named ${VALUE}`, stateAttribute("codename", "name")),
  defineForm(
    `${SUBJECT} (?:${BE}(?: being)? called|${BE} named|${BE} known as|operates? under|operates? as|trades? as|trades? under|does business as)(?: the name(?: of)?)? ${VALUE}`,
    toNamed,
  ),
  defineForm(`${SUBJECT} (?:goes|go) by(?: the name(?: of)?)? ${VALUE}`, (groups) =>
    /^\p{Lu}/u.test(groups.v ?? "") ? toNamed(groups) : null,
  ),
  defineForm(
    `(?:we|i|the team|they|the company|[\\p{L}]+)${HAVE} (?:renamed|rebranded|retitled|rechristened) ${SUBJECT}(?: from [^,]{1,40}?)? (?:to|as) ${VALUE}`,
    toNamed,
  ),
  defineForm(
    `${SUBJECT}${HAVE}(?: been| was| were| is)? (?:renamed|rebranded|retitled|rechristened)(?: itself| themselves)?(?: from [^,]{1,40}?)? (?:to |as )?${VALUE}`,
    toNamed,
  ),
  defineForm(`(?:please )?(?:always )?(?:call|address) me (?:as )?(?<v>[\\p{L}'-]+)`, ({ v = "" }) =>
    /^\p{Lu}/u.test(v) ? makeFact(USER, "preferred_name", v) : null,
  ),
  defineForm(
    `${SUBJECT} (?:prefers?|likes?) to be called ${VALUE}`,
    stateAttribute("preferred_name", "person"),
  ),
  // How to reach and answer someone.
  defineForm(
    `(?:please )?(?:you can |you may |it is best to )?(?:write(?: to)?|mail|whatsapp|reach|call|contact|e-?mail|phone|text|message|ring|send (?:e-?mails?|mail) to)(?: to)? (?<s>me|us|\\p{L}+) (?:at|on|under|via|with) ${VALUE}`,
    toContact,
  ),
  defineForm(
    `${SUBJECT} (?:can|may) be (?:reached|contacted|called|e-?mailed) (?:at|on|under|via|by calling) ${VALUE}`,
    toContact,
  ),
  defineForm(`${SUBJECT} (?:${BE} (?:reachable|available)|uses?) (?:at|on|under|via)? ?${VALUE}`, toContact),
  defineForm(`${SUBJECT} (?:go|goes|are sent|is sent) to (?<v>\\S+@\\S+)`, stateAttribute("email", "email")),
  defineForm(
    "(?:please )?(?:always )?(?:answer|reply|respond|write|talk|speak|communicate)(?: to| with)?(?: me)?(?: in)? (?<v>\\p{L}+)(?: with me| to me)?",
    toReplyLanguage,
  ),
  defineForm(
    `${SUBJECT} (?:prefers?|speaks?|writes?)(?: to you)?(?: (?:answers|replies|responses|messages|conversations|to (?:speak|talk|communicate|chat|be answered|be addressed|write)))? in (?<v>\\p{L}+)`,
    toReplyLanguage,
  ),
  defineForm(
    `${SUBJECT} (?:prefers?|likes?) to be (?:contacted|reached|notified) (?:by|via|over|through|on) ${VALUE}`,
    stateAttribute("contact_method", "name"),
  ),
  // Preferences between alternatives.
  defineForm(`${SUBJECT} prefers? (?<v>[^,]{2,40}?) (?:over|to|than) (?<other>[^,]{2,40})`, toChoice),
  defineForm(
    `${SUBJECT} (?:prefers?|likes? to use|uses?|${HAVE} switched to|${HAVE} gone back to|${HAVE} went back to|wants?) (?<v>[\\p{L}\\d -]{2,30})`,
    toOption,
  ),
  defineForm("(?:please )?(?:always )?(?:use|give me|show me|display) (?<v>[\\p{L}\\d -]{2,30})", toOption),
];
