// Forms of statements about whom someone works for, and as what.
import { isDate, parseValue } from "./fact-values";
import { DEPARTMENT, isJobTitle, isKnownPlace, PERSON_NOUN } from "./fact-words";
import { resolveSubject } from "./noun-phrases";
import { STREET } from "./residence-rules";
import {
  BE,
  CHANGE_TAIL,
  defineForm,
  type Fact,
  type FormGroups,
  HAVE,
  isThing,
  makeFact,
  type SentenceForm,
  SUBJECT,
  stateAttribute,
  VALUE,
} from "./sentence-rule";

const EMPLOYER_TAIL =
  /,? (?:as (?:an?|the|their|its|our) .{1,60}|in (?:sales|marketing|finance|hr|engineering|the .{1,40}(?:team|department))|in \p{Lu}[\p{L}-]+)$/iu;

const NO_EMPLOYER =
  /\bon (?:mon|tues|wednes|thurs|fri|satur|sun)days?$|\b(?:19|20)\d\d\b|\bhome\b|^(?:my|his|her|their|our|various|different|several|night|minimum|full|free|peace|change|justice|the (?:weekends?|moment|office|night|front)|night|noon|least|a living|an? (?:big|large|small|new|great|good|different|local|better|living|while|year|month|long))\b|\b(?:gym|club|band|choir|call|meeting|party|chat|channel|group|team|waitlist|community|church|dots?)\b/i;

function toEmployer({ s = "", v = "" }: FormGroups): Fact | null {
  const text = v
    .replace(CHANGE_TAIL, "")
    .replace(EMPLOYER_TAIL, "")
    .replace(/^(?:an?|the) (?:[\p{L}-]+ ){1,3}(?:called|named) /iu, "");
  if (
    /^(?:(?:my|her|him|them|our)sel(?:f|ves)|(?:my|his|her|their) own (?:company|business|startup|firm))$/i.test(
      text,
    )
  )
    return makeFact(resolveSubject(s), "employer", "self-employed");
  const isNamed =
    /^(?:the )?\p{Lu}|^(?:the|an?) [\p{Ll}][\p{L}-]*(?: [\p{L}-]+){0,3}$|^\p{Ll}[\p{L}\d.-]+$/u.test(text);
  if (!isNamed || NO_EMPLOYER.test(text) || isDate(text)) return null;
  return makeFact(resolveSubject(s), "employer", parseValue("name", text));
}

/** Only a name in capitals: "with child" names no employer. */
function toNamedEmployer(groups: FormGroups): Fact | null {
  return /^(?:the )?\p{Lu}/u.test(groups.v ?? "") ? toEmployer(groups) : null;
}

function stripTitle(raw: string): string {
  return raw
    .replace(CHANGE_TAIL, "")
    .replace(/ (?:at|for|with) .{1,60}$/, "")
    .replace(/^(?:an?|the|our|their|its) (?=\S)/i, "")
    .replace(/^fully[ -]/i, "");
}

/** Keeps a named employer beside the title: the same post elsewhere is another job. */
function stateTitle(s: string, title: string, raw: string): Fact | null {
  const [, employer] =
    / (?:at|for|with) (\p{Lu}[\p{L}\d.&' -]{1,40})$/u.exec(raw.replace(CHANGE_TAIL, "")) ?? [];
  const value = parseValue("text", title);
  return makeFact(
    resolveSubject(s),
    "job_title",
    value === null || employer === undefined ? value : `${value} at ${employer}`,
  );
}

/** Without a name, these may be different people. */
const MANY_RELATED = /\b(?:neighbou?r|colleague|friend|cousin|flatmate|roommate|classmate)$/i;

function toJobTitle({ s = "", v = "" }: FormGroups): Fact | null {
  const title = stripTitle(v);
  return isJobTitle(title) && !MANY_RELATED.test(s) ? stateTitle(s, title, v) : null;
}

/** Titles in "works as" and "promoted to" need no list. */
function toStatedJobTitle({ s = "", v = "" }: FormGroups): Fact | null {
  const title = stripTitle(v);
  const isSide = /\b(?:volunteer|side|weekend|hobby)\b/i.test(v);
  return isSide ? null : stateTitle(s, title, v);
}

const SCHOOL =
  /\b(?:university|college|school|institute|academy|high|mit|eth|kth|ucl|lse|nyu|ucla|tu|stanford|harvard|oxford|cambridge|yale|princeton)\b/i;

export const WORK_FORMS: readonly SentenceForm[] = [
  defineForm(
    `${SUBJECT} (?:works?|${BE} working|${BE} employed|${BE} hired|${HAVE} (?:been )?(?:hired|started|started working|begun working))(?: full-time| part-time)? as ${VALUE}`,
    toStatedJobTitle,
  ),
  defineForm(
    `(?:they|[\\p{L}]+)(?: have| has)? (?:hired|promoted|appointed|made) (?<s>me|us)(?: as| to)? ${VALUE}`,
    toStatedJobTitle,
  ),
  defineForm(
    `${SUBJECT} (?:works?|${BE} working|${BE} employed|has been working|have been working|teach|teaches|practi[sc]es?|${BE} teaching) (?:at|for|by|with) ${VALUE}`,
    toEmployer,
  ),
  defineForm(
    `${SUBJECT}${HAVE} (?:joined|rejoined|accepted an offer from|signed with|been hired by|gone to work for|went to work for|transferred to|been recruited by) ${VALUE}`,
    (groups) => {
      const [, team] = /^(?:the )?(.{2,40}) team$/i.exec(groups.v ?? "") ?? [];
      return team === undefined ? toEmployer(groups) : makeFact(resolveSubject(groups.s ?? ""), "team", team);
    },
  ),
  defineForm(`${SUBJECT} (?:was|were|got) (?:hired|recruited) by ${VALUE}`, toEmployer),
  defineForm(
    `${SUBJECT}${HAVE} (?:started|begun|began)(?: (?:work|working|a new job|a job|a new role|a new position|out))?(?: at| for| with) ${VALUE}`,
    toEmployer,
  ),
  defineForm(
    `${SUBJECT}${HAVE}(?: (?:took|taken|got|gotten|landed|accepted|found|started|begun|began|has|have))? (?:up )?(?:an? |the )(?:new )?(?:job|position|role|gig|post)(?: offer)? (?:at|with|from) ${VALUE}`,
    toEmployer,
  ),
  defineForm(
    `${SUBJECT}${HAVE} (?:changed|switched) (?:jobs|employers|companies)(?: and)?(?: moved| went)? (?:to|from [^,]{1,40}? to) ${VALUE}`,
    toNamedEmployer,
  ),
  defineForm(
    `${SUBJECT}${HAVE} (?:left|quit) [^,]{1,40}? (?:for|to join|to work at|to work for|and joined|and started at|and moved to|and went to|and is with|and am with|and is at|and am at) ${VALUE}`,
    toNamedEmployer,
  ),
  defineForm(`${SUBJECT} (?:${BE}|has been|have been) (?:with|at|over at) ${VALUE}`, ({ s = "", v = "" }) =>
    /^(?:i|my |\p{Lu})/u.test(s) && !isKnownPlace(v) && !STREET.test(v) ? toNamedEmployer({ s, v }) : null,
  ),
  defineForm(
    `${SUBJECT} (?:is|am|are) (?:on|in|part of|a member of) the (?<v>.{2,40}) team`,
    stateAttribute("team", "text"),
  ),
  defineForm(
    `${SUBJECT}(?: (?:has|have) been| was| were| got|${HAVE} gotten) (?:promoted|appointed|made|elected|named) (?:to |as )?${VALUE}`,
    toStatedJobTitle,
  ),
  defineForm(
    `${SUBJECT}${HAVE} (?:taken|took|accepted|started|got|landed|begun|began) (?:an?|the) (?:[\\p{L}-]+ )?(?:job|position|role|post|gig) as ${VALUE}`,
    toStatedJobTitle,
  ),
  defineForm(
    `${SUBJECT}(?: ${BE}|${HAVE}) (?<v>retired|unemployed|self-employed|out of work|between jobs)`,
    ({ s = "", v = "" }) => {
      const subject = resolveSubject(s);
      const isPerson =
        subject !== null && (!isThing(subject) || PERSON_NOUN.test(subject) || /^\p{Lu}\p{Ll}+$/u.test(s));
      return isPerson ? makeFact(subject, "job_title", v) : null;
    },
  ),
  defineForm(`${SUBJECT}${HAVE} (?:became|become|qualified as|retrained as) ${VALUE}`, toJobTitle),
  defineForm(`${SUBJECT} ${BE} (?<v>(?:an? |the )?(?!on\\b|in\\b|at\\b|\\d).{2,60})`, toJobTitle),
  defineForm(
    `${SUBJECT} (?:reports?|answers?|${BE} reporting) to ${VALUE}`,
    stateAttribute("manager", "person"),
  ),
  defineForm(`${SUBJECT} (?:${BE} managed|${BE} supervised) by ${VALUE}`, ({ s = "", v = "" }) => {
    const subject = resolveSubject(s);
    return subject === null || (isThing(subject) && !/^\p{Lu}/u.test(s))
      ? null
      : makeFact(subject, "manager", parseValue("person", v));
  }),
  defineForm(
    "(?<v>[^,]{1,40}?) (?:manages|supervises|is managing) (?<s>me)",
    stateAttribute("manager", "person"),
  ),
  defineForm(
    `${SUBJECT} (?:goes|go|studies|study|${BE} studying|${BE} enrolled|${BE} a student|attends?)(?: to| at)?(?: at)? (?<v>.{2,50})`,
    ({ s = "", v = "" }) =>
      SCHOOL.test(v) && /\p{Lu}/u.test(v)
        ? makeFact(resolveSubject(s), "school", parseValue("name", v))
        : null,
  ),
  defineForm(`${SUBJECT} (?:${BE} majoring|majors?) in ${VALUE}`, stateAttribute("major", "text")),
  defineForm(
    `${SUBJECT} (?:is |am )?(?:in|starts|started|going into) (?<v>(?:the )?(?:\\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth) grade)`,
    stateAttribute("grade", "text"),
  ),
  defineForm(`${SUBJECT} banks? with ${VALUE}`, stateAttribute("bank", "name")),
  defineForm(`${SUBJECT} drives? an? ${VALUE}`, ({ s = "", v = "" }) =>
    /^(?:lot|bit|little|bus|taxi|truck|tram|train|hard bargain)\b/i.test(v)
      ? null
      : makeFact(resolveSubject(s), "car", parseValue("name", v)),
  ),
  defineForm(
    `${SUBJECT} (?:commutes?|gets? to work|go(?:es)? to work|travels? to work)(?: by| on) ${VALUE}`,
    stateAttribute("commute_mode", "name"),
  ),
  defineForm(`${SUBJECT} (?:gets? up|wakes? up|rises?) at ${VALUE}`, stateAttribute("wake_time", "text")),
  defineForm(
    `${SUBJECT} (?:go(?:es)? to bed|go(?:es)? to sleep) at ${VALUE}`,
    stateAttribute("bedtime", "text"),
  ),
  defineForm(`${SUBJECT} sits? (?:in|at|next to|opposite|by) ${VALUE}`, stateAttribute("seat", "name")),
  defineForm(`${SUBJECT} plays? for (?<v>(?:the )?[^,]{2,40})`, ({ s = "", v = "" }) =>
    /^(?:the )?\p{Lu}/u.test(v) ? makeFact(resolveSubject(s), "plays_for", parseValue("name", v)) : null,
  ),
  defineForm(`${SUBJECT} works? under ${VALUE}`, stateAttribute("manager", "person")),
  defineForm(
    `${SUBJECT}(?: ${BE}| works?| ${BE} working|${HAVE} (?:moved|switched|transferred|gone|changed))(?: over)? (?:in|to|into) (?<v>.{2,30})`,
    ({ s = "", v = "" }) =>
      DEPARTMENT.test(v) && !/^(?:the|our) /i.test(s)
        ? makeFact(resolveSubject(s), "department", v.replace(/^the /i, ""))
        : null,
  ),
];
